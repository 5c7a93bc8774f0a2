// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/simulator.h"

#include <ns3/global-value.h>
#include <ns3/object-factory.h>
#include <ns3/scheduler.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <limits>
#include <utility>

#include "sim/base/check.h"

namespace sim::packet {
namespace {

constexpr std::uint32_t kOutside = 0xffff'ffffU;  // ns3::Simulator::NO_CONTEXT
constexpr std::uint32_t kFirstUid = ns3::EventId::VALID;

}  // namespace

NS_OBJECT_ENSURE_REGISTERED(WheelSimulator);

ns3::TypeId WheelSimulator::GetTypeId() {
  static ns3::TypeId id = ns3::TypeId("ultrasim::WheelSimulator")
                              .SetParent<ns3::SimulatorImpl>()
                              .SetGroupName("ultrasim")
                              .AddConstructor<WheelSimulator>();
  return id;
}

ns3::Ptr<WheelSimulator> WheelSimulator::install() {
  if (ns3::Time::GetResolution() != ns3::Time::PS) ns3::Time::SetResolution(ns3::Time::PS);
  ns3::GlobalValue::Bind("SimulatorImplementationType", ns3::StringValue(GetTypeId().GetName()));
  auto simulator = ns3::DynamicCast<WheelSimulator>(ns3::Simulator::GetImplementation());
  CHECK(simulator);  // another implementation is already running in this process
  return simulator;
}

WheelSimulator::WheelSimulator() : next_uid_(kFirstUid), context_(kOutside) { set_islands(1); }
WheelSimulator::~WheelSimulator() = default;

void WheelSimulator::DoDispose() {
  while (!queue_.empty()) queue_.pop();
  ordinary_.clear();
  ns3::SimulatorImpl::DoDispose();
}

void WheelSimulator::set_islands(std::uint32_t count) {
  CHECK(queue_.empty() && count > 0);
  sequence_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    sequence_[i] = static_cast<std::uint64_t>(i) << kIslandShift;
  }
}

void WheelSimulator::Destroy() {
  while (!at_destroy_.empty()) {
    const ns3::EventId id = at_destroy_.front();
    at_destroy_.erase(at_destroy_.begin());
    if (!id.PeekEventImpl()->IsCancelled()) id.PeekEventImpl()->Invoke();
  }
}

bool WheelSimulator::IsFinished() const { return queue_.empty() || stop_; }
void WheelSimulator::Stop() { stop_ = true; }

void WheelSimulator::Stop(const ns3::Time& delay) {
  ns3::Simulator::Schedule(delay, &ns3::Simulator::Stop);
}

ns3::EventId WheelSimulator::insert(std::uint32_t context, std::int64_t time,
                                    ns3::EventImpl* event) {
  CHECK(time >= now_);
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(ordinary_.size());
    ordinary_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  const std::uint32_t uid = next_uid_++;
  ordinary_[slot] = {ns3::Ptr<ns3::EventImpl>(event, false), context, uid};
  push(time, 0, kOrdinary, slot);
  return ns3::EventId(ordinary_[slot].event, static_cast<std::uint64_t>(time), context, uid);
}

void WheelSimulator::run_ordinary(std::uint32_t slot) {
  Ordinary event = std::move(ordinary_[slot]);
  ordinary_[slot] = {};
  free_.push_back(slot);
  context_ = event.context;
  current_uid_ = event.uid;
  ++ordinary_count_;
  event.event->Invoke();  // does nothing when cancelled
  context_ = kOutside;
}

ns3::EventId WheelSimulator::Schedule(const ns3::Time& delay, ns3::EventImpl* event) {
  return insert(context_, now_ + delay.GetTimeStep(), event);
}

void WheelSimulator::ScheduleWithContext(std::uint32_t context, const ns3::Time& delay,
                                         ns3::EventImpl* event) {
  insert(context, now_ + delay.GetTimeStep(), event);
}

ns3::EventId WheelSimulator::ScheduleNow(ns3::EventImpl* event) {
  return insert(context_, now_, event);
}

ns3::EventId WheelSimulator::ScheduleDestroy(ns3::EventImpl* event) {
  const ns3::EventId id(ns3::Ptr<ns3::EventImpl>(event, false), static_cast<std::uint64_t>(now_),
                        kOutside, ns3::EventId::DESTROY);
  at_destroy_.push_back(id);
  return id;
}

// The record stays in the queue and does nothing when its time comes.
void WheelSimulator::Remove(const ns3::EventId& id) { Cancel(id); }

void WheelSimulator::Cancel(const ns3::EventId& id) {
  if (!IsExpired(id)) id.PeekEventImpl()->Cancel();
}

bool WheelSimulator::IsExpired(const ns3::EventId& id) const {
  if (id.PeekEventImpl() == nullptr || id.PeekEventImpl()->IsCancelled()) return true;
  if (id.GetUid() == ns3::EventId::DESTROY) return false;
  const auto time = static_cast<std::int64_t>(id.GetTs());
  return time < now_ || (time == now_ && id.GetUid() <= current_uid_);
}

void WheelSimulator::Run() {
  stop_ = false;
  if (client_ != nullptr) return client_->drain();
  while (!queue_.empty() && !stop_) {
    const Event event = queue_.pop();
    now_ = event.time;
    run_ordinary(event.subject);
  }
}

ns3::Time WheelSimulator::Now() const { return ns3::TimeStep(static_cast<std::uint64_t>(now_)); }

ns3::Time WheelSimulator::GetDelayLeft(const ns3::EventId& id) const {
  if (IsExpired(id)) return ns3::TimeStep(0);
  return ns3::TimeStep(id.GetTs() - static_cast<std::uint64_t>(now_));
}

ns3::Time WheelSimulator::GetMaximumSimulationTime() const {
  return ns3::TimeStep(std::numeric_limits<std::int64_t>::max());
}

void WheelSimulator::SetScheduler(ns3::ObjectFactory /*scheduler_factory*/) {}
std::uint32_t WheelSimulator::GetSystemId() const { return 0; }
std::uint32_t WheelSimulator::GetContext() const { return context_; }
std::uint64_t WheelSimulator::GetEventCount() const { return ordinary_count_; }

}  // namespace sim::packet
