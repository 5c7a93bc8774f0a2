// SPDX-License-Identifier: GPL-2.0-only
// Prices from the load on links: every transfer of an algorithm is laid along its routes, all
// groups of the family at once; a phase takes as long as its fullest link sends, plus the latency
// of its steps. Algorithms tried: direct (everybody to everybody), ring, and two levels (direct
// inside the outermost place that holds several members, ring or direct across); the cheapest is
// taken.
//
// Only the ranks of the first unit (an UltraServer, a server) are laid as senders: units are alike,
// and what arrives mirrors what leaves. Units beyond those in the fabric stand on the second one.
// Left out: waiting of packets for each other, and any lack of synchrony.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/workload/price.h"
#include "sim/base/parameter.h"
#include "sim/engine/costs.h"
#include "sim/engine/placement.h"
#include "sim/fabric/routes.h"

namespace workload {

class LinkPrice : public CollectivePrice {
 public:
  // The topology must outlive the price. `ranks`: of the whole cluster, the fabric's or more.
  LinkPrice(const sim::Topology& topology, const sim::Parameters& parameters, std::int64_t ranks);

  [[nodiscard]] Price price(Move move, const Group& group, std::int64_t bytes,
                            double stretch) override;
  [[nodiscard]] const std::vector<std::string>& tiers() const override { return tiers_; }
  [[nodiscard]] std::string source() const override;

  // Where the group of rank 0 sits; empty when two members would stand on one endpoint.
  [[nodiscard]] std::optional<sim::Placement> placement_of(const Group& group) const;
  // Members of it inside the outermost place that splits it evenly; 1 when none does.
  [[nodiscard]] std::int64_t inner_size(const Group& group) const;

 private:
  struct Phase {
    double latency = 0;  // ps, all steps
    double gap = 0;      // ps between the first and the last transfer of a step, all steps
    double slope = 0;    // ps a byte of the collective, on the fullest link
    double reduce = 0;   // ps a byte spent adding up
  };
  struct Candidate {
    std::string_view algorithm;
    std::vector<Phase> phases;
    std::array<double, kMostTiers> sent{};  // share of the bytes, by tier
  };
  struct Transfer {
    std::int64_t from = 0;
    std::int64_t to = 0;
    double share = 0;  // of the collective's bytes
  };
  using Transfers = std::vector<Transfer>;

  [[nodiscard]] sim::EndpointId endpoint_of(std::int64_t rank) const;
  [[nodiscard]] std::vector<std::int64_t> senders(const Group& group) const;
  [[nodiscard]] std::vector<Candidate> candidates(Move move, const Group& group);
  [[nodiscard]] Transfers direct(const Group& group, double share) const;
  [[nodiscard]] Transfers ring(const Group& group, double share) const;
  // The axes of a group inside and across the outermost place that splits it evenly.
  [[nodiscard]] bool split(const Group& group, Group& inner, Group& outer) const;
  void add_phase(Candidate& candidate, const Transfers& transfers, double steps, double gaps,
                 double reduced);
  void lay(const sim::EndpointId from, const sim::EndpointId to, double share);
  [[nodiscard]] std::size_t tier_of(sim::EndpointId from, sim::EndpointId to) const;
  [[nodiscard]] double cost(const Candidate& candidate, double bytes, double stretch) const;
  void add_two_levels(std::vector<Candidate>& list, Move move, const Group& group);

  const sim::Topology& topology_;
  sim::EndCosts costs_;
  std::int64_t ranks_;
  std::int64_t unit_;                      // ranks of one unit
  std::vector<const sim::Level*> nested_;  // innermost first
  std::vector<std::string> tiers_;
  std::vector<double> load_;  // by link, of the phase being laid
  std::vector<std::uint32_t> touched_;
  std::vector<sim::LinkId> path_;
  double latency_ = 0;               // largest of the phase being laid, ps
  std::vector<double> picoseconds_;  // of a byte, by link
  std::map<std::pair<Move, Group>, std::vector<Candidate>> known_;
};

}  // namespace workload
