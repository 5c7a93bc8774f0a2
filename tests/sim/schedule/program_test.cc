// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/program.h"

#include <gtest/gtest.h>

#include "sim/schedule/collective.h"

namespace sim {
namespace {

TEST(BlockSizes, PartsDifferByAtMostOneByteAndSumToTheTotal) {
  const BlockSizes sizes(Bytes(1'000'003), 144, 1);
  Bytes sum;
  for (std::uint32_t part = 0; part < 144; ++part) {
    const Bytes bytes = sizes.bytes_of({part, 1, 1, 1});
    EXPECT_TRUE(bytes == Bytes(6'944) || bytes == Bytes(6'945));
    sum += bytes;
  }
  EXPECT_EQ(sum, Bytes(1'000'003));
}

TEST(BlockSizes, EveryRegionIsCutInTheSameWay) {
  const BlockSizes sizes(Bytes(11), 4, 3);
  EXPECT_EQ(sizes.blocks(), 12U);
  for (std::uint32_t part = 0; part < 4; ++part) {
    const Bytes first = sizes.bytes_of({part, 1, 1, 1});
    EXPECT_EQ(sizes.bytes_of({part + 4, 1, 1, 1}), first);
    EXPECT_EQ(sizes.bytes_of({part + 8, 1, 1, 1}), first);
  }
}

TEST(BlockSizes, AStridedSetIsTheSumOfItsBlocks) {
  const BlockSizes sizes(Bytes(1'013), 24, 2);
  const Blocks set{5, 3, 7, 4};
  Bytes sum;
  std::uint32_t visited = 0;
  set.for_each([&](std::uint32_t block) {
    sum += sizes.bytes_of({block, 1, 1, 1});
    ++visited;
  });
  EXPECT_EQ(visited, set.size());
  EXPECT_EQ(sizes.bytes_of(set), sum);
}

TEST(BlockSizes, HugeTensorsDoNotOverflow) {
  const std::int64_t exabyte = 1'000'000'000'000'000'000;
  const BlockSizes sizes(Bytes(exabyte + 1), 1'000'000, 1);
  EXPECT_EQ(sizes.bytes_of({0, 1'000'000, 1, 1}), Bytes(exabyte + 1));
  EXPECT_EQ(sizes.bytes_of({999'999, 1, 1, 1}), Bytes(1'000'000'000'001));
}

TEST(Collective, BusFactorsAreThoseOfNcclTests) {
  EXPECT_EQ(bus_numerator(Collective::kAllReduce, 8), 14);
  EXPECT_EQ(bus_numerator(Collective::kAllGather, 8), 7);
  EXPECT_EQ(bus_numerator(Collective::kReduceScatter, 8), 7);
  EXPECT_EQ(bus_numerator(Collective::kAllToAll, 8), 7);
  EXPECT_EQ(bus_numerator(Collective::kBroadcast, 8), 8);
  EXPECT_EQ(bus_numerator(Collective::kGather, 8), 7);
  EXPECT_EQ(bus_numerator(Collective::kSendRecv, 8), 8);
}

TEST(Collective, NamesAreTheKeysOfScenarios) {
  std::vector<std::string_view> names;
  for (const Collective collective : all_collectives()) names.push_back(name_of(collective));
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"all_reduce", "all_gather", "reduce_scatter",
                                           "all_to_all", "broadcast", "reduce", "gather", "scatter",
                                           "barrier", "send_recv", "permute", "all_to_all_v"}));
}

}  // namespace
}  // namespace sim
