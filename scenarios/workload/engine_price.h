// SPDX-License-Identifier: GPL-2.0-only
// Prices played by an engine (flow or packet), each distinct collective once: the group of rank 0,
// alone on the cluster, with the algorithm that the link loads choose. Other groups of its family
// run at the same time in a step, so a price is never below that of the link loads, which know
// them. What an engine cannot play here (sends to the next stage, groups over more units than the
// fabric has, more work than kMostWork) is priced by link loads, and `source` counts it.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "scenarios/workload/link_price.h"

namespace workload {

inline constexpr std::uint64_t kMostWork = 40'000'000;  // packet-hops or transfers of one price

class EnginePrice : public CollectivePrice {
 public:
  // `engine`: a name of sim::engines(). Topology and parameters must outlive the price.
  EnginePrice(std::string engine, const sim::Topology& topology, const sim::Parameters& parameters,
              std::int64_t ranks);

  [[nodiscard]] Price price(Move move, const Group& group, std::int64_t bytes,
                            double stretch) override;
  [[nodiscard]] const std::vector<std::string>& tiers() const override { return links_.tiers(); }
  [[nodiscard]] std::string source() const override;

 private:
  [[nodiscard]] std::int64_t played(Move move, const Group& group, std::int64_t bytes,
                                    std::string_view algorithm);

  std::string engine_;
  const sim::Topology& topology_;
  const sim::Parameters& parameters_;
  LinkPrice links_;
  // Picoseconds; 0: not to be played.
  std::map<std::tuple<Move, Group, std::int64_t>, std::int64_t> known_;
};

}  // namespace workload
