// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/program_builder.h"

namespace workload {

std::int32_t ProgramBuilder::push(LaneOp op) {
  if (op.lane > 0) op.collective = static_cast<std::int16_t>(program_.collectives.size() - 1);
  program_.ops.push_back(op);
  return static_cast<std::int32_t>(program_.ops.size()) - 1;
}

std::int64_t ProgramBuilder::priced(Purpose purpose, Move move, const Group& group,
                                    std::int64_t bytes, std::int64_t times, std::string_view what,
                                    double stretch) {
  if (group.size() <= 1 || bytes <= 0 || times <= 0) return 0;
  const Price price = inputs_.price->price(move, group, bytes, stretch);
  TierBytes& sent = program_.sent[static_cast<std::size_t>(purpose)];
  for (std::size_t i = 0; i < kMostTiers; ++i) sent[i] += price.sent[i] * times;
  for (std::int64_t i = 0; i < times; ++i) {
    program_.collectives.push_back({purpose, move, group, bytes, what});
  }
  return price.time.value * times;
}

std::int32_t ProgramBuilder::compute(std::int64_t time, std::int32_t also, std::int32_t and_also) {
  if (joined_ != kNone && also == kNone) also = joined_, joined_ = kNone;
  chain_ = push({.time = time, .after = {chain_, also, and_also}});
  return chain_;
}

std::int32_t ProgramBuilder::wait(Purpose purpose, Move move, const Group& group,
                                  std::int64_t bytes, std::string_view what, double stretch) {
  const std::int32_t op = beside(purpose, move, group, bytes, what, stretch);
  if (op != kNone) chain_ = op, joined_ = kNone;
  return op;
}

std::int32_t ProgramBuilder::beside(Purpose purpose, Move move, const Group& group,
                                    std::int64_t bytes, std::string_view what, double stretch) {
  const std::int64_t time = priced(purpose, move, group, bytes, 1, what, stretch);
  if (time == 0) return kNone;
  return push({.lane = lane_of(purpose), .time = time, .after = {chain_, joined_, kNone}});
}

std::int32_t ProgramBuilder::as_allowed(Purpose purpose, Move move, const Group& group,
                                        std::int64_t bytes, std::string_view what) {
  if (layout().overlap_of(purpose) == Overlap::kBlocking) {
    wait(purpose, move, group, bytes, what);
    return kNone;
  }
  return beside(purpose, move, group, bytes, what);
}

void ProgramBuilder::join(std::int32_t op) {
  if (op == kNone) return;
  if (joined_ != kNone) compute(0);
  joined_ = op;
}

std::int32_t ProgramBuilder::repeated(Purpose purpose, Move move, const Group& group,
                                      std::int64_t bytes, std::int64_t times,
                                      std::string_view what) {
  const std::int64_t time = priced(purpose, move, group, bytes, times, what, 1);
  if (time == 0) return kNone;
  return push({.lane = lane_of(purpose), .time = time, .after = {chain_, joined_, kNone}});
}

void ProgramBuilder::product_between(const Feeding& before, std::int64_t time,
                                     const Feeding& after) {
  const Group& group = groups_.tensor;
  const std::int64_t parts = group.size();
  if (layout().overlap_of(Purpose::kTensor) != Overlap::kChunked || parts == 1) {
    if (before.bytes > 0) wait(Purpose::kTensor, before.move, group, before.bytes, before.what);
    compute(time);
    if (after.bytes > 0) wait(Purpose::kTensor, after.move, group, after.bytes, after.what);
    return;
  }
  // One part has to arrive before the product starts and one has to leave after it ends; what lies
  // between runs beside it. Each part pays its own latency.
  const auto part_time = [&](const Feeding& one) {
    if (one.bytes == 0) return std::int64_t{0};
    static_cast<void>(priced(Purpose::kTensor, one.move, group, one.bytes, 1, one.what, 1));
    return inputs_.price->price(one.move, group, one.bytes / parts, 1).time.value;
  };
  const std::uint8_t lane = lane_of(Purpose::kTensor);
  const std::int64_t first = part_time(before);
  const std::int64_t last = part_time(after);
  if (first > 0)
    chain_ = push({.lane = lane, .time = first, .after = {chain_, joined_, kNone}}),
    joined_ = kNone;
  const std::int32_t middle =
      push({.lane = lane, .time = (first + last) * (parts - 1), .after = {chain_, joined_, kNone}});
  compute(time);
  chain_ = push({.lane = lane, .time = last, .after = {chain_, middle, kNone}});
}

}  // namespace workload
