// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/overhead.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/block.h"
#include "analysis/figures.h"
#include "analysis/sentences.h"
#include "analysis/text_table.h"

namespace analysis {
namespace {

using sim::CaseOutcome;
using sim::Outcome;

constexpr std::size_t kMostWaiting = 8;  // lines of the first stalled case
constexpr std::size_t kFewWaiting = 1;   // of the others

enum class Paint { kBold, kRed };

std::string painted(const std::string& text, Paint paint, const PageOptions& options) {
  if (!options.colour) return text;
  return (paint == Paint::kBold ? "\x1b[1m" : "\x1b[31m") + text + "\x1b[0m";
}

std::string fidelity_in_words(const Outcome& outcome) {
  if (outcome.fidelity == "packet") return "packets on ns-3";
  if (outcome.fidelity == "flow") return "fluid flows, max-min fair";
  if (outcome.fidelity == "analytic") return "link loads (analytic)";
  return outcome.fidelity;
}

bool has_packets(const Outcome& outcome) { return outcome.fidelity == "packet"; }

// "110.0 M packet-hops", or transfers where there are no packets.
std::string work_in_words(const Outcome& outcome) {
  std::int64_t hops = 0;
  std::int64_t transfers = 0;
  for (const CaseOutcome& one : outcome.cases) {
    hops += one.packet_hops;
    transfers += one.transfers;
  }
  return has_packets(outcome) ? count_figure(hops) + " packet-hops"
                              : count_figure(transfers) + " transfers";
}

// Scenario, fabric, fidelity, work; on several lines when they are long.
std::string head(const Outcome& outcome, const PageOptions& options) {
  const std::vector<std::string> parts = {outcome.fabric, fidelity_in_words(outcome),
                                          work_in_words(outcome)};
  std::string text = painted(outcome.scenario, Paint::kBold, options);
  std::size_t width = width_of(outcome.scenario);
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (width + 3 + width_of(part) > kColumns) {
      text += "\n ";
      width = 1;
    }
    text += "   " + part;
    width += 3 + width_of(part);
  }
  text += "\n";
  if (!outcome.about.empty()) text += wrapped(outcome.about, "", "");
  return text + "\n";
}

// A bottleneck in as few letters as a narrow column needs: "launch, 58 %".
std::string in_a_cell(std::string bottleneck) {
  constexpr std::string_view kLast = " of the time";
  for (const std::string_view first : {"collective ", "wire and switch "}) {
    if (bottleneck.starts_with(first)) bottleneck.erase(0, first.size());
  }
  if (bottleneck.ends_with(kLast)) bottleneck.resize(bottleneck.size() - kLast.size());
  return bottleneck;
}

// The last cell: what bounds the case, or how it ended.
std::string last_cell_of(const CaseOutcome& one) {
  if (finished(one)) return in_a_cell(one.bottleneck);
  const std::string after = one.time_ps > 0 ? " after " + time_figure(one.time_ps) : "";
  return fmt::format("{}{}", sim::name_of(one.verdict), after);
}

// The columns of a block: over several seeds with their range.
struct Columns {
  bool packets = true;
  bool seeds = false;
};

std::vector<std::string> cells_of(const CaseOutcome& one, const Columns& columns) {
  const bool done = finished(one);
  const std::string algorithm = one.algorithm + (one.choice.empty() ? "" : " (auto)");
  std::vector<std::string> cells = {size_figure(one.bytes), algorithm,
                                    done ? time_figure(one.time_ps) : "-"};
  if (columns.seeds) cells.push_back(one.seed_times_ps.empty() ? "-" : seed_range(one));
  if (done) {
    cells.insert(cells.end(), {rate_figure(one.algorithm_bandwidth), rate_figure(one.bus_bandwidth),
                               one.bound_ps > 0 ? share_figure(one.bound_share_ppb) : "-",
                               count_figure(columns.packets ? one.packets : one.transfers)});
  } else {
    cells.insert(cells.end(), {"-", "-", "-", "-"});
  }
  cells.push_back(last_cell_of(one));
  return cells;
}

TextTable table_of(const Block& block, bool packets) {
  using Column = TextTable::Column;
  const auto over_seeds = [](const CaseOutcome* one) { return !one->seed_times_ps.empty(); };
  const Columns columns{packets, std::ranges::any_of(block.cases, over_seeds)};
  std::vector<Column> heads = {Column{"size", Align::kDecimal}, Column{"algorithm"},
                               Column{"time", Align::kDecimal}};
  if (columns.seeds) heads.push_back(Column{"over seeds"});
  heads.insert(heads.end(),
               {Column{"algbw", Align::kDecimal}, Column{"busbw", Align::kDecimal},
                Column{"of bound", Align::kDecimal},
                Column{packets ? "packets" : "transfers", Align::kDecimal}, Column{"bound by"}});
  TextTable table(heads);
  for (const CaseOutcome* one : block.cases) table.add_row(cells_of(*one, columns));
  return table;
}

// Odd sizes make wide rows: a last cell that was cut there is said in full below its row.
std::string rest_of(const std::string& line, const CaseOutcome& one) {
  constexpr std::string_view kIndent = "      ";
  const std::string cell = last_cell_of(one);
  if (line.ends_with(cell)) return {};
  return wrapped((finished(one) ? "bound by " : "") + cell, kIndent, kIndent);
}

// Why a case has no figures: who waits for what, or what failed.
std::string trouble_of(const CaseOutcome& one, std::size_t most) {
  constexpr std::string_view kIndent = "      ";
  std::string text;
  if (!one.failure.empty()) text += wrapped(one.failure, kIndent, kIndent);
  const std::size_t shown = std::min(one.waiting.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    text += wrapped(one.waiting[i], kIndent, "        ");
  }
  if (shown < one.waiting.size()) {
    text +=
        fmt::format("{}and {} more (all in results.json)\n", kIndent, one.waiting.size() - shown);
  }
  return text;
}

std::string bounds_of(const Block& block) {
  std::vector<std::string> bounds;
  for (const CaseOutcome* one : block.cases) {
    if (one->bound.empty() || std::ranges::find(bounds, one->bound) != bounds.end()) continue;
    bounds.push_back(one->bound);
  }
  std::string text;
  for (const std::string& bound : bounds) text += (text.empty() ? "" : "; ") + bound;
  return text.empty() ? "" : wrapped("bound: " + text, "  ", "    ");
}

// What was played once and stands for others; the cases of a block mostly say the same.
std::string symmetry_of(const Block& block) {
  std::vector<std::string> lines;
  for (const CaseOutcome* one : block.cases) {
    for (const std::string& line : one->symmetry) {
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
  }
  std::string text;
  for (const std::string& line : lines) text += wrapped("symmetry: " + line, "  ", "    ");
  return text;
}

// `most`: waiting lines of the first stalled case; later ones show few.
std::string block_text(const Block& block, std::size_t most, bool packets,
                       const PageOptions& options) {
  const std::vector<std::string> lines = table_of(block, packets).lines("  ");
  std::string text =
      painted(fmt::format("  {} over {}", block.collective, block.group), Paint::kBold, options);
  text += "\n" + lines[0] + "\n";
  for (std::size_t i = 0; i < block.cases.size(); ++i) {
    const CaseOutcome& one = *block.cases[i];
    const bool best = block.cases.size() > 1 && block.fastest(one.bytes) == &one;
    std::string line = lines[i + 1];
    const std::string rest = rest_of(line, one);
    if (!finished(one)) line = painted(line, Paint::kRed, options);
    if (best) line = painted(line, Paint::kBold, options);
    text += line + "\n" + rest + trouble_of(one, most);
    if (!one.waiting.empty()) most = kFewWaiting;
  }
  for (const std::string& note : footnotes_of(block)) text += wrapped(note, "  ", "    ");
  return text + bounds_of(block) + symmetry_of(block) + "\n";
}

bool has_stalled(const Block& block) {
  return std::ranges::any_of(block.cases,
                             [](const CaseOutcome* one) { return !one->waiting.empty(); });
}

std::string paragraph(const std::string& text) { return text.empty() ? "" : wrapped(text, "", ""); }

std::string in_words_of(const Outcome& outcome) {
  std::string text;
  for (const std::string& sentence : winners_in_words(outcome)) text += paragraph(sentence);
  text += paragraph(binding_in_words(outcome));
  text += paragraph(crossing_in_words(outcome));
  return text + paragraph(least_sure_in_words(outcome));
}

std::string left_out(const Outcome& outcome) {
  std::string text;
  for (const std::string& limit : outcome.limits) {
    text += " " + limit;
    if (!text.ends_with('.')) text += '.';
  }
  return text.empty() ? "" : wrapped("Left out:" + text, "", "  ");
}

std::string files(const PageOptions& options) {
  if (options.folder.empty()) return {};
  return fmt::format("Results: {}/results.pb (json, csv, manifest beside it)\n", options.folder);
}

}  // namespace

std::string overhead_page(const Outcome& outcome, const PageOptions& options) {
  std::string text = head(outcome, options);
  std::size_t most = kMostWaiting;
  for (const Block& block : blocks_of(outcome)) {
    text += block_text(block, most, has_packets(outcome), options);
    if (has_stalled(block)) most = kFewWaiting;
  }
  const std::string gaps = paragraph(gaps_in_words(outcome));
  if (!gaps.empty()) text += painted(gaps.substr(0, gaps.size() - 1), Paint::kRed, options) + "\n";
  text += in_words_of(outcome);
  text += paragraph(grades_in_words(outcome));
  return text + left_out(outcome) + files(options);
}

}  // namespace analysis
