// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace analysis {
namespace {

using Cells = std::vector<std::pair<std::string, std::string>>;  // header, value

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result(1, '"');
  for (const char letter : text) result.append(letter == '"' ? 2 : 1, letter);
  result += '"';
  return result;
}

std::string fraction(std::int64_t parts_per_billion) {
  return fmt::format("{}", static_cast<double>(parts_per_billion) / 1e9);
}

// Link classes in the order in which they first appear.
std::vector<std::string> link_classes(const sim::Outcome& outcome) {
  std::vector<std::string> names;
  for (const sim::CaseOutcome& one : outcome.cases) {
    for (const sim::LevelUse& level : one.levels) {
      if (std::ranges::find(names, level.name) == names.end()) names.push_back(level.name);
    }
  }
  return names;
}

void add_level(Cells& cells, const sim::CaseOutcome& one, const std::string& name) {
  const auto found = std::ranges::find(one.levels, name, &sim::LevelUse::name);
  const bool used = found != one.levels.end();
  std::string title = name;
  std::ranges::replace(title, ' ', '_');
  cells.emplace_back(title + "_payload_bytes", used ? std::to_string(found->payload_bytes) : "0");
  cells.emplace_back(title + "_busiest_share", used ? fraction(found->busiest_ppb) : "0");
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

// Of a case that ran once, its only time twice.
void add_seeds(Cells& cells, const sim::CaseOutcome& one) {
  const std::vector<std::int64_t>& times = one.seed_times_ps;
  const bool several = !times.empty();
  const std::int64_t least = several ? std::ranges::min(times) : one.time_ps;
  const std::int64_t most = several ? std::ranges::max(times) : one.time_ps;
  cells.emplace_back("seeds", std::to_string(several ? times.size() : 1));
  cells.emplace_back("time_min_ps", std::to_string(least));
  cells.emplace_back("time_max_ps", std::to_string(most));
}

Cells cells_of(const sim::CaseOutcome& one, const std::vector<std::string>& classes) {
  Cells cells = {{"case", one.name},
                 {"verdict", std::string(sim::name_of(one.verdict))},
                 {"collective", one.collective},
                 {"algorithm", one.algorithm},
                 {"group", one.group},
                 {"ranks", std::to_string(one.ranks)},
                 {"bytes", std::to_string(one.bytes)},
                 {"time_ps", std::to_string(one.time_ps)},
                 {"algorithm_bandwidth_bytes_per_s", std::to_string(one.algorithm_bandwidth)},
                 {"bus_bandwidth_bytes_per_s", std::to_string(one.bus_bandwidth)},
                 {"bound_ps", std::to_string(one.bound_ps)},
                 {"bound_share", fraction(one.bound_share_ppb)},
                 {"bound", one.bound},
                 {"bottleneck", one.bottleneck},
                 {"transfers", std::to_string(one.transfers)},
                 {"packets", std::to_string(one.packets)},
                 {"packet_hops", std::to_string(one.packet_hops)},
                 {"packets_dropped", std::to_string(one.packets_dropped)},
                 {"packets_resent", std::to_string(one.packets_resent)},
                 {"launch_ps", std::to_string(one.breakdown.launch_ps)},
                 {"endpoint_ps", std::to_string(one.breakdown.endpoint_ps)},
                 {"latency_ps", std::to_string(one.breakdown.latency_ps)},
                 {"transmission_ps", std::to_string(one.breakdown.transmission_ps)},
                 {"queueing_ps", std::to_string(one.breakdown.queueing_ps)},
                 {"compute_ps", std::to_string(one.breakdown.compute_ps)},
                 {"repair_ps", std::to_string(one.breakdown.repair_ps)},
                 {"late_ps", std::to_string(one.breakdown.late_ps)},
                 {"last_arrival_ps", std::to_string(one.last_arrival_ps)}};
  add_seeds(cells, one);
  for (const std::string& name : classes) add_level(cells, one, name);
  cells.emplace_back("choice", one.choice);
  cells.emplace_back("waiting", joined(one.waiting));
  cells.emplace_back("failure", one.failure);
  cells.emplace_back("fingerprint", one.fingerprint);
  return cells;
}

std::string line_of(const Cells& cells, std::string Cells::value_type::*part) {
  std::string line;
  for (const auto& cell : cells) {
    if (!line.empty()) line += ',';
    line += quoted(cell.*part);
  }
  return line + "\n";
}

}  // namespace

std::string to_csv(const sim::Outcome& outcome) {
  const std::vector<std::string> classes = link_classes(outcome);
  std::string text = line_of(cells_of({}, classes), &Cells::value_type::first);
  for (const sim::CaseOutcome& one : outcome.cases) {
    text += line_of(cells_of(one, classes), &Cells::value_type::second);
  }
  return text;
}

}  // namespace analysis
