// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/moe_program.h"

namespace workload {
namespace {

bool gathers(const Layout& layout) { return layout.dispatcher == Dispatcher::kAllGather; }

// Decode with an all-gather dispatcher inside the tensor-parallel group: every rank holds all
// tokens already, so one all-reduce adds the experts' shares and that of tensor parallelism.
bool sums_in_place(const Layout& layout) {
  return gathers(layout) && layout.phase == Phase::kDecode &&
         layout.expert * layout.expert_tensor <= layout.tensor;
}

void send_tokens(ProgramBuilder& builder, const LayerSizes& sizes, std::int64_t bytes,
                 const char* what) {
  const Group& group = builder.groups().expert;
  if (gathers(builder.layout())) {
    builder.wait(Purpose::kExpert, Move::kAllGather, group, bytes * builder.layout().expert, what);
  } else {
    builder.wait(Purpose::kExpert, Move::kAllToAll, group, bytes, what, sizes.hottest);
  }
}

void return_tokens(ProgramBuilder& builder, const LayerSizes& sizes, std::int64_t bytes,
                   const char* what) {
  const Group& group = builder.groups().expert;
  if (gathers(builder.layout())) {
    builder.wait(Purpose::kExpert, Move::kReduceScatter, group, bytes * builder.layout().expert,
                 what);
  } else {
    builder.wait(Purpose::kExpert, Move::kAllToAll, group, bytes, what, sizes.hottest);
  }
}

void exchange_counts(ProgramBuilder& builder, const LayerSizes& sizes) {
  const Group& group = builder.groups().expert;
  if (gathers(builder.layout())) {
    builder.wait(Purpose::kExpert, Move::kAllGather, group, sizes.routing_map_bytes, "routing map");
  } else {
    builder.wait(Purpose::kExpert, Move::kAllGather, group, sizes.count_bytes, "tokens per expert");
    builder.wait(Purpose::kExpert, Move::kAllToAll, group, sizes.weight_bytes, "routing weights",
                 sizes.hottest);
  }
}

void experts(ProgramBuilder& builder, const LayerSizes& sizes, Move before, Move after) {
  const Group& group = builder.groups().expert_tensor;
  builder.wait(Purpose::kTensor, before, group, sizes.expert_rows_bytes, "rows of experts");
  builder.compute(sizes.expert_up);
  builder.compute(sizes.expert_activation);
  builder.compute(sizes.expert_down);
  builder.wait(Purpose::kTensor, after, group, sizes.expert_rows_bytes, "sum rows of experts");
}

}  // namespace

void moe_forward(ProgramBuilder& builder, const LayerSizes& sizes) {
  const Layout& layout = builder.layout();
  builder.compute(sizes.norm);
  builder.compute(sizes.router);
  builder.count_flops(sizes.router_flops + sizes.expert_flops + sizes.shared_flops);
  if (sums_in_place(layout)) {
    experts(builder, sizes, Move::kAllGather, Move::kReduceScatter);
    builder.compute(sizes.shared);
    builder.wait(Purpose::kExpert, Move::kAllReduce, builder.groups().tensor, sizes.full,
                 "sum experts");
    builder.compute(sizes.residual);
    return;
  }
  exchange_counts(builder, sizes);
  builder.compute(sizes.permute);
  if (layout.overlap_of(Purpose::kExpert) == Overlap::kBlocking || sizes.shared == 0) {
    send_tokens(builder, sizes, sizes.dispatch_bytes, "dispatch");
    experts(builder, sizes, Move::kAllGather, Move::kReduceScatter);
    return_tokens(builder, sizes, sizes.combine_bytes, "combine");
    builder.compute(sizes.shared);
  } else {
    // The shared expert runs beside the dispatch.
    const Group& group = builder.groups().expert;
    const bool all = gathers(layout);
    const std::int32_t sent = builder.beside(
        Purpose::kExpert, all ? Move::kAllGather : Move::kAllToAll, group,
        sizes.dispatch_bytes * (all ? layout.expert : 1), "dispatch", all ? 1 : sizes.hottest);
    builder.compute(sizes.shared);
    builder.join(sent);
    experts(builder, sizes, Move::kAllGather, Move::kReduceScatter);
    return_tokens(builder, sizes, sizes.combine_bytes, "combine");
  }
  builder.compute(sizes.permute + sizes.residual);
  if (!layout.sequence_parallel) {
    builder.wait(Purpose::kTensor, Move::kAllGather, builder.groups().tensor, sizes.full,
                 "gather MoE output");
  }
}

void moe_backward(ProgramBuilder& builder, const LayerSizes& sizes) {
  const Group& expert_tensor = builder.groups().expert_tensor;
  const std::int64_t weights = sizes.expert_up + sizes.expert_down;
  builder.count_flops(2 * (sizes.router_flops + sizes.expert_flops + sizes.shared_flops));
  builder.compute(sizes.permute);
  send_tokens(builder, sizes, sizes.combine_bytes, "combine, backward");
  builder.wait(Purpose::kTensor, Move::kAllGather, expert_tensor, sizes.expert_rows_bytes,
               "rows of experts");
  builder.compute(sizes.expert_down + 2 * sizes.expert_activation + sizes.expert_up);
  builder.wait(Purpose::kTensor, Move::kReduceScatter, expert_tensor, sizes.expert_rows_bytes,
               "sum rows of experts");
  if (builder.layout().overlap_of(Purpose::kExpert) == Overlap::kBlocking) {
    return_tokens(builder, sizes, sizes.combine_bytes, "dispatch, backward");
    builder.compute(weights);
  } else {
    // Weight gradients need nothing from elsewhere: they run beside the way back.
    const Group& group = builder.groups().expert;
    const bool all = gathers(builder.layout());
    const std::int32_t back =
        builder.beside(Purpose::kExpert, all ? Move::kReduceScatter : Move::kAllToAll, group,
                       sizes.combine_bytes * (all ? builder.layout().expert : 1),
                       "dispatch, backward", all ? 1 : sizes.hottest);
    builder.compute(weights);
    builder.join(back);
  }
  builder.count_weight_time(weights);
  builder.compute(2 * sizes.shared + 2 * sizes.router + sizes.permute);
  builder.compute(2 * sizes.norm + sizes.residual);
}

}  // namespace workload
