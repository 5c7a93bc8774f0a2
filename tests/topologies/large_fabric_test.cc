// SPDX-License-Identifier: GPL-2.0-only
// A million chips: the fabric is built within seconds and 4 GiB, and its routes need no tables.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <iostream>

#include "sim/fabric/structure.h"
#include "tests/topologies/hand_parameters.h"

namespace {

double cpu_seconds(const rusage& use) {
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

TEST(LargeFabric, AMillionChipsAreBuiltWithinSecondsAnd4GiB) {
  const sim::Topology cluster =
      topologies_test::make("ultracluster", {{"ultraservers", "6945"},
                                             {"ethernet.tors_per_nic", "2"},
                                             {"ethernet.radix", "256"},
                                             {"ethernet.tier2.children", "32"},
                                             {"ethernet.tier3.children", "32"},
                                             {"ethernet.tier3.parents", "32"},
                                             {"ethernet.tier4.parents", "32"}});
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  EXPECT_EQ(cluster.fabric->endpoints(), 1'000'080U);
  EXPECT_LT(use.ru_maxrss, 4L << 20);  // KiB
  EXPECT_LT(cpu_seconds(use), 30);
  std::cout << cluster.fabric->nodes().size() << " nodes, " << cluster.fabric->links().size()
            << " links, " << use.ru_maxrss / 1024 << " MiB, " << cpu_seconds(use) << " CPU s\n";
  EXPECT_EQ(bisection_by_cuts(*cluster.fabric),
            sim::Bandwidth(std::int64_t{3472} * 144 * 25'000'000'000));
}

}  // namespace
