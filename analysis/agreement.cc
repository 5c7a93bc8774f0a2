// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "analysis/figures.h"
#include "analysis/text_table.h"

namespace analysis {
namespace {

using sim::CaseOutcome;

constexpr double kRounding = 5e-4;  // a packet more or less, headers of a last packet

double ratio(std::int64_t time, std::int64_t reference) {
  return static_cast<double>(time) / static_cast<double>(reference) - 1;
}

// Whether the busiest link of the busiest class leads from a switch to an end.
bool busiest_at_receiver(const CaseOutcome& one) {
  const auto busiest = std::max_element(
      one.levels.begin(), one.levels.end(),
      [](const sim::LevelUse& a, const sim::LevelUse& b) { return a.busiest_ppb < b.busiest_ppb; });
  if (busiest == one.levels.end()) return false;
  const std::string& link = busiest->busiest;
  const std::size_t arrow = link.find(" -> ");
  if (arrow == std::string::npos) return false;
  const std::string to = link.substr(arrow + 4);
  const bool from_switch = link.substr(0, arrow).find("switch") != std::string::npos;
  return from_switch && (to.starts_with("chip") || to.starts_with("end") || to.starts_with("nic"));
}

bool finished(const CaseOutcome& one) {
  return one.verdict == sim::Verdict::kDone && one.time_ps > 0;
}

std::vector<std::string> cells_of(const AgreementCase& one) {
  const CaseOutcome& reference = one.at.front();
  std::vector<std::string> cells = {reference.collective, std::to_string(reference.ranks),
                                    size_figure(reference.bytes), reference.algorithm};
  cells.push_back(finished(reference) ? time_figure(reference.time_ps) : "-");
  std::string reason;  // of the level farthest off
  double farthest = 0;
  for (std::size_t level = 1; level < one.at.size(); ++level) {
    if (!finished(one.at[level]) || !finished(reference)) {
      cells.emplace_back("-");
      continue;
    }
    cells.push_back(difference_figure(one.at[level].time_ps, reference.time_ps));
    const double off = std::abs(ratio(one.at[level].time_ps, reference.time_ps));
    if (off <= farthest) continue;
    farthest = off;
    reason = reason_of(reference, one.at[level]);
  }
  cells.push_back(reason.empty() ? "-" : reason);
  return cells;
}

// "flow: median 0.0 %, 95th percentile 9.7 %, largest 13.1 % of 54 cases"
std::string summary(const Agreement& agreement, std::size_t level) {
  std::vector<double> off;
  for (const AgreementCase& one : agreement.cases) {
    if (!finished(one.at.front()) || !finished(one.at[level])) continue;
    off.push_back(100 * std::abs(ratio(one.at[level].time_ps, one.at.front().time_ps)));
  }
  if (off.empty()) return fmt::format("{}: nothing to compare", agreement.levels[level]);
  std::sort(off.begin(), off.end());
  const auto at = [&](double share) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(off.size())));
    return off[std::max<std::size_t>(rank, 1) - 1];
  };
  return fmt::format(
      "{} against {}: median {:.2f} %, 95th percentile {:.2f} %, largest {:.2f} % "
      "of {}",
      agreement.levels[level], agreement.levels.front(), at(0.5), at(0.95), off.back(),
      counted(static_cast<std::int64_t>(off.size()), "case"));
}

}  // namespace

std::string difference_figure(std::int64_t time, std::int64_t reference) {
  const double percent = 100 * ratio(time, reference);
  if (std::abs(percent) < 0.005) return "0.00 %";
  return fmt::format("{:+.2f} %", percent);
}

std::string reason_of(const CaseOutcome& reference, const CaseOutcome& one) {
  if (one.time_ps == reference.time_ps) return "";
  if (reference.packets_dropped > 0) return "loss";
  if (std::abs(ratio(one.time_ps, reference.time_ps)) < kRounding) return "rounding";
  const std::int64_t off = std::llabs(reference.time_ps - one.time_ps);
  const auto differs = [&](std::int64_t a, std::int64_t b) { return 2 * std::llabs(a - b) >= off; };
  const bool shorter = one.time_ps < reference.time_ps;
  if (shorter && differs(reference.breakdown.queueing_ps, one.breakdown.queueing_ps)) {
    return busiest_at_receiver(reference) ? "incast" : "queueing";
  }
  if (differs(reference.breakdown.transmission_ps, one.breakdown.transmission_ps)) return "header";
  return "shares";
}

std::string agreement_page(const Agreement& agreement) {
  using Column = TextTable::Column;
  std::vector<Column> columns = {Column{"collective"}, Column{"ranks", Align::kDecimal},
                                 Column{"size", Align::kDecimal}, Column{"algorithm"},
                                 Column{agreement.levels.front(), Align::kDecimal}};
  for (std::size_t level = 1; level < agreement.levels.size(); ++level) {
    columns.push_back(Column{agreement.levels[level], Align::kDecimal});
  }
  columns.push_back(Column{"why"});
  TextTable table(std::move(columns));
  for (const AgreementCase& one : agreement.cases) table.add_row(cells_of(one));
  std::string text = fmt::format("{}   {} at {}\n\n", agreement.scenario,
                                 counted(static_cast<std::int64_t>(agreement.cases.size()), "case"),
                                 listed(agreement.levels));
  for (const std::string& line : table.lines("  ")) text += line + "\n";
  text += "\n";
  for (std::size_t level = 1; level < agreement.levels.size(); ++level) {
    text += wrapped(summary(agreement, level), "", "  ");
  }
  return text;
}

}  // namespace analysis
