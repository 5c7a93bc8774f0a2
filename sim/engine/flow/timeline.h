// SPDX-License-Identifier: GPL-2.0-only
// Events by time, in order of insertion within a time. Ties are the rule in collectives, so there
// is one heap entry per distinct time and a bucket of events behind it; a bucket that was just used
// is found again without a search.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace sim::flow {

class Timeline {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  struct Event {
    std::uint32_t kind = 0;
    std::uint32_t subject = 0;
  };

  void push(std::int64_t time, Event event) { buckets_[bucket_of(time)].events.push_back(event); }

  [[nodiscard]] std::int64_t next() const { return heap_.empty() ? kNever : heap_.front().time; }

  // The next event; there must be one.
  Event pop() {
    Bucket& bucket = buckets_[heap_.front().bucket];
    const Event event = bucket.events[bucket.taken++];
    if (bucket.taken == bucket.events.size()) retire();
    return event;
  }

 private:
  struct Bucket {
    std::vector<Event> events;
    std::size_t taken = 0;
    std::int64_t time = kNever;
  };
  struct Entry {
    std::int64_t time;
    std::uint64_t order;  // of creation: of two buckets of one time the older goes first
    std::uint32_t bucket;

    bool operator>(const Entry& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  static constexpr std::size_t kRecent = 256;

  static std::size_t place_of(std::int64_t time) {
    return static_cast<std::uint64_t>(time) * 0x9E37'79B9'7F4A'7C15U >> 56U;
  }

  std::uint32_t bucket_of(std::int64_t time) {
    std::uint32_t& known = recent_[place_of(time)];
    if (known < buckets_.size() && buckets_[known].time == time) return known;
    if (free_.empty()) {
      known = static_cast<std::uint32_t>(buckets_.size());
      buckets_.emplace_back();
    } else {
      known = free_.back();
      free_.pop_back();
    }
    buckets_[known].time = time;
    heap_.push_back({time, ++created_, known});
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    return known;
  }

  void retire() {
    const std::uint32_t number = heap_.front().bucket;
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    Bucket& bucket = buckets_[number];
    bucket.events.clear();
    bucket.taken = 0;
    bucket.time = kNever;
    free_.push_back(number);
  }

  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> free_;
  std::vector<Entry> heap_;
  std::array<std::uint32_t, kRecent> recent_{};
  std::uint64_t created_ = 0;
};

}  // namespace sim::flow
