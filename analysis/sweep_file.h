// SPDX-License-Identifier: GPL-2.0-only
// The file that keeps a sweep: which sweep it is of, and every run that finished, with its whole
// Outcome. A run is there whole or not at all, and once. Tables: meta(key, value), runs(number,
// verdict, fault, outcome: a results.pb), changes(run, key, value), cases(run, name, time_ps, ...).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/database.h"
#include "sim/base/result.h"
#include "sim/results/outcome.h"

namespace analysis {

// What must be the same for two files to hold runs of one sweep.
struct SweepIdentity {
  std::string scenario;
  std::string input_hash;  // of the scenario text and the overrides of all runs
  std::string version;     // of ultrasim: results of two versions do not mix
  std::int64_t runs = 0;   // of the whole grid

  bool operator==(const SweepIdentity&) const = default;
};

struct SweepRun {
  std::int64_t number = 0;  // from 0, in the whole grid
  std::vector<std::pair<std::string, std::string>> changes;
  std::string fault;  // why there is no Outcome
  sim::Outcome outcome;
};

// One case of one run, as the tables hold it.
struct SweepCase {
  std::int64_t run = 0;
  std::string name;
  std::string verdict;
  std::int64_t time_ps = 0;
  std::int64_t bus_bandwidth = 0;
  std::string bottleneck;
};

class SweepFile {
 public:
  // Made anew, or gone on with; one of another sweep is refused.
  [[nodiscard]] static sim::Result<SweepFile> open(const std::string& path,
                                                   const SweepIdentity& identity);
  [[nodiscard]] static sim::Result<SweepFile> read(const std::string& path);

  [[nodiscard]] const SweepIdentity& identity() const { return identity_; }
  [[nodiscard]] sim::Result<std::vector<std::int64_t>> numbers();  // of the runs, ascending
  [[nodiscard]] std::optional<sim::Failure> keep(const SweepRun& run);
  // Copies what is not there yet. A run that both have with different results is a Failure.
  [[nodiscard]] std::optional<sim::Failure> take_from(SweepFile& other);

  struct Tables {
    std::vector<std::pair<std::int64_t, std::string>> faults;               // run, why
    std::vector<std::vector<std::pair<std::string, std::string>>> changes;  // by run; may be empty
    std::vector<SweepCase> cases;  // by run, then as in the scenario
  };
  [[nodiscard]] sim::Result<Tables> tables();

 private:
  SweepFile(Database database, SweepIdentity identity)
      : database_(std::move(database)), identity_(std::move(identity)) {}

  std::optional<sim::Failure> insert(const SweepRun& run, const std::string& bytes);

  Database database_;
  SweepIdentity identity_;
};

}  // namespace analysis
