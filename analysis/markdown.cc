// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/markdown.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "analysis/block.h"
#include "analysis/figures.h"
#include "analysis/sentences.h"

namespace analysis {
namespace {

using sim::CaseOutcome;
using sim::Outcome;

// Text that stays text: nothing in it begins a table cell, a link, code or an element.
std::string plain(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\n') {
      result += ' ';
      continue;
    }
    if (std::string_view("\\`*_[]<>|#").find(letter) != std::string_view::npos) result += '\\';
    result += letter;
  }
  return result;
}

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + plain(cell) + " |";
  return text + "\n";
}

std::string case_row(const CaseOutcome& one) {
  if (!finished(one)) {
    const std::string why = one.failure.empty() ? "" : ": " + one.failure;
    return row({size_figure(one.bytes), one.algorithm, "", "", "", "",
                std::string(sim::name_of(one.verdict)) + why});
  }
  const std::string range = one.seed_times_ps.empty() ? "" : " (" + seed_range(one) + ")";
  return row({size_figure(one.bytes), one.algorithm, time_figure(one.time_ps) + range,
              rate_figure(one.algorithm_bandwidth), rate_figure(one.bus_bandwidth),
              one.bound_ps > 0 ? share_figure(one.bound_share_ppb) : "", one.bottleneck});
}

std::string block_table(const Block& block) {
  std::string text =
      fmt::format("\n### {} over {}\n\n", plain(block.collective), plain(block.group));
  text += row({"size", "algorithm", "time", "algbw", "busbw", "of bound", "bound by"});
  text += "| ---: | :--- | ---: | ---: | ---: | ---: | :--- |\n";
  for (const CaseOutcome* one : block.cases) text += case_row(*one);
  for (const std::string& note : footnotes_of(block)) text += "\n" + plain(note) + "\n";
  return text;
}

std::string paragraph(const std::string& text) {
  return text.empty() ? text : plain(text) + "\n\n";
}

}  // namespace

std::string markdown_page(const Outcome& outcome) {
  std::string text = fmt::format("## {}\n\n", plain(outcome.scenario));
  text += paragraph(outcome.about);
  text += paragraph(fmt::format("{}; fidelity: {}", outcome.fabric, outcome.fidelity));
  text += paragraph(gaps_in_words(outcome));
  for (const std::string& sentence : winners_in_words(outcome)) text += paragraph(sentence);
  text += paragraph(binding_in_words(outcome)) + paragraph(crossing_in_words(outcome));
  text += paragraph(least_sure_in_words(outcome)) + paragraph(grades_in_words(outcome));
  for (const Block& block : blocks_of(outcome)) text += block_table(block);
  if (!outcome.limits.empty()) text += "\n### Left out\n\n";
  for (const std::string& limit : outcome.limits) text += "- " + plain(limit) + "\n";
  return text + fmt::format("\nultrasim {}, input {}, seed {}\n", outcome.version,
                            outcome.input_hash, outcome.seed);
}

}  // namespace analysis
