// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/event_queue.h"

#include <algorithm>
#include <bit>
#include <span>

namespace sim::packet {
namespace {

struct Later {
  bool operator()(const Event& a, const Event& b) const { return b.before(a); }
};

// Buckets hold a few events, nearly always: insertion sort beats the general one there. Large ones
// are traffic in lockstep, mostly inserted in order already.
void sort_events(std::span<Event> events) {
  if (events.size() > 24) {
    const auto earlier = [](const Event& a, const Event& b) { return a.before(b); };
    std::sort(events.begin(), events.end(), earlier);
    return;
  }
  for (std::size_t i = 1; i < events.size(); ++i) {
    const Event event = events[i];
    std::size_t j = i;
    for (; j > 0 && event.before(events[j - 1]); --j) events[j] = events[j - 1];
    events[j] = event;
  }
}

}  // namespace

EventQueue::EventQueue() : heads_(kBuckets, kNone), words_(kBuckets / 64, 0) {
  horizon_ = static_cast<std::int64_t>(kBuckets) << shift_;
}

void EventQueue::push_open(const Event& event) {
  late_.push_back(event);
  std::push_heap(late_.begin(), late_.end(), Later{});
  ++late_pushes_;
}

void EventQueue::push_far(const Event& event) {
  far_.push_back(event);
  std::push_heap(far_.begin(), far_.end(), Later{});
  ++far_pushes_;
}

Event EventQueue::pop_with_late() {
  if (cursor_ < sorted_.size() && sorted_[cursor_].before(late_.front())) return sorted_[cursor_++];
  const Event event = late_.front();
  std::pop_heap(late_.begin(), late_.end(), Later{});
  late_.pop_back();
  return event;
}

// Opens the next bucket that holds anything; `size_` > 0 and nothing is open.
void EventQueue::open_next() {
  if (opened_ >= 4096) retune();
  if (in_wheel_ == 0) {
    advance_to(far_.front().time >> shift_);
    return open_bucket(open_number_);
  }
  open_bucket(next_occupied(open_number_));
}

// The first occupied bucket from `from` on; the wheel is not empty, so it lies within one turn.
std::int64_t EventQueue::next_occupied(std::int64_t from) const {
  const auto start = static_cast<std::uint32_t>(from) & (kBuckets - 1);
  std::uint32_t word = start >> 6;
  std::uint64_t bits = words_[word] & (~0ULL << (start & 63U));
  while (bits == 0) {
    word = (word + 1) & (kBuckets / 64 - 1);
    bits = words_[word];
  }
  const auto bucket = (word << 6) + static_cast<std::uint32_t>(std::countr_zero(bits));
  return from + ((bucket - start) & (kBuckets - 1));
}

// Moves the window so that `bucket_number` comes first, and takes in far events that it now covers.
void EventQueue::advance_to(std::int64_t bucket_number) {
  open_number_ = bucket_number;
  open_end_ = bucket_number << shift_;
  horizon_ = (bucket_number + kBuckets) << shift_;
  refill_from_far();
}

void EventQueue::refill_from_far() {
  while (!far_.empty() && far_.front().time < horizon_) {
    const Event event = far_.front();
    std::pop_heap(far_.begin(), far_.end(), Later{});
    far_.pop_back();
    push_bucket(event);
  }
}

void EventQueue::open_bucket(std::int64_t bucket_number) {
  advance_to(bucket_number);
  const auto bucket = static_cast<std::uint32_t>(bucket_number) & (kBuckets - 1);
  take_out(bucket);
  const std::size_t events = sorted_.size() - cursor_;
  in_wheel_ -= events;
  open_end_ = (bucket_number + 1) << shift_;
  open_number_ = bucket_number + 1;
  ++opened_;
  opened_events_ += events;
}

// The list is newest first: filled in from the back, events in order need no sorting.
void EventQueue::take_out(std::uint32_t bucket) {
  cursor_ = sorted_.size();
  bool in_order = true;
  std::uint32_t last = kNone;
  for (std::uint32_t node = heads_[bucket]; node != kNone; node = nodes_[node].next) {
    if (cursor_ == 0) make_room();
    const Event& event = nodes_[node].event;
    in_order = in_order && (last == kNone || event.before(sorted_[cursor_]));
    sorted_[--cursor_] = event;
    last = node;
  }
  if (!in_order) sort_events(std::span(sorted_).subspan(cursor_));
  if (last == kNone) return;
  nodes_[last].next = free_;
  free_ = heads_[bucket];
  heads_[bucket] = kNone;
  words_[bucket >> 6] &= ~(1ULL << (bucket & 63U));
}

void EventQueue::make_room() {
  const std::size_t more = std::max<std::size_t>(64, sorted_.size());
  sorted_.insert(sorted_.begin(), more, Event{});
  cursor_ += more;
}

// Narrower buckets when they are crowded, wider ones when events fall beyond the horizon.
void EventQueue::retune() {
  const double per_bucket = static_cast<double>(opened_events_) / static_cast<double>(opened_);
  const auto events = opened_events_ + late_pushes_ + far_pushes_;
  const bool crowded = per_bucket > 6 || late_pushes_ * 4 > events;
  const bool far_off = far_pushes_ * 8 > events;
  opened_ = opened_events_ = far_pushes_ = late_pushes_ = 0;
  if (far_off && shift_ < kMostShift) return rebuild(shift_ + 1);
  if (crowded && !far_off && shift_ > kLeastShift) return rebuild(shift_ - 1);
}

// Re-files every event of the wheel; nothing is open.
void EventQueue::rebuild(int shift) {
  std::vector<Event> events;
  events.reserve(in_wheel_);
  for (std::uint32_t& head : heads_) {
    for (std::uint32_t node = head; node != kNone; node = nodes_[node].next) {
      events.push_back(nodes_[node].event);
    }
    head = kNone;
  }
  std::fill(words_.begin(), words_.end(), 0);
  nodes_.clear();
  free_ = kNone;
  in_wheel_ = 0;
  const std::int64_t now = open_end_;
  shift_ = shift;
  open_number_ = now >> shift_;
  open_end_ = now;  // bucket `open_number_` may hold events from `now` on
  horizon_ = (open_number_ + kBuckets) << shift_;
  for (const Event& event : events) {
    if (event.time < horizon_) {
      push_bucket(event);
    } else {
      far_.push_back(event);
      std::push_heap(far_.begin(), far_.end(), Later{});
    }
  }
  refill_from_far();
}

}  // namespace sim::packet
