// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include "analysis/block.h"
#include "analysis/figures.h"
#include "sim/base/quantity.h"

namespace analysis {
namespace {

using sim::CaseOutcome;
using sim::Outcome;

constexpr std::size_t kMostNames = 10;   // of missing cases
constexpr std::size_t kMostWinners = 2;  // sentences about algorithms
constexpr std::size_t kMostLeastSure = 3;
constexpr double kLeastWeight = 0.01;  // a range that moves an answer by about 1 %

std::string capital(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// Consecutive sizes with one winner.
struct Run {
  std::string algorithm;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

std::vector<Run> runs_of(const Block& block) {
  std::vector<Run> runs;
  for (const std::int64_t bytes : block.sizes()) {
    const std::string& winner = block.fastest(bytes)->algorithm;
    if (!runs.empty() && runs.back().algorithm == winner) {
      runs.back().last = bytes;
    } else {
      runs.push_back({winner, bytes, bytes});
    }
  }
  return runs;
}

std::string run_in_words(const std::vector<Run>& runs, std::size_t i) {
  const Run& run = runs[i];
  if (runs.size() == 1 && run.first == run.last) {
    return fmt::format("{} at {}", run.algorithm, size_figure(run.first));
  }
  if (runs.size() == 1) return run.algorithm + " at every size";
  if (i == 0) return fmt::format("{} up to {}", run.algorithm, size_figure(run.last));
  if (i + 1 == runs.size()) return fmt::format("{} from {}", run.algorithm, size_figure(run.first));
  if (run.first == run.last) return fmt::format("{} at {}", run.algorithm, size_figure(run.first));
  return fmt::format("{} from {} to {}", run.algorithm, size_figure(run.first),
                     size_figure(run.last));
}

std::string runs_in_words(const std::vector<Run>& runs) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < runs.size(); ++i) words.push_back(run_in_words(runs, i));
  return listed(words);
}

bool compares_algorithms(const Block& block) {
  return std::ranges::any_of(block.cases, [&](const CaseOutcome* one) {
    return finished(*one) && one->algorithm != block.cases.front()->algorithm;
  });
}

// Groups with the same winners share a clause: "over 4 chips and 8 chips: direct at every size".
std::string winners_of(const std::vector<Block>& blocks, const std::string& collective) {
  std::vector<std::pair<std::string, std::vector<std::string>>> clauses;
  for (const Block& block : blocks) {
    if (block.collective != collective || !compares_algorithms(block)) continue;
    const std::string words = runs_in_words(runs_of(block));
    auto found = std::ranges::find(clauses, words, [](const auto& clause) { return clause.first; });
    if (found == clauses.end()) found = clauses.insert(found, {words, {}});
    const std::string group = short_group(block.group);
    if (std::ranges::find(found->second, group) == found->second.end()) {
      found->second.push_back(group);
    }
  }
  std::string text;
  for (const auto& [words, groups] : clauses) {
    text += fmt::format("{}over {} {}", text.empty() ? "" : "; ", listed(groups), words);
  }
  return text;
}

struct Part {
  std::string_view name;
  std::int64_t picoseconds;
};

// A program computes for itself; what collectives compute is merging and copying.
bool computes(const CaseOutcome& one) { return one.collective == "program"; }

// The largest part of a case's time.
Part largest_part(const CaseOutcome& one) {
  const sim::Breakdown& parts = one.breakdown;
  const std::array<Part, 8> all{
      {{"collective launch", parts.launch_ps},
       {"endpoint cost", parts.endpoint_ps},
       {"wire and switch latency", parts.latency_ps},
       {"transmission", parts.transmission_ps},
       {"waiting for busy links", parts.queueing_ps},
       {computes(one) ? "computing" : "reducing and copying", parts.compute_ps},
       {"repeating lost packets", parts.repair_ps},
       {"waiting for a late rank", parts.late_ps}}};
  return *std::ranges::max_element(all, {}, [](const Part& part) { return part.picoseconds; });
}

std::string spent_on(const CaseOutcome& one) {
  const Part part = largest_part(one);
  const double share = 100.0 * static_cast<double>(part.picoseconds) /
                       static_cast<double>(std::max<std::int64_t>(one.time_ps, 1));
  std::string text = fmt::format("{:.0f} % of the time is {}", share, part.name);
  if (!one.bottleneck.empty() && !one.bottleneck.starts_with(part.name)) {
    text += fmt::format(" (bound by {})", one.bottleneck);
  }
  return text;
}

// The block that says most about small and large: more sizes first, then more ranks.
const Block* widest(const std::vector<Block>& blocks) {
  const Block* best = nullptr;
  const auto weight = [](const Block& block) {
    return std::pair(block.sizes().size(), block.cases.front()->ranks);
  };
  for (const Block& block : blocks) {
    if (block.sizes().empty()) continue;
    if (best == nullptr || weight(block) > weight(*best)) best = &block;
  }
  return best;
}

// How far a case's traffic travels: 0 inside a rack, 1 between racks, 2 between UltraServers.
// Of the network between servers: NIC to ToR and all above.
bool is_network(std::string_view link_class) {
  return link_class == "EFA link" || link_class == "NIC link" || link_class == "spine link" ||
         link_class.starts_with("tier-");
}

int reach_of(const CaseOutcome& one) {
  int reach = 0;
  for (const sim::LevelUse& level : one.levels) {
    if (level.payload_bytes == 0) continue;
    if (level.name == "twin link") reach = std::max(reach, 1);
    if (is_network(level.name)) reach = 2;
  }
  return reach;
}

struct Crossing {
  const CaseOutcome* inside = nullptr;
  const CaseOutcome* across = nullptr;
};

// Of one size: the nearest and the farthest reach, each over the most ranks.
Crossing crossing_at(const std::vector<Block>& blocks, std::int64_t bytes) {
  Crossing found;
  for (const Block& block : blocks) {
    if (block.collective != "all_to_all") continue;
    const CaseOutcome* one = block.fastest(bytes);
    if (one == nullptr) continue;
    const auto nearness = [](const CaseOutcome& c) { return std::pair(-reach_of(c), c.ranks); };
    const auto farness = [](const CaseOutcome& c) { return std::pair(reach_of(c), c.ranks); };
    if (!found.inside || nearness(*one) > nearness(*found.inside)) found.inside = one;
    if (!found.across || farness(*one) > farness(*found.across)) found.across = one;
  }
  return found;
}

// A parameter's value and range as numbers; all 0 when it has no range or is not a number.
struct Range {
  double low = 0;
  double value = 0;
  double high = 0;
};

Range range_of(const sim::Assumption& one) {
  for (const sim::Dimension dimension :
       {sim::Dimension::kTime, sim::Dimension::kBandwidth, sim::Dimension::kBytes,
        sim::Dimension::kCount, sim::Dimension::kRatio}) {
    const sim::Result<sim::Quantity> low = sim::parse_quantity(one.low, dimension);
    const sim::Result<sim::Quantity> high = sim::parse_quantity(one.high, dimension);
    const sim::Result<sim::Quantity> value = sim::parse_quantity(one.value, dimension);
    if (!low.ok() || !high.ok() || !value.ok()) continue;
    return {static_cast<double>(low.value().amount), static_cast<double>(value.value().amount),
            static_cast<double>(high.value().amount)};
  }
  return {};
}

// Width of a parameter's range against its value.
double spread_of(const sim::Assumption& one) {
  const Range range = range_of(one);
  return (range.high - range.low) / std::max(range.value, 1.0);
}

bool carries(const CaseOutcome& one, std::string_view link_class) {
  return std::ranges::any_of(one.levels, [&](const sim::LevelUse& level) {
    return level.name == link_class && level.payload_bytes > 0;
  });
}

// Whether a parameter is of this class of links: a rate named after it, or the efficiency of all
// that NeuronLink joins.
bool is_of(std::string_view name, std::string_view link_class) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kClasses{
      {{"sled.", "sled link"},
       {"link.bandwidth", "scale-up link"},
       {"torus.x.", "x link"},
       {"torus.y.", "y link"},
       {"torus.z.", "z link"},
       {"uplink.", "PCIe uplink"},
       {"socket.", "socket link"},
       {"rack.", "rack link"},
       {"rack_to_rack.", "twin link"},
       {"flat.", "flat link"},
       {"core.", "core link"},
       {"nic.bus_", "NIC bus"}}};
  for (const auto& [start, links] : kClasses) {
    if (name.starts_with(start)) return links == link_class;
  }
  const bool ethernet = is_network(link_class);
  if (name.starts_with("nic.")) return ethernet;
  return !ethernet && link_class != "NIC bus" && link_class != "core link";
}

// How near a rate's links come to being those that the others wait for: their busiest against the
// busiest of all; 0 when they would be far from it even at the low end of the rate's range.
double pull_of(const CaseOutcome& one, const sim::Assumption& rate) {
  constexpr double kAboutAsBusy = 0.8;
  double most = 1;
  double own = 0;
  for (const sim::LevelUse& level : one.levels) {
    const auto busy = static_cast<double>(level.busiest_ppb);
    most = std::max(most, busy);
    if (is_of(rate.name, level.name)) own = std::max(own, busy);
  }
  const Range range = range_of(rate);
  const double at_the_low_end = own * range.value / std::max(range.low, 1.0);
  return at_the_low_end < kAboutAsBusy * most ? 0 : own / most;
}

// The part of a case's time that a parameter acts on, by the kind of thing it describes.
double time_under(const CaseOutcome& one, const sim::Assumption& input) {
  const std::string& name = input.name;
  const sim::Breakdown& parts = one.breakdown;
  const bool of_nic = name.starts_with("efa.") || name.starts_with("nic.") ||
                      name.starts_with("ethernet.") || name == "endpoint.nic_transfer";
  if (of_nic && reach_of(one) < 2) return 0;
  if (name.starts_with("core.") && !carries(one, "core link")) return 0;
  if (name.starts_with("flat.") && !carries(one, "flat link")) return 0;
  for (const int tier : {3, 4}) {  // drawn only where the size needs them
    const bool of_tier = name.starts_with(fmt::format("ethernet.tier{}.", tier));
    if (of_tier && !carries(one, fmt::format("tier-{} link", tier))) return 0;
  }
  if (name == "ethernet.tier2.wire_latency" && !carries(one, "spine link")) return 0;
  if (name == "ethernet.port_bandwidth") return 0;             // decides on tiers, not on rates
  if (name == "efa.loss" || name == "efa.ack_size") return 0;  // too small to tell by shares
  if (name == "collective.launch") return static_cast<double>(parts.launch_ps);
  if (name == "endpoint.reduce_rate" || name == "endpoint.copy_rate")
    return computes(one) ? 0 : static_cast<double>(parts.compute_ps);
  if (name.starts_with("endpoint.")) return static_cast<double>(parts.endpoint_ps);
  if (name.ends_with("latency")) return static_cast<double>(parts.latency_ps);
  const bool moves = name.ends_with("bandwidth") || name.ends_with("efficiency");
  if (!moves) return 0;
  return pull_of(one, input) * static_cast<double>(parts.transmission_ps + parts.queueing_ps);
}

double mean_share_under(const Outcome& outcome, const sim::Assumption& input) {
  double shares = 0;
  for (const CaseOutcome& one : outcome.cases) {
    if (!finished(one)) continue;
    shares += time_under(one, input) / static_cast<double>(std::max<std::int64_t>(one.time_ps, 1));
  }
  return shares / static_cast<double>(std::max<std::size_t>(outcome.cases.size(), 1));
}

std::string verdicts_in_words(const Outcome& outcome) {
  std::vector<std::string> words;
  for (const sim::Verdict verdict : {sim::Verdict::kFailed, sim::Verdict::kStalled}) {
    const auto count = std::ranges::count(outcome.cases, verdict, &CaseOutcome::verdict);
    if (count > 0) words.push_back(fmt::format("{} {}", count, sim::name_of(verdict)));
  }
  if (words.empty()) return {};
  const auto all = static_cast<std::int64_t>(outcome.cases.size()) + outcome.cases_missing;
  return fmt::format("Of {}, {}: the figures leave them out.", counted(all, "case"), listed(words));
}

}  // namespace

std::string gaps_in_words(const Outcome& outcome) {
  std::string text = verdicts_in_words(outcome);
  if (outcome.cases_missing == 0) return text;
  const auto all = static_cast<std::int64_t>(outcome.cases.size()) + outcome.cases_missing;
  std::vector<std::string> names = outcome.missing;
  if (names.size() > kMostNames) {
    const auto more = static_cast<std::int64_t>(names.size() - kMostNames);
    names.resize(kMostNames);
    names.push_back(fmt::format("{} more", more));
  }
  if (!text.empty()) text += ' ';
  text += fmt::format("Interrupted: {} of {} missing", outcome.cases_missing, counted(all, "case"));
  return text + (names.empty() ? "." : ": " + listed(names) + ".");
}

std::vector<std::string> winners_in_words(const Outcome& outcome) {
  const std::vector<Block> blocks = blocks_of(outcome);
  std::vector<std::string> sentences;
  std::vector<std::string> seen;
  for (const Block& block : blocks) {
    if (std::ranges::find(seen, block.collective) != seen.end()) continue;
    seen.push_back(block.collective);
    const std::string words = winners_of(blocks, block.collective);
    if (words.empty() || sentences.size() == kMostWinners) continue;
    sentences.push_back(fmt::format("Fastest {}: {}.", in_words(block.collective), words));
  }
  return sentences;
}

std::string binding_in_words(const Outcome& outcome) {
  const std::vector<Block> blocks = blocks_of(outcome);
  const Block* block = widest(blocks);
  if (block == nullptr) return {};
  const std::vector<std::int64_t> sizes = block->sizes();
  const CaseOutcome& small = *block->fastest(sizes.front());
  const CaseOutcome& large = *block->fastest(sizes.back());
  std::string text =
      fmt::format("{} over {}: at {} {}", capital(in_words(block->collective)),
                  short_group(block->group), size_figure(small.bytes), spent_on(small));
  if (sizes.size() > 1)
    text += fmt::format("; at {} {}", size_figure(large.bytes), spent_on(large));
  return text + ".";
}

std::string crossing_in_words(const Outcome& outcome) {
  const std::vector<Block> blocks = blocks_of(outcome);
  Crossing best;
  for (const Block& block : blocks) {
    for (const std::int64_t bytes : block.sizes()) {
      const Crossing found = crossing_at(blocks, bytes);
      if (!found.inside || reach_of(*found.inside) == reach_of(*found.across)) continue;
      if (!best.inside || bytes > best.inside->bytes) best = found;
    }
  }
  if (!best.inside) return {};
  const bool servers = reach_of(*best.across) == 2;
  const double factor = static_cast<double>(best.across->time_ps) /
                        static_cast<double>(std::max<std::int64_t>(best.inside->time_ps, 1));
  return fmt::format(
      "An all-to-all of {} a rank takes {:.1f} times as long over {} across {} as over {} inside "
      "one.",
      size_figure(best.inside->bytes), factor, short_group(best.across->group),
      servers ? "UltraServers" : "racks", short_group(best.inside->group));
}

// Judged inputs by how wide their range is times how much of the time they act on.
std::string least_sure_in_words(const Outcome& outcome) {
  std::vector<std::pair<double, const sim::Assumption*>> ranked;
  for (const sim::Assumption& one : outcome.assumptions) {
    if (one.grade != "judged" && one.grade != "analyst") continue;
    const double weight = spread_of(one) * mean_share_under(outcome, one);
    if (weight >= kLeastWeight) ranked.emplace_back(weight, &one);
  }
  std::ranges::stable_sort(ranked, std::greater(), [](const auto& entry) { return entry.first; });
  if (ranked.size() > kMostLeastSure) ranked.resize(kMostLeastSure);
  std::vector<std::string> words;
  for (const auto& [weight, one] : ranked) {
    words.push_back(fmt::format("{} ({}; {} to {})", one->name, one->value, one->low, one->high));
  }
  if (words.empty()) return {};
  return fmt::format(
      "Not published and likely to matter here, as a guess (`run --range` measures): {}.",
      listed(words));
}

std::string grades_in_words(const Outcome& outcome) {
  constexpr std::array<std::pair<const char*, const char*>, 5> kGrades{
      {{"published", "published"},
       {"analyst", "from analysts"},
       {"judged", "judged"},
       {"chosen", "chosen"},
       {"scenario", "set in the scenario"}}};
  std::vector<std::string> words;
  for (const auto& [grade, shown] : kGrades) {
    const auto count = std::ranges::count(outcome.assumptions, grade, &sim::Assumption::grade);
    if (count > 0) words.push_back(fmt::format("{} {}", count, shown));
  }
  if (words.empty()) return {};
  return fmt::format("{}: {}.",
                     counted(static_cast<std::int64_t>(outcome.assumptions.size()), "input"),
                     listed(words));
}

}  // namespace analysis
