// SPDX-License-Identifier: GPL-2.0-only
// Which ranks form the groups of a layout: strides of the degrees in the order of the ranks.
#include <algorithm>
#include <cmath>

#include "scenarios/workload/layer_program.h"

namespace workload {
namespace {

// Adds an axis; sizes of 1 take no room.
void add(Group& group, std::int64_t size, std::int64_t stride) {
  if (size == 1) return;
  for (Axis& axis : group.axes) {
    if (axis.size == 1) {
      axis = {size, stride};
      return;
    }
  }
}

// Ranks of a stage in their own order (tensor, context, data), laid over the ranks of the job: with
// the stages between context and data, the data digit jumps.
class StageOrder {
 public:
  explicit StageOrder(const Layout& layout)
      : inner_(layout.tensor * layout.context),
        jump_(layout.pipeline_innermost ? layout.pipeline : 1) {}

  // An axis of `size` from `stride` on, within the stage.
  void add_to(Group& group, std::int64_t size, std::int64_t stride) const {
    if (size == 1) return;
    if (jump_ == 1) return add(group, size, stride);
    if (stride >= inner_) return add(group, size, stride * jump_);
    if (stride * size <= inner_) return add(group, size, stride);
    add(group, inner_ / stride, stride);
    add(group, size * stride / inner_, inner_ * jump_);
  }

 private:
  std::int64_t inner_;
  std::int64_t jump_;
};

}  // namespace

Groups groups_of(const Layout& layout) {
  Groups groups;
  const StageOrder order(layout);
  const std::int64_t inner = layout.tensor * layout.context;
  add(groups.tensor, layout.tensor, 1);
  add(groups.context, layout.context, layout.tensor);
  add(groups.stages, layout.pipeline,
      layout.pipeline_innermost ? inner : layout.ranks() / layout.pipeline);
  order.add_to(groups.shard, layout.context, layout.tensor);
  order.add_to(groups.shard, layout.shard, inner);
  order.add_to(groups.replicate, layout.replicate, inner * layout.shard);
  order.add_to(groups.expert_tensor, layout.expert_tensor, 1);
  order.add_to(groups.expert, layout.expert, layout.expert_tensor);
  // Copies of an expert: replicas of data parallelism as far as they divide, the rest shards.
  const std::int64_t copies = layout.expert_data();
  const std::int64_t replicas = copies % layout.replicate == 0 ? layout.replicate : 1;
  const std::int64_t held = layout.expert * layout.expert_tensor;
  order.add_to(groups.expert_shard, copies / replicas, held);
  order.add_to(groups.expert_replicate, replicas, held * (copies / replicas));
  return groups;
}

// uniform: the expected maximum of `expert` multinomial loads (about u + sqrt(2 u ln n)); zipf: the
// rank that holds the most popular experts, placed one after another.
double hottest_rank(const Model& model, const Layout& layout) {
  if (!model.is_moe() || layout.expert == 1) return 1;
  const auto ranks = static_cast<double>(layout.expert);
  switch (layout.routing) {
    case Routing::kBalanced:
      return 1;
    case Routing::kUniform: {
      const double mean = static_cast<double>(routed_tokens(layout) * model.moe.top_k);
      return 1 + std::sqrt(2 * std::log(ranks) / mean);
    }
    case Routing::kZipf: {
      double first = 0;
      double all = 0;
      for (std::int64_t i = 0; i < model.moe.experts; ++i) {
        const double weight = std::pow(static_cast<double>(i + 1), -layout.skew);
        all += weight;
        if (i < model.moe.experts / layout.expert) first += weight;
      }
      return std::min(first / all * ranks, ranks);
    }
    case Routing::kHot:
      return std::clamp(layout.skew, 1.0, ranks);
  }
  return 1;
}

double rows_per_token(const Model& model, const Layout& layout) {
  const Moe& m = model.moe;
  if (layout.dispatcher != Dispatcher::kAllToAllDedup) return static_cast<double>(m.top_k);
  const bool limited = layout.node_limited && m.groups > 1 && layout.expert % m.groups == 0;
  if (!limited) return distinct_groups(m.experts, m.top_k, layout.expert);
  return distinct_groups(m.experts * m.top_groups / m.groups, m.top_k,
                         layout.expert * m.top_groups / m.groups);
}

std::int64_t routed_tokens(const Layout& layout) {
  return (layout.tokens() + layout.tensor - 1) / layout.tensor;
}

}  // namespace workload
