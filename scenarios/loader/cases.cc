// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "scenarios/loader/groups.h"
#include "scenarios/loader/keys.h"
#include "sim/base/check.h"

namespace scenarios {
namespace {

using sim::Diagnostics;
using sim::Dimension;
using sim::Position;
using sim::Quantity;
using sim::Section;

constexpr std::string_view kHierarchical = "hierarchical";

sim::Collective collective_of(std::string_view name) {
  for (const sim::Collective collective : sim::all_collectives()) {
    if (sim::name_of(collective) == name) return collective;
  }
  CHECK(false && "a collective outside its choices");
  return sim::Collective::kAllReduce;
}

std::string with_underscores(std::string text) {
  std::ranges::replace(text, ' ', '_');
  return text;
}

std::string chips_text(std::size_t chips) {
  return fmt::format("{} {}", chips, chips == 1 ? "chip" : "chips");
}

struct Size {
  Quantity quantity;
  Position place;
  bool per_peer = false;
};

// How many chips: a number, or all (nothing).
struct GroupSize {
  std::optional<std::int64_t> chips;
  Position place;
};

// Expands one item. Lives only during `add_cases`.
class Expansion {
 public:
  Expansion(const Workload& workload, Diagnostics& diagnostics, std::vector<CaseSpec>& cases)
      : workload_(workload), item_(workload.item), diagnostics_(diagnostics), cases_(cases) {
    for (const CaseSpec& known : cases) {
      names_.insert(known.name);
      placed_ += known.placement.ranks();
    }
  }

  void run() {
    collective_ = collective_of(item_.text("collective"));
    const std::size_t before = diagnostics_.count();
    const std::vector<Size> sizes = read_sizes();
    const std::vector<GroupSize> groups = read_groups();
    check_hierarchy();
    if (diagnostics_.count() > before || workload_.fabric == nullptr) return;
    std::optional<Chips> chips = order_chips();
    if (!chips || !skip_first(*chips)) return;
    for (const GroupSize& group : groups) {
      const std::optional<sim::Placement> placement = place_group(group, *chips);
      if (!placement) continue;
      const auto count =
          static_cast<std::size_t>(group.chips.value_or(static_cast<std::int64_t>(chips->size())));
      for (const Size& size : sizes) add_algorithms(count, *placement, size);
    }
  }

 private:
  using OpsKey = std::tuple<std::string, sim::Rank, sim::Rank>;

  void report(Position place, std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({place, std::move(what), std::move(expected), std::move(hint)});
  }

  std::vector<Size> read_sizes() {
    std::vector<Size> sizes;
    const bool per_peer = item_.has("bytes_per_peer");
    if (per_peer == item_.has("bytes")) {
      report(per_peer ? item_.position("bytes_per_peer") : item_.place,
             fmt::format("{} has {}", workload_.path,
                         per_peer ? "both 'bytes' and 'bytes_per_peer'" : "no 'bytes'"),
             "a size such as bytes: 64 MiB; all_to_all may give bytes_per_peer instead");
      return sizes;
    }
    if (per_peer && collective_ != sim::Collective::kAllToAll) {
      report(item_.position("bytes_per_peer"),
             fmt::format("'bytes_per_peer' is only for all_to_all in {}", workload_.path),
             "bytes: the whole size");
    }
    const Section::Entry* entry = item_.find(per_peer ? "bytes_per_peer" : "bytes");
    for (std::size_t i = 0; i < entry->scalars.size(); ++i) {
      sizes.push_back({entry->scalars[i], entry->places[i], per_peer});
    }
    return sizes;
  }

  std::vector<GroupSize> read_groups() {
    std::vector<GroupSize> groups;
    const Section::Entry* entry = item_.section("group").find("chips");
    for (std::size_t i = 0; i < entry->scalars.size(); ++i) {
      const std::string& text = entry->scalars[i].text;
      GroupSize group{std::nullopt, entry->places[i]};
      if (text != "all") {
        const sim::Result<Quantity> count = sim::parse_quantity(text, Dimension::kCount);
        if (!count.ok() || count.value().amount < 1) {
          report(group.place,
                 fmt::format("{} is not a number of chips in {}.group", sim::quoted(text),
                             workload_.path),
                 "a whole number of at least 1, a list of them, or all");
          continue;
        }
        group.chips = count.value().amount;
      }
      groups.push_back(group);
    }
    return groups;
  }

  void check_hierarchy() {
    if (!item_.has("hierarchy")) return;
    const auto& chosen = item_.find("algorithm")->scalars;
    const bool used = std::ranges::find(chosen, kHierarchical, &Quantity::text) != chosen.end();
    if (used) return;
    report(item_.position("hierarchy"),
           fmt::format("'hierarchy' is only for algorithm: hierarchical in {}", workload_.path),
           "algorithm: hierarchical, or no hierarchy");
  }

  std::optional<Chips> order_chips() {
    const Section& group = item_.section("group");
    sim::Result<Chips> chips = chips_in_order(*workload_.fabric, group.text("span"));
    if (chips.ok()) return std::move(chips).value();
    report(group.position("span"), chips.failure().what, chips.failure().hint);
    return std::nullopt;
  }

  // Leaves out the chips before `group.first`.
  bool skip_first(Chips& chips) {
    const Section& group = item_.section("group");
    if (!group.has("first")) return true;
    first_ = group.count("first");
    const auto all = static_cast<std::int64_t>(chips.size());
    if (first_ >= all) {
      report(group.position("first"), fmt::format("there is no chip {}", first_),
             fmt::format("0 to {}", all - 1));
      return false;
    }
    chips.erase(chips.begin(), chips.begin() + first_);
    return true;
  }

  std::optional<sim::Placement> place_group(const GroupSize& group, const Chips& chips) {
    const auto all = static_cast<std::int64_t>(chips.size());
    const std::int64_t wanted = group.chips.value_or(all);
    if (wanted > all) {
      report(group.place, fmt::format("a group of {} chips is larger than the cluster", wanted),
             fmt::format("at most {} chips", all));
      return std::nullopt;
    }
    sim::Placement placement = place(chips, static_cast<std::size_t>(wanted));
    if (placement.ranks() >= 2) return placement;
    report(group.place, "a group of 1 chip has only one rank", "at least 2 ranks",
           "take 2 chips, or cluster.ranks: cores");
    return std::nullopt;
  }

  void add_algorithms(std::size_t chips, const sim::Placement& placement, const Size& size) {
    const std::int64_t ranks = placement.ranks();
    const std::int64_t bytes = size.quantity.amount * (size.per_peer ? ranks : 1);
    if (bytes > kMostBytes) {
      report(size.place,
             fmt::format("{} per peer is too large for {} ranks", size.quantity.text, ranks),
             fmt::format("at most {} over all peers", sim::to_text(kMostBytes, Dimension::kBytes)));
      return;
    }
    const Section::Entry* algorithms = item_.find("algorithm");
    for (std::size_t i = 0; i < algorithms->scalars.size(); ++i) {
      CaseSpec made;
      made.algorithm = algorithms->scalars[i].text;
      made.job.collective = collective_;
      made.job.ranks = placement.ranks();
      made.job.bytes = sim::Bytes(bytes);
      made.chips = static_cast<std::int64_t>(chips);
      made.group = chips_text(chips);
      if (many_sleds()) made.group += ", " + item_.section("group").text("span");
      made.placement = placement;
      const Position place = algorithms->places[i];
      if (!set_options(place, made) || !can_serve(place, made)) continue;
      made.name = name_of(made, size);
      keep(place, std::move(made));
    }
  }

  bool set_options(Position place, CaseSpec& made) {
    if (made.algorithm != kHierarchical) return true;
    collectives::Options& options = made.job.options;
    if (item_.has("hierarchy")) {
      const Section& given = item_.section("hierarchy");
      options.inner_algorithm = given.text("inner_algorithm");
      options.outer_algorithm = given.text("outer_algorithm");
      options.slices = static_cast<std::uint32_t>(given.count("slices"));
      if (given.has("inner_ranks")) {
        options.inner = static_cast<sim::Rank>(given.count("inner_ranks"));
        return true;
      }
    }
    const std::optional<sim::Rank> inner = inner_ranks(*workload_.fabric, made.placement);
    if (inner) {
      options.inner = *inner;
      return true;
    }
    report_once(place,
                fmt::format("no level of the cluster divides {} into equal parts",
                            chips_text(static_cast<std::size_t>(made.chips))),
                "hierarchy: {inner_ranks: ...}");
    return false;
  }

  bool can_serve(Position place, const CaseSpec& made) {
    const auto* algorithm = collectives::algorithms().find(made.algorithm);
    CHECK(algorithm != nullptr);
    if (const auto refusal = algorithm->make.refusal(made.job)) {
      report_once(place_of_refusal(place, made), refusal->what,
                  "an algorithm that can serve the group", refusal->hint);
      return false;
    }
    const std::int64_t ops = ops_of(made);
    if (ops <= workload_.most_ops) return true;
    report_once(place,
                fmt::format("{} over {} ranks takes {} ops", made.algorithm, made.job.ranks, ops),
                fmt::format("at most limits.ops = {}", workload_.most_ops));
    return false;
  }

  // Where hierarchical cannot serve the group, the size of its inner groups is to blame when given.
  Position place_of_refusal(Position algorithm, const CaseSpec& made) const {
    const bool given = made.algorithm == kHierarchical && item_.has("hierarchy") &&
                       item_.section("hierarchy").has("inner_ranks");
    return given ? item_.section("hierarchy").position("inner_ranks") : algorithm;
  }

  // Ops over all ranks, from the first rank's program. The size does not matter unless it is so
  // small that some parts are empty, so the largest size is asked for and the answer kept.
  std::int64_t ops_of(const CaseSpec& made) {
    const collectives::Options& options = made.job.options;
    const OpsKey key{made.algorithm, made.job.ranks, options.inner};
    const auto known = ops_.find(key);
    if (known != ops_.end()) return known->second;
    collectives::Job job = made.job;
    job.bytes = sim::Bytes(kMostBytes);
    const collectives::Algorithm& algorithm = collectives::algorithms().find(made.algorithm)->make;
    const std::size_t one = algorithm.plan(job, algorithm.layout(job), 0).ops.size();
    return ops_[key] = static_cast<std::int64_t>(one) * job.ranks;
  }

  // Without sleds every span is the same.
  [[nodiscard]] bool many_sleds() const { return workload_.fabric->level("sled") != nullptr; }

  // A sweep over sizes would say the same again and again.
  void report_once(Position place, const std::string& what, std::string expected,
                   std::string hint = "") {
    const bool fresh = said_.insert({place.line, place.column, what}).second;
    if (fresh) report(place, what, std::move(expected), std::move(hint));
  }

  std::string name_of(const CaseSpec& made, const Size& size) const {
    std::string group = chips_text(static_cast<std::size_t>(made.chips));
    const std::string& span = item_.section("group").text("span");
    if (span != "sled_first") group += " " + span;
    if (first_ > 0) group += fmt::format(" from {}", first_);
    std::string bytes = sim::to_text(size.quantity.amount, Dimension::kBytes);
    if (size.per_peer) bytes += " per peer";
    std::string algorithm = made.algorithm;
    if (made.algorithm == kHierarchical && item_.has("hierarchy")) {
      const collectives::Options& options = made.job.options;
      algorithm += fmt::format(" {} {} {} {}", options.inner, options.inner_algorithm,
                               options.outer_algorithm, options.slices);
    }
    return with_underscores(
        fmt::format("{}/{}/{}/{}", sim::name_of(collective_), group, bytes, algorithm));
  }

  void keep(Position place, CaseSpec made) {
    if (!names_.insert(made.name).second) {
      report_once(place, fmt::format("the case {} is there twice", made.name), "each case once");
    } else if (cases_.size() == kMostCases) {
      report_once(item_.place, "too many cases", fmt::format("at most {}", kMostCases));
    } else if ((placed_ += made.placement.ranks()) > kMostPlacedRanks) {
      report_once(item_.place, "too many ranks over all cases",
                  fmt::format("at most {}", kMostPlacedRanks));
    } else {
      cases_.push_back(std::move(made));
    }
  }

  const Workload& workload_;
  const Section& item_;
  Diagnostics& diagnostics_;
  std::vector<CaseSpec>& cases_;
  sim::Collective collective_ = sim::Collective::kAllReduce;
  std::set<std::string> names_;
  std::map<OpsKey, std::int64_t> ops_;
  std::int64_t placed_ = 0;
  std::int64_t first_ = 0;  // chips left out before the group
  std::set<std::tuple<int, int, std::string>> said_;
};

}  // namespace

void add_cases(const Workload& workload, Diagnostics& diagnostics, std::vector<CaseSpec>& cases) {
  Expansion(workload, diagnostics, cases).run();
}

}  // namespace scenarios
