// SPDX-License-Identifier: GPL-2.0-only
// WheelSimulator: an ns3::SimulatorImpl over the EventQueue, picked through ns-3's own global value
// "SimulatorImplementationType". Packet events are plain records handled by one client; ordinary
// ns-3 events (Simulator::Schedule) run in the same total order of (time, order). Time resolution
// is one picosecond. Owns pending ns-3 events.
#pragma once

#include <ns3/event-id.h>
#include <ns3/event-impl.h>
#include <ns3/nstime.h>
#include <ns3/ptr.h>
#include <ns3/simulator-impl.h>

#include <cstdint>
#include <vector>

#include "sim/engine/packet/event_queue.h"

namespace sim::packet {

// Runs the queue in the client's own tight loop; must hand events of kind `kOrdinary` back.
class EventClient {
 public:
  virtual ~EventClient() = default;
  virtual void drain() = 0;
};

class WheelSimulator final : public ns3::SimulatorImpl {
 public:
  static constexpr std::uint32_t kOrdinary = 0;  // Event::kind of an ns-3 event
  static constexpr int kIslandShift = 40;

  static ns3::TypeId GetTypeId();
  // Selects this implementation and picosecond resolution, creates it if need be, and returns it.
  static ns3::Ptr<WheelSimulator> install();

  WheelSimulator();
  ~WheelSimulator() override;

  void set_client(EventClient* client) { client_ = client; }
  // Logical processes: each has its own sequence, so that order never depends on who runs first.
  void set_islands(std::uint32_t count);

  // The hot path.
  [[nodiscard]] EventQueue& queue() { return queue_; }
  [[nodiscard]] std::int64_t now_ps() const { return now_; }
  void set_now(std::int64_t now) { now_ = now; }
  void push(std::int64_t time, std::uint32_t island, std::uint32_t kind, std::uint32_t subject) {
    queue_.push({time, sequence_[island]++, kind, subject});
  }
  void run_ordinary(std::uint32_t slot);
  [[nodiscard]] bool stopped() const { return stop_; }

  // ns3::SimulatorImpl
  void Destroy() override;
  bool IsFinished() const override;
  void Stop() override;
  void Stop(const ns3::Time& delay) override;
  ns3::EventId Schedule(const ns3::Time& delay, ns3::EventImpl* event) override;
  void ScheduleWithContext(std::uint32_t context, const ns3::Time& delay,
                           ns3::EventImpl* event) override;
  ns3::EventId ScheduleNow(ns3::EventImpl* event) override;
  ns3::EventId ScheduleDestroy(ns3::EventImpl* event) override;
  void Remove(const ns3::EventId& id) override;
  void Cancel(const ns3::EventId& id) override;
  bool IsExpired(const ns3::EventId& id) const override;
  void Run() override;
  ns3::Time Now() const override;
  ns3::Time GetDelayLeft(const ns3::EventId& id) const override;
  ns3::Time GetMaximumSimulationTime() const override;
  void SetScheduler(ns3::ObjectFactory scheduler_factory) override;  // the wheel is the scheduler
  std::uint32_t GetSystemId() const override;
  std::uint32_t GetContext() const override;
  std::uint64_t GetEventCount() const override;

 private:
  struct Ordinary {
    ns3::Ptr<ns3::EventImpl> event;
    std::uint32_t context = 0;
    std::uint32_t uid = 0;
  };

  void DoDispose() override;
  ns3::EventId insert(std::uint32_t context, std::int64_t time, ns3::EventImpl* event);

  EventQueue queue_;
  EventClient* client_ = nullptr;
  std::vector<std::uint64_t> sequence_;  // next order, by island
  std::int64_t now_ = 0;
  bool stop_ = false;
  std::vector<Ordinary> ordinary_;
  std::vector<std::uint32_t> free_;
  std::vector<ns3::EventId> at_destroy_;
  std::uint32_t next_uid_;
  std::uint32_t current_uid_ = 0;
  std::uint32_t context_;
  std::uint64_t ordinary_count_ = 0;
};

}  // namespace sim::packet
