// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/packet_network.h"

#include <fmt/format.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <cmath>

#include "sim/base/quantity.h"
#include "sim/engine/packet/chance.h"

namespace sim::packet {
namespace {

constexpr std::size_t kMostReported = 20;
constexpr std::int64_t kLeastPatience = 100'000'000'000;  // 100 ms

// Where a pair's run of paths starts, as a switch would hash it.
std::uint32_t path_hash(const ReliableWay& way) {
  return static_cast<std::uint32_t>(mixed(0, way.from_nic, way.to_nic) >> 32);
}

// Rate of the fastest Ethernet link of a NIC: where a paced sender starts.
std::int64_t line_rate(const Fabric& fabric) {
  std::int64_t rate = 0;
  for (std::uint32_t i = 0; i < fabric.links().size(); ++i) {
    const LinkId id{i};
    if (fabric.kind(id).flow != FlowControl::kDrop) continue;
    if (fabric.node(fabric.link(id).from).kind != NodeKind::kNic) continue;
    rate = std::max(rate, fabric.usable(id).value);
  }
  return rate;
}

}  // namespace

PacketNetwork::PacketNetwork(const Topology& topology, const EndCosts& costs,
                             const PacketOptions& options, std::uint64_t seed,
                             const RunLimits& limits, RunControl& control)
    : topology_(topology),
      costs_(costs),
      options_(options),
      limits_(limits),
      control_(control),
      simulator_(WheelSimulator::install()),
      ways_(topology, options.queueing.endless),
      choice_(topology, ways_, options.reroute_time),
      ports_(*topology.fabric, *simulator_, pool_, routes_, ways_.lanes(), options.queueing),
      plain_(transfers_, *this),
      reliable_(transfers_, *this, ports_, *simulator_, pool_, options.reliable,
                line_rate(*topology.fabric), seed),
      sources_(ports_, pool_, transfers_, *this, plain_, reliable_, options.dma_queues,
               ways_.lanes() == 1) {
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    ports_.set_full_payload(i, ways_.usual_payload(LinkId(i)));
  }
  ports_.set_client(this);
  ports_.set_seed(seed);
  seed_ = seed;
  patience_ = std::max(kLeastPatience, 100 * options.reliable.timer);
  impair_ethernet();
  simulator_->set_client(this);
  devices_ = std::make_unique<Devices>(*topology.fabric, ports_, pool_, routes_);
}

void PacketNetwork::impair_ethernet() {
  const Impairment what{.loss = options_.loss,
                        .corruption = options_.corruption,
                        .late = options_.late,
                        .lateness = options_.lateness,
                        .outages = {}};
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    if (topology_.fabric->kind(LinkId(i)).flow == FlowControl::kDrop) ports_.impair(i, what);
  }
}

PacketNetwork::~PacketNetwork() {
  devices_.reset();
  simulator_->set_client(nullptr);
  simulator_ = nullptr;
  ns3::Simulator::Destroy();
}

void PacketNetwork::start(const Transfer& transfer) {
  CHECK(transfer.bytes.value > 0 && transfer.from != transfer.to);
  const Ways::Way way = ways_.way(transfer.from, transfer.to);
  const Time cost = transfer_cost_before(costs_, way.crosses_nic, transfer.bytes);
  const std::uint32_t waiting = sources_.keep({transfer, way.port, kNone});
  if (cost.value == 0) return sources_.enqueue(waiting);
  simulator_->push(simulator_->now_ps() + cost.value, ports_.port(way.port).island, kStart,
                   waiting);
}

void PacketNetwork::load(LinkId link, std::int64_t share_ppb) {
  ports_.forbid_bursts();
  if (background_.empty()) nowhere_ = routes_.take(1, 0);
  const Port& port = ports_.port(index(link));
  const double gap = static_cast<double>(port.full_ps) * 1e9 / static_cast<double>(share_ppb);
  background_.push_back({index(link), gap, Random(seed_ + index(link), "background load")});
  plan_background(static_cast<std::uint32_t>(background_.size() - 1));
}

// Exponential gaps: packets of many others come independently of each other.
void PacketNetwork::plan_background(std::uint32_t number) {
  Background& load = background_[number];
  const double uniform = static_cast<double>((load.random.next() >> 11) + 1) * 0x1.0p-53;
  const auto gap = static_cast<std::int64_t>(-std::log(uniform) * load.mean_gap);
  simulator_->push(simulator_->now_ps() + gap, ports_.port(load.port).island, kBackgroundDue,
                   number);
}

void PacketNetwork::send_background(std::uint32_t number) {
  const std::uint32_t port = background_[number].port;
  const std::uint32_t index = pool_.take();
  Packet& packet = pool_[index];
  packet = Packet{};
  packet.kind = PacketKind::kBackground;
  packet.payload = ports_.port(port).full_payload;
  packet.route = nowhere_.first;
  ports_.offer(port, index);
  plan_background(number);
}

void PacketNetwork::record(std::uint32_t ids, std::int64_t period_ps) {
  ports_.forbid_bursts();
  began_.resize(ids);
  sampler_ = std::make_unique<Sampler>(*topology_.fabric, ports_, period_ps);
  simulator_->push(period_ps, 0, kSample, 0);
}

void PacketNetwork::sample() {
  sampler_->take();
  if (simulator_->queue().empty()) return;  // nothing else is left to happen
  simulator_->push(simulator_->now_ps() + sampler_->period(), 0, kSample, 0);
}

void PacketNetwork::wake_at(Time time, std::uint32_t id) {
  CHECK(time.value >= simulator_->now_ps());
  simulator_->push(time.value, 0, kWake, id);
}

void PacketNetwork::run(Sink& sink) {
  sink_ = &sink;
  devices_->note_traces();
  ns3::Simulator::Run();  // drains through `drain` below
  sink_ = nullptr;
  if (end_ == RunEnd::kDone) keep_limits();  // a run shorter than a look now and then
  control_.packet_hops.store(ports_.hops(), std::memory_order_relaxed);
  control_.now_ps.store(simulator_->now_ps(), std::memory_order_relaxed);
}

// Now and then: progress out, orders in.
bool PacketNetwork::may_go_on() {
  control_.packet_hops.store(ports_.hops(), std::memory_order_relaxed);
  control_.now_ps.store(simulator_->now_ps(), std::memory_order_relaxed);
  if (control_.stop.load(std::memory_order_relaxed)) end_ = RunEnd::kStopped;
  keep_limits();
  next_look_ = events_ + std::max<std::uint64_t>(0xffff, 8 * ports_.lanes());
  if (ports_.deadlocked()) return false;
  const bool waits = watched_ids_ != kNone && simulator_->now_ps() > last_moved_ + patience_;
  return end_ == RunEnd::kDone && !waits;
}

void PacketNetwork::keep_limits() {
  if (ports_.hops() > limits_.packet_hops) end_ = RunEnd::kHopLimit;
  if (simulator_->now_ps() > limits_.simulated_time.value) end_ = RunEnd::kTimeLimit;
}

void PacketNetwork::drain() {
  EventQueue& queue = simulator_->queue();
  while (!queue.empty() && !simulator_->stopped()) {
    if (++events_ >= next_look_ && !may_go_on()) return;
    const Event event = queue.pop();
    if (const Event* soon = queue.peek(2); soon != nullptr && soon->kind == kArrive) {
      __builtin_prefetch(pool_.data() + soon->subject);
    }
    simulator_->set_now(event.time);
    handle(event);
  }
}

void PacketNetwork::handle(const Event& event) {
  switch (event.kind) {
    case kArrive:
      return ports_.arrive(event.subject);
    case kDepart:
      return ports_.depart(event.subject);
    case kStart:
      return sources_.enqueue(event.subject);
    case kFinish:
      return sink_->delivered(event.subject);
    case kWake:
      return sink_->woken(event.subject);
    case kTimer:
      return reliable_.timer(event.subject);
    case kPace:
      return reliable_.pace(event.subject);
    case kBackgroundDue:
      return send_background(event.subject);
    case kFlush:
      return reliable_.flush(event.subject);
    case kSample:
      return sample();
    default:
      return simulator_->run_ordinary(event.subject);
  }
}

std::uint32_t PacketNetwork::next_local(std::uint32_t port) {
  const std::uint32_t packet = sources_.next_packet(port);
  if (packet == kNone) return packet;
  ++packets_sent_;
  if (watched_ids_ != kNone) note_sent(packet);
  return packet;
}

void PacketNetwork::note_sent(std::uint32_t packet) {
  if (transfers_[pool_[packet].transfer].id < watched_ids_) last_moved_ = simulator_->now_ps();
}

std::size_t PacketNetwork::local_burst(std::uint32_t port, std::span<std::uint32_t> packets) {
  const std::size_t count = sources_.burst(port, packets);
  packets_sent_ += count;
  if (watched_ids_ != kNone && count > 0) note_sent(packets[count - 1]);
  return count;
}

bool PacketNetwork::arriving(std::uint32_t index, std::int64_t time) {
  if (pool_[index].kind != PacketKind::kPlain) return false;
  plain_.arriving(pool_[index], time);
  pool_.give(index);
  return true;
}

void PacketNetwork::arrived(std::uint32_t index) {
  const Packet packet = pool_[index];  // a copy: the pool may move while it is handled
  pool_.give(index);
  if (packet.kind == PacketKind::kForeign) return devices_->arrived(packet);
  if (packet.kind == PacketKind::kBackground) return;
  if ((packet.marks & kDamaged) == 0) return reliable_.arrived(packet);
  ++damaged_;
  reliable_.lost(packet);
}

void PacketNetwork::lost(std::uint32_t index) {
  const Packet packet = pool_[index];
  if (packet.held != kNone) ports_.drop_held(packet);
  pool_.give(index);
  if (packet.kind == PacketKind::kForeign) return devices_->lost(packet);
  if (packet.kind == PacketKind::kBackground) return;
  reliable_.lost(packet);
}

void PacketNetwork::sent(std::uint32_t port, std::uint32_t packet) {
  devices_->trace_sent(port, pool_[packet]);
}

void PacketNetwork::received(std::uint32_t live, std::int64_t time) {
  const LiveTransfer& transfer = transfers_[live];
  const Time written = transfer_cost_after(costs_);
  simulator_->push(time + written.value, transfer.far_island, kFinish, transfer.id);
}

void PacketNetwork::repaired(std::uint32_t live, std::int64_t time) {
  repairs_[transfers_[live].id] = Time(time);
}

void PacketNetwork::give_up(std::uint32_t live, bool refused) {
  refused_ = refused_ || refused;
  if (given_up_.size() >= kMostReported) return;
  const LiveTransfer& transfer = transfers_[live];
  const std::string why =
      refused ? fmt::format("its receiver was not ready {} times for one packet",
                            options_.reliable.not_ready_limit + 1)
              : fmt::format("given up after {} repeats of one packet", options_.reliable.limit);
  given_up_.push_back(fmt::format("transfer {} over {} {}", transfer.id,
                                  topology_.fabric->describe(LinkId(transfer.port)), why));
}

void PacketNetwork::retire(std::uint32_t live) {
  routes_.give(transfers_[live].data);
  if (transfers_[live].reliable) routes_.give(reliable_.way(live).back);
  std::erase_if(replaced_, [&](const auto& old) {
    if (old.first != live) return false;
    routes_.give(old.second);
    return true;
  });
  CHECK(!transfers_[live].queued);
  transfers_.give(live);
}

void PacketNetwork::send_again(std::uint32_t live) { sources_.put_back(live); }

void PacketNetwork::ports_may_send(std::uint32_t live) {
  for (const std::uint32_t port : reliable_.ports_of(live)) sources_.wake(port);
}

void PacketNetwork::write_path(const PathSet& set, std::uint32_t number, std::size_t first,
                               std::size_t end, const std::vector<LinkId>& links) {
  CHECK(end - first < set.stride);
  for (std::size_t i = first; i < end; ++i) {
    routes_.write(set.path(number) + static_cast<std::uint32_t>(i - first), index(links[i]));
  }
}

// The one path of a plain transfer, which `ways_` holds.
void PacketNetwork::take_path(LiveTransfer& transfer) {
  const std::vector<LinkId>& links = ways_.links();
  transfer.data = routes_.take(1, static_cast<std::uint32_t>(links.size()) + 2);
  write_path(transfer.data, 0, 0, links.size(), links);
}

// All paths of a pair, over which a plain transfer spreads its packets.
void PacketNetwork::find_paths(const WaitingTransfer& waiting, LiveTransfer& transfer) {
  const EndpointId from = waiting.transfer.from;
  const EndpointId to = waiting.transfer.to;
  const std::uint32_t all = topology_.routes->path_count(from, to);
  const auto longest = static_cast<std::uint32_t>(ways_.path(from, to, 0).size()) + 2;
  transfer.data = routes_.take(all, longest);
  for (std::uint32_t i = 0; i < all; ++i) {
    const std::vector<LinkId>& path = ways_.path(from, to, i);
    CHECK(index(path.front()) == waiting.port);  // all paths of a pair leave by one port
    write_path(transfer.data, i, 0, path.size(), path);
  }
}

// Room for the paths of a reliable transfer, which are found when a packet first takes them. With
// more paths than `efa.paths`, each pair of NICs takes its own run of them.
void PacketNetwork::open_reliable(const WaitingTransfer& waiting, std::uint32_t live) {
  const Fabric& fabric = *topology_.fabric;
  ReliableWay way;
  way.from = waiting.transfer.from;
  way.to = waiting.transfer.to;
  const std::vector<LinkId>& links = ways_.links();  // of path 0
  const Ways::Part part = ways_.lossy_part(links);
  way.from_nic = index(fabric.link(links[part.first]).from);
  way.to_nic = index(fabric.link(links[part.end - 1]).to);
  way.paths = topology_.routes->path_count(way.from, way.to);
  const std::uint32_t used = std::min(way.paths, options_.paths);
  way.start = used == way.paths ? 0 : path_hash(way) % way.paths;
  if (waiting.transfer.bytes.value <= options_.stripe_above) {
    choice_.take_one_nic(way, waiting.transfer.id);
  }
  const auto longest = static_cast<std::uint32_t>(links.size()) + 2;
  transfers_[live].data = routes_.take(used, longest);
  way.back = routes_.take(used, longest);
  transfers_[live].epoch = choice_.epoch(simulator_->now_ps());
  reliable_.set_way(live, way);
  reliable_.open(live);
}

void PacketNetwork::impair(LinkId link, const Impairment& what) {
  ports_.impair(index(link), what);
  for (const Outage& outage : what.outages) choice_.goes_down(link, outage.from, outage.to);
}

// Packets under way keep the paths that they have read in part.
void PacketNetwork::renew_paths(std::uint32_t live, std::uint16_t epoch) {
  LiveTransfer& transfer = transfers_[live];
  transfer.epoch = epoch;
  const PathSet back = reliable_.way(live).back;
  replaced_.emplace_back(live, transfer.data);
  replaced_.emplace_back(live, back);
  transfer.data = routes_.take(transfer.data.paths, transfer.data.stride - 1);
  reliable_.set_back(live, routes_.take(back.paths, back.stride - 1));
}

void PacketNetwork::find_path(std::uint32_t live, std::uint16_t number) {
  const std::uint16_t epoch = choice_.epoch(simulator_->now_ps());
  if (transfers_[live].epoch != epoch) renew_paths(live, epoch);
  const LiveTransfer& transfer = transfers_[live];
  if (routes_[transfer.data.path(number)] != kRouteEnd) return;
  const ReliableWay& way = reliable_.way(live);
  const std::uint32_t among = choice_.choose(way, number);
  const std::vector<LinkId>& there = ways_.path(way.from, way.to, among);
  CHECK(index(there.front()) == transfer.port);  // all paths of a pair leave by one port
  write_path(transfer.data, number, 0, there.size(), there);
  const std::vector<LinkId>& back = ways_.path(way.to, way.from, among);
  const Ways::Part part = ways_.lossy_part(back);
  write_path(way.back, number, part.first, part.end, back);
}

std::uint32_t PacketNetwork::activate(const WaitingTransfer& waiting) {
  const Ways::Way way = ways_.way(waiting.transfer.from, waiting.transfer.to);
  const std::uint32_t live = transfers_.take();
  LiveTransfer& transfer = transfers_[live];
  const std::int64_t bytes = waiting.transfer.bytes.value;
  transfer.id = waiting.transfer.id;
  if (transfer.id < began_.size()) began_[transfer.id] = now();
  transfer.port = waiting.port;
  transfer.semaphore = way.lossy ? 0 : options_.semaphore;
  transfer.unsent = transfer.missing = bytes + transfer.semaphore;
  transfer.payload = way.payload;
  transfer.last_payload = static_cast<std::uint32_t>((bytes - 1) % way.payload + 1);
  transfer.lane = topology_.routes->lane(waiting.transfer.from, waiting.transfer.to);
  CHECK(transfer.lane < ways_.lanes());
  transfer.reliable = way.lossy;
  transfer.far_island = ports_.far_island(way.last_port);
  if (way.lossy) {
    open_reliable(waiting, live);
  } else if (topology_.routes->path_count(waiting.transfer.from, waiting.transfer.to) == 1) {
    take_path(transfer);
  } else {
    find_paths(waiting, transfer);
  }
  return live;
}

std::uint64_t PacketNetwork::dropped() const {
  std::int64_t dropped = 0;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) dropped += ports_.use(port).dropped;
  return static_cast<std::uint64_t>(dropped) + damaged_;
}

std::string PacketNetwork::ring_of_waits() const {
  const std::vector<std::uint32_t> ring = ports_.waiting_ring();
  if (ring.empty()) return {};
  std::string text = "deadlock, each waits for a buffer that the next one holds";
  for (const std::uint32_t port : ring) text += "; " + topology_.fabric->describe(LinkId(port));
  return text;
}

std::string PacketNetwork::why_stuck() const {
  const Fabric& fabric = *topology_.fabric;
  if (std::string ring = ring_of_waits(); !ring.empty()) return ring;
  if (!ports_.stuck().empty()) {
    return "a link carries nothing any more: " + fabric.describe(LinkId(ports_.stuck().front()));
  }
  return leftover();
}

std::string PacketNetwork::leftover() const {
  const Fabric& fabric = *topology_.fabric;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    const std::string name = fabric.describe(LinkId(port));
    if (ports_.queued(port) != 0)
      return fmt::format("{} B queued at {}", ports_.queued(port), name);
    if (!ports_.has_credits(port)) continue;
    for (std::uint8_t lane = 0; lane < ways_.lanes(); ++lane) {
      const std::int64_t back = ports_.credits(port, lane) + ports_.promised(port, lane);
      const std::int64_t all = fabric.kind(LinkId(port)).buffer.value;
      if (back != all) return fmt::format("{} of {} B of credit back at {}", back, all, name);
    }
  }
  if (reliable_.in_flight() != 0) return "a window is still open";
  if (sources_.kept() != 0 || transfers_.in_use() != 0) return "a transfer is still under way";
  return {};
}

}  // namespace sim::packet
