// SPDX-License-Identifier: GPL-2.0-only
// The seam between schedules and fidelities. Whoever models the bytes owns the clock: a Network has
// four calls and reports to a Sink with two. A transfer's id is its op's number; ids of transfers
// under way are distinct. Calls of the Sink may start transfers and ask for wake-ups.
#pragma once

#include <cstdint>

#include "sim/base/units.h"
#include "sim/fabric/fabric.h"

namespace sim {

struct Transfer {
  std::uint32_t id = 0;
  EndpointId from{};
  EndpointId to{};  // differs from `from`
  Bytes bytes;      // > 0
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void delivered(std::uint32_t id) = 0;  // the last byte is in the receiver's memory
  virtual void woken(std::uint32_t id) = 0;
};

class Network {
 public:
  virtual ~Network() = default;

  [[nodiscard]] virtual Time now() const = 0;
  virtual void start(const Transfer& transfer) = 0;
  virtual void wake_at(Time time, std::uint32_t id) = 0;
  // Runs until nothing is left to happen, or `RunControl` says stop.
  virtual void run(Sink& sink) = 0;
};

}  // namespace sim
