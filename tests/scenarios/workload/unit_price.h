// SPDX-License-Identifier: GPL-2.0-only
// A price for tests: every collective takes a microsecond and a picosecond a byte sent.
#pragma once

#include <string>
#include <vector>

#include "scenarios/workload/price.h"

namespace workload_test {

class UnitPrice : public workload::CollectivePrice {
 public:
  workload::Price price(workload::Move move, const workload::Group& group, std::int64_t bytes,
                        double) override {
    const std::int64_t sent = workload::bytes_sent(move, group.size(), bytes);
    workload::Price price;
    if (sent == 0) return price;
    price.time = sim::microseconds(1) + sim::Time(sent);
    price.sent[0] = sent;
    price.algorithm = "unit";
    return price;
  }
  const std::vector<std::string>& tiers() const override { return tiers_; }
  std::string source() const override { return "units"; }

 private:
  std::vector<std::string> tiers_{"everywhere"};
};

}  // namespace workload_test
