// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/tenants.h"

#include "sim/base/check.h"

namespace sim::packet {

// The network as one job sees it: its ids from 0, its clock as it is. `run` only registers.
class Tenants::Tenant final : public Network {
 public:
  Tenant(PacketNetwork& network, const EndCosts& costs, const Schedule& schedule,
         const Placement& placement, std::uint32_t first)
      : network_(network),
        costs_(costs),
        schedule_(schedule),
        placement_(placement),
        first_(first),
        executor_(std::make_unique<Executor>(schedule, placement, costs_, *this)) {}

  [[nodiscard]] Time now() const override { return network_.now(); }
  void start(const Transfer& transfer) override {
    Transfer own = transfer;
    own.id += first_;
    network_.start(own);
  }
  // The launch of a collective comes in time from now, all else at a time.
  void wake_at(Time time, std::uint32_t id) override {
    if (id < schedule_.ops()) return network_.wake_at(time, first_ + id);
    launch_id_ = id;
    network_.wake_at(network_.now() + time, first_ + schedule_.ops());
  }
  void run(Sink& sink) override { sink_ = &sink; }

  [[nodiscard]] Executor& executor() { return *executor_; }
  [[nodiscard]] std::uint32_t end() const { return first_ + schedule_.ops() + 1; }
  [[nodiscard]] Sink& sink() { return *sink_; }
  [[nodiscard]] std::uint32_t own(std::uint32_t id) const {
    return id - first_ == schedule_.ops() ? launch_id_ : id - first_;
  }
  void start_again() {
    executor_ = std::make_unique<Executor>(schedule_, placement_, costs_, *this);
    executor_->run();
  }

 private:
  PacketNetwork& network_;
  const EndCosts costs_;
  const Schedule& schedule_;
  const Placement& placement_;
  std::uint32_t first_;
  std::uint32_t launch_id_ = 0;
  Sink* sink_ = nullptr;
  std::unique_ptr<Executor> executor_;
};

Tenants::Tenants(PacketNetwork& network, const EndCosts& costs)
    : network_(network), costs_(costs) {}

Tenants::~Tenants() = default;

Executor& Tenants::add(const Schedule& schedule, const Placement& placement) {
  tenants_.push_back(std::make_unique<Tenant>(network_, costs_, schedule, placement, next_id_));
  CHECK(tenants_.back()->end() > next_id_);  // ids have not run out
  next_id_ = tenants_.back()->end();
  return tenants_.back()->executor();
}

void Tenants::run() {
  network_.watch(tenants_.front()->end());
  for (const auto& tenant : tenants_) tenant->executor().run();
  if (tenants_.front()->executor().finished()) return;  // it had nothing to do
  network_.run(*this);
}

Tenants::Tenant& Tenants::tenant_of(std::uint32_t id) {
  for (const auto& tenant : tenants_) {
    if (id < tenant->end()) return *tenant;
  }
  CHECK(false);
  return *tenants_.front();
}

void Tenants::delivered(std::uint32_t id) {
  Tenant& tenant = tenant_of(id);
  tenant.sink().delivered(tenant.own(id));
  after(tenant);
}

void Tenants::woken(std::uint32_t id) {
  Tenant& tenant = tenant_of(id);
  tenant.sink().woken(tenant.own(id));
  after(tenant);
}

void Tenants::after(Tenant& tenant) {
  if (!tenant.executor().finished()) return;
  if (&tenant == tenants_.front().get()) return network_.stop();
  tenant.start_again();
}

}  // namespace sim::packet
