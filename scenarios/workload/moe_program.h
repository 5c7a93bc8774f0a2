// SPDX-License-Identifier: GPL-2.0-only
// The MoE half of a layer: router, dispatch, experts, combine, by the layout's dispatcher.
#pragma once

#include "scenarios/workload/layer_sizes.h"
#include "scenarios/workload/program_builder.h"

namespace workload {

void moe_forward(ProgramBuilder& builder, const LayerSizes& sizes);
// Mirrors the forward pass: the backward of a combine is a dispatch and the other way round.
void moe_backward(ProgramBuilder& builder, const LayerSizes& sizes);

}  // namespace workload
