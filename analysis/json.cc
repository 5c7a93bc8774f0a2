// SPDX-License-Identifier: GPL-2.0-only
// The only JSON door of this room.
#include "analysis/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "analysis/block.h"

namespace analysis {
namespace {

using Json = nlohmann::ordered_json;

double fraction(std::int64_t parts_per_billion) {
  return static_cast<double>(parts_per_billion) / 1e9;
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json json_of(const sim::Breakdown& parts) {
  return {{"launch_ps", parts.launch_ps},     {"endpoint_ps", parts.endpoint_ps},
          {"latency_ps", parts.latency_ps},   {"transmission_ps", parts.transmission_ps},
          {"queueing_ps", parts.queueing_ps}, {"compute_ps", parts.compute_ps},
          {"repair_ps", parts.repair_ps},     {"late_ps", parts.late_ps}};
}

Json json_of(const sim::LevelUse& level) {
  return {{"name", level.name},
          {"links", level.links},
          {"payload_bytes", level.payload_bytes},
          {"busiest_share", fraction(level.busiest_ppb)},
          {"busiest", level.busiest}};
}

Json seeds_of(const sim::CaseOutcome& one) {
  return {{"count", one.seed_times_ps.size()},
          {"min_ps", std::ranges::min(one.seed_times_ps)},
          {"median_ps", one.time_ps},
          {"max_ps", std::ranges::max(one.seed_times_ps)},
          {"times_ps", one.seed_times_ps}};
}

Json json_of(const sim::CaseOutcome& one) {
  Json json = {{"case", one.name},
               {"verdict", sim::name_of(one.verdict)},
               {"collective", one.collective},
               {"algorithm", one.algorithm},
               {"group", one.group},
               {"ranks", one.ranks},
               {"bytes", one.bytes},
               {"time_ps", one.time_ps},
               {"algorithm_bandwidth", one.algorithm_bandwidth},
               {"bus_bandwidth", one.bus_bandwidth},
               {"bound_ps", one.bound_ps},
               {"bound_share", fraction(one.bound_share_ppb)},
               {"bound", one.bound},
               {"bottleneck", one.bottleneck},
               {"transfers", one.transfers},
               {"packets", one.packets},
               {"packet_hops", one.packet_hops},
               {"packets_dropped", one.packets_dropped},
               {"packets_resent", one.packets_resent},
               {"breakdown", json_of(one.breakdown)}};
  if (!one.choice.empty()) json["choice"] = one.choice;
  if (!one.seed_times_ps.empty()) json["seeds"] = seeds_of(one);
  if (one.last_arrival_ps > 0) json["last_arrival_ps"] = one.last_arrival_ps;
  json["levels"] = Json::array();
  for (const sim::LevelUse& level : one.levels) json["levels"].push_back(json_of(level));
  json["waiting"] = one.waiting;
  if (!one.symmetry.empty()) json["symmetry"] = one.symmetry;
  json["failure"] = one.failure;
  json["fingerprint"] = one.fingerprint;
  return json;
}

Json json_of(const sim::Assumption& one) {
  return {{"name", one.name}, {"value", one.value}, {"low", one.low},
          {"high", one.high}, {"grade", one.grade}, {"source", one.source}};
}

Json json_of(const std::vector<sim::Assumption>& assumptions) {
  Json list = Json::array();
  for (const sim::Assumption& one : assumptions) list.push_back(json_of(one));
  return list;
}

constexpr std::size_t kMostDrawnSpans = 1'500;  // of the first ranks of a case

// Short arrays in place of objects: a matrix of 144 x 144 has 20,736 entries.
Json drawn(const sim::CaseOutcome& one) {
  const sim::Recording& kept = one.recording;
  Json json = {{"case", one.name}, {"time_ps", one.time_ps}, {"ranks", one.ranks}};
  json["traffic"] = Json::array();
  for (const sim::PairTraffic& pair : kept.traffic) {
    json["traffic"].push_back({pair.from, pair.to, pair.bytes});
  }
  json["links"] = Json::array();
  for (const sim::LinkTraffic& link : kept.links) {
    json["links"].push_back({link.name, link.level, link.payload_bytes, fraction(link.busy_ppb)});
  }
  json["spans"] = Json::array();
  for (const sim::Span& span : kept.spans) {
    if (json["spans"].size() == kMostDrawnSpans) break;
    json["spans"].push_back({span.rank, static_cast<int>(span.kind), span.peer, span.bytes,
                             span.begin_ps, span.end_ps});
  }
  return json;
}

}  // namespace

std::string to_json(const sim::Outcome& outcome) {
  Json json = {{"scenario", outcome.scenario},
               {"about", outcome.about},
               {"verdict", sim::name_of(outcome.verdict)},
               {"fidelity", outcome.fidelity},
               {"fabric", outcome.fabric}};
  json["cases"] = Json::array();
  for (const sim::CaseOutcome& one : outcome.cases) json["cases"].push_back(json_of(one));
  json["cases_missing"] = outcome.cases_missing;
  json["missing"] = outcome.missing;
  json["assumptions"] = json_of(outcome.assumptions);
  json["limits"] = outcome.limits;
  json["input_hash"] = outcome.input_hash;
  json["version"] = outcome.version;
  json["seed"] = outcome.seed;
  return text_of(json);
}

std::string manifest_json(const sim::Outcome& outcome) {
  Json json = {{"scenario", outcome.scenario}, {"fabric", outcome.fabric},
               {"fidelity", outcome.fidelity}, {"input_hash", outcome.input_hash},
               {"version", outcome.version},   {"seed", outcome.seed}};
  json["parameters"] = json_of(outcome.assumptions);
  json["limits"] = outcome.limits;
  return text_of(json);
}

std::string to_json(const Comparison& comparison) {
  Json json = {{"mean_change_share", mean_change(comparison)}};
  json["inputs"] = Json::array();
  for (const InputChange& one : comparison.inputs) {
    json["inputs"].push_back({{"name", one.name}, {"before", one.before}, {"after", one.after}});
  }
  json["cases"] = Json::array();
  for (const CaseDrift& one : comparison.cases) {
    json["cases"].push_back({{"case", one.name},
                             {"class", name_of(one.drift)},
                             {"before_ps", one.before_ps},
                             {"after_ps", one.after_ps},
                             {"change_share", one.change},
                             {"bottleneck_before", one.bound_before},
                             {"bottleneck_after", one.bound_after}});
  }
  return text_of(json);
}

std::string recordings_json(const sim::Outcome& outcome) {
  Json json = Json::array();
  for (const sim::CaseOutcome* one : shown_from_within(outcome)) json.push_back(drawn(*one));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_string(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string stats_json(const sim::RunStats& stats) {
  const double wall = stats.wall_seconds;
  const double rate = wall > 0 ? static_cast<double>(stats.packet_hops) / wall : 0;
  const double cpu_rate =
      stats.cpu_seconds > 0 ? static_cast<double>(stats.packet_hops) / stats.cpu_seconds : 0;
  return text_of({{"wall_seconds", wall},
                  {"cpu_seconds", stats.cpu_seconds},
                  {"peak_rss_bytes", stats.peak_rss_bytes},
                  {"packet_hops", stats.packet_hops},
                  {"packet_hops_per_wall_second", rate},
                  {"packet_hops_per_cpu_second", cpu_rate},
                  {"worker_processes", stats.worker_processes}});
}

}  // namespace analysis
