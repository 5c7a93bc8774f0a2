// SPDX-License-Identifier: GPL-2.0-only
// The max-min solver beside SimGrid (S4U, its flow level) on equal work: all-to-alls on one switch
// of 50 GB/s ports, with equal and with unequal sizes. Checks that every transfer ends at the same
// time, within the 1 ns to which SimGrid's precision is set here, and prints what each cost.
//
// SimGrid's settings: model CM02 without cross-traffic and TCP window, latency 0, network/optim
// Full (its default "Lazy" is not max-min on shared links), precisions tightened. Both count CPU
// time from the first start to the last end, without start-up. Usage: ultrasim_beside_simgrid
// [ENDS]
#include <fmt/core.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/engine/flow/max_min.h"

namespace {

namespace sg = simgrid::s4u;

struct Work {
  std::string name;
  std::uint32_t ends = 0;
  std::vector<std::int64_t> bytes;  // by from x to; 0 on the diagonal
};

struct Ran {
  std::vector<double> end;  // seconds, by from x to
  double cpu = 0;
};

double cpu_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Work all_to_all(const std::string& name, std::uint32_t ends, bool equal) {
  Work work{name, ends, std::vector<std::int64_t>(std::size_t{ends} * ends, 0)};
  sim::Random random(1, "sizes");
  for (std::uint32_t from = 0; from < ends; ++from) {
    for (std::uint32_t to = 0; to < ends; ++to) {
      const double u = static_cast<double>(random.below(1'000'000)) / 1e6;
      const double share = equal ? 1 : 1 - 0.5 * u;
      if (from != to) work.bytes[from * ends + to] = static_cast<std::int64_t>(65'536 * share);
    }
  }
  return work;
}

Ran by_ultrasim(const Work& work) {
  using sim::flow::Share;
  Ran ran{std::vector<double>(work.bytes.size(), 0)};
  const double start = cpu_now();
  const std::vector<sim::flow::LinkRate> links(std::size_t{2} * work.ends,
                                               {sim::gigabytes_per_second(50), 1, false});
  sim::flow::MaxMin solver(links, 1);
  for (std::uint32_t i = 0; i < work.bytes.size(); ++i) {
    if (work.bytes[i] == 0) continue;
    const Share route[] = {{2 * (i / work.ends), 1}, {2 * (i % work.ends) + 1, 1}};
    solver.attach(i, route, sim::Bytes(work.bytes[i]));
  }
  std::vector<std::uint32_t> ended;
  solver.repair();
  while (solver.active() > 0) {
    solver.advance(solver.next());
    ended.clear();
    solver.take_due(ended);
    for (const std::uint32_t i : ended) ran.end[i] = sim::seconds(solver.now());
    solver.repair();
  }
  ran.cpu = cpu_now() - start;
  return ran;
}

// One switch: a star zone of hosts with a link up and a link down each.
void draw_star(std::uint32_t ends, std::vector<sg::Host*>& hosts) {
  auto* zone = sg::create_star_zone("star");
  for (std::uint32_t i = 0; i < ends; ++i) {
    auto* host = zone->create_host("h" + std::to_string(i), 1e9);
    auto* up = zone->create_link("up" + std::to_string(i), 50e9)->set_latency(0)->seal();
    auto* down = zone->create_link("down" + std::to_string(i), 50e9)->set_latency(0)->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {sg::LinkInRoute(up)}, false);
    zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {sg::LinkInRoute(down)},
                    false);
    hosts.push_back(host);
  }
  zone->seal();
}

Ran by_simgrid(const Work& work, sg::Engine& engine) {
  Ran ran{std::vector<double>(work.bytes.size(), 0)};
  std::vector<sg::Host*> hosts;
  draw_star(work.ends, hosts);
  for (std::uint32_t from = 0; from < work.ends; ++from) {
    sg::Actor::create("s" + std::to_string(from), hosts[from], [&, from] {
      std::vector<sg::CommPtr> comms;
      for (std::uint32_t to = 0; to < work.ends; ++to) {
        const std::uint32_t i = from * work.ends + to;
        if (work.bytes[i] == 0) continue;
        auto comm = sg::Comm::sendto_init(hosts[from], hosts[to]);
        comm->set_payload_size(static_cast<std::uint64_t>(work.bytes[i]));
        comms.push_back(comm->start());
      }
      for (const sg::CommPtr& comm : comms) comm->wait();
      std::size_t next = 0;
      for (std::uint32_t to = 0; to < work.ends; ++to) {
        const std::uint32_t i = from * work.ends + to;
        if (work.bytes[i] > 0) ran.end[i] = comms[next++]->get_finish_time();
      }
    });
  }
  const double start = cpu_now();
  engine.run();
  ran.cpu = cpu_now() - start;
  return ran;
}

double farthest(const Ran& a, const Ran& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.end.size(); ++i)
    most = std::max(most, std::abs(a.end[i] - b.end[i]));
  return most;
}

}  // namespace

// One kind of work per run: SimGrid has one platform per process.
int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/TCP-gamma:0");
  sg::Engine::set_config("network/optim:Full");
  sg::Engine::set_config("surf/precision:1e-15");
  sg::Engine::set_config("maxmin/precision:1e-11");
  const bool equal = argc > 2 && std::string(argv[2]) == "equal";
  const auto ends = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 64);
  if (ends < 2 || ends > 2'000) {
    fmt::print(stderr, "usage: ultrasim_beside_simgrid [ENDS, 2 to 2000] [equal|unequal]\n");
    return 2;
  }
  const Work work = all_to_all(equal ? "equal" : "unequal", ends, equal);
  const Ran ours = by_ultrasim(work);
  const Ran theirs = by_simgrid(work, engine);
  const double off = farthest(ours, theirs);
  fmt::print(
      "all-to-all, {} sizes, {} ends: ultrasim {:.3f} CPU s, SimGrid {:.3f} CPU s, ratio "
      "{:.0f}; ends differ by at most {:.1f} ps\n",
      work.name, ends, ours.cpu, theirs.cpu, theirs.cpu / ours.cpu, off * 1e12);
  return off <= 1e-9 ? 0 : 1;
}
