// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/layout_keys.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "scenarios/workload/declare.h"
#include "sim/base/check.h"

namespace workload {
namespace {

using sim::Key;
using sim::Section;

constexpr std::int64_t kMostDegree = 1'000'000;
constexpr std::int64_t kMostTokens = 1'000'000'000;

template <class Enum, std::size_t N>
using Names = std::array<std::pair<const char*, Enum>, N>;

constexpr Names<Schedule, 6> kSchedules = {{{"GPipe", Schedule::kGpipe},
                                            {"1F1B", Schedule::k1f1b},
                                            {"Interleaved1F1B", Schedule::kInterleaved},
                                            {"ZB1P", Schedule::kZb1p},
                                            {"ZBV", Schedule::kZbv},
                                            {"DualPipeV", Schedule::kDualPipeV}}};
constexpr Names<Sharding, 4> kShardings = {{{"no_shard", Sharding::kNone},
                                            {"optim", Sharding::kOptimizer},
                                            {"optim_grads", Sharding::kGradients},
                                            {"optim_grads_params", Sharding::kParameters}}};
constexpr Names<Recompute, 3> kRecomputes = {
    {{"none", Recompute::kNone}, {"selective", Recompute::kSelective}, {"full", Recompute::kFull}}};
constexpr Names<Dispatcher, 3> kDispatchers = {{{"alltoall", Dispatcher::kAllToAll},
                                                {"allgather", Dispatcher::kAllGather},
                                                {"alltoallv_dedup", Dispatcher::kAllToAllDedup}}};
constexpr Names<ContextMethod, 3> kMethods = {{{"ring", ContextMethod::kRing},
                                               {"allgather", ContextMethod::kAllGather},
                                               {"ulysses", ContextMethod::kUlysses}}};
constexpr Names<Overlap, 3> kOverlaps = {
    {{"blocking", Overlap::kBlocking}, {"async", Overlap::kAsync}, {"chunked", Overlap::kChunked}}};
constexpr Names<Routing, 4> kRoutings = {{{"balanced", Routing::kBalanced},
                                          {"uniform", Routing::kUniform},
                                          {"zipf", Routing::kZipf},
                                          {"hot", Routing::kHot}}};

template <class Enum, std::size_t N>
std::vector<std::string> words(const Names<Enum, N>& names) {
  std::vector<std::string> list;
  for (const auto& [word, value] : names) list.emplace_back(word);
  return list;
}

template <class Enum, std::size_t N>
Enum chosen(const Section& section, const char* key, const Names<Enum, N>& names) {
  for (const auto& [word, value] : names) {
    if (section.text(key) == word) return value;
  }
  CHECK(false);
}

Key degree(std::string name, std::string help, std::string fallback = "1") {
  return count_key(std::move(name), std::move(help), 1, kMostDegree, std::move(fallback));
}

Key dtype_key() {
  const auto type = [](const char* name, const char* help, const char* fallback) {
    return choice_key(name, help, dtype_names(), fallback);
  };
  return with_default(
      section_key(
          "dtype", "Number formats by kind of tensor.",
          {type("compute", "Operands of matrix products.", "bf16"),
           type("weights", "Parameters as a rank computes with them.", "bf16"),
           type("activations", "Activations, also as tensor parallelism sends them.", "bf16"),
           type("gradients", "Gradients as they are reduced and kept.", "fp32"),
           type("dispatch", "Tokens on their way to experts.", "bf16"),
           type("combine", "Tokens on their way back.", "bf16"),
           type("kv_cache", "Keys and values in the cache.", "bf16")}),
      "{}");
}

Key overlap_key() {
  const auto policy = [](const char* name, const char* help, const char* fallback) {
    return choice_key(name, help, words(kOverlaps), fallback);
  };
  return with_default(
      section_key("overlap",
                  "What runs beside compute, by purpose: blocking, async (beside what does not "
                  "depend on it), chunked (also cut into parts behind their own product).",
                  {policy("tensor", "Tensor-parallel collectives.", "async"),
                   policy("expert", "Dispatch and combine; chunked: beside another micro-batch.",
                          "blocking"),
                   policy("pipeline", "Sends between stages.", "async"),
                   policy("context", "Exchange of keys and values.", "async"),
                   policy("data", "Gradients and parameters.", "async")}),
      "{}");
}

Key routing_key() {
  return with_default(
      section_key(
          "routing", "How tokens choose experts.",
          {choice_key("model",
                      "balanced (as published benchmarks force it), uniform (random), zipf, "
                      "or hot (busiest rank against the mean).",
                      words(kRoutings), "balanced"),
           ratio_key("skew", "zipf: exponent; hot: busiest rank against the mean.", "1"),
           flag_key("node_limited", "Tokens keep to the model's groups of experts.", "true")}),
      "{}");
}

std::vector<Key> degree_keys() {
  return {degree("tensor_parallel_degree", "Ranks that share each layer (TP)."),
          flag_key("sequence_parallel",
                   "With TP: all-gather and reduce-scatter in place of "
                   "all-reduce, norms divided.",
                   "true"),
          degree("context_parallel_degree", "Ranks that share each sequence (CP)."),
          choice_key("context_parallel_method", "How attention sees the whole sequence.",
                     words(kMethods), "ring"),
          degree("expert_parallel_degree", "Ranks over which the experts are spread (EP)."),
          degree("expert_tensor_parallel_degree", "Ranks that share each expert (ETP)."),
          degree("pipeline_parallel_degree", "Stages (PP)."),
          choice_key("pipeline_parallel_schedule", "Order of the stages' work.", words(kSchedules),
                     "1F1B"),
          degree("virtual_stages", "Chunks of layers a stage has."),
          count_key("data_parallel_shard_degree",
                    "Ranks that shard parameters or optimizer (FSDP, ZeRO); the rest of the ranks "
                    "when left out.",
                    1, kMostDegree),
          degree("data_parallel_replicate_degree", "Whole copies beside each other (HSDP)."),
          choice_key("data_parallel_sharding",
                     "What the shard group divides: nothing (DDP), optimizer (ZeRO-1), gradients "
                     "too (ZeRO-2), parameters too (ZeRO-3, FSDP).",
                     words(kShardings), "optim_grads_params"),
          flag_key("fsdp_reshard_after_forward",
                   "Parameters are gathered again for the backward "
                   "pass.",
                   "true")};
}

}  // namespace

std::vector<Key> layout_keys() {
  std::vector<Key> keys = degree_keys();
  const std::vector<Key> more = {
      count_key("ranks_used", "Ranks that take part; all when left out, the others are idle.", 1,
                kMostDegree),
      choice_key("rank_order",
                 "Which ranks are neighbours, innermost first; experts lie over tp, cp and dp.",
                 {"tp-cp-dp-pp", "tp-cp-pp-dp"}, "tp-cp-dp-pp"),
      degree("micro_batch_size",
             "Sequences of a micro-batch; decode: sequences of a "
             "data-parallel rank."),
      count_key("global_batch_size",
                "Sequences of a training step; one micro-batch a rank when "
                "left out.",
                1, kMostTokens),
      required(count_key("seq_len", "Tokens of a sequence; decode: tokens already in the cache.", 1,
                         kMostTokens)),
      degree("speculative_tokens", "Decode: tokens of a sequence computed in one step."),
      choice_key("activation_checkpoint", "What the backward pass computes again.",
                 words(kRecomputes), "none"),
      choice_key("moe_dispatcher", "How tokens reach their experts.", words(kDispatchers),
                 "alltoall"),
      dtype_key(),
      overlap_key(),
      routing_key()};
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

namespace {

void read_kinds(const Section& section, Layout& layout) {
  const Section& dtype = section.section("dtype");
  layout.dtype = {dtype_of(dtype.text("compute")),     dtype_of(dtype.text("weights")),
                  dtype_of(dtype.text("activations")), dtype_of(dtype.text("gradients")),
                  dtype_of(dtype.text("dispatch")),    dtype_of(dtype.text("combine")),
                  dtype_of(dtype.text("kv_cache"))};
  const Section& overlap = section.section("overlap");
  layout.overlap = {chosen(overlap, "tensor", kOverlaps), chosen(overlap, "expert", kOverlaps),
                    chosen(overlap, "pipeline", kOverlaps), chosen(overlap, "context", kOverlaps),
                    chosen(overlap, "data", kOverlaps)};
  const Section& routing = section.section("routing");
  layout.routing = chosen(routing, "model", kRoutings);
  layout.skew = ratio_of(routing, "skew");
  layout.node_limited = routing.flag("node_limited");
}

}  // namespace

Layout read_layout(const Section& section, Phase phase, std::int64_t ranks) {
  Layout layout;
  layout.phase = phase;
  layout.tensor = section.count("tensor_parallel_degree");
  layout.sequence_parallel = section.flag("sequence_parallel") && phase != Phase::kDecode;
  layout.context = section.count("context_parallel_degree");
  layout.context_method = chosen(section, "context_parallel_method", kMethods);
  layout.expert = section.count("expert_parallel_degree");
  layout.expert_tensor = section.count("expert_tensor_parallel_degree");
  layout.pipeline = section.count("pipeline_parallel_degree");
  layout.schedule = chosen(section, "pipeline_parallel_schedule", kSchedules);
  layout.virtual_stages = section.count("virtual_stages");
  layout.replicate = section.count("data_parallel_replicate_degree");
  const std::int64_t used = count_or(section, "ranks_used", ranks);
  const std::int64_t others = layout.tensor * layout.context * layout.pipeline * layout.replicate;
  layout.shard =
      count_or(section, "data_parallel_shard_degree", std::max<std::int64_t>(used / others, 1));
  layout.sharding = chosen(section, "data_parallel_sharding", kShardings);
  layout.reshard = section.flag("fsdp_reshard_after_forward");
  layout.micro_batch = section.count("micro_batch_size");
  layout.global_batch = count_or(section, "global_batch_size", layout.micro_batch * layout.data());
  layout.sequence = section.count("seq_len");
  layout.speculative = section.count("speculative_tokens");
  layout.recompute = chosen(section, "activation_checkpoint", kRecomputes);
  layout.dispatcher = chosen(section, "moe_dispatcher", kDispatchers);
  layout.pipeline_innermost = section.text("rank_order") == "tp-cp-pp-dp";
  read_kinds(section, layout);
  return layout;
}

bool check_layout(const Model& model, const Layout& layout, std::int64_t ranks,
                  const Section& section, sim::Diagnostics& diagnostics) {
  const bool rest = !section.has("data_parallel_shard_degree") && layout.ranks() <= ranks;
  const std::int64_t used = section.has("ranks_used") ? section.count("ranks_used")
                            : rest                    ? layout.ranks()
                                                      : ranks;
  std::optional<LayoutFault> fault = fault_in(model, layout, used);
  if (used > ranks) {
    fault = LayoutFault{"ranks_used", fmt::format("{} ranks of {} take part", used, ranks),
                        fmt::format("at most {}", ranks)};
  }
  if (!fault) return true;
  std::string hint;
  for (const Layout& one : nearest_layouts(
           model, layout, section.has("ranks_used") ? std::min(used, ranks) : ranks, 3)) {
    hint += (hint.empty() ? "" : "; ") + one.text() +
            (one.global_batch != layout.global_batch
                 ? fmt::format(", global batch {}", one.global_batch)
                 : "");
  }
  diagnostics.add({section.position(fault->key.c_str()),
                   fmt::format("layout.{}: {}", fault->key, fault->what), fault->expected,
                   hint.empty() ? "" : "layouts that would work: " + hint});
  return false;
}

}  // namespace workload
