// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/selection.h"

#include <fmt/format.h>

#include <bit>

#include "sim/base/check.h"

namespace collectives {
namespace {

using sim::Collective;

bool fits(const Rule& rule, const Job& job) {
  return rule.collective == job.collective && job.bytes.value <= rule.up_to &&
         job.ranks <= rule.most_ranks;
}

bool can_serve(const std::string& algorithm, const Job& job) {
  const auto* entry = algorithms().find(algorithm);
  return entry != nullptr && !entry->make.obstacle(job);
}

sim::Failure nothing_fits(const std::string& who, const Job& job) {
  sim::Failure failure;
  failure.what = fmt::format("{} has no algorithm for {} of {} bytes over {} ranks", who,
                             sim::name_of(job.collective), job.bytes.value, job.ranks);
  failure.hint = fmt::format("name one: {}", fmt::join(able(job), ", "));
  return failure;
}

std::string limits_of(const Rule& rule) {
  std::string text;
  if (rule.up_to != Rule().up_to) text += fmt::format(" up to {} bytes", rule.up_to);
  if (rule.most_ranks != Rule().most_ranks) text += fmt::format(" up to {} ranks", rule.most_ranks);
  return text;
}

// Where there is one way only, or hardly a choice: MPICH's for kinds with a root (Thakur,
// Rabenseifner & Gropp 2005: trees for short messages, pipelines for long ones).
void add_other_kinds(std::vector<Rule>& rules) {
  constexpr std::int64_t kShort = 64 << 10;
  for (const Collective kind : {Collective::kBroadcast, Collective::kReduce}) {
    rules.push_back({kind, "binomial", kShort});
    rules.push_back({kind, "chain"});
  }
  for (const Collective kind : {Collective::kGather, Collective::kScatter}) {
    rules.push_back({kind, "binomial", kShort});
    rules.push_back({kind, "direct"});
  }
  rules.push_back({Collective::kBarrier, "dissemination"});
  rules.push_back({Collective::kSendRecv, "direct"});
  rules.push_back({Collective::kPermute, "direct"});
  // Rows that a server shares can only go by it.
  rules.push_back({Collective::kAllToAllV, "direct"});
  rules.push_back({Collective::kAllToAllV, "hierarchical"});
}

// AWS Neuron SDK, intra-node collectives: Mesh below 1 MB, RDH from 1 to 56 MB, KangaRing above.
// RDH needs a power of two of ranks and KangaRing an even number; a ring serves the others.
Selection neuron_torus() {
  constexpr std::int64_t kMesh = 1'000'000;
  constexpr std::int64_t kRdh = 56'000'000;
  Selection selection{"documented for the Trn2 torus (AWS Neuron SDK, intra-node collectives)", {}};
  for (const Collective kind :
       {Collective::kAllReduce, Collective::kAllGather, Collective::kReduceScatter}) {
    selection.rules.push_back({kind, "direct", kMesh});
    selection.rules.push_back({kind, "recursive", kRdh});
    selection.rules.push_back({kind, "kangaring"});
    selection.rules.push_back({kind, "ring"});
  }
  selection.rules.push_back({Collective::kAllToAll, "direct"});
  add_other_kinds(selection.rules);
  return selection;
}

// Trees for short tensors, rings for long ones, messages straight to their ranks: how NCCL chooses
// in one box without in-switch reduction. Its thresholds are computed at run time from tables of
// measured latencies; 1 MiB stands for them.
Selection nccl_like() {
  constexpr std::int64_t kTree = 1 << 20;
  Selection selection{"as NCCL does in a switched box, thresholds rounded", {}};
  selection.rules = {{Collective::kAllReduce, "double_tree", kTree},
                     {Collective::kAllReduce, "ring"},
                     {Collective::kAllGather, "ring"},
                     {Collective::kReduceScatter, "ring"},
                     {Collective::kAllToAll, "direct"}};
  add_other_kinds(selection.rules);
  return selection;
}

// Closed form of what a rank does: steps one after another, messages, bytes.
struct Form {
  const char* algorithm;
  double steps;
  double messages;
  double bytes;
};

std::vector<Form> forms_of(const Job& job) {
  const double n = job.ranks;
  const auto bytes = static_cast<double>(job.bytes.value);
  const double share = bytes * (n - 1) / n;
  const auto ceil_log = static_cast<double>(std::bit_width(job.ranks - 1));
  const double folded = std::has_single_bit(job.ranks) ? ceil_log : ceil_log + 1;
  switch (job.collective) {
    case Collective::kAllReduce:
      return {{"one_shot", 1, n - 1, (n - 1) * bytes},
              {"recursive_doubling", folded, folded, folded * bytes},
              {"direct", 2, 2 * (n - 1), 2 * share},
              {"recursive", 2 * folded, 2 * folded, 2 * share},
              {"bidirectional_ring", n, 2 * (n - 1), 2 * share},
              {"ring", 2 * (n - 1), 2 * (n - 1), 2 * share}};
    case Collective::kAllGather:
    case Collective::kReduceScatter:
      return {{"direct", 1, n - 1, share},
              {"recursive", ceil_log, ceil_log, share},
              {"bruck", ceil_log, 2 * ceil_log, share},
              {"ring", n - 1, n - 1, share}};
    case Collective::kAllToAll:
      return {{"direct", 1, n - 1, share},
              {"recursive", ceil_log, ceil_log, ceil_log * bytes / 2},
              {"bruck", ceil_log, 2 * ceil_log, ceil_log * bytes / 2}};
    default:
      return {};
  }
}

double picoseconds(const StepCosts& costs, const Form& form) {
  const double moving = costs.out.value == 0 ? 0
                                             : form.bytes / static_cast<double>(costs.out.value) *
                                                   sim::kPicosecondsPerSecond;
  return form.steps * static_cast<double>(costs.step.value) +
         form.messages * static_cast<double>(costs.gap.value) + moving;
}

}  // namespace

sim::Result<Choice> choose(const Selection& selection, const Job& job) {
  for (const Rule& rule : selection.rules) {
    if (!fits(rule, job) || !can_serve(rule.algorithm, job)) continue;
    return Choice{rule.algorithm, rule.algorithm + limits_of(rule) + ": " + selection.source};
  }
  return nothing_fits("the selection (" + selection.source + ")", job);
}

std::optional<Selection> published(std::string_view preset) {
  if (preset.starts_with("trn2") || preset.starts_with("trn1")) return neuron_torus();
  for (const std::string_view switched : {"hgx-", "gb200", "gb300", "p4", "p5", "p6"}) {
    if (preset.starts_with(switched)) return nccl_like();
  }
  return std::nullopt;
}

sim::Result<Choice> computed(const StepCosts& costs, const Job& job) {
  const Form* best = nullptr;
  const std::vector<Form> forms = forms_of(job);
  for (const Form& form : forms) {
    if (!can_serve(form.algorithm, job)) continue;
    if (best == nullptr || picoseconds(costs, form) < picoseconds(costs, *best)) best = &form;
  }
  if (best != nullptr) {
    return Choice{
        best->algorithm,
        fmt::format("{}: least of steps, messages and bytes by closed form, {:.1f} us; no "
                    "table is published for this fabric",
                    best->algorithm, picoseconds(costs, *best) / 1e6)};
  }
  Selection others{"one way, or trees for short and pipelines for long tensors", {}};
  add_other_kinds(others.rules);
  return choose(others, job);
}

}  // namespace collectives
