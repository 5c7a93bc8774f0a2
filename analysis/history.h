// SPDX-License-Identifier: GPL-2.0-only
// The file of a nightly job: the results of every night with what they cost, and the baselines that
// someone blessed. A night that was killed goes on where it was. Tables: nights, results (a
// results.pb each), baselines, blessings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/database.h"
#include "sim/base/result.h"
#include "sim/results/outcome.h"

namespace analysis {

// One scenario at one scale in one night.
struct NightResult {
  std::string name;  // "bench-ring-64-star.ends=32"
  sim::Outcome outcome;
  double cpu_seconds = 0;
  double calibration_seconds = 0;  // of a fixed loop on the same machine: speeds are its multiples
};
using NightResults = std::vector<NightResult>;

struct Night {
  std::string suite;
  std::string version;  // of ultrasim
  std::string commit;   // as the caller names it; may be empty
};

class History {
 public:
  [[nodiscard]] static sim::Result<History> open(const std::string& path);

  // A new night, or the one of the same suite, version and commit that was not finished.
  [[nodiscard]] sim::Result<std::int64_t> begin(const Night& night);
  [[nodiscard]] std::optional<sim::Failure> keep(std::int64_t night, const NightResult& result);
  [[nodiscard]] std::optional<sim::Failure> finish(std::int64_t night);

  [[nodiscard]] sim::Result<NightResults> results(std::int64_t night);  // as kept, in order
  [[nodiscard]] sim::Result<NightResults> baseline(const std::string& suite);
  // The last finished night of the suite before `night`; 0: none.
  [[nodiscard]] sim::Result<std::int64_t> finished_before(const std::string& suite,
                                                          std::int64_t night);
  // The results of the suite's last finished night become its baseline. Fails without one.
  [[nodiscard]] sim::Result<std::int64_t> bless(const std::string& suite,
                                                const std::string& reason);

 private:
  explicit History(Database database) : database_(std::move(database)) {}
  sim::Result<NightResults> read(const std::string& sql, const Cells& values);
  sim::Result<std::int64_t> number(const std::string& sql, const Cells& values);

  Database database_;
};

}  // namespace analysis
