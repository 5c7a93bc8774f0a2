// SPDX-License-Identifier: GPL-2.0-only
// Inside verify. An op begins as soon as all it waits for has ended, and ends at a random later
// time. In between, the blocks it reads may not be written and the blocks it writes (at the peer,
// for a send) may not be touched: that is what a DMA engine in flight demands. Beginning early
// makes these intervals as long as they can be, so they cover all orders in which it would begin
// later. Some ops are slow: they end only when no other can, which makes what should have waited
// for them overtake them. Blocks of zero bytes hold nothing and are skipped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/schedule/contributors.h"
#include "sim/schedule/holdings.h"
#include "sim/schedule/verify.h"

namespace sim::symbolic {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kWriting = 0x8000'0000U;

struct Content {
  std::uint32_t part = kNone;  // kNone: nothing
  Contributors::Id from = 0;
  bool operator==(const Content&) const = default;
};

class Verifier {
 public:
  explicit Verifier(const Schedule& schedule);
  std::optional<Fault> run(std::uint64_t seed);

 private:
  struct Place {  // an op with its rank
    OpId id;
    Rank rank;
    const Op& op;
  };

  [[nodiscard]] Place place(OpId id) const;
  [[nodiscard]] std::size_t index(Rank rank, std::uint32_t block) const;
  [[nodiscard]] OpId& sender(Rank rank, std::uint32_t slot);
  [[nodiscard]] OpId awaited(Rank rank, Wait wait);
  [[nodiscard]] bool fits(const Blocks& blocks) const;

  void find_senders();
  void check_shape(const Place& at);
  void check_landed(const Place& at);
  void index_dependents();
  void place_start();
  void play(std::uint64_t seed);
  void play_at_once();
  void release_dependents(OpId ended);
  void check_all_ended();
  void check_end_state();
  [[nodiscard]] Content content_of(const Holding& held) const;
  [[nodiscard]] Blocks pairs_with(std::uint32_t block) const;

  void begin(const Place& at);
  void end(const Place& at);
  void end_send(const Place& at);
  void end_landed(const Place& at);
  void end_local(const Place& at);
  [[nodiscard]] static bool apart(const Op& op);
  void lock_reads(const Place& at, const Blocks& blocks);
  [[nodiscard]] const std::vector<Content>* landed(
      const Place& at);  // null, and a fault: not there
  void lock_read(const Place& at, std::uint32_t block);
  void lock_write(const Place& at, Rank owner, std::uint32_t block);
  [[nodiscard]] Content read(const Place& at, std::uint32_t block);
  [[nodiscard]] bool all_offer(const Place& at);
  void end_in_switch(const Place& last);
  [[nodiscard]] Content merged(const Place& at, std::uint32_t block, Content added);
  [[nodiscard]] Content merged(const Place& at, Content here, Content added);
  void expect(Rank rank, std::uint32_t block, Content wanted);

  [[nodiscard]] std::string name_of(const Place& at) const;
  [[nodiscard]] std::string describe(Content content) const;
  void fault(std::string text);

  // Visits the pairs (from, to) of two sets of one shape whose `from` is not of zero bytes.
  template <class Visit>
  void for_each_pair(const Blocks& from, std::uint32_t to_first, Visit visit) const {
    from.for_each([&](std::uint32_t block) {
      if (!zero_[block]) visit(block, block - from.first + to_first);
    });
  }
  template <class Visit>
  void for_each_op(Visit visit) const {
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
      OpId id = schedule_.first_op(rank);
      for (const Op& op : schedule_.program(rank).ops) visit(Place{id++, rank, op});
    }
  }

  const Schedule& schedule_;
  const BlockSizes& sizes_;
  std::uint32_t bundles_;  // the first block of bundles; the number of blocks: there are none
  Contributors contributors_;
  std::optional<Fault> fault_;
  std::optional<OpId> at_;            // the op looked at
  std::vector<bool> zero_;            // by block: holds zero bytes
  std::vector<Content> contents_;     // by rank and block
  std::vector<std::uint32_t> locks_;  // by rank and block: readers, or kWriting
  std::unordered_map<OpId, std::vector<Content>> landed_;  // by send, until its reduce
  std::map<std::uint32_t, std::vector<OpId>> offered_;     // to the switch, by number
  std::vector<std::size_t> first_slot_;                    // by rank, into senders_
  std::vector<OpId> senders_;                              // by rank and slot
  std::vector<Rank> rank_of_;                              // by op
  std::vector<std::uint32_t> open_waits_;                  // by op, where anything waits
  std::vector<OpId> first_dependent_;  // by op, into dependents_, one more than ops
  std::vector<OpId> dependents_;
  std::vector<bool> begun_;     // by op
  std::vector<OpId> ready_;     // in the order they became ready
  std::size_t next_ready_ = 0;  // of ready_, the next to begin
  std::vector<OpId> fast_;      // in flight
  std::vector<OpId> slow_;      // in flight, to end only when no fast one is
  OpId ended_ = 0;
};

}  // namespace sim::symbolic
