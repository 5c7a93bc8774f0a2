// SPDX-License-Identifier: GPL-2.0-only
// PacketNetwork: the Network seam on ns-3, packet by packet. Builds ns-3 nodes, devices and
// channels for a Fabric (their attributes and trace sources stand for the ports), takes transfers,
// and runs them in the WheelSimulator. One at a time per process, as ns-3 has one simulator. Checks
// on the way: every byte arrives once, credits never go below zero, windows empty at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/random.h"
#include "sim/engine/costs.h"
#include "sim/engine/critical_path.h"
#include "sim/engine/network.h"
#include "sim/engine/packet/devices.h"
#include "sim/engine/packet/packet_options.h"
#include "sim/engine/packet/path_choice.h"
#include "sim/engine/packet/plain.h"
#include "sim/engine/packet/ports.h"
#include "sim/engine/packet/reliable.h"
#include "sim/engine/packet/sampler.h"
#include "sim/engine/packet/sources.h"
#include "sim/engine/packet/way.h"
#include "sim/engine/run_control.h"

namespace sim::packet {

class PacketNetwork final : public Network,
                            private PortClient,
                            private TransportClient,
                            private Activator,
                            private EventClient {
 public:
  PacketNetwork(const Topology& topology, const EndCosts& costs, const PacketOptions& options,
                std::uint64_t seed, const RunLimits& limits, RunControl& control);
  ~PacketNetwork() override;

  [[nodiscard]] Time now() const override { return Time(simulator_->now_ps()); }
  void start(const Transfer& transfer) override;
  void wake_at(Time time, std::uint32_t id) override;
  void run(Sink& sink) override;

  [[nodiscard]] RunEnd end() const { return end_; }
  [[nodiscard]] const Ports& ports() const { return ports_; }
  [[nodiscard]] std::uint64_t packet_hops() const { return ports_.hops(); }
  [[nodiscard]] std::uint64_t packets() const { return packets_sent_; }
  [[nodiscard]] std::uint64_t repeats() const { return reliable_.repeats(); }
  [[nodiscard]] std::uint64_t dropped() const;
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] const std::vector<std::string>& given_up() const { return given_up_; }
  [[nodiscard]] bool refused() const { return refused_; }  // one of them by its receiver
  // Empty when every buffer is empty, every credit is back and every window closed; else what is
  // not.
  [[nodiscard]] std::string leftover() const;

  // Links that wait for each other for good; empty when there are none.
  [[nodiscard]] std::string ring_of_waits() const;
  // Why nothing can move any more: a ring of waits, a link that is down for good, or what is left.
  [[nodiscard]] std::string why_stuck() const;
  // Before the run: what ails a link, packets of others at a link.
  void impair(LinkId link, const Impairment& what);
  void load(LinkId link, std::int64_t share_ppb);
  // With others on the network, which never end by themselves: transfers below `ids` are the
  // case's own, and when none of them has moved for long enough the run ends.
  void watch(std::uint32_t ids) { watched_ids_ = ids; }
  // Before the run: keeps what a Recording needs of transfers below `ids`.
  void record(std::uint32_t ids, std::int64_t period_ps);
  [[nodiscard]] const Sampler& sampler() const { return *sampler_; }
  [[nodiscard]] const std::vector<Time>& began() const { return began_; }  // by id, live
  void stop() { simulator_->Stop(); }
  [[nodiscard]] const Repairs& repairs() const { return repairs_; }

  // The ns-3 side: devices by link, for attributes, traces and ns-3 applications.
  [[nodiscard]] Devices& devices() {
    ports_.forbid_bursts();
    return *devices_;
  }

 private:
  // PortClient
  std::uint32_t next_local(std::uint32_t port) override;
  std::size_t local_burst(std::uint32_t port, std::span<std::uint32_t> packets) override;
  bool arriving(std::uint32_t packet, std::int64_t time) override;
  void arrived(std::uint32_t packet) override;
  void lost(std::uint32_t packet) override;
  void sent(std::uint32_t port, std::uint32_t packet) override;
  // TransportClient
  void received(std::uint32_t live, std::int64_t time) override;
  void repaired(std::uint32_t live, std::int64_t time) override;
  void give_up(std::uint32_t live, bool refused) override;
  void retire(std::uint32_t live) override;
  void nothing_to_send(std::uint32_t live) override { sources_.take_out(live); }
  void send_again(std::uint32_t live) override;
  void ports_may_send(std::uint32_t live) override;
  void find_path(std::uint32_t live, std::uint16_t path) override;
  // Activator
  std::uint32_t activate(const WaitingTransfer& waiting) override;
  // EventClient
  void drain() override;

  struct Background {  // packets of others at one link, at random times
    std::uint32_t port = 0;
    double mean_gap = 0;  // ps
    Random random;
  };

  void handle(const Event& event);
  void sample();
  void send_background(std::uint32_t index);
  void plan_background(std::uint32_t index);
  void note_sent(std::uint32_t packet);
  bool may_go_on();
  void keep_limits();
  void take_path(LiveTransfer& transfer);
  void find_paths(const WaitingTransfer& waiting, LiveTransfer& transfer);
  void open_reliable(const WaitingTransfer& waiting, std::uint32_t live);
  void renew_paths(std::uint32_t live, std::uint16_t epoch);
  void impair_ethernet();
  void write_path(const PathSet& set, std::uint32_t number, std::size_t first, std::size_t end,
                  const std::vector<LinkId>& links);

  const Topology& topology_;
  EndCosts costs_;
  PacketOptions options_;
  RunLimits limits_;
  RunControl& control_;
  ns3::Ptr<WheelSimulator> simulator_;
  PacketPool pool_;
  RouteStore routes_;
  Ways ways_;
  PathChoice choice_;
  Ports ports_;
  Pool<LiveTransfer> transfers_;
  Plain plain_;
  Reliable reliable_;
  Sources sources_;
  std::unique_ptr<Devices> devices_;
  Sink* sink_ = nullptr;
  std::uint64_t packets_sent_ = 0;
  std::uint64_t damaged_ = 0;
  std::uint64_t seed_ = 0;
  std::vector<Background> background_;
  PathSet nowhere_;  // an empty route
  std::uint32_t watched_ids_ = kNone;
  std::int64_t last_moved_ = 0;
  std::int64_t patience_ = 0;  // ps without any move of the case's own packets
  Repairs repairs_;
  std::unique_ptr<Sampler> sampler_;  // of a recorded run
  std::vector<Time> began_;           // of a recorded run
  std::uint64_t events_ = 0;
  std::uint64_t next_look_ = 0xffff;
  RunEnd end_ = RunEnd::kDone;
  std::vector<std::string> given_up_;
  bool refused_ = false;
  // Paths that packets under way may still be on, by transfer.
  std::vector<std::pair<std::uint32_t, PathSet>> replaced_;
};

}  // namespace sim::packet
