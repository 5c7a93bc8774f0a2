// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/contributors.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/check.h"

namespace sim {

Contributors::Contributors(Rank ranks) : start_{0} {
  for (Rank rank = 0; rank < ranks; ++rank) {
    scratch_ = {{rank, rank + 1}};
    CHECK(intern() == rank);
  }
  scratch_ = {{0, ranks}};
  all_ = intern();
}

std::optional<Contributors::Id> Contributors::merged(Id a, Id b) {
  if (last_union_ && a == last_a_ && b == last_b_) return last_union_;
  if (!merge_into_scratch(a, b)) return std::nullopt;
  last_a_ = a;
  last_b_ = b;
  last_union_ = intern();
  return last_union_;
}

Contributors::Id Contributors::united(Id a, Id b) {
  std::vector<Run> both;
  for (const Id id : {a, b}) both.insert(both.end(), runs(id).begin(), runs(id).end());
  std::ranges::sort(both, {}, &Run::first);
  scratch_.clear();
  for (const Run run : both) {
    const Rank known = scratch_.empty() ? 0 : scratch_.back().end;
    if (run.end > known) append({std::max(run.first, known), run.end});
  }
  return intern();
}

std::string Contributors::to_text(Id id) const {
  std::string text;
  for (const Run run : runs(id)) {
    text += text.empty() ? "" : ", ";
    text += run.end - run.first == 1 ? fmt::format("{}", run.first)
                                     : fmt::format("{}..{}", run.first, run.end - 1);
  }
  return text;
}

std::span<const Contributors::Run> Contributors::runs(Id id) const {
  return {pool_.data() + start_[id], start_[id + 1] - start_[id]};
}

bool Contributors::merge_into_scratch(Id a, Id b) {
  std::span<const Run> left = runs(a);
  std::span<const Run> right = runs(b);
  scratch_.clear();
  while (!left.empty() && !right.empty()) {
    if (right.front().first < left.front().first) std::swap(left, right);
    if (left.front().end > right.front().first) return false;
    append(left.front());
    left = left.subspan(1);
  }
  for (const Run run : left.empty() ? right : left) append(run);
  return true;
}

Contributors::Id Contributors::intern() {
  std::uint64_t hash = 0;
  for (const Run run : scratch_) {
    hash = (hash ^ (std::uint64_t{run.first} << 32U | run.end)) * 0x9E37'79B9'7F4A'7C15U;
    hash ^= hash >> 29U;
  }
  const auto id = static_cast<Id>(start_.size() - 1);
  for (;; ++hash) {
    const auto [place, added] = by_hash_.try_emplace(hash, id);
    if (added) break;
    if (std::ranges::equal(runs(place->second), scratch_)) return place->second;
  }
  pool_.insert(pool_.end(), scratch_.begin(), scratch_.end());
  start_.push_back(pool_.size());
  return id;
}

void Contributors::append(Run run) {
  if (!scratch_.empty() && scratch_.back().end == run.first) {
    scratch_.back().end = run.end;
  } else {
    scratch_.push_back(run);
  }
}

}  // namespace sim
