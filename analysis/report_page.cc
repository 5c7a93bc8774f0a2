// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/block.h"
#include "analysis/figures.h"
#include "analysis/json.h"
#include "analysis/page_assets.h"
#include "analysis/sentences.h"

namespace analysis {
namespace {

using sim::CaseOutcome;
using sim::Outcome;

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

// JSON inside a script element: nothing in it may end the element.
std::string inside_script(const std::string& json) {
  std::string result;
  for (const char letter : json)
    result += letter == '<' ? std::string("\\u003c") : std::string(1, letter);
  return result;
}

std::string element(std::string_view tag, std::string_view text, std::string_view attributes = "") {
  if (text.empty()) return {};
  return fmt::format("<{}{}{}>{}</{}>\n", tag, attributes.empty() ? "" : " ", attributes,
                     escaped(text), tag);
}

std::string row(const std::vector<std::string>& cells, std::string_view numbers,
                std::string_view attributes = "") {
  std::string text = fmt::format("<tr{}{}>", attributes.empty() ? "" : " ", attributes);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool number = i < numbers.size() && numbers[i] == 'n';
    text += fmt::format("<td{}>{}</td>", number ? " class=\"n\"" : "", escaped(cells[i]));
  }
  return text + "</tr>\n";
}

std::string table_head(const std::vector<std::string>& titles, std::string_view numbers,
                       std::string_view caption) {
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">"
      "<table aria-label=\"{0}\"><thead><tr>",
      escaped(caption));
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const bool number = i < numbers.size() && numbers[i] == 'n';
    text += fmt::format("<th scope=\"col\"{}>{}</th>", number ? " class=\"n\"" : "",
                        escaped(titles[i]));
  }
  return text + "</tr></thead><tbody>\n";
}

constexpr std::string_view kTableEnd = "</tbody></table></div>\n";
constexpr std::string_view kCaseNumbers = "n nnnnn ";

std::string case_row(const Block& block, const CaseOutcome& one) {
  if (!finished(one)) {
    const std::string why = one.failure.empty() ? "" : ": " + one.failure;
    return row({size_figure(one.bytes), one.algorithm, "-", "-", "-", "-", "-",
                std::string(sim::name_of(one.verdict)) + why},
               kCaseNumbers, "class=\"bad\"");
  }
  const bool best = block.cases.size() > 1 && block.fastest(one.bytes) == &one;
  return row({size_figure(one.bytes), one.algorithm, time_figure(one.time_ps),
              rate_figure(one.algorithm_bandwidth), rate_figure(one.bus_bandwidth),
              one.bound_ps > 0 ? share_figure(one.bound_share_ppb) : "-",
              count_figure(one.transfers), one.bottleneck},
             kCaseNumbers, best ? "class=\"best\"" : "");
}

std::string block_html(const Block& block) {
  const std::string name = fmt::format("{} over {}", block.collective, block.group);
  std::string text = element("h3", name);
  text += fmt::format("<div data-block=\"{}\"></div>\n", escaped(name));
  text += table_head(
      {"size", "algorithm", "time", "algbw", "busbw", "of bound", "transfers", "bound by"},
      kCaseNumbers, name);
  for (const CaseOutcome* one : block.cases) text += case_row(block, *one);
  text += kTableEnd;
  if (!block.cases.front()->bound.empty()) {
    text += element("p", "Bound: " + block.cases.front()->bound, "class=\"soft\"");
  }
  return text;
}

std::string answer(const Outcome& outcome) {
  std::string text = "<section aria-labelledby=\"answer\">\n<h2 id=\"answer\">Answer</h2>\n";
  text += element("p", gaps_in_words(outcome), "class=\"bad\"");
  text += "<div class=\"answer\">\n";
  for (const std::string& sentence : winners_in_words(outcome)) text += element("p", sentence);
  text += element("p", binding_in_words(outcome));
  text += element("p", crossing_in_words(outcome));
  return text + "</div>\n" + element("p", least_sure_in_words(outcome)) + "</section>\n";
}

std::string assumptions(const Outcome& outcome) {
  std::string text = "<section aria-labelledby=\"inputs\">\n<h2 id=\"inputs\">Inputs</h2>\n";
  text += element("p", grades_in_words(outcome));
  text += table_head({"input", "value", "low", "high", "grade", "source"}, "", "Inputs");
  for (const sim::Assumption& one : outcome.assumptions) {
    text += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td><span class=\"badge {}\">{}</span></td><td>{}</td></tr>\n",
        escaped(one.name), escaped(one.value), escaped(one.low), escaped(one.high),
        escaped(one.grade), escaped(one.grade), escaped(one.source));
  }
  return text + std::string(kTableEnd) + "</section>\n";
}

// Busiest links of the recorded cases: what the drawings show, for those who cannot see them.
std::string recorded(const Outcome& outcome) {
  constexpr std::size_t kMostLines = 12;
  std::string text;
  for (const CaseOutcome* shown : shown_from_within(outcome)) {
    const CaseOutcome& one = *shown;
    text += element("h3", one.name);
    text += fmt::format("<div data-recorded=\"{}\"></div>\n", escaped(one.name));
    text += table_head({"busiest links", "level", "payload", "busy"}, "  nn",
                       "Busiest links of " + one.name);
    std::vector<sim::LinkTraffic> links = one.recording.links;
    std::ranges::stable_sort(links, std::ranges::greater{}, &sim::LinkTraffic::busy_ppb);
    links.resize(std::min(links.size(), kMostLines));
    for (const sim::LinkTraffic& link : links) {
      text +=
          row({link.name, link.level, size_figure(link.payload_bytes), share_figure(link.busy_ppb)},
              "  nn");
    }
    text += kTableEnd;
  }
  if (text.empty()) return text;
  return "<section aria-labelledby=\"recorded\">\n<h2 id=\"recorded\">Inside the cases</h2>\n" +
         text + "</section>\n";
}

std::string left_out(const Outcome& outcome) {
  if (outcome.limits.empty()) return {};
  std::string text =
      "<section aria-labelledby=\"limits\">\n<h2 id=\"limits\">Left out</h2>\n<ul>\n";
  for (const std::string& limit : outcome.limits) text += element("li", limit);
  return text + "</ul>\n</section>\n";
}

std::string head(const Outcome& outcome) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"ultrasim {}\">\n<title>{}</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n",
      escaped(outcome.version), escaped(outcome.scenario + ": what communication costs"),
      page_style());
}

std::string scripts(const Outcome& outcome) {
  return fmt::format(
      "<script type=\"application/json\" id=\"outcome\">{}</script>\n"
      "<script type=\"application/json\" id=\"recordings\">{}</script>\n<script>{}</script>\n"
      "<script>{}</script>\n<script>\n{}</script>\n",
      inside_script(to_json(outcome)), inside_script(recordings_json(outcome)), d3_library(),
      plot_library(), page_script());
}

}  // namespace

std::string report_page(const Outcome& outcome) {
  std::string text = head(outcome) + "<body>\n<main>\n<header>\n<div>\n";
  text += element("h1", outcome.scenario) + element("p", outcome.about);
  text += element("p", fmt::format("{}; fidelity: {}", outcome.fabric, outcome.fidelity),
                  "class=\"soft\"");
  text += "</div>\n<button id=\"theme\" type=\"button\" hidden>Dark page</button>\n</header>\n";
  text += answer(outcome);
  text += "<section aria-labelledby=\"cases\">\n<h2 id=\"cases\">Collectives</h2>\n";
  for (const Block& block : blocks_of(outcome)) text += block_html(block);
  text += "</section>\n" + recorded(outcome) + assumptions(outcome) + left_out(outcome);
  text += "<section aria-labelledby=\"file\">\n<h2 id=\"file\">Scenario</h2>\n<details>\n";
  text += "<summary>The scenario with every key</summary>\n" + element("pre", outcome.echo);
  text += "</details>\n";
  text += element("p",
                  fmt::format("ultrasim {}, input {}, seed {}", outcome.version, outcome.input_hash,
                              outcome.seed),
                  "class=\"soft\"");
  return text + "</section>\n</main>\n" + scripts(outcome) + "</body>\n</html>\n";
}

}  // namespace analysis
