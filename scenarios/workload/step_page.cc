// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/step_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/figures.h"
#include "analysis/text_table.h"

namespace workload {
namespace {

using analysis::Align;
using analysis::TextTable;

double d(std::int64_t value) { return static_cast<double>(value); }

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string gib(std::int64_t bytes) { return fmt::format("{:.2f} GiB", d(bytes) / (1 << 30)); }

std::string volume(std::int64_t bytes) {
  if (bytes >= 1'000'000'000) return fmt::format("{:.2f} GB", d(bytes) / 1e9);
  return fmt::format("{:.2f} MB", d(bytes) / 1e6);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

constexpr std::array<const char*, kPurposes> kInWords = {"tensor parallelism", "expert parallelism",
                                                         "the pipeline", "context parallelism",
                                                         "data parallelism"};

std::string head(const Answer& answer) {
  const ModelScenario& scenario = *answer.scenario;
  const char* phase = scenario.layout.phase == Phase::kTraining  ? "training"
                      : scenario.layout.phase == Phase::kPrefill ? "prefill"
                                                                 : "decode";
  std::string text = fmt::format("{}   {}   {}\n", scenario.name, scenario.fabric, phase);
  if (!scenario.about.empty()) text += analysis::wrapped(scenario.about, "", "");
  const Model& model = scenario.model;
  std::string about =
      fmt::format("{} ({}): {} layers, hidden {}, {:.2f} B parameters", model.name, model.source,
                  model.layers, model.hidden, d(total_parameters(model)) / 1e9);
  if (model.is_moe()) {
    about += fmt::format(", {:.2f} B active; {} experts, top {}", d(active_parameters(model)) / 1e9,
                         model.moe.experts, model.moe.top_k);
  }
  text += analysis::wrapped(about + ".", "", "");
  for (const std::string& note : scenario.notes) text += analysis::wrapped(note + ".", "  ", "  ");
  return text;
}

std::string layout_line(const ModelScenario& scenario, const Layout& layout) {
  std::string text =
      fmt::format("{}; {} of {} ranks", layout.text(), layout.ranks(), scenario.ranks);
  const std::int64_t idle = scenario.ranks - layout.ranks();
  if (idle > 0) text += fmt::format(" ({} idle)", idle);
  if (layout.phase == Phase::kTraining) {
    text += fmt::format("; {} of {} x {} tokens",
                        layout.micro_batches() == 1
                            ? std::string("1 micro-batch")
                            : fmt::format("{} micro-batches", layout.micro_batches()),
                        layout.micro_batch, layout.sequence);
  } else {
    text += fmt::format("; {} sequences a rank, {} tokens", layout.micro_batch, layout.sequence);
  }
  return analysis::wrapped(text + ".", "Layout: ", "  ");
}

std::string time_table(const Step& step) {
  TextTable table({{"where the step goes"},
                   {"time", Align::kDecimal},
                   {"share", Align::kDecimal},
                   {"all of it", Align::kDecimal}});
  const auto row = [&](const std::string& name, std::int64_t time, std::int64_t all) {
    if (time == 0 && all == 0) return;
    table.add_row({name, analysis::time_figure(time), percent(d(time) / d(step.total)),
                   all == 0 ? "" : analysis::time_figure(all)});
  };
  row("compute", step.compute - step.optimizer, 0);
  row("optimizer", step.optimizer, 0);
  for (std::size_t i = 0; i < kPurposes; ++i) {
    row(fmt::format("{} exposed", name_of(static_cast<Purpose>(i))), step.exposed[i],
        step.collectives[i]);
  }
  row("pipeline bubble", step.bubble, 0);
  row("step", step.total, 0);
  return joined(table.lines("  "));
}

std::string traffic_table(const Step& step, const std::vector<std::string>& tiers) {
  std::vector<TextTable::Column> columns{{"sent by a rank in a step"}};
  for (const std::string& tier : tiers) columns.push_back({tier, Align::kDecimal});
  columns.push_back({"sum", Align::kDecimal});
  TextTable table(columns);
  for (std::size_t i = 0; i < kPurposes; ++i) {
    std::vector<std::string> cells{std::string(name_of(static_cast<Purpose>(i)))};
    std::int64_t sum = 0;
    for (std::size_t t = 0; t < tiers.size(); ++t) {
      cells.push_back(volume(step.sent[i][t]));
      sum += step.sent[i][t];
    }
    cells.push_back(volume(sum));
    if (sum > 0) table.add_row(cells);
  }
  return joined(table.lines("  "));
}

std::string memory_table(const Step& step) {
  TextTable table(
      {{fmt::format("memory of a rank, stage {}", step.memory.stage)}, {"bytes", Align::kDecimal}});
  for (const MemoryTerm& term : step.memory.terms) {
    table.add_row({std::string(term.name), gib(term.bytes)});
  }
  table.add_row({"sum", gib(step.memory.sum)});
  table.add_row({"there is, margin kept", gib(step.memory.capacity)});
  return joined(table.lines("  "));
}

std::string collective_table(const Step& step) {
  TextTable table({{"for"},
                   {"what"},
                   {"collective"},
                   {"ranks", Align::kDecimal},
                   {"bytes", Align::kDecimal},
                   {"times", Align::kDecimal},
                   {"each", Align::kDecimal},
                   {"algorithm"}});
  for (const CollectiveLine& line : step.lines) {
    if (line.ranks <= 1) continue;
    table.add_row({std::string(name_of(line.purpose)), std::string(line.what),
                   std::string(name_of(line.move)), std::to_string(line.ranks), volume(line.bytes),
                   std::to_string(line.times), analysis::time_figure(line.each),
                   std::string(line.algorithm)});
  }
  return joined(table.lines("  "));
}

std::string verdict(const ModelScenario& scenario, const Layout& layout, const Step& step) {
  const std::int64_t chips = scenario.chips;
  std::string text = fmt::format("Step {}; {:.0f} tokens/s per chip; {:.1f} TFLOP/s per chip",
                                 analysis::time_figure(step.total), step.tokens_per_second(chips),
                                 step.flops_per_second(chips) / 1e12);
  if (layout.phase == Phase::kTraining) {
    text += fmt::format("; MFU {} by Megatron's count, {} by TorchTitan's, of the {} peak",
                        percent(utilisation(scenario, layout, step, step.model_flops)),
                        percent(utilisation(scenario, layout, step, step.all_flops)),
                        name_of(layout.dtype.compute));
  }
  return analysis::wrapped(text + ".", "", "");
}

std::string fit_line(const Step& step) {
  if (step.memory.fits()) return "";
  const MemoryTerm& term = step.memory.largest();
  return analysis::wrapped(
      fmt::format("DOES NOT FIT: {} of {}; the largest term is {}, {}.", gib(step.memory.sum),
                  gib(step.memory.capacity), term.name, gib(term.bytes)),
      "", "");
}

std::string one_page(const Answer& answer) {
  const ModelScenario& scenario = *answer.scenario;
  const Layout& layout = *scenario.points[0].layout;
  const Step& step = *answer.steps[0];
  std::string text = layout_line(scenario, layout) + "\n" + verdict(scenario, layout, step) +
                     fit_line(step) + analysis::wrapped(bottleneck_of(layout, step), "", "") + "\n";
  text += time_table(step) + "\n";
  const std::string traffic = traffic_table(step, answer.tiers);
  text += traffic + "\n" + memory_table(step) + "\n";
  if (!step.lines.empty()) text += collective_table(step) + "\n";
  return text;
}

std::string sweep_table(const Answer& answer) {
  const ModelScenario& scenario = *answer.scenario;
  TextTable table({{"layout"},
                   {"step", Align::kDecimal},
                   {"tok/s/chip", Align::kDecimal},
                   {"comm", Align::kDecimal},
                   {"TP", Align::kDecimal},
                   {"EP", Align::kDecimal},
                   {"bubble", Align::kDecimal},
                   {"memory", Align::kDecimal},
                   {""}});
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    const Point& point = scenario.points[i];
    if (!answer.steps[i]) {
      table.add_row({point.name, "-", "-", "-", "-", "-", "-", "-", point.refused});
      continue;
    }
    const Step& step = *answer.steps[i];
    const double total = d(step.total);
    const std::string fits =
        step.memory.fits() ? "" : fmt::format("does not fit: {}", step.memory.largest().name);
    table.add_row({point.name, analysis::time_figure(step.total),
                   fmt::format("{:.0f}", step.tokens_per_second(scenario.chips)),
                   percent(d(step.exposed_sum()) / total), percent(d(step.exposed[0]) / total),
                   percent(d(step.exposed[1]) / total), percent(d(step.bubble) / total),
                   gib(step.memory.sum), fits});
  }
  return joined(table.lines("  ")) +
         "  comm, TP, EP, bubble: share of the step in which compute waits for it\n\n";
}

std::string footer(const Answer& answer) {
  const Chip& chip = answer.scenario->chip;
  std::string text = fmt::format(
      "Compute times are a roofline over the facts of {} (gemm.share {:.2f}, attention.share "
      "{:.2f}, "
      "hbm.share {:.2f}), not measured; {}.",
      chip.title, chip.gemm_share, chip.attention_share, chip.memory_share, answer.price_source);
  return analysis::wrapped(text, "", "");
}

// ---- for programs

struct Field {
  std::string name;
  std::string value;
};

std::vector<Field> fields_of(const Answer& answer, std::size_t i) {
  const ModelScenario& scenario = *answer.scenario;
  const Step& step = *answer.steps[i];
  const Layout& layout = *scenario.points[i].layout;
  std::vector<Field> fields;
  const auto add = [&](std::string name, std::int64_t value) {
    fields.push_back({std::move(name), std::to_string(value)});
  };
  add("ranks", layout.ranks());
  add("idle_ranks", scenario.ranks - layout.ranks());
  add("step_ps", step.total);
  add("compute_ps", step.compute);
  add("optimizer_ps", step.optimizer);
  add("bubble_ps", step.bubble);
  for (std::size_t k = 0; k < kPurposes; ++k) {
    const std::string_view name = name_of(static_cast<Purpose>(k));
    add(fmt::format("exposed_{}_ps", name), step.exposed[k]);
    add(fmt::format("collectives_{}_ps", name), step.collectives[k]);
    for (std::size_t t = 0; t < answer.tiers.size(); ++t) {
      std::string tier = answer.tiers[t];
      std::ranges::replace(tier, ' ', '_');
      add(fmt::format("sent_{}_{}_bytes", name, tier), step.sent[k][t]);
    }
  }
  fields.push_back(
      {"tokens_per_s_per_chip", fmt::format("{:.3f}", step.tokens_per_second(scenario.chips))});
  fields.push_back(
      {"tflops_per_chip", fmt::format("{:.3f}", step.flops_per_second(scenario.chips) / 1e12)});
  fields.push_back({"mfu_megatron",
                    fmt::format("{:.5f}", utilisation(scenario, layout, step, step.model_flops))});
  fields.push_back({"mfu_torchtitan",
                    fmt::format("{:.5f}", utilisation(scenario, layout, step, step.all_flops))});
  add("memory_bytes", step.memory.sum);
  add("memory_capacity_bytes", step.memory.capacity);
  return fields;
}

std::string quoted(std::string_view plain) {
  std::string text = "\"";
  for (const char c : plain) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

}  // namespace

double utilisation(const ModelScenario& scenario, const Layout& layout, const Step& step,
                   double flops) {
  if (step.total == 0) return 0;
  const Roofline roofline(scenario.chip, 1);
  return flops / d(step.total) * 1e12 / d(scenario.chips) / roofline.peak(layout.dtype.compute);
}

std::string bottleneck_of(const Layout& layout, const Step& step) {
  const double total = d(step.total);
  if (total == 0) return "The step does nothing.";
  std::size_t worst = 0;
  for (std::size_t i = 1; i < kPurposes; ++i) {
    if (step.exposed[i] > step.exposed[worst]) worst = i;
  }
  const double compute = d(step.compute) / total;
  const double exposed = d(step.exposed_sum()) / total;
  std::string text =
      fmt::format("Compute takes {}, exposed communication {}", percent(compute), percent(exposed));
  if (layout.pipeline > 1) text += fmt::format(", the bubble {}", percent(d(step.bubble) / total));
  text += ". ";
  const std::int64_t most = std::max({step.compute, step.exposed[worst], step.bubble});
  if (most == step.bubble && step.bubble > 0) {
    return text +
           "The bubble is the bottleneck: more micro-batches, virtual stages or fewer stages.";
  }
  if (most == step.exposed[worst]) {
    return text + fmt::format("The bottleneck is {}.", kInWords[worst]);
  }
  if (step.exposed[worst] == 0) return text + "Compute is the bottleneck.";
  return text + fmt::format("Compute is the bottleneck; of communication {} costs most, {}.",
                            kInWords[worst], percent(d(step.exposed[worst]) / total));
}

Answer answer_of(const ModelScenario& scenario) {
  const std::unique_ptr<CollectivePrice> price = scenario.chosen_price();
  const Machine machine = scenario.machine(*price);
  Answer answer{&scenario, {}, price->tiers(), ""};
  for (const Point& point : scenario.points) {
    answer.steps.emplace_back();
    if (!point.layout) continue;
    answer.steps.back() = evaluate(scenario.model, *point.layout, machine, Depth::kExact);
  }
  answer.price_source = price->source();
  return answer;
}

std::string step_page(const Answer& answer) {
  std::string text = head(answer);
  text += answer.scenario->points[0].name.empty() ? one_page(answer) : "\n" + sweep_table(answer);
  return text + footer(answer);
}

std::string step_json(const Answer& answer) {
  const ModelScenario& scenario = *answer.scenario;
  std::string rows;
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    const Point& point = scenario.points[i];
    std::string row = fmt::format("{{\"point\": {}", quoted(point.name));
    if (answer.steps[i]) {
      for (const Field& field : fields_of(answer, i)) {
        row += fmt::format(", {}: {}", quoted(field.name), field.value);
      }
      for (const MemoryTerm& term : answer.steps[i]->memory.terms) {
        row += fmt::format(", {}: {}", quoted(fmt::format("memory, {}", term.name)), term.bytes);
      }
    } else {
      row += fmt::format(", \"refused\": {}", quoted(point.refused));
    }
    rows += (rows.empty() ? "" : ",\n  ") + row + "}";
  }
  return fmt::format(
      "{{\"scenario\": {}, \"model\": {}, \"fabric\": {}, \"chips\": {},\n \"steps\": [\n  "
      "{}\n]}}\n",
      quoted(scenario.name), quoted(scenario.model.name), quoted(scenario.fabric), scenario.chips,
      rows);
}

std::string step_csv(const Answer& answer) {
  const ModelScenario& scenario = *answer.scenario;
  std::string text;
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    if (!answer.steps[i]) continue;
    const std::vector<Field> fields = fields_of(answer, i);
    if (text.empty()) {
      text = "point";
      for (const Field& field : fields) text += "," + field.name;
      text += "\n";
    }
    text += quoted(scenario.points[i].name);
    for (const Field& field : fields) text += "," + field.value;
    text += "\n";
  }
  return text;
}

}  // namespace workload
