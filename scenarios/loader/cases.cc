// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "scenarios/loader/arrival.h"
#include "scenarios/loader/case_ops.h"
#include "scenarios/loader/declared.h"
#include "scenarios/loader/group_item.h"
#include "scenarios/loader/groups.h"
#include "scenarios/loader/in_switch.h"
#include "scenarios/loader/keys.h"
#include "scenarios/loader/pair_cycle.h"
#include "scenarios/loader/roles.h"
#include "scenarios/loader/routing.h"
#include "scenarios/loader/sizes.h"
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
  if (name == sim::name_of(sim::Collective::kProgram)) return sim::Collective::kProgram;
  CHECK(false && "a collective outside its choices");
  return sim::Collective::kAllReduce;
}

std::string with_underscores(std::string text) {
  std::ranges::replace(text, ' ', '_');
  return text;
}

std::string chips_text(std::int64_t chips) {
  return fmt::format("{} {}", chips, chips == 1 ? "chip" : "chips");
}

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
    roles_.emplace(item_, workload_.path, collective_, diagnostics_);
    routing_.emplace(item_, workload_.path, workload_.folder, diagnostics_);
    const std::vector<Size> sizes = read_sizes(item_, workload_.path, collective_, diagnostics_);
    groups_.emplace(item_, workload_.path, diagnostics_);
    arrival_.emplace(item_, workload_.path, workload_.folder, diagnostics_);
    check_hierarchy();
    check_option("torus");
    check_option("window");
    check_option("channels");
    check_seeds();
    if (diagnostics_.count() > before || workload_.fabric == nullptr) return;
    for (const TakenGroups& taken : groups_->take(*workload_.fabric, workload_.domains)) {
      const sim::Rank ranks = taken.placement.ranks();
      if (!arrival_->suits(ranks)) return;
      for (const Size& size : sizes) add_algorithms(taken, size);
    }
  }

 private:
  void report(Position place, std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({place, std::move(what), std::move(expected), std::move(hint)});
  }

  static bool is_default(const Section::Entry& entry) {
    return scenarios::is_default(entry, *find_key(find_key(keys(), "workload")->inner, entry.key));
  }

  // An option that none of the algorithms reads is a mistake.
  void check_option(const char* key) {
    const Section::Entry* given = item_.find(key);
    if (given == nullptr || !given->given || is_default(*given)) return;
    std::vector<std::string> readers;
    for (const auto& entry : collectives::algorithms().entries()) {
      if (entry.name == key || reads(entry.name, key)) readers.push_back(entry.name);
    }
    for (const Quantity& chosen : item_.find("algorithm")->scalars) {
      const bool all = chosen.text == kAll || chosen.text == kAuto;
      if (all || std::ranges::find(readers, chosen.text) != readers.end()) return;
    }
    report(item_.position(key),
           fmt::format("'{}' is only for algorithm: {} in {}", key, fmt::join(readers, " or "),
                       workload_.path),
           fmt::format("algorithm: {}, or no {}", readers.front(), key));
  }

  void check_hierarchy() {
    if (!item_.has("hierarchy")) return;
    const auto& chosen = item_.find("algorithm")->scalars;
    for (const std::string_view used : {kHierarchical, std::string_view(kAll)}) {
      if (std::ranges::find(chosen, used, &Quantity::text) != chosen.end()) return;
    }
    report(item_.position("hierarchy"),
           fmt::format("'hierarchy' is only for algorithm: hierarchical in {}", workload_.path),
           "algorithm: hierarchical, or no hierarchy");
  }

  // Runs over several seeds must differ.
  void check_seeds() {
    seeds_ = item_.has("seeds") ? item_.count("seeds") : 1;
    const bool random = routing_->is_random() || arrival_->arrival().is_random();
    if (seeds_ == 1 || random) return;
    report(
        item_.position("seeds"),
        fmt::format("every run of {} would be the same: nothing in it is random", workload_.path),
        "no 'seeds', or a random routing.model or arrival: {model: normal, ...}");
  }

  // Over several domains: hierarchical by domain, one slice.
  bool suits_symmetry(Position place, const CaseSpec& made) {
    if (made.domains == 0) return true;
    if (arrival_->given()) {
      report_once(item_.section("arrival").place, "ranks that come late cannot be told by symmetry",
                  "no 'arrival'", "symmetry: never draws every chip");
      return false;
    }
    const collectives::Options& options = made.job.options;
    const bool suits = made.algorithm == kHierarchical && options.slices == 1 &&
                       sim::is_symmetric(collective_) && options.inner == made.placement.ranks() &&
                       options.channels == 1;
    if (suits) return true;
    report_once(
        place,
        fmt::format("{} over {} ranks cannot be told by symmetry", made.algorithm, made.job.ranks),
        fmt::format("algorithm: hierarchical with hierarchy: {{inner_ranks: {}, slices: 1}}",
                    made.placement.ranks()),
        "symmetry: never draws every chip");
    return false;
  }

  void add_algorithms(const TakenGroups& taken, const Size& size) {
    const auto drawn = static_cast<std::int64_t>(taken.placement.ranks());
    const bool joined = taken.chips > drawn && workload_.domains > 1;
    const std::uint32_t domains = joined ? static_cast<std::uint32_t>(taken.chips / drawn) : 0;
    const std::int64_t ranks = drawn * std::max(1U, domains) / taken.count;
    const std::int64_t bytes = size.quantity.amount * (size.of == Size::Of::kPeer ? ranks : 1);
    if (bytes > kMostBytes) {
      report(size.place,
             fmt::format("{} per peer is too large for {} ranks", size.quantity.text, ranks),
             fmt::format("at most {} over all peers", sim::to_text(kMostBytes, Dimension::kBytes)));
      return;
    }
    const Section::Entry* algorithms = item_.find("algorithm");
    CaseSpec made;
    made.job.collective = collective_;
    made.job.ranks = static_cast<sim::Rank>(ranks);
    made.domains = domains;
    made.job.bytes = sim::Bytes(bytes);
    made.chips = taken.chips;
    made.groups = taken.count;
    made.seeds = seeds_;
    if (arrival_->given()) made.arrival = std::make_shared<const Arrival>(arrival_->arrival());
    made.group = groups_->shown(taken, *workload_.fabric);
    made.name = groups_->label(taken);
    for (const std::string& label : {roles_->label(), routing_->label(), arrival_->label()}) {
      if (label.empty()) continue;
      made.group += ", " + label;
      made.name += " " + label;
    }
    made.placement = taken.placement;
    if (!roles_->apply(made.job) || !read_options(made.job.options)) return;
    if (!set_traffic(made, size)) return;
    for (std::size_t i = 0; i < algorithms->scalars.size(); ++i) {
      made.algorithm = algorithms->scalars[i].text;
      add_algorithm(algorithms->places[i], made, size);
    }
  }

  // Of an all_to_all_v: each level is direct, and a server that shares rows is an inner group.
  bool set_traffic(CaseSpec& made, const Size& size) {
    if (collective_ != sim::Collective::kAllToAllV) return true;
    static_cast<void>(set_inner(made));
    if (!routing_->given()) return true;
    const sim::Rank ranks = made.job.ranks;
    made.server = made.job.options.inner < 2 ? 0 : made.job.options.inner;
    made.routing = routing_->over(ranks, made.server, size.quantity.amount);
    if (!made.routing) return false;
    made.job.traffic = std::make_shared<const sim::Traffic>(
        collectives::routed(*made.routing, ranks, made.server, workload_.seed));
    made.job.bytes = made.job.traffic->mean_buffer();
    return true;
  }

  void add_algorithm(Position place, const CaseSpec& asked, const Size& size) {
    if (asked.algorithm == kAll) return add_all(place, asked, size);
    CaseSpec made = asked;
    if (asked.algorithm == kAuto && !choose(place, made)) return;
    if (names_file(asked.algorithm) && !read_file(place, made)) return;
    seat_pairs(*workload_.fabric, made);
    if (!set_options(place, made) || !suits_symmetry(place, made)) return;
    if (!can_serve(place, made)) return;
    Size shown = size;
    if (made.job.given && made.job.given->bytes()) shown.quantity.amount = made.job.bytes.value;
    made.shown = shown_name(made);
    made.name = name_of(made, shown);
    if (asked.algorithm == kAuto) made.name += "_by_auto";
    keep(place, std::move(made));
  }

  // Every algorithm that can serve the job as it is described.
  void add_all(Position place, const CaseSpec& asked, const Size& size) {
    for (const std::string& name : collectives::algorithms().names()) {
      CaseSpec made = asked;
      made.algorithm = name;
      if (name != kHierarchical && made.domains > 0) continue;
      if (name == kHierarchical && !set_inner(made)) continue;
      const collectives::Algorithm& algorithm = collectives::algorithms().find(name)->make;
      if (algorithm.obstacle(made.job)) continue;
      if (algorithm.in_network && cannot_reduce(made)) continue;
      add_algorithm(place, made, size);
    }
  }

  bool choose(Position place, CaseSpec& made) {
    if (workload_.selector == nullptr) return false;  // the selection has faults
    static_cast<void>(set_inner(made));               // so that a rule may name hierarchical
    const auto choice =
        workload_.selector->choose(made.job, one_group(made.placement, made.job.ranks, 0));
    if (!choice.ok()) {
      report_once(place, choice.failure().what, "a rule that fits", choice.failure().hint);
      return false;
    }
    made.algorithm = choice.value().algorithm;
    made.choice = choice.value().why;
    return true;
  }

  bool read_file(Position place, CaseSpec& made) {
    CHECK(workload_.files != nullptr);
    made.job.given = workload_.files->find(made.algorithm, place, diagnostics_);
    made.algorithm = shown_file(made.algorithm);
    if (made.job.given == nullptr) return false;
    made.job.bytes = made.job.given->bytes().value_or(made.job.bytes);
    return true;
  }

  bool read_options(collectives::Options& options) {
    const auto fault = apply_options(item_, options);
    if (fault) report_once(item_.position(fault->key), fault->what, fault->expected);
    return !fault;
  }

  // Reads `hierarchy`; false when neither it nor a level of the cluster says how large an inner
  // group is.
  bool set_inner(CaseSpec& made) {
    collectives::Options& options = made.job.options;
    if (item_.has("hierarchy")) {
      const Section& given = item_.section("hierarchy");
      options.inner_algorithm = given.text("inner_algorithm");
      options.outer_algorithm = given.text("outer_algorithm");
      if (given.has("middle_ranks")) {
        options.middle = static_cast<sim::Rank>(given.count("middle_ranks"));
      }
      options.slices = static_cast<std::uint32_t>(given.count("slices"));
    }
    if (collective_ == sim::Collective::kAllToAllV &&
        options.outer_algorithm == collectives::Options().outer_algorithm) {
      options.outer_algorithm = "direct";  // the default of the other kinds cannot serve it
    }
    if (item_.has("hierarchy") && item_.section("hierarchy").has("inner_ranks")) {
      options.inner = static_cast<sim::Rank>(item_.section("hierarchy").count("inner_ranks"));
      return true;
    }
    if (made.domains > 0) {
      options.inner = made.placement.ranks();
      return true;
    }
    options.inner = inner_of_all(made);
    return options.inner > 0;
  }

  // What the outermost level of the cluster holds of a group; 0: none divides it, or not every
  // group alike.
  [[nodiscard]] sim::Rank inner_of_all(const CaseSpec& made) const {
    std::vector<sim::Rank> found;
    for (std::uint32_t group = 0; group < made.groups; ++group) {
      const sim::Placement placement = one_group(made.placement, made.job.ranks, group);
      const std::vector<sim::Rank> inner = inner_groups(*workload_.fabric, placement);
      if (group > 0 && inner != found) return 0;
      found = inner;
    }
    const auto other = [&](sim::Rank ranks) { return ranks != found.front(); };
    return found.empty() || std::ranges::any_of(found, other) ? 0 : found.front();
  }

  bool set_options(Position place, CaseSpec& made) {
    if (made.algorithm != kHierarchical || set_inner(made)) return true;
    report_once(
        place,
        fmt::format("no level of the cluster divides {} into equal parts", chips_text(made.chips)),
        "hierarchy: {inner_ranks: ...}");
    return false;
  }

  bool can_serve(Position place, const CaseSpec& made) {
    if (const auto refusal = collectives::refusal(made.algorithm, made.job)) {
      report_once(place_of_refusal(place, made), refusal->what,
                  "an algorithm that can serve the group", refusal->hint);
      return false;
    }
    const auto* entry = collectives::algorithms().find(made.algorithm);
    if (entry != nullptr && entry->make.in_network && !switch_reduces(place, made)) return false;
    if (made.domains > 0) return true;  // what is played is counted before it is
    const std::int64_t ops = ops_.of(made.algorithm, made.job) * made.groups;
    if (ops <= workload_.most_ops) return true;
    report_once(place,
                fmt::format("{} over {} ranks takes {} ops", made.algorithm, made.job.ranks, ops),
                fmt::format("at most limits.ops = {}", workload_.most_ops));
    return false;
  }

  [[nodiscard]] std::optional<std::string> cannot_reduce(const CaseSpec& made) const {
    for (std::uint32_t group = 0; group < made.groups; ++group) {
      const sim::Placement placement = one_group(made.placement, made.job.ranks, group);
      if (auto why = no_reducing_switch(*workload_.fabric, placement)) return why;
    }
    return std::nullopt;
  }

  bool switch_reduces(Position place, const CaseSpec& made) {
    const auto why = cannot_reduce(made);
    if (!why) return true;
    report_once(place, fmt::format("{} over {} ranks: {}", made.algorithm, made.job.ranks, *why),
                "one switch stage that all ranks hang on and that can reduce");
    return false;
  }

  // Where hierarchical cannot serve the group, the size of its inner groups is to blame when given.
  Position place_of_refusal(Position algorithm, const CaseSpec& made) const {
    const bool given = made.algorithm == kHierarchical && item_.has("hierarchy") &&
                       item_.section("hierarchy").has("inner_ranks");
    return given ? item_.section("hierarchy").position("inner_ranks") : algorithm;
  }

  static bool reads(const std::string& algorithm, std::string_view key) {
    const auto* entry = collectives::algorithms().find(algorithm);
    if (entry == nullptr) return false;  // a file
    return std::ranges::find(entry->keys, key, &sim::Key::name) != entry->keys.end();
  }

  // A sweep over sizes would say the same again and again.
  void report_once(Position place, const std::string& what, std::string expected,
                   std::string hint = "") {
    const bool fresh = said_.insert({place.line, place.column, what}).second;
    if (fresh) report(place, what, std::move(expected), std::move(hint));
  }

  // The algorithm with the options that tell rows of one table apart.
  std::string shown_name(const CaseSpec& made) const {
    std::string algorithm = made.algorithm;
    const Section::Entry& chunks = *item_.find("chunks");
    if (reads(made.algorithm, "chunks") && chunks.given && !is_default(chunks)) {
      algorithm += fmt::format(" {}", made.job.options.chunks);
    }
    if (made.job.options.window > 0 && reads(made.algorithm, "window")) {
      algorithm += fmt::format(" window {}", made.job.options.window);
    }
    if (made.job.options.channels > 1 && reads(made.algorithm, "channels")) {
      algorithm += fmt::format(" channels {}", made.job.options.channels);
    }
    return algorithm;
  }

  std::string name_of(const CaseSpec& made, const Size& size) const {
    std::string algorithm = made.shown;
    if (made.algorithm == "torus") {
      algorithm += fmt::format(" {} {}", fmt::join(made.job.options.dimensions, "x"),
                               made.job.options.dimension_algorithm);
    }
    if (made.algorithm == kHierarchical && item_.has("hierarchy")) {
      const collectives::Options& options = made.job.options;
      algorithm += fmt::format(" {} {} {} {}", options.inner, options.inner_algorithm,
                               options.outer_algorithm, options.slices);
      if (options.middle > 0) algorithm += fmt::format(" middle {}", options.middle);
    }
    return with_underscores(
        fmt::format("{}/{}/{}/{}", sim::name_of(collective_), made.name, text_of(size), algorithm));
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
  std::optional<Roles> roles_;
  std::optional<RoutingItem> routing_;
  std::optional<GroupItem> groups_;
  std::optional<ArrivalItem> arrival_;
  std::set<std::string> names_;
  CaseOps ops_;
  std::int64_t placed_ = 0;
  std::int64_t seeds_ = 1;
  std::set<std::tuple<int, int, std::string>> said_;
};

}  // namespace

void add_cases(const Workload& workload, Diagnostics& diagnostics, std::vector<CaseSpec>& cases) {
  Expansion(workload, diagnostics, cases).run();
}

}  // namespace scenarios
