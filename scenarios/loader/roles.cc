// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "scenarios/loader/declared.h"
#include "sim/base/check.h"

namespace scenarios {
namespace {

using sim::Dimension;
using sim::Key;
using sim::Section;

constexpr std::int64_t kMostRanks = 10'000'000;

Key rank_key(std::string name, std::int64_t least, std::string help) {
  Key key;
  key.name = std::move(name);
  key.dimension = Dimension::kCount;
  key.help = std::move(help);
  key.least = least;
  key.most = kMostRanks;
  return key;
}

bool chunked(sim::Collective collective) {
  return collective == sim::Collective::kBroadcast || collective == sim::Collective::kReduce ||
         collective == sim::Collective::kAllReduce;
}

}  // namespace

std::vector<Key> role_keys() {
  Key targets;
  targets.name = "targets";
  targets.shape = Key::Shape::kScalars;
  targets.dimension = Dimension::kText;
  targets.help = "permute: by rank, the rank it sends to, or none; nobody twice.";
  const auto* chain = collectives::algorithms().find("chain");
  CHECK(chain != nullptr);
  return {rank_key("root", 0,
                   "broadcast, reduce, gather and scatter: the root's rank; 0 if not given."),
          rank_key("shift", 0, "permute: every rank sends to the one this many after it."), targets,
          chain->keys.at(0)};
}

Roles::Roles(const Section& item, std::string path, sim::Collective collective,
             sim::Diagnostics& diagnostics)
    : item_(item), path_(std::move(path)), collective_(collective), diagnostics_(diagnostics) {
  const bool permutes = collective == sim::Collective::kPermute;
  if (!sim::has_root(collective)) refuse("root", "broadcast, reduce, gather and scatter");
  if (!permutes) refuse("shift", "permute");
  if (!permutes) refuse("targets", "permute");
  const Section::Entry* chunks = item.find("chunks");
  const std::vector<Key> declared = role_keys();
  const bool chosen = chunks->given && !is_default(*chunks, *find_key(declared, "chunks"));
  if (!chunked(collective) && chosen) refuse("chunks", "broadcast, reduce and all_reduce");
  if (item.has("root") && item.count("root") > 0)
    label_ = fmt::format("root {}", item.count("root"));
  if (!permutes) return;
  if (item.has("shift") == item.has("targets")) {
    diagnostics_.add({item.place,
                      fmt::format("{} has {}", path_,
                                  item.has("shift") ? "both 'shift' and 'targets'"
                                                    : "neither 'shift' nor 'targets'"),
                      "one of them, such as shift: 4 or targets: [1, 0, none]", ""});
  } else if (item.has("shift")) {
    label_ = fmt::format("shift {}", item.count("shift"));
  } else {
    read_targets();
  }
}

void Roles::refuse(const char* key, const char* use) {
  if (!item_.has(key)) return;
  static_cast<void>(report(key, fmt::format("'{}' is only for {} in {}", key, use, path_),
                           fmt::format("no '{}' for {}", key, sim::name_of(collective_))));
}

void Roles::read_targets() {
  const Section::Entry* entry = item_.find("targets");
  std::set<sim::Rank> taken;
  for (std::size_t i = 0; i < entry->scalars.size(); ++i) {
    const std::string& text = entry->scalars[i].text;
    if (text == "none") {
      targets_.push_back(sim::kNoRank);
      continue;
    }
    const auto rank = sim::parse_quantity(text, Dimension::kCount);
    const bool sound = rank.ok() && rank.value().amount >= 0 && rank.value().amount <= kMostRanks;
    const auto target = sound ? static_cast<sim::Rank>(rank.value().amount) : 0;
    if (sound && taken.insert(target).second) {
      targets_.push_back(target);
      continue;
    }
    diagnostics_.add({entry->places[i],
                      sound ? fmt::format("two ranks send to rank {} in {}", target, path_)
                            : fmt::format("{} is not a rank in {}", sim::quoted(text), path_),
                      "every rank at most once, or none", ""});
  }
  label_ = "targets";
  for (const sim::Rank target : targets_) {
    label_ += target == sim::kNoRank ? " none" : fmt::format(" {}", target);
  }
}

bool Roles::report(const char* key, std::string what, std::string expected) {
  diagnostics_.add({item_.position(key), std::move(what), std::move(expected), ""});
  return false;
}

bool Roles::apply(collectives::Job& job) {
  job.options.chunks = static_cast<std::uint32_t>(item_.count("chunks"));
  if (item_.has("root")) {
    if (item_.count("root") >= job.ranks) {
      return report(
          "root",
          fmt::format("there is no rank {} in a group of {} ranks", item_.count("root"), job.ranks),
          fmt::format("at most {}", job.ranks - 1));
    }
    job.root = static_cast<sim::Rank>(item_.count("root"));
  }
  if (item_.has("shift")) {
    const auto shift = static_cast<sim::Rank>(item_.count("shift"));
    if (shift == 0 || shift >= job.ranks) {
      return report("shift", fmt::format("a shift of {} in a group of {} ranks", shift, job.ranks),
                    fmt::format("1 to {}", job.ranks - 1));
    }
    for (sim::Rank rank = 0; rank < job.ranks; ++rank) {
      job.targets.push_back((rank + shift) % job.ranks);
    }
  }
  if (targets_.empty()) return true;
  if (targets_.size() != job.ranks) {
    return report("targets",
                  fmt::format("{} targets for a group of {} ranks", targets_.size(), job.ranks),
                  fmt::format("{} of them", job.ranks));
  }
  const auto highest = std::ranges::max(
      targets_, {}, [](sim::Rank target) { return target == sim::kNoRank ? 0 : target; });
  if (highest != sim::kNoRank && highest >= job.ranks) {
    return report("targets",
                  fmt::format("there is no rank {} in a group of {} ranks", highest, job.ranks),
                  fmt::format("at most {}", job.ranks - 1));
  }
  job.targets = targets_;
  return true;
}

}  // namespace scenarios
