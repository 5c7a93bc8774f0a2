// SPDX-License-Identifier: GPL-2.0-only
#include "tests/analysis/sample.h"

#include <initializer_list>

#include "sim/base/units.h"

namespace analysis {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

sim::CaseOutcome all_to_all(const std::string& group, std::int64_t ranks, std::int64_t time_ps) {
  return sample_case({"all_to_all", "direct", group, ranks, 64 * kMiB, time_ps});
}

}  // namespace

sim::CaseOutcome sample_case(const SampleCase& sample) {
  sim::CaseOutcome one;
  one.name = sample.collective + "/" + sample.group + "/" + sample.algorithm;
  one.collective = sample.collective;
  one.algorithm = sample.algorithm;
  one.group = sample.group;
  one.ranks = sample.ranks;
  one.bytes = sample.bytes;
  one.time_ps = sample.time_ps;
  one.algorithm_bandwidth =
      sim::average_rate(sim::Bytes(sample.bytes), sim::Time(sample.time_ps)).value;
  one.bus_bandwidth = one.algorithm_bandwidth * 7 / 4;
  one.bound_ps = sample.time_ps / 4;
  one.bound = "sled: 512 GB/s per chip";
  one.bound_share_ppb = 250'000'000;
  one.transfers = 56;
  one.packets = sample.bytes / 4'096 * 14;
  one.packet_hops = 2 * one.packets;
  one.bottleneck = "endpoint cost";
  one.breakdown.launch_ps = sample.time_ps / 10;
  one.breakdown.endpoint_ps = sample.time_ps - sample.time_ps / 10;
  one.levels = {{"sled link", 8, sample.bytes, 310'000'000, "sled link: chip 0 -> switch 0"}};
  one.fingerprint = "0123456789abcdef";
  return one;
}

sim::Outcome sample_outcome() {
  sim::Outcome outcome;
  outcome.scenario = "moe-overhead";
  outcome.about = "What do TP and EP cost?";
  outcome.fabric = "Trn3 Gen2 UltraServer, 144 chips, wiring full";
  outcome.fidelity = "packet";
  outcome.version = "0.1.0";
  outcome.input_hash = "feedfacecafebeef";
  outcome.seed = 1;
  for (const SampleCase& sample : std::initializer_list<SampleCase>{
           {.algorithm = "direct", .bytes = 65'536, .time_ps = 7'930'000},
           {.algorithm = "direct", .bytes = kMiB, .time_ps = 11'200'000},
           {.algorithm = "direct", .bytes = 256 * kMiB, .time_ps = 1'402'310'000},
           {.algorithm = "ring", .bytes = 65'536, .time_ps = 21'000'000},
           {.algorithm = "ring", .bytes = kMiB, .time_ps = 22'500'000},
           {.algorithm = "ring", .bytes = 256 * kMiB, .time_ps = 996'000'000}}) {
    outcome.cases.push_back(sample_case(sample));
  }
  sim::CaseOutcome& large = outcome.cases.back();
  large.bottleneck = "sled link, 97 % busy";
  large.breakdown = {};
  large.breakdown.transmission_ps = 926'280'000;
  large.breakdown.endpoint_ps = large.time_ps - 926'280'000;
  outcome.cases.push_back(all_to_all("72 chips, rack_first", 72, 402'000'000));
  outcome.cases.push_back(all_to_all("144 chips", 144, 844'200'000));
  outcome.cases.back().levels.push_back({"twin link", 72, 9'000, 990'000'000, "twin link: x -> y"});
  outcome.assumptions = {
      {"sled.bandwidth", "512 GB/s", "256 GB/s", "512 GB/s", "published", "AWS"},
      {"endpoint.per_transfer", "1.5 us", "1 us", "2.5 us", "judged", "class of device"},
      {"switch.latency", "150 ns", "100 ns", "300 ns", "judged", "class of device"},
      {"neuronlink.efficiency", "0.9", "0.8", "0.95", "judged", "PCIe practice"},
      {"rack.wire_latency", "10 ns", "5 ns", "20 ns", "judged", "length"},
      {"packet.size", "4 KiB", "4 KiB", "4 KiB", "chosen", ""}};
  outcome.limits = {"no refresh of memory", "no neighbours"};
  return outcome;
}

}  // namespace analysis
