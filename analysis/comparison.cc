// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

#include "analysis/block.h"
#include "analysis/figures.h"
#include "analysis/text_table.h"

namespace analysis {
namespace {

using sim::CaseOutcome;
using sim::Outcome;
using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kMostRows = 40;
constexpr std::size_t kMostValue = 40;  // letters of an input's value in the table

constexpr std::size_t kNone = std::string::npos;

// Gives each case of `before` that has no partner yet the first free one of `after` that fits.
template <class Fits>
void pair_up(const Outcome& before, const Outcome& after, std::vector<std::size_t>& partners,
             Fits fits) {
  std::vector<char> taken(after.cases.size(), 0);
  for (const std::size_t j : partners) {
    if (j != kNone) taken[j] = 1;
  }
  for (std::size_t i = 0; i < partners.size(); ++i) {
    for (std::size_t j = 0; partners[i] == kNone && j < after.cases.size(); ++j) {
      if (taken[j] != 0 || !fits(before.cases[i], after.cases[j])) continue;
      partners[i] = j;
      taken[j] = 1;
    }
  }
}

// By case of `before`: its case of `after`, or kNone.
std::vector<std::size_t> partners_of(const Outcome& before, const Outcome& after) {
  std::map<std::string_view, std::deque<std::size_t>> by_name;
  for (std::size_t j = 0; j < after.cases.size(); ++j) by_name[after.cases[j].name].push_back(j);
  std::vector<std::size_t> partners(before.cases.size(), kNone);
  bool any = false;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const auto found = by_name.find(before.cases[i].name);
    if (found == by_name.end() || found->second.empty()) continue;
    partners[i] = found->second.front();
    found->second.pop_front();
    any = true;
  }
  pair_up(before, after, partners, [](const CaseOutcome& one, const CaseOutcome& other) {
    return one.collective == other.collective && one.group == other.group &&
           one.bytes == other.bytes;
  });
  if (!any && before.cases.size() == after.cases.size()) {
    pair_up(before, after, partners, [&](const CaseOutcome& one, const CaseOutcome& other) {
      return &one - before.cases.data() == &other - after.cases.data();
    });
  }
  return partners;
}

Drift drift_of(const CaseOutcome& before, const CaseOutcome& after, double change) {
  if (finished(before) != finished(after)) return finished(after) ? Drift::kMended : Drift::kBroken;
  if (!finished(before)) return before.verdict == after.verdict ? Drift::kEqual : Drift::kLarge;
  if (before.time_ps == after.time_ps) {
    return before.fingerprint == after.fingerprint ? Drift::kEqual : Drift::kOps;
  }
  if (std::abs(change) < kTinyDrift) return Drift::kTiny;
  return std::abs(change) < kSmallDrift ? Drift::kSmall : Drift::kLarge;
}

CaseDrift drift_between(const CaseOutcome* before, const CaseOutcome* after) {
  CaseDrift drift;
  drift.name = before != nullptr ? before->name : after->name;
  drift.drift = before == nullptr ? Drift::kAdded : Drift::kRemoved;
  if (before != nullptr && finished(*before)) drift.before_ps = before->time_ps;
  if (after != nullptr && finished(*after)) drift.after_ps = after->time_ps;
  if (before != nullptr) drift.bound_before = before->bottleneck;
  if (after != nullptr) drift.bound_after = after->bottleneck;
  if (drift.before_ps > 0 && drift.after_ps > 0) {
    drift.change = static_cast<double>(drift.after_ps) / static_cast<double>(drift.before_ps) - 1;
  }
  if (before != nullptr && after != nullptr) drift.drift = drift_of(*before, *after, drift.change);
  return drift;
}

// Everything that could have made a difference, by name.
Pairs inputs_of(const Outcome& outcome) {
  Pairs inputs = keys_of_echo(outcome.echo);
  std::erase_if(inputs, [](const auto& one) {
    return one.first == "scenario" || one.first == "about" || one.first.starts_with("what_if") ||
           one.first.starts_with("sweep") || one.first.starts_with("cluster.overrides.");
  });
  for (const sim::Assumption& one : outcome.assumptions) inputs.emplace_back(one.name, one.value);
  inputs.emplace_back("version", outcome.version);
  return inputs;
}

std::vector<InputChange> input_changes(const Outcome& before, const Outcome& after) {
  const Pairs old_inputs = inputs_of(before);
  const Pairs new_inputs = inputs_of(after);
  const std::map<std::string, std::string> old_values(old_inputs.begin(), old_inputs.end());
  const std::map<std::string, std::string> new_values(new_inputs.begin(), new_inputs.end());
  std::vector<InputChange> changes;
  for (const auto& [name, value] : old_inputs) {
    const auto found = new_values.find(name);
    const std::string now = found == new_values.end() ? "" : found->second;
    if (now != value) changes.push_back({name, value, now});
  }
  for (const auto& [name, value] : new_inputs) {
    if (old_values.find(name) == old_values.end()) changes.push_back({name, "", value});
  }
  return changes;
}

bool moved(const CaseDrift& one) { return one.drift != Drift::kEqual && one.drift != Drift::kOps; }

std::string time_or_dash(std::int64_t ps) { return ps > 0 ? time_figure(ps) : "-"; }

std::string shortened(const std::string& text) {
  if (text.empty()) return "-";
  return text.size() <= kMostValue ? text : text.substr(0, kMostValue - 3) + "...";
}

std::string inputs_text(const Comparison& comparison) {
  if (comparison.inputs.empty()) return "The inputs are the same.\n";
  TextTable table({{"input"}, {"before"}, {"after"}});
  for (const InputChange& one : comparison.inputs) {
    table.add_row({one.name, shortened(one.before), shortened(one.after)});
  }
  std::string text;
  for (const std::string& line : table.lines("  ")) text += line + "\n";
  return text;
}

std::string cases_text(const Comparison& comparison) {
  std::vector<const CaseDrift*> rows;
  for (const CaseDrift& one : comparison.cases) {
    if (moved(one)) rows.push_back(&one);
  }
  std::ranges::stable_sort(rows, std::greater(),
                           [](const CaseDrift* one) { return std::abs(one->change); });
  const std::size_t hidden = rows.size() - std::min(rows.size(), kMostRows);
  rows.resize(rows.size() - hidden);
  if (rows.empty()) return {};
  TextTable table({{"before", Align::kDecimal},
                   {"after", Align::kDecimal},
                   {"change", Align::kDecimal},
                   {"class"},
                   {"case"}});
  for (const CaseDrift* one : rows) {
    const bool both = one->before_ps > 0 && one->after_ps > 0;
    table.add_row({time_or_dash(one->before_ps), time_or_dash(one->after_ps),
                   both ? change_figure(one->change) : "-", std::string(name_of(one->drift)),
                   one->name});
  }
  std::string text = "\n";
  for (const std::string& line : table.lines("  ")) text += line + "\n";
  if (hidden > 0) text += fmt::format("  and {} more (--format json has all)\n", hidden);
  return text;
}

// "    - key: value" as its parts.
struct EchoLine {
  std::size_t indent = 0;
  bool item = false;
  std::string_view key;
  std::string_view value;
};

EchoLine echo_line(std::string_view line) {
  EchoLine parts;
  parts.indent = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(parts.indent);
  if (line.starts_with("- ")) {
    parts.item = true;
    parts.indent += 2;
    line.remove_prefix(2);
  }
  const std::size_t colon = std::min(line.find(':'), line.size());
  parts.key = line.substr(0, colon);
  if (colon + 2 < line.size()) parts.value = line.substr(colon + 2);
  return parts;
}

}  // namespace

Pairs keys_of_echo(std::string_view echo) {
  struct Level {
    std::size_t indent;
    std::string path;
    int items;
  };
  Pairs keys;
  std::vector<Level> above;
  while (!echo.empty()) {
    const std::size_t end = std::min(echo.find('\n'), echo.size());
    const EchoLine line = echo_line(echo.substr(0, end));
    echo.remove_prefix(std::min(end + 1, echo.size()));
    if (line.key.empty()) continue;
    const std::size_t least = line.item ? line.indent - 2 : line.indent;
    while (!above.empty() && above.back().indent >= least) above.pop_back();
    if (line.item && !above.empty()) {
      Level& list = above.back();
      above.push_back({least, fmt::format("{}.{}", list.path, list.items++), 0});
    }
    const std::string path =
        above.empty() ? std::string(line.key) : fmt::format("{}.{}", above.back().path, line.key);
    if (line.value.empty()) above.push_back({line.indent, path, 0});
    if (!line.value.empty()) keys.emplace_back(path, line.value);
  }
  return keys;
}

Comparison compare(const Outcome& before, const Outcome& after) {
  Comparison comparison;
  comparison.inputs = input_changes(before, after);
  const std::vector<std::size_t> partners = partners_of(before, after);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const CaseOutcome* partner = partners[i] == kNone ? nullptr : &after.cases[partners[i]];
    comparison.cases.push_back(drift_between(&before.cases[i], partner));
  }
  for (std::size_t j = 0; j < after.cases.size(); ++j) {
    if (std::ranges::find(partners, j) != partners.end()) continue;
    comparison.cases.push_back(drift_between(nullptr, &after.cases[j]));
  }
  return comparison;
}

std::string_view name_of(Drift drift) {
  constexpr std::array<std::string_view, 9> kNames{
      "equal", "ops moved", "tiny", "small", "large", "broken", "mended", "added", "removed"};
  return kNames[static_cast<std::size_t>(drift)];
}

double mean_change(const Comparison& comparison) {
  double logs = 0;
  int count = 0;
  for (const CaseDrift& one : comparison.cases) {
    if (one.before_ps <= 0 || one.after_ps <= 0) continue;
    logs += std::log1p(one.change);
    ++count;
  }
  return count > 0 ? std::expm1(logs / count) : 0;
}

const CaseDrift* most_moved(const Comparison& comparison) {
  const CaseDrift* most = nullptr;
  for (const CaseDrift& one : comparison.cases) {
    if (one.change == 0) continue;
    if (most == nullptr || std::abs(one.change) > std::abs(most->change)) most = &one;
  }
  return most;
}

std::string change_figure(double change) {
  std::string text = fmt::format("{:+.1f} %", 100 * change);
  return text == "+0.0 %" || text == "-0.0 %" ? "0.0 %" : text;
}

std::string comparison_page(const Comparison& comparison) {
  std::map<std::string_view, int> counts;
  for (const CaseDrift& one : comparison.cases) ++counts[name_of(one.drift)];
  std::vector<std::string> words;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Drift::kRemoved); ++i) {
    const std::string_view name = name_of(static_cast<Drift>(i));
    if (counts[name] > 0) words.push_back(fmt::format("{} {}", counts[name], name));
  }
  std::string text =
      fmt::format("{}: {}. Mean change of time: {}.\n",
                  counted(static_cast<std::int64_t>(comparison.cases.size()), "case"),
                  words.empty() ? "none" : listed(words), change_figure(mean_change(comparison)));
  return text + "\n" + inputs_text(comparison) + cases_text(comparison);
}

}  // namespace analysis
