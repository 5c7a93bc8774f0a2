// SPDX-License-Identifier: GPL-2.0-only
// The solver against brute-force progressive filling on random networks, its own certificate, and
// the known traps: overflow by many starts or many rises at once, ties, exact times.
#include "sim/engine/flow/max_min.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "sim/base/random.h"
#include "tests/oracles/brute_max_min.h"

namespace sim::flow {
namespace {

struct Net {
  std::vector<LinkRate> links;
  std::uint32_t caps = 0;  // the last links are pinned
  std::vector<std::vector<Share>> routes;
  std::vector<Bytes> bytes;
};

std::uint32_t below(Random& random, std::uint64_t n) {
  return static_cast<std::uint32_t>(random.below(n));
}

Net random_net(Random& random) {
  Net net;
  const std::uint32_t links = 2 + below(random, 40);
  const bool equal = below(random, 2) == 0;
  for (std::uint32_t i = 0; i < links; ++i) {
    const std::int64_t rate = equal ? 50'000'000'000 : 1'000'000'000 * (1 + below(random, 200));
    net.links.push_back({Bandwidth(rate), 1, false});
  }
  net.caps = below(random, 3);
  for (std::uint32_t i = 0; i < net.caps; ++i) {
    net.links.push_back({Bandwidth(1'000'000'000 * (1 + below(random, 30))), 1, true});
  }
  const std::uint32_t flows = 1 + below(random, 120);
  for (std::uint32_t f = 0; f < flows; ++f) {
    std::set<std::uint32_t> used;
    const std::uint32_t hops = 1 + below(random, std::min(links, 5U));
    while (used.size() < hops) used.insert(below(random, links));
    std::vector<Share> route;
    for (const std::uint32_t link : used) route.push_back({link, 1 + below(random, 5)});
    if (net.caps > 0 && below(random, 4) == 0)
      route.push_back({links + below(random, net.caps), 1});
    net.routes.push_back(route);
    net.bytes.emplace_back(1 + below(random, 200'000));
  }
  return net;
}

void expect_brute(const Net& net, const MaxMin& solver, const std::set<std::uint32_t>& active) {
  const std::size_t links = net.links.size() - net.caps;
  std::vector<long double> capacity;
  for (std::size_t l = 0; l < links; ++l) {
    capacity.push_back(static_cast<long double>(net.links[l].rate.value));
  }
  std::vector<oracle::BruteFlow> flows;
  for (const std::uint32_t tag : active) {
    oracle::BruteFlow flow;
    for (const Share& share : net.routes[tag]) {
      if (share.link >= links) {
        flow.cap = std::min(flow.cap, static_cast<long double>(net.links[share.link].rate.value));
        continue;
      }
      flow.links.push_back(share.link);
      flow.weights.push_back(share.weight);
    }
    flows.push_back(flow);
  }
  oracle::fill_max_min(capacity, flows);
  std::size_t i = 0;
  for (const std::uint32_t tag : active) {
    const auto want = static_cast<double>(flows[i++].rate);
    ASSERT_NEAR(solver.rate_of(tag), want, 1e-8 * want + 1e-3) << "flow " << tag;
  }
}

constexpr MaxMin::Way kWays[] = {MaxMin::Way::kByItself, MaxMin::Way::kLocal, MaxMin::Way::kDense};

void play(const Net& net, Random& random, MaxMin::Way way) {
  MaxMin solver(net.links, 5, {}, way);
  std::set<std::uint32_t> active;
  std::vector<std::uint32_t> order(net.routes.size());
  std::iota(order.begin(), order.end(), 0U);
  const bool at_once = below(random, 2) == 0;
  std::size_t next = 0;
  while (next < order.size() || !active.empty()) {
    std::vector<std::uint32_t> ended;
    solver.take_due(ended);
    for (const std::uint32_t tag : ended) ASSERT_EQ(active.erase(tag), 1U);
    const std::size_t starts = at_once ? order.size() : 1 + below(random, 4);
    for (std::size_t i = 0; i < starts && next < order.size(); ++i, ++next) {
      solver.attach(order[next], net.routes[order[next]], net.bytes[order[next]]);
      active.insert(order[next]);
    }
    solver.repair();
    ASSERT_EQ(solver.fault(), "");
    expect_brute(net, solver, active);
    if (testing::Test::HasFatalFailure()) return;
    if (active.empty() && next == order.size()) return;
    ASSERT_NE(solver.next().value, active.empty() ? 0 : MaxMin::kNever);
    const std::int64_t soon = solver.now().value + 1 + below(random, 2'000'000);
    const bool start = next < order.size() && (active.empty() || soon < solver.next().value);
    solver.advance(start ? Time(soon) : std::max(solver.next(), solver.now()));
  }
}

TEST(MaxMin, EqualsProgressiveFillingOnRandomNetworks) {
  for (const MaxMin::Way way : {MaxMin::Way::kLocal, MaxMin::Way::kDense}) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      Random random(seed, "max-min networks");
      const Net net = random_net(random);
      play(net, random, way);
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << " way " << static_cast<int>(way);
    }
  }
}

// Star: link 2e goes up from end e, 2e + 1 down to it.
std::vector<LinkRate> star(std::uint32_t ends, std::int64_t rate) {
  return std::vector<LinkRate>(2 * ends, LinkRate{Bandwidth(rate), 1, false});
}

struct Ended {
  std::map<std::uint32_t, std::int64_t> at;  // by tag
  std::set<std::int64_t> instants;
};

Ended run_out(MaxMin& solver) {
  Ended ended;
  solver.repair();
  while (solver.active() > 0) {
    if (solver.next().value == MaxMin::kNever) {
      ADD_FAILURE() << "stalled";
      break;
    }
    solver.advance(solver.next());
    std::vector<std::uint32_t> tags;
    solver.take_due(tags);
    for (const std::uint32_t tag : tags) ended.at[tag] = solver.now().value;
    ended.instants.insert(solver.now().value);
    solver.repair();
    EXPECT_EQ(solver.fault(), "");
  }
  return ended;
}

// Sizes by distance round the circle: every end has the same 23 sizes to send and to receive, so
// there are exactly 23 instants, each known on paper.
TEST(MaxMin, CirculantSizesEndAtTheirExactInstants) {
  constexpr std::uint32_t kEnds = 24;
  for (const MaxMin::Way way : kWays) {
    MaxMin solver(star(kEnds, 50'000'000'000), 1, {}, way);
    for (std::uint32_t from = 0; from < kEnds; ++from) {
      for (std::uint32_t d = 1; d < kEnds; ++d) {
        const std::uint32_t to = (from + d) % kEnds;
        const Share route[] = {{2 * from, 1}, {2 * to + 1, 1}};
        solver.attach(from * kEnds + d, route, Bytes(65'536 - 1'000 * d));
      }
    }
    const Ended ended = run_out(solver);
    EXPECT_EQ(ended.instants.size(), kEnds - 1);
    for (const auto& [tag, time] : ended.at) {
      const std::int64_t d = tag % kEnds;
      // The d' > d of one end have ended; what this one sent, each of the others has sent too.
      std::int64_t sent = 0;
      for (std::int64_t e = 1; e < kEnds; ++e)
        sent += std::min(65'536 - 1'000 * e, 65'536 - 1'000 * d);
      EXPECT_EQ(time, sent * 20) << "distance " << d;
    }
  }
}

// Unequal all-to-all: the engines give every flow the same picosecond, and the one that chooses by
// itself goes from lists to rows and back.
TEST(MaxMin, TheEnginesAgreeToThePicosecond) {
  constexpr std::uint32_t kEnds = 40;
  std::vector<Ended> ended;
  for (const MaxMin::Way way : kWays) {
    MaxMin solver(star(kEnds, 50'000'000'000), 1, {}, way);
    Random random(7, "sizes");
    for (std::uint32_t from = 0; from < kEnds; ++from) {
      for (std::uint32_t to = 0; to < kEnds; ++to) {
        const Share route[] = {{2 * from, 1}, {2 * to + 1, 1}};
        if (from != to)
          solver.attach(from * kEnds + to, route, Bytes(32'768 + below(random, 32'768)));
      }
    }
    ended.push_back(run_out(solver));
    if (way == MaxMin::Way::kByItself) {
      EXPECT_GE(solver.changes_of_engine(), 1U);
    }
  }
  EXPECT_EQ(ended[0].at.size(), kEnds * (kEnds - 1));
  EXPECT_EQ(ended[0].at, ended[1].at);
  EXPECT_EQ(ended[1].at, ended[2].at);
}

// n idle senders start to one sink at once: the sums of mid-repair must not overflow.
TEST(MaxMin, IncastOfManyStartsSharesTheSink) {
  for (const std::uint32_t way_and_n : {4U, 20U, 64U, 100U, 500U, 1'004U, 1'064U, 1'500U}) {
    const std::uint32_t n = way_and_n % 1'000;
    const MaxMin::Way way = way_and_n < 1'000 ? MaxMin::Way::kLocal : MaxMin::Way::kDense;
    MaxMin solver(star(n + 1, 50'000'000'000), 1, {}, way);
    for (std::uint32_t i = 0; i < n; ++i) {
      const Share route[] = {{2 * i, 1}, {2 * n + 1, 1}};
      solver.attach(i, route, Bytes(50'000));
    }
    solver.repair();
    for (std::uint32_t i = 0; i < n; ++i) {
      ASSERT_NEAR(solver.rate_of(i), 50e9 / n, 50e9 / n * 1e-9) << n << " senders";
    }
    const Ended ended = run_out(solver);
    EXPECT_EQ(ended.at.at(0), std::int64_t{1'000'000} * n);
    EXPECT_EQ(ended.instants.size(), 1U);
  }
}

// 64 sources, each with ten short flows that end together and one long one to a common sink: all
// sources rise eleven-fold before the sink is looked at.
TEST(MaxMin, RisesOfManySourcesAtOnceDoNotOverflow) {
  constexpr std::uint32_t kSources = 64;
  const std::uint32_t sink = kSources * 11;
  for (const MaxMin::Way way : kWays) {
    MaxMin solver(star(kSources * 11 + 1, 50'000'000'000), 1, {}, way);
    for (std::uint32_t s = 0; s < kSources; ++s) {
      for (std::uint32_t i = 0; i < 10; ++i) {
        const Share route[] = {{2 * s, 1}, {2 * (kSources + s * 10 + i) + 1, 1}};
        solver.attach(s * 11 + i, route, Bytes(10'000));
      }
      const Share route[] = {{2 * s, 1}, {2 * sink + 1, 1}};
      solver.attach(s * 11 + 10, route, Bytes(1'000'000));
    }
    const Ended ended = run_out(solver);
    // The sink is full from the start: 64 MB at 50 GB/s.
    EXPECT_EQ(ended.at.at(10), 64 * 20'000'000);
  }
}

TEST(MaxMin, ALinkWithoutCapacityStallsWhatCrossesIt) {
  std::vector<LinkRate> links = star(2, 50'000'000'000);
  links[1].rate = Bandwidth(0);
  MaxMin solver(links, 1);
  const Share dead[] = {{0, 1}, {1, 1}};
  const Share live[] = {{0, 1}, {3, 1}};
  solver.attach(0, dead, Bytes(1'000));
  solver.attach(1, live, Bytes(1'000));
  solver.repair();
  solver.advance(solver.next());
  std::vector<std::uint32_t> ended;
  solver.take_due(ended);
  EXPECT_EQ(ended, std::vector<std::uint32_t>{1});
  EXPECT_EQ(solver.now().value, 20'000);  // all of the link: the dead flow takes nothing
  solver.repair();
  EXPECT_EQ(solver.next().value, MaxMin::kNever);
  EXPECT_EQ(solver.active(), 1U);
}

TEST(MaxMin, AClassOfEqualFlowsCountsAsThatMany) {
  MaxMin solver(star(3, 50'000'000'000), 4);
  const Share three[] = {{0, 1}, {3, 1}};
  const Share one[] = {{0, 1}, {5, 1}};
  solver.attach(0, three, Bytes(30'000), 3);
  solver.attach(1, one, Bytes(40'000));
  const Ended ended = run_out(solver);
  EXPECT_EQ(ended.at.at(0), 40'000 * 20);  // three quarters of 50 GB/s
  EXPECT_EQ(ended.at.at(1), 40'000 * 20 + 30'000 * 20);
}

TEST(MaxMin, ASlowedLinkSlowsItsFlowsFromThenOn) {
  for (const MaxMin::Way way : kWays) {
    MaxMin solver(star(2, 50'000'000'000), 1, {}, way);
    const Share route[] = {{0, 1}, {3, 1}};
    solver.attach(0, route, Bytes(100'000));
    solver.repair();
    solver.advance(Time(1'000'000));  // half is through
    solver.set_rate(3, {Bandwidth(25'000'000'000), 1, false});
    EXPECT_EQ(run_out(solver).at.at(0), 3'000'000);
  }
}

}  // namespace
}  // namespace sim::flow
