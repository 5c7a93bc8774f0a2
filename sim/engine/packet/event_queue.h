// SPDX-License-Identifier: GPL-2.0-only
// The pending events of a run, in exact (time, order) order: a timing wheel of plain records.
// Events of one bucket are sorted when the bucket is opened; later inserts into the open bucket go
// to a small heap, events beyond the horizon to a far heap. The bucket width tunes itself. Nothing
// is allocated per event once the pools have grown. Cost: about 20 ns an event at 10,000 pending.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/check.h"

namespace sim::packet {

struct Event {
  std::int64_t time = 0;    // ps
  std::uint64_t order = 0;  // island << 40 | sequence number in that island
  std::uint32_t kind = 0;
  std::uint32_t subject = 0;

  [[nodiscard]] bool before(const Event& other) const {
    return time != other.time ? time < other.time : order < other.order;
  }
};

class EventQueue {
 public:
  EventQueue();

  // `event.time` must not lie before the last popped time.
  void push(const Event& event) {
    if (event.time < open_end_) {
      push_open(event);
    } else if (event.time < horizon_) {
      push_bucket(event);
    } else {
      push_far(event);
    }
    ++size_;
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  // Removes the earliest event. The queue must not be empty.
  Event pop() {
    CHECK(size_ > 0);
    --size_;
    if (cursor_ < sorted_.size() && late_.empty()) [[likely]]
      return sorted_[cursor_++];
    while (cursor_ == sorted_.size() && late_.empty()) open_next();
    if (late_.empty()) return sorted_[cursor_++];
    return pop_with_late();
  }

  // The event that will probably be popped `ahead` after the next, for prefetching; null if not
  // known.
  [[nodiscard]] const Event* peek(std::size_t ahead) const {
    return cursor_ + ahead < sorted_.size() ? &sorted_[cursor_ + ahead] : nullptr;
  }

 private:
  struct Node {
    Event event;
    std::uint32_t next = 0;
  };
  static constexpr std::uint32_t kBuckets = 8192;
  static constexpr std::uint32_t kNone = 0xffff'ffffU;
  static constexpr int kLeastShift = 6;  // 64 ps
  static constexpr int kMostShift = 34;  // 17 ms

  void push_open(const Event& event);
  void push_far(const Event& event);
  void push_bucket(const Event& event) {
    const auto bucket = static_cast<std::uint32_t>(event.time >> shift_) & (kBuckets - 1);
    const std::uint32_t node = take_node();
    nodes_[node].event = event;
    nodes_[node].next = heads_[bucket];
    heads_[bucket] = node;
    words_[bucket >> 6] |= 1ULL << (bucket & 63U);
    ++in_wheel_;
  }
  std::uint32_t take_node() {
    if (free_ == kNone) {
      nodes_.emplace_back();
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t node = free_;
    free_ = nodes_[node].next;
    return node;
  }
  Event pop_with_late();
  void open_next();
  void open_bucket(std::int64_t bucket_number);
  void take_out(std::uint32_t bucket);
  void make_room();
  void advance_to(std::int64_t bucket_number);
  [[nodiscard]] std::int64_t next_occupied(std::int64_t from) const;
  void refill_from_far();
  void retune();
  void rebuild(int shift);

  std::vector<Event> sorted_;  // the open bucket at its end, from cursor_ on
  std::size_t cursor_ = 0;
  std::vector<Event> late_;  // heap: inserted into the open bucket after it was opened
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::vector<std::uint32_t> heads_;
  std::vector<std::uint64_t> words_;  // occupied buckets
  std::vector<Event> far_;            // heap
  int shift_ = 12;
  std::int64_t open_number_ = 0;  // number of the open bucket: time >> shift_
  std::int64_t open_end_ = 0;     // events before this time belong to the open bucket
  std::int64_t horizon_ = 0;      // events from this time on are far
  std::uint64_t size_ = 0;
  std::uint64_t in_wheel_ = 0;
  std::uint64_t opened_ = 0;         // since the last tuning: buckets opened, events in them,
  std::uint64_t opened_events_ = 0;  // events that went far, late inserts
  std::uint64_t far_pushes_ = 0;
  std::uint64_t late_pushes_ = 0;
};

}  // namespace sim::packet
