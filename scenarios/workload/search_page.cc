// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include "analysis/figures.h"
#include "analysis/text_table.h"
#include "scenarios/workload/search.h"
#include "scenarios/workload/step_page.h"

namespace workload {
namespace {

using analysis::Align;
using analysis::TextTable;

constexpr std::size_t kMostLosers = 16;

std::string joined(const TextTable& table) {
  std::string text;
  for (const std::string& line : table.lines("  ")) text += line + "\n";
  return text + "\n";
}

std::string gib(std::int64_t bytes) {
  return fmt::format("{:.1f}", static_cast<double>(bytes) / (1 << 30));
}

std::string share(std::int64_t time, const Step& step) {
  return fmt::format("{:.1f}", 100 * static_cast<double>(time) / static_cast<double>(step.total));
}

std::string name_of_layout(const Layout& layout) {
  return layout.text() + (layout.recompute == Recompute::kFull ? ", full recompute" : "");
}

std::string table_of(const ModelScenario& scenario, const std::string& title,
                     const std::vector<Ranked>& list) {
  TextTable table({{title},
                   {"step", Align::kDecimal},
                   {"tokens/s/chip", Align::kDecimal},
                   {"MFU %", Align::kDecimal},
                   {"comm %", Align::kDecimal},
                   {"bubble %", Align::kDecimal},
                   {"GiB", Align::kDecimal},
                   {"idle", Align::kDecimal}});
  for (const Ranked& one : list) {
    table.add_row({name_of_layout(one.layout), analysis::time_figure(one.step.total),
                   fmt::format("{:.0f}", one.step.tokens_per_second(scenario.chips)),
                   fmt::format("{:.1f}", 100 * utilisation(scenario, one.layout, one.step,
                                                           one.step.model_flops)),
                   share(one.step.exposed_sum(), one.step), share(one.step.bubble, one.step),
                   gib(one.step.memory.sum), std::to_string(scenario.ranks - one.layout.ranks())});
  }
  return joined(table);
}

std::string loser_table(const SearchResult& result) {
  TextTable table({{"best with"}, {"layout"}, {"step", Align::kDecimal}, {"why it lost"}});
  for (std::size_t i = 0; i < std::min(result.losers.size(), kMostLosers); ++i) {
    const Loser& one = result.losers[i];
    table.add_row({one.compared_by, name_of_layout(one.ranked.layout),
                   analysis::time_figure(one.ranked.step.total), one.why});
  }
  return joined(table);
}

}  // namespace

std::string search_page(const ModelScenario& scenario, const SearchResult& result) {
  std::string text =
      fmt::format("{}   {}   {}\n", scenario.name, scenario.fabric, scenario.model.name);
  text += fmt::format("{} layouts divide model, ranks and batch; {} fit the memory.\n",
                      result.tried, result.fitting);
  for (const Refused& one : result.refused) {
    text += fmt::format("  {} do not fit; their largest term is {}\n", one.layouts, one.term);
  }
  if (result.best.empty()) {
    return text +
           "No layout fits: more ranks, shorter sequences, or more is sharded "
           "(data_parallel_sharding).\n";
  }
  text += "\n" + table_of(scenario, "fastest", result.best);
  text += table_of(scenario, "front of time, memory and ranks", result.front);
  if (!result.losers.empty()) text += loser_table(result);
  return text;
}

std::string search_csv(const ModelScenario& scenario, const SearchResult& result) {
  std::string text =
      "tp,cp,ep,pp,vp,dp_shard,micro_batch,recompute,step_ps,tokens_per_s_per_chip,memory_bytes\n";
  for (const Ranked& one : result.best) {
    const Layout& layout = one.layout;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{:.3f},{}\n", layout.tensor, layout.context,
                        layout.expert, layout.pipeline, layout.virtual_stages, layout.shard,
                        layout.micro_batch,
                        layout.recompute == Recompute::kFull ? "full" : "as given", one.step.total,
                        one.step.tokens_per_second(scenario.chips), one.step.memory.sum);
  }
  return text;
}

}  // namespace workload
