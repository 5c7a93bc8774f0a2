// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/block.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures.h"

namespace analysis {
namespace {

constexpr std::size_t kMostChoices = 6;  // reasons of auto shown below a block

Block& block_for(std::vector<Block>& blocks, const sim::CaseOutcome& one) {
  const auto found = std::ranges::find_if(blocks, [&](const Block& block) {
    return block.collective == one.collective && block.group == one.group;
  });
  if (found != blocks.end()) return *found;
  return blocks.emplace_back(Block{one.collective, one.group, {}});
}

}  // namespace

bool finished(const sim::CaseOutcome& one) { return one.verdict == sim::Verdict::kDone; }

std::vector<std::int64_t> Block::sizes() const {
  std::vector<std::int64_t> sizes;
  for (const sim::CaseOutcome* one : cases) {
    if (finished(*one) && (sizes.empty() || sizes.back() != one->bytes))
      sizes.push_back(one->bytes);
  }
  return sizes;
}

const sim::CaseOutcome* Block::fastest(std::int64_t bytes) const {
  const sim::CaseOutcome* best = nullptr;
  for (const sim::CaseOutcome* one : cases) {
    if (!finished(*one) || one->bytes != bytes) continue;
    if (best == nullptr || one->time_ps < best->time_ps) best = one;
  }
  return best;
}

std::vector<Block> blocks_of(const sim::Outcome& outcome) {
  std::vector<Block> blocks;
  for (const sim::CaseOutcome& one : outcome.cases) block_for(blocks, one).cases.push_back(&one);
  for (Block& block : blocks) {
    std::ranges::stable_sort(block.cases, {},
                             [](const sim::CaseOutcome* one) { return one->bytes; });
  }
  return blocks;
}

std::string short_group(const std::string& group) { return group.substr(0, group.find(',')); }

std::string seed_range(const sim::CaseOutcome& one) {
  if (one.seed_times_ps.empty()) return {};
  return fmt::format("{} .. {}", time_figure(std::ranges::min(one.seed_times_ps)),
                     time_figure(std::ranges::max(one.seed_times_ps)));
}

std::vector<std::string> footnotes_of(const Block& block) {
  std::vector<std::string> notes;
  const auto add = [&notes](std::string note) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  };
  for (const sim::CaseOutcome* one : block.cases) {
    if (!one->choice.empty()) {
      add(fmt::format("auto, {}: {}", size_figure(one->bytes), one->choice));
    }
  }
  if (notes.size() > kMostChoices) {
    const std::size_t more = notes.size() - kMostChoices;
    notes.resize(kMostChoices);
    notes.push_back(fmt::format("auto: {} more reasons in results.json", more));
  }
  for (const sim::CaseOutcome* one : block.cases) {
    if (!one->seed_times_ps.empty()) {
      add(fmt::format("over {} seeds: the row is the run in the middle",
                      one->seed_times_ps.size()));
    }
    if (one->last_arrival_ps > 0) {
      add(fmt::format("times count from the first rank's arrival; the last comes {} later",
                      time_figure(one->last_arrival_ps)));
    }
  }
  return notes;
}

std::vector<const sim::CaseOutcome*> shown_from_within(const sim::Outcome& outcome) {
  constexpr std::size_t kMost = 4;
  std::vector<const sim::CaseOutcome*> shown;
  for (const Block& block : blocks_of(outcome)) {
    const sim::CaseOutcome* longest = nullptr;
    for (const sim::CaseOutcome* one : block.cases) {
      if (one->recording.empty()) continue;
      if (longest == nullptr || one->time_ps > longest->time_ps) longest = one;
    }
    if (longest != nullptr && shown.size() < kMost) shown.push_back(longest);
  }
  return shown;
}

}  // namespace analysis
