// SPDX-License-Identifier: GPL-2.0-only
// Builds the program of a rank op by op. `chain()` is the op that the next compute waits for; a
// blocking collective moves it, one that runs beside compute does not and is waited for by name.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "scenarios/workload/layer_program.h"

namespace workload {

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const StepInputs& inputs)
      : inputs_(inputs), groups_(groups_of(*inputs.layout)) {}

  [[nodiscard]] const Layout& layout() const { return *inputs_.layout; }
  [[nodiscard]] const Model& model() const { return *inputs_.model; }
  [[nodiscard]] const Roofline& roofline() const { return *inputs_.roofline; }
  [[nodiscard]] const Groups& groups() const { return groups_; }
  [[nodiscard]] std::int32_t chain() const { return chain_; }

  // Compute after the chain, and after one or two more.
  std::int32_t compute(std::int64_t time, std::int32_t also = kNone, std::int32_t and_also = kNone);
  // A collective after the chain; the chain waits for it.
  std::int32_t wait(Purpose purpose, Move move, const Group& group, std::int64_t bytes,
                    std::string_view what, double stretch = 1);
  // The same beside the chain: whoever needs it names it.
  std::int32_t beside(Purpose purpose, Move move, const Group& group, std::int64_t bytes,
                      std::string_view what, double stretch = 1);
  // Beside or blocking, as the layout's policy for the purpose says.
  std::int32_t as_allowed(Purpose purpose, Move move, const Group& group, std::int64_t bytes,
                          std::string_view what);
  // The chain goes on from here as well: waits for `op`.
  void join(std::int32_t op);
  // `times` equal exchanges, one after the other, as one op.
  std::int32_t repeated(Purpose purpose, Move move, const Group& group, std::int64_t bytes,
                        std::int64_t times, std::string_view what);
  // A product with the gathered input before it and the scattered output after it; with
  // Overlap::kChunked all but one part of each hides behind the product.
  struct Feeding {
    Move move = Move::kAllGather;
    std::int64_t bytes = 0;  // 0: none
    std::string_view what;
  };
  void product_between(const Feeding& before, std::int64_t time, const Feeding& after);

  void count_flops(double flops) { program_.flops += flops; }
  void count_recomputed(double flops) { program_.recomputed += flops; }
  void count_weight_time(std::int64_t time) { program_.weight_time += time; }

  // The program ends with compute, so that its end is the end of all that it waits for.
  [[nodiscard]] Program take() && { return compute(0), std::move(program_); }

 private:
  std::int32_t push(LaneOp op);
  // Prices a collective and notes it; the time of one.
  std::int64_t priced(Purpose purpose, Move move, const Group& group, std::int64_t bytes,
                      std::int64_t times, std::string_view what, double stretch);
  static std::uint8_t lane_of(Purpose purpose) {
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(purpose) + 1);
  }

  const StepInputs& inputs_;
  Groups groups_;
  Program program_;
  std::int32_t chain_ = kNone;
  std::int32_t joined_ = kNone;
};

}  // namespace workload
