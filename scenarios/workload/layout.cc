// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace workload {
namespace {

using Fault = std::optional<LayoutFault>;

// "1, 2, 4 or 8": the divisors of n around `wanted`, for a message.
std::string divisors_near(std::int64_t n, std::int64_t wanted) {
  const std::vector<std::int64_t> all = divisors(n);
  const auto at = static_cast<std::size_t>(std::ranges::lower_bound(all, wanted) - all.begin());
  const std::size_t first = at < 3 ? 0 : at - 3;
  std::string text;
  for (std::size_t i = first; i < std::min(all.size(), at + 3); ++i) {
    text += (text.empty() ? "" : ", ") + std::to_string(all[i]);
  }
  return text;
}

Fault not_dividing(const char* key, std::int64_t degree, std::int64_t whole, const char* of) {
  if (whole % degree == 0) return std::nullopt;
  return LayoutFault{
      key, fmt::format("{} does not divide the {} {}", degree, whole, of),
      fmt::format("a divisor of {}, such as {}", whole, divisors_near(whole, degree))};
}

Fault heads_fault(const Model& model, const Layout& layout) {
  const Attention& a = model.attention;
  if (Fault fault = not_dividing("tensor_parallel_degree", layout.tensor, a.heads, "query heads")) {
    return fault;
  }
  if (a.kv_heads % layout.tensor != 0 && layout.tensor % a.kv_heads != 0) {
    return LayoutFault{"tensor_parallel_degree",
                       fmt::format("{} neither divides nor is a multiple of the {} key/value heads",
                                   layout.tensor, a.kv_heads),
                       fmt::format("such as {}", divisors_near(a.heads, layout.tensor))};
  }
  const bool ulysses = layout.context > 1 && layout.context_method == ContextMethod::kUlysses;
  if (ulysses && a.heads % (layout.tensor * layout.context) != 0) {
    return LayoutFault{"context_parallel_degree",
                       fmt::format("ulysses spreads {} query heads over tensor x context = {}",
                                   a.heads, layout.tensor * layout.context),
                       "degrees whose product divides the heads, or context_parallel_method: ring"};
  }
  return std::nullopt;
}

Fault experts_fault(const Model& model, const Layout& layout) {
  if (!model.is_moe()) {
    if (layout.expert == 1 && layout.expert_tensor == 1) return std::nullopt;
    return LayoutFault{"expert_parallel_degree", "the model has no experts",
                       "expert_parallel_degree: 1"};
  }
  if (Fault fault =
          not_dividing("expert_parallel_degree", layout.expert, model.moe.experts, "experts")) {
    return fault;
  }
  if (Fault fault = not_dividing("expert_tensor_parallel_degree", layout.expert_tensor,
                                 model.moe.width, "columns of an expert")) {
    return fault;
  }
  return not_dividing("expert_parallel_degree", layout.expert * layout.expert_tensor,
                      layout.tensor * layout.context * layout.data(),
                      "ranks of a pipeline stage (tensor x context x data), "
                      "expert_tensor_parallel_degree included,");
}

Fault stages_fault(const Model& model, const Layout& layout) {
  const bool folds = layout.schedule == Schedule::kZbv || layout.schedule == Schedule::kDualPipeV;
  if (folds && layout.virtual_stages != 2) {
    return LayoutFault{"virtual_stages", "ZBV and DualPipeV fold a rank's two chunks back",
                       "virtual_stages: 2"};
  }
  const bool many = folds || layout.schedule == Schedule::kInterleaved;
  if (!many && layout.virtual_stages > 1) {
    return LayoutFault{
        "virtual_stages",
        fmt::format("the schedule has one chunk a rank, not {}", layout.virtual_stages),
        "pipeline_parallel_schedule: Interleaved1F1B"};
  }
  if (layout.pipeline * layout.virtual_stages > model.layers) {
    return LayoutFault{"pipeline_parallel_degree",
                       fmt::format("{} stages of {} chunks for {} layers", layout.pipeline,
                                   layout.virtual_stages, model.layers),
                       fmt::format("at most {} chunks in all", model.layers)};
  }
  const bool rounds = layout.schedule == Schedule::kInterleaved && layout.pipeline > 1;
  if (rounds && layout.micro_batches() % layout.pipeline != 0) {
    return LayoutFault{
        "global_batch_size",
        fmt::format("interleaving takes micro-batches in rounds of {}; a step has {}",
                    layout.pipeline, layout.micro_batches()),
        "micro-batches that are a multiple of pipeline_parallel_degree"};
  }
  return std::nullopt;
}

Fault batch_fault(const Layout& layout) {
  if (Fault fault =
          not_dividing("context_parallel_degree", layout.context, layout.sequence, "tokens")) {
    return fault;
  }
  if (layout.phase != Phase::kTraining) return std::nullopt;
  const std::int64_t at_once = layout.micro_batch * layout.data();
  if (layout.global_batch % at_once == 0) return std::nullopt;
  return LayoutFault{
      "global_batch_size",
      fmt::format("{} sequences do not divide into micro-batches of {} on {} data-parallel ranks",
                  layout.global_batch, layout.micro_batch, layout.data()),
      fmt::format("a multiple of {}", at_once)};
}

Fault phase_fault(const Layout& layout) {
  if (layout.phase == Phase::kTraining) return std::nullopt;
  if (layout.recompute != Recompute::kNone) {
    return LayoutFault{"activation_checkpoint", "only training keeps activations",
                       "activation_checkpoint: none"};
  }
  if (layout.phase == Phase::kDecode && layout.context > 1) {
    return LayoutFault{"context_parallel_degree", "decode works on single tokens",
                       "context_parallel_degree: 1"};
  }
  return std::nullopt;
}

Fault sequence_fault(const Layout& layout) {
  if (!layout.sequence_parallel || layout.phase == Phase::kDecode) return std::nullopt;
  return not_dividing("tensor_parallel_degree", layout.tensor,
                      layout.micro_batch * (layout.sequence / layout.context),
                      "tokens of a micro-batch (sequence_parallel)");
}

double distance(const Layout& a, const Layout& b) {
  const auto step = [](std::int64_t x, std::int64_t y) {
    return std::abs(std::log2(static_cast<double>(x) / static_cast<double>(y)));
  };
  return 3 * step(a.tensor, b.tensor) + 2 * step(a.expert, b.expert) +
         2 * step(a.pipeline, b.pipeline) + 3 * step(a.context, b.context) +
         step(a.shard, b.shard) + step(a.replicate, b.replicate);
}

// Values near `wanted` worth trying for a degree.
std::vector<std::int64_t> around(std::int64_t whole, std::int64_t wanted) {
  const std::vector<std::int64_t> all = divisors(whole);
  const auto at = static_cast<std::size_t>(std::ranges::lower_bound(all, wanted) - all.begin());
  const std::size_t first = at < 2 ? 0 : at - 2;
  return {all.begin() + static_cast<std::ptrdiff_t>(first),
          all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), at + 2))};
}

// A layout with these degrees whose batch divides; data parallelism takes the rest.
Layout completed(Layout layout, std::int64_t ranks) {
  const std::int64_t rest =
      ranks / (layout.tensor * layout.context * layout.pipeline * layout.replicate);
  layout.shard = rest;
  const std::int64_t at_once = layout.micro_batch * layout.data();
  const std::int64_t rounds =
      std::max<std::int64_t>((layout.global_batch + at_once / 2) / at_once, 1);
  const std::int64_t whole = layout.schedule == Schedule::kInterleaved ? layout.pipeline : 1;
  layout.global_batch = at_once * ((rounds + whole - 1) / whole) * whole;
  return layout;
}

}  // namespace

std::string_view name_of(Purpose purpose) {
  constexpr std::array<std::string_view, kPurposes> kNames = {"TP", "EP", "PP", "CP", "DP"};
  return kNames[static_cast<std::size_t>(purpose)];
}

std::string Layout::text() const {
  std::string words;
  const auto add = [&](const char* name, std::int64_t degree) {
    if (degree > 1) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, degree);
  };
  add("tp", tensor);
  add("cp", context);
  add("ep", expert);
  add("etp", expert_tensor);
  add("pp", pipeline);
  add("vp", virtual_stages);
  add("dp_shard", shard);
  add("dp_replicate", replicate);
  add("mbs", micro_batch);
  return words.empty() ? "one rank" : words;
}

LayerRange chunk_layers(const Model& model, const Layout& layout, std::int64_t chunk) {
  const std::int64_t chunks = layout.pipeline * layout.virtual_stages;
  const std::int64_t each = model.layers / chunks;
  const std::int64_t more = model.layers % chunks;
  const std::int64_t first = chunk * each + std::min(chunk, more);
  return {first, first + each + (chunk < more ? 1 : 0)};
}

std::int64_t stage_of_chunk(const Layout& layout, std::int64_t chunk) {
  const bool folds = layout.schedule == Schedule::kZbv || layout.schedule == Schedule::kDualPipeV;
  if (folds && chunk >= layout.pipeline) return 2 * layout.pipeline - 1 - chunk;
  return chunk % layout.pipeline;
}

std::optional<LayoutFault> fault_in(const Model& model, const Layout& layout, std::int64_t ranks) {
  if (layout.ranks() != ranks) {
    return LayoutFault{
        "data_parallel_shard_degree",
        fmt::format("tensor {} x context {} x pipeline {} x data {} x {} = {} ranks; {} take part",
                    layout.tensor, layout.context, layout.pipeline, layout.shard, layout.replicate,
                    layout.ranks(), ranks),
        "degrees whose product is the number of ranks, or ranks_used"};
  }
  if (Fault fault = phase_fault(layout)) return fault;
  if (Fault fault = heads_fault(model, layout)) return fault;
  if (Fault fault = experts_fault(model, layout)) return fault;
  if (Fault fault = batch_fault(layout)) return fault;
  if (Fault fault = stages_fault(model, layout)) return fault;
  return sequence_fault(layout);
}

std::vector<Layout> nearest_layouts(const Model& model, const Layout& layout, std::int64_t ranks,
                                    std::size_t most) {
  std::vector<Layout> found;
  for (const std::int64_t tensor : around(ranks, layout.tensor)) {
    for (const std::int64_t context : around(ranks / tensor, layout.context)) {
      for (const std::int64_t pipeline : around(ranks / tensor / context, layout.pipeline)) {
        const std::int64_t stage = ranks / pipeline;
        for (const std::int64_t expert : around(stage, layout.expert)) {
          Layout next = layout;
          next.tensor = tensor;
          next.context = context;
          next.pipeline = pipeline;
          next.expert = model.is_moe() ? expert : 1;
          next.expert_tensor = model.is_moe() ? layout.expert_tensor : 1;
          if (stage / tensor / context % next.replicate != 0) next.replicate = 1;
          next = completed(next, ranks);
          if (!fault_in(model, next, ranks)) found.push_back(next);
        }
      }
    }
  }
  std::ranges::stable_sort(found, {}, [&](const Layout& one) { return distance(one, layout); });
  const auto same = [](const Layout& a, const Layout& b) { return a.text() == b.text(); };
  const auto rest = std::ranges::unique(found, same);
  found.erase(rest.begin(), rest.end());
  if (found.size() > most) found.resize(most);
  return found;
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> low;
  std::vector<std::int64_t> high;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    low.push_back(d);
    if (d * d != n) high.push_back(n / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

}  // namespace workload
