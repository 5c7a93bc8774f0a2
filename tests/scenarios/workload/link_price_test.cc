// SPDX-License-Identifier: GPL-2.0-only
// Prices by link load against packets: the stored results of the library's main scenario.
#include "scenarios/workload/link_price.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include "scenarios/workload/engine_price.h"
#include "scenarios/workload/scenario.h"

namespace workload {
namespace {

// Fastest packet-level time by "collective/chips/size" of tests/golden/ultraserver-overhead.txt.
std::map<std::string, std::int64_t> stored_times() {
  std::map<std::string, std::int64_t> times;
  std::ifstream file(ULTRASIM_SOURCE_DIR "/tests/golden/ultraserver-overhead.txt");
  std::string name;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("case ")) name = line.substr(5, line.rfind('/') - 5);
    if (!line.starts_with("  time_ps ")) continue;
    const std::int64_t time = std::stoll(line.substr(10));
    const auto [place, fresh] = times.try_emplace(name, time);
    if (!fresh) place->second = std::min(place->second, time);
  }
  return times;
}

ModelScenario ultraserver(const std::string& rest = "") {
  LoadedModel loaded =
      load_model_text("scenario: t\ncluster: {ultraserver: trn3-gen2" + rest +
                          "}\nmodel: {preset: gpt-oss-20b}\nlayout: {seq_len: 4096}\n",
                      "t.yaml", "", {});
  EXPECT_TRUE(loaded.scenario) << loaded.faults;
  return std::move(*loaded.scenario);
}

Group neighbours(std::int64_t n) {
  Group group;
  group.axes[0] = {n, 1};
  return group;
}

// Packets meet queues and short trains, which the price leaves out: it is below, by at most a
// fifth.
TEST(LinkPrice, IsNearThePacketEngineOnOneUltraServer) {
  const ModelScenario scenario = ultraserver();
  const std::map<std::string, std::int64_t> stored = stored_times();
  ASSERT_GT(stored.size(), 10U);
  for (const auto& [name, time] : stored) {
    const bool reduces = name.starts_with("all_reduce");
    const std::size_t slash = name.find('/') + 1;
    const std::int64_t chips = std::stoll(name.substr(slash));
    const std::size_t size = name.rfind('/') + 1;
    const std::int64_t unit = name.ends_with("KiB") ? 1 << 10 : 1 << 20;
    const std::int64_t bytes = std::stoll(name.substr(size)) * unit;
    // One group alone, as the packets ran: groups beside it would share the links.
    LinkPrice price(*scenario.topology, scenario.parameters, chips);
    const Move move = reduces ? Move::kAllReduce : Move::kAllToAll;
    const double found =
        static_cast<double>(price.price(move, neighbours(chips), bytes, 1).time.value);
    EXPECT_GT(found / static_cast<double>(time), 0.78) << name;
    EXPECT_LT(found / static_cast<double>(time), 1.10) << name;
  }
}

TEST(LinkPrice, SplitsTheBytesOverPlacesWithoutLoss) {
  const ModelScenario scenario = ultraserver(", ultraservers: 4");
  LinkPrice price(*scenario.topology, scenario.parameters, scenario.ranks);
  for (const Move move :
       {Move::kAllReduce, Move::kAllGather, Move::kReduceScatter, Move::kAllToAll}) {
    for (const std::int64_t n : {2, 4, 8, 72, 144, 288}) {
      const Price one = price.price(move, neighbours(n), 1'000'003, 1);
      std::int64_t sum = 0;
      for (const std::int64_t bytes : one.sent) sum += bytes;
      EXPECT_EQ(sum, bytes_sent(move, n, 1'000'003)) << name_of(move) << " " << n;
    }
  }
  Group across;
  across.axes[0] = {4, 144};
  const Price far = price.price(Move::kAllGather, across, 1 << 20, 1);
  EXPECT_EQ(far.sent[price.tiers().size() - 1], bytes_sent(Move::kAllGather, 4, 1 << 20));
}

// An engine plays what is small enough; it is never below the link loads, and near them.
TEST(EnginePrice, IsAtLeastThePriceOfTheLinks) {
  const ModelScenario scenario = ultraserver();
  LinkPrice links(*scenario.topology, scenario.parameters, scenario.ranks);
  EnginePrice packets("packet", *scenario.topology, scenario.parameters, scenario.ranks);
  for (const Move move : {Move::kAllReduce, Move::kAllToAll, Move::kShift}) {
    const double low = static_cast<double>(links.price(move, neighbours(8), 1 << 20, 1).time.value);
    const double played =
        static_cast<double>(packets.price(move, neighbours(8), 1 << 20, 1).time.value);
    EXPECT_GE(played, low);
    EXPECT_LE(played, 1.3 * low) << name_of(move);
  }
  EXPECT_TRUE(packets.source().starts_with("2 of 3 distinct collectives")) << packets.source();
}

TEST(LinkPrice, GrowsWithBytesAndStretch) {
  const ModelScenario scenario = ultraserver();
  LinkPrice price(*scenario.topology, scenario.parameters, scenario.ranks);
  std::int64_t before = 0;
  for (std::int64_t bytes = 1 << 10; bytes <= 1 << 30; bytes <<= 5) {
    const Price one = price.price(Move::kAllToAll, neighbours(16), bytes, 1);
    const Price hot = price.price(Move::kAllToAll, neighbours(16), bytes, 3);
    EXPECT_GE(one.time.value, before);
    EXPECT_GE(hot.time.value, one.time.value);
    before = one.time.value;
  }
  EXPECT_EQ(price.price(Move::kAllToAll, neighbours(1), 1 << 20, 1).time.value, 0);
}

}  // namespace
}  // namespace workload
