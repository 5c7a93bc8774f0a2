// SPDX-License-Identifier: GPL-2.0-only
// `routing` of an item of `workload`: what each rank owes each other in an all_to_all_v.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "collectives/routing.h"
#include "sim/base/diagnostic.h"
#include "sim/base/key.h"

namespace scenarios {

[[nodiscard]] sim::Key routing_key();

class RoutingItem {
 public:
  // Reads `routing` of `item`, if it is there; reports what the model lacks or has no use for.
  // Files are looked for in `folder`. `path` names the item in messages.
  RoutingItem(const sim::Section& item, std::string path, const std::string& folder,
              sim::Diagnostics& diagnostics);

  [[nodiscard]] bool given() const { return section_ != nullptr; }
  [[nodiscard]] bool is_random() const { return given() && routing_.is_random(); }
  // Over `ranks`, of which `server` share a server (0: not known), with `tokens` a rank; null after
  // a fault was reported.
  [[nodiscard]] std::shared_ptr<const collectives::Routing> over(sim::Rank ranks, sim::Rank server,
                                                                 std::int64_t tokens);
  // What it adds to the name of a group: "power_law 1.2, once a server".
  [[nodiscard]] const std::string& label() const { return label_; }

 private:
  void read_numbers();
  void read_matrix(const std::string& folder);
  void read_matrix_file(const std::string& folder);
  void check_uses();
  void write_label();
  void report(const std::string& key, std::string what, std::string expected);

  const sim::Section* section_ = nullptr;
  std::string path_;
  sim::Diagnostics& diagnostics_;
  collectives::Routing routing_;
  std::string label_;
};

}  // namespace scenarios
