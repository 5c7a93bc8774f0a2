// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/sweep_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "analysis/comparison.h"
#include "analysis/figures.h"
#include "analysis/text_table.h"

namespace analysis {
namespace {

constexpr std::size_t kMostRows = 10;
constexpr std::size_t kMostValues = 12;  // of one key

struct Mean {
  double logs = 0;
  int count = 0;

  void add(double time) {
    logs += std::log(time);
    ++count;
  }
  [[nodiscard]] double value() const { return count > 0 ? std::exp(logs / count) : 0; }
};

// Geometric mean time of the cases of each run that finished; 0: none did.
std::vector<double> times_of(const SweepFile::Tables& tables) {
  std::vector<Mean> means(tables.changes.size());
  for (const SweepCase& one : tables.cases) {
    if (one.verdict != "done" || one.time_ps <= 0) continue;
    means[static_cast<std::size_t>(one.run)].add(static_cast<double>(one.time_ps));
  }
  std::vector<double> times;
  for (const Mean& mean : means) times.push_back(mean.value());
  return times;
}

std::string figure(double time) { return time_figure(std::llround(time)); }

// The keys in the order of the first run that has any.
std::vector<std::string> keys_of(const SweepFile::Tables& tables) {
  std::vector<std::string> keys;
  for (const auto& changes : tables.changes) {
    for (const auto& [key, value] : changes) keys.push_back(key);
    if (!keys.empty()) break;
  }
  return keys;
}

// What each value of one key is worth, over all runs with it.
std::string values_text(const SweepFile::Tables& tables, const std::vector<double>& times,
                        const std::string& key) {
  std::vector<std::pair<std::string, Mean>> values;
  for (std::size_t run = 0; run < tables.changes.size(); ++run) {
    for (const auto& [name, value] : tables.changes[run]) {
      if (name != key || times[run] <= 0) continue;
      auto found = std::ranges::find(values, value, &std::pair<std::string, Mean>::first);
      if (found == values.end()) found = values.insert(values.end(), {value, {}});
      found->second.add(times[run]);
    }
  }
  if (values.empty()) return {};
  double best = values[0].second.value();
  for (const auto& [value, mean] : values) best = std::min(best, mean.value());
  TextTable table({{key}, {"mean time", Align::kDecimal}, {"over the best", Align::kDecimal}});
  for (std::size_t i = 0; i < std::min(values.size(), kMostValues); ++i) {
    const double mean = values[i].second.value();
    table.add_row({values[i].first, figure(mean), change_figure(mean / best - 1)});
  }
  std::string text = "\n";
  for (const std::string& line : table.lines("  ")) text += line + "\n";
  if (values.size() > kMostValues) {
    text += fmt::format("  and {} more\n", values.size() - kMostValues);
  }
  return text;
}

std::string changes_in_words(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string text;
  for (const auto& [key, value] : changes) {
    text += (text.empty() ? "" : ", ") + key + " " + value;
  }
  return text;
}

std::string best_text(const SweepFile::Tables& tables, const std::vector<double>& times) {
  std::vector<std::size_t> order;
  for (std::size_t run = 0; run < times.size(); ++run) {
    if (times[run] > 0) order.push_back(run);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t run) { return times[run]; });
  if (order.empty()) return {};
  TextTable table({{"run", Align::kDecimal}, {"mean time", Align::kDecimal}, {"with"}});
  std::vector<std::size_t> shown(
      order.begin(),
      order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), kMostRows)));
  if (order.size() > kMostRows) shown.push_back(order.back());
  for (const std::size_t run : shown) {
    table.add_row({std::to_string(run), figure(times[run]), changes_in_words(tables.changes[run])});
  }
  std::string text = order.size() > kMostRows ? "\nThe fastest runs, and the slowest:\n"
                                              : "\nThe runs, fastest first:\n";
  for (const std::string& line : table.lines("  ")) text += line + "\n";
  return text;
}

std::int64_t runs_in(const SweepFile::Tables& tables) {
  return std::ranges::count_if(tables.changes, [](const auto& one) { return !one.empty(); });
}

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted(1, '"');
  for (const char letter : text) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + "\"";
}

}  // namespace

std::string sweep_page(const SweepIdentity& identity, const SweepFile::Tables& tables,
                       const std::string& path) {
  const std::vector<double> times = times_of(tables);
  const std::int64_t there = runs_in(tables);
  std::string text =
      fmt::format("{}   {} of {}", identity.scenario, there, counted(identity.runs, "run"));
  const auto failed = static_cast<std::int64_t>(tables.faults.size());
  if (failed > 0) {
    const std::string& why = tables.faults[0].second;
    text += fmt::format(", {} of them failed (run {}: {})", failed, tables.faults[0].first,
                        why.substr(0, why.find('\n')));
  }
  text += "\n";
  for (const std::string& key : keys_of(tables)) text += values_text(tables, times, key);
  text += best_text(tables, times);
  return text +
         fmt::format("Mean time: geometric mean over the cases of a run.\nResults: {}\n", path);
}

std::string sweep_csv(const SweepFile::Tables& tables) {
  const std::vector<std::string> keys = keys_of(tables);
  std::string text = "run";
  for (const std::string& key : keys) text += "," + field(key);
  text += ",case,verdict,time_ps,bus_bandwidth_bytes_per_s,bottleneck\n";
  for (const SweepCase& one : tables.cases) {
    const auto& changes = tables.changes[static_cast<std::size_t>(one.run)];
    const std::map<std::string, std::string> values(changes.begin(), changes.end());
    text += std::to_string(one.run);
    for (const std::string& key : keys) {
      const auto found = values.find(key);
      text += "," + (found == values.end() ? "" : field(found->second));
    }
    text += fmt::format(",{},{},{},{},{}\n", field(one.name), one.verdict, one.time_ps,
                        one.bus_bandwidth, field(one.bottleneck));
  }
  return text;
}

}  // namespace analysis
