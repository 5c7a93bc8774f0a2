// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/block.h"
#include "analysis/figures.h"
#include "analysis/text_table.h"
#include "sim/base/check.h"

namespace analysis {
namespace {

using sim::CaseOutcome;
using sim::Outcome;

constexpr std::size_t kMostSwings = 20;
constexpr int kHalfBar = 12;            // letters to each side of a tornado's middle
constexpr double kLeastShown = 0.0005;  // a swing that rounds to nothing is not drawn

struct Row {
  const Variation* variation = nullptr;
  Comparison comparison;
  double mean = 0;
};

std::vector<Row> rows_of(const Outcome& base, const std::vector<Variation>& variations) {
  std::vector<Row> rows;
  for (const Variation& one : variations) {
    Row row{&one, {}, 0};
    if (one.fault.empty()) row.comparison = compare(base, one.outcome);
    row.mean = mean_change(row.comparison);
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, [](const Row& one, const Row& other) {
    const bool ran = one.variation->fault.empty();
    if (ran != other.variation->fault.empty()) return ran;
    return one.mean < other.mean;
  });
  return rows;
}

std::int64_t count_of(const Comparison& comparison, Drift drift) {
  return std::ranges::count(comparison.cases, drift, &CaseDrift::drift);
}

// "-45.1 to +0.3 %" over the cases.
std::string spread_of(const Comparison& comparison) {
  double least = 0;
  double most = 0;
  bool first = true;
  for (const CaseDrift& one : comparison.cases) {
    if (one.before_ps <= 0 || one.after_ps <= 0) continue;
    least = first ? one.change : std::min(least, one.change);
    most = first ? one.change : std::max(most, one.change);
    first = false;
  }
  return first ? "-" : fmt::format("{:+.1f} to {:+.1f} %", 100 * least, 100 * most);
}

// The case that moved most; of a single case its times.
std::string most_in_words(const Row& row) {
  if (!row.variation->fault.empty()) {
    return row.variation->fault.substr(0, row.variation->fault.find('\n'));
  }
  const std::int64_t broken = count_of(row.comparison, Drift::kBroken);
  const std::string lost = broken > 0 ? counted(broken, "case") + " broken; " : "";
  const CaseDrift* most = most_moved(row.comparison);
  if (most == nullptr) return lost + "nothing moves";
  if (row.comparison.cases.size() > 1) return lost + most->name;
  return fmt::format("{}{} -> {}", lost, time_figure(most->before_ps), time_figure(most->after_ps));
}

// What binds now in the case that moved most, where that is another thing.
std::string newly_bound(const Row& row) {
  const auto what = [](const std::string& text) { return text.substr(0, text.find(',')); };
  const CaseDrift* most = most_moved(row.comparison);
  if (most == nullptr || what(most->bound_before) == what(most->bound_after)) return {};
  return fmt::format("{}: that case was bound by {}; now {}.", row.variation->name,
                     most->bound_before, most->bound_after);
}

const CaseOutcome* find_case(const Outcome& outcome, const std::string& name) {
  const auto found = std::ranges::find(outcome.cases, name, &CaseOutcome::name);
  return found == outcome.cases.end() || !finished(*found) ? nullptr : &*found;
}

Swing swing_between(const Outcome& base, const Variation& low, const Variation& high) {
  Swing swing;
  swing.name = low.changes.empty() ? low.name : low.changes[0].first;
  if (!low.changes.empty()) swing.low = low.changes[0].second;
  if (!high.changes.empty()) swing.high = high.changes[0].second;
  const Comparison at_low = compare(base, low.outcome);
  const Comparison at_high = compare(base, high.outcome);
  swing.at_low = low.fault.empty() ? mean_change(at_low) : 0;
  swing.at_high = high.fault.empty() ? mean_change(at_high) : 0;
  for (std::size_t i = 0; i < std::min(at_low.cases.size(), at_high.cases.size()); ++i) {
    const double width = at_high.cases[i].change - at_low.cases[i].change;
    if (std::abs(width) <= std::abs(swing.most_change)) continue;
    swing.most_change = width;
    swing.most = at_low.cases[i].name;
  }
  return swing;
}

std::string bar_of(const Swing& swing, double scale) {
  const auto letters = [&](double change) {
    return std::clamp(static_cast<int>(std::lround(std::abs(change) * scale)), 0, kHalfBar);
  };
  const int left = letters(std::min({swing.at_low, swing.at_high, 0.0}));
  const int right = letters(std::max({swing.at_low, swing.at_high, 0.0}));
  const auto fill = [](int count, char letter) {
    return std::string(static_cast<std::size_t>(count), letter);
  };
  return fill(kHalfBar - left, ' ') + fill(left, '=') + "|" + fill(right, '=');
}

}  // namespace

std::string what_if_page(const Outcome& base, const std::vector<Variation>& variations) {
  const std::vector<Row> rows = rows_of(base, variations);
  TextTable table({{"what if"}, {"time", Align::kDecimal}, {"over the cases"}, {"moves most"}});
  for (const Row& row : rows) {
    const bool ran = row.variation->fault.empty();
    table.add_row({row.variation->name, ran ? change_figure(row.mean) : "-",
                   ran ? spread_of(row.comparison) : "could not run", most_in_words(row)});
  }
  std::string text =
      fmt::format("{}   {}   {} against the scenario as it stands\n\n", base.scenario, base.fabric,
                  counted(static_cast<std::int64_t>(rows.size()), "change"));
  for (const std::string& line : table.lines("  ")) text += line + "\n";
  text += "  time: geometric mean over the cases; less is faster\n";
  for (const Row& row : rows) {
    const std::string words = newly_bound(row);
    if (!words.empty()) text += wrapped(words, "", "  ");
  }
  return text;
}

std::vector<Swing> swings_of(const Outcome& base, const std::vector<Variation>& pairs) {
  CHECK(pairs.size() % 2 == 0);
  std::vector<Swing> swings;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    swings.push_back(swing_between(base, pairs[i], pairs[i + 1]));
  }
  std::ranges::stable_sort(swings, std::greater(), &Swing::width);
  return swings;
}

std::vector<Interval> intervals_of(const Outcome& base, const std::vector<Variation>& variations) {
  std::vector<Interval> intervals;
  for (const CaseOutcome& one : base.cases) {
    if (!finished(one)) continue;
    Interval interval{one.name, one.time_ps, one.time_ps, one.time_ps};
    for (const Variation& variation : variations) {
      const CaseOutcome* other = find_case(variation.outcome, one.name);
      if (other == nullptr) continue;
      interval.least_ps = std::min(interval.least_ps, other->time_ps);
      interval.most_ps = std::max(interval.most_ps, other->time_ps);
    }
    intervals.push_back(interval);
  }
  return intervals;
}

std::string tornado_text(const std::vector<Swing>& swings, const Ends& ends) {
  double widest = kLeastShown;
  for (const Swing& one : swings) {
    widest = std::max({widest, std::abs(one.at_low), std::abs(one.at_high)});
  }
  TextTable table({{"input"},
                   {ends.low},
                   {"time", Align::kDecimal},
                   {ends.high},
                   {"time", Align::kDecimal},
                   {"faster " + std::string(kHalfBar - 7, ' ') + "|" + " slower"}});
  std::size_t shown = 0;
  for (const Swing& one : swings) {
    if (one.width() < kLeastShown || shown == kMostSwings) break;
    table.add_row({one.name, one.low, change_figure(one.at_low), one.high,
                   change_figure(one.at_high), bar_of(one, kHalfBar / widest)});
    ++shown;
  }
  std::string text;
  if (shown > 0) {
    for (const std::string& line : table.lines("  ")) text += line + "\n";
  }
  const auto rest = static_cast<std::int64_t>(swings.size() - shown);
  if (rest > 0)
    text += fmt::format("  {} {} nothing here\n", counted(rest, "other input"),
                        rest == 1 ? "changes" : "change");
  return text;
}

std::string faults_in_words(const std::vector<Variation>& variations) {
  std::int64_t faults = 0;
  std::string first;
  for (const Variation& one : variations) {
    if (one.fault.empty()) continue;
    if (++faults == 1) first = one.fault.substr(0, one.fault.find('\n'));
  }
  if (faults == 0) return {};
  return wrapped(fmt::format("{} could not be played and count as unchanged: {}",
                             counted(faults, "run"), first),
                 "", "  ");
}

std::string intervals_text(const std::vector<Interval>& intervals) {
  TextTable table({{"typical", Align::kDecimal},
                   {"least", Align::kDecimal},
                   {"most", Align::kDecimal},
                   {"from", Align::kDecimal},
                   {"to", Align::kDecimal},
                   {"case"}});
  for (const Interval& one : intervals) {
    const auto against = [&](std::int64_t ps) {
      return change_figure(static_cast<double>(ps) / static_cast<double>(one.typical_ps) - 1);
    };
    table.add_row({time_figure(one.typical_ps), time_figure(one.least_ps), time_figure(one.most_ps),
                   against(one.least_ps), against(one.most_ps), one.name});
  }
  std::string text;
  for (const std::string& line : table.lines("  ")) text += line + "\n";
  return text;
}

std::string what_if_csv(const Outcome& base, const std::vector<Variation>& variations) {
  const auto quoted = [](const std::string& field) {
    std::string text(1, '"');
    for (const char letter : field) text.append(letter == '"' ? 2 : 1, letter);
    return text + "\"";
  };
  std::string text = "change,case,base_time_ps,time_ps,change_share,class,fault\n";
  for (const Variation& one : variations) {
    if (!one.fault.empty()) {
      text += fmt::format("{},,,,,,{}\n", quoted(one.name), quoted(one.fault));
      continue;
    }
    for (const CaseDrift& drift : compare(base, one.outcome).cases) {
      text += fmt::format("{},{},{},{},{},{},\n", quoted(one.name), quoted(drift.name),
                          drift.before_ps, drift.after_ps, drift.change, name_of(drift.drift));
    }
  }
  return text;
}

}  // namespace analysis
