// SPDX-License-Identifier: GPL-2.0-only
// Transfers of the packet level. A waiting transfer is a small record in its port's queue; only as
// many as the DMA engine interleaves (`dma.queues`) are live, with routes and progress. So a
// million queued transfers cost little memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/network.h"
#include "sim/engine/packet/route_store.h"

namespace sim::packet {

struct WaitingTransfer {
  Transfer transfer;
  std::uint32_t port = kNone;  // the link it leaves by
  std::uint32_t next = kNone;
};

struct LiveTransfer {
  std::uint32_t id = 0;  // the op
  std::uint32_t port = kNone;
  PathSet data;
  std::int64_t unsent = 0;   // bytes not yet handed to the port, with those of the semaphore
  std::int64_t missing = 0;  // bytes not yet at the receiver, or (plain) not yet on their last link
  std::int64_t last_in = 0;  // plain: when the latest of them is in
  std::uint32_t payload = 0;       // of a full packet
  std::uint32_t last_payload = 0;  // of the last one
  std::uint32_t semaphore = 0;     // plain: bytes of a last packet that follows the data
  std::uint32_t packets = 0;       // sent so far, without repeats
  std::uint32_t state = kNone;     // of a reliable transfer: its window and resend state
  std::uint16_t far_island = 0;    // of the receiver
  std::uint16_t epoch = 0;         // reliable: of the routes that its paths were found in
  std::uint8_t lane = 0;
  bool reliable = false;
  bool queued = false;  // in its port's active list
};

// Waiting transfers, in chunks that never move: a million of them are written once.
class WaitingPool {
 public:
  std::uint32_t keep(const WaitingTransfer& waiting) {
    std::uint32_t index = free_;
    if (index == kNone) {
      index = made_++;
      if (index % kChunk == 0) {
        chunks_.push_back(std::make_unique_for_overwrite<WaitingTransfer[]>(kChunk));
      }
    } else {
      free_ = (*this)[index].next;
    }
    (*this)[index] = waiting;
    ++in_use_;
    return index;
  }
  void give(std::uint32_t index) {
    (*this)[index].next = free_;
    free_ = index;
    --in_use_;
  }
  WaitingTransfer& operator[](std::uint32_t index) {
    return chunks_[index / kChunk][index % kChunk];
  }
  [[nodiscard]] std::size_t in_use() const { return in_use_; }

 private:
  static constexpr std::uint32_t kChunk = 512;

  std::vector<std::unique_ptr<WaitingTransfer[]>> chunks_;
  std::uint32_t free_ = kNone;
  std::uint32_t made_ = 0;
  std::size_t in_use_ = 0;
};

template <class Record>
class Pool {
 public:
  std::uint32_t take() {
    if (!free_.empty()) {
      const std::uint32_t index = free_.back();
      free_.pop_back();
      records_[index] = Record{};
      return index;
    }
    records_.emplace_back();
    return static_cast<std::uint32_t>(records_.size() - 1);
  }
  void give(std::uint32_t index) { free_.push_back(index); }
  Record& operator[](std::uint32_t index) { return records_[index]; }
  const Record& operator[](std::uint32_t index) const { return records_[index]; }
  [[nodiscard]] std::size_t in_use() const { return records_.size() - free_.size(); }

 private:
  std::vector<Record> records_;
  std::vector<std::uint32_t> free_;
};

}  // namespace sim::packet
