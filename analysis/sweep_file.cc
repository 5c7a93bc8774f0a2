// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/sweep_file.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "sim/results/codec.h"

namespace analysis {
namespace {

using sim::Failure;

constexpr const char* kFormat = "1";

constexpr std::array<const char*, 4> kTables = {
    "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS runs (number INTEGER PRIMARY KEY, verdict TEXT NOT NULL, "
    "fault TEXT NOT NULL, outcome BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS changes (run INTEGER NOT NULL, key TEXT NOT NULL, "
    "value TEXT NOT NULL, PRIMARY KEY (run, key)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS cases (run INTEGER NOT NULL, place INTEGER NOT NULL, "
    "name TEXT NOT NULL, verdict TEXT NOT NULL, ranks INTEGER, bytes INTEGER, time_ps INTEGER, "
    "bus_bandwidth_bytes_per_s INTEGER, bound_ps INTEGER, bottleneck TEXT, fingerprint TEXT, "
    "PRIMARY KEY (run, place)) WITHOUT ROWID"};

using Meta = std::map<std::string, Cell>;

Meta meta_of(const SweepIdentity& identity) {
  return {{"format", std::string(kFormat)},
          {"scenario", identity.scenario},
          {"input_hash", identity.input_hash},
          {"version", identity.version},
          {"runs", identity.runs}};
}

sim::Result<Meta> read_meta(Database& database) {
  Meta meta;
  auto fault = database.each("SELECT key, value FROM meta", {},
                             [&](const Cells& row) { meta[text_of(row[0])] = row[1]; });
  if (fault) return *fault;
  return meta;
}

SweepIdentity identity_of(Meta meta) {
  return {text_of(meta["scenario"]), text_of(meta["input_hash"]), text_of(meta["version"]),
          integer_of(meta["runs"])};
}

std::optional<Failure> make_tables(Database& database, const SweepIdentity& identity) {
  return database.together([&]() -> std::optional<Failure> {
    for (const char* sql : kTables) {
      if (auto fault = database.run(sql)) return fault;
    }
    for (const auto& [key, value] : meta_of(identity)) {
      if (auto fault = database.run("INSERT OR IGNORE INTO meta VALUES (?, ?)", {key, value})) {
        return fault;
      }
    }
    return std::nullopt;
  });
}

std::string difference(const SweepIdentity& there, const SweepIdentity& wanted) {
  if (there.scenario != wanted.scenario) return "scenario " + there.scenario;
  if (there.version != wanted.version) return "ultrasim " + there.version;
  if (there.runs != wanted.runs) return fmt::format("{} runs", there.runs);
  return "another version of the scenario file or other --set";
}

Cells case_cells(std::int64_t run, std::int64_t place, const sim::CaseOutcome& one) {
  return {run,          place,          one.name,       std::string(sim::name_of(one.verdict)),
          one.ranks,    one.bytes,      one.time_ps,    one.bus_bandwidth,
          one.bound_ps, one.bottleneck, one.fingerprint};
}

}  // namespace

sim::Result<SweepFile> SweepFile::open(const std::string& path, const SweepIdentity& identity) {
  sim::Result<Database> database = Database::open(path, Database::Mode::kWrite);
  if (!database.ok()) return database.failure();
  if (auto fault = make_tables(database.value(), identity)) return *fault;
  sim::Result<Meta> meta = read_meta(database.value());
  if (!meta.ok()) return meta.failure();
  const SweepIdentity there = identity_of(meta.value());
  if (there != identity) {
    return Failure{fmt::format("{} holds another sweep: of {}", path, difference(there, identity)),
                   "name another file with --results, or move this one away"};
  }
  return SweepFile(std::move(database).value(), identity);
}

sim::Result<SweepFile> SweepFile::read(const std::string& path) {
  sim::Result<Database> database = Database::open(path, Database::Mode::kRead);
  if (!database.ok()) return database.failure();
  sim::Result<Meta> meta = read_meta(database.value());
  if (!meta.ok()) return Failure{meta.failure().what, "it has to be the file of a sweep"};
  if (text_of(meta.value()["format"]) != kFormat) {
    return Failure{fmt::format("{} is of another version of ultrasim", path), ""};
  }
  SweepIdentity identity = identity_of(std::move(meta).value());
  return SweepFile(std::move(database).value(), std::move(identity));
}

sim::Result<std::vector<std::int64_t>> SweepFile::numbers() {
  std::vector<std::int64_t> numbers;
  auto fault = database_.each("SELECT number FROM runs ORDER BY number", {},
                              [&](const Cells& row) { numbers.push_back(integer_of(row[0])); });
  if (fault) return *fault;
  return numbers;
}

std::optional<Failure> SweepFile::insert(const SweepRun& run, const std::string& bytes) {
  const std::string verdict =
      run.fault.empty() ? std::string(sim::name_of(run.outcome.verdict)) : "failed";
  if (auto fault = database_.run("INSERT INTO runs VALUES (?, ?, ?, ?)",
                                 {run.number, verdict, run.fault, Blob{bytes}})) {
    return fault;
  }
  for (const auto& [key, value] : run.changes) {
    if (auto fault =
            database_.run("INSERT INTO changes VALUES (?, ?, ?)", {run.number, key, value})) {
      return fault;
    }
  }
  std::int64_t place = 0;
  for (const sim::CaseOutcome& one : run.outcome.cases) {
    if (auto fault = database_.run("INSERT INTO cases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                   case_cells(run.number, place++, one))) {
      return fault;
    }
  }
  return std::nullopt;
}

std::optional<Failure> SweepFile::keep(const SweepRun& run) {
  const std::string bytes = run.fault.empty() ? sim::encode(run.outcome) : "";
  return database_.together([&] { return insert(run, bytes); });
}

std::optional<Failure> SweepFile::take_from(SweepFile& other) {
  if (other.identity_ != identity_) {
    return Failure{"the files are of different sweeps: " + difference(other.identity_, identity_) +
                       " in the second",
                   ""};
  }
  std::map<std::int64_t, std::string> here;
  const auto remember = [&](const Cells& row) { here[integer_of(row[0])] = text_of(row[1]); };
  if (auto fault = database_.each("SELECT number, outcome FROM runs", {}, remember)) return fault;
  std::optional<Failure> fault;
  std::map<std::int64_t, SweepRun> wanted;
  auto unread =
      other.database_.each("SELECT number, outcome, fault FROM runs", {}, [&](const Cells& row) {
        const std::int64_t number = integer_of(row[0]);
        const auto found = here.find(number);
        if (found != here.end()) {
          if (found->second == text_of(row[1])) return;
          fault = Failure{fmt::format("run {} is in both files with different results", number),
                          "results of one sweep must not depend on where it ran"};
          return;
        }
        SweepRun run{number, {}, text_of(row[2]), {}};
        if (run.fault.empty()) {
          sim::Result<sim::Outcome> outcome = sim::decode_outcome(text_of(row[1]));
          if (!outcome.ok()) return void(fault = outcome.failure());
          run.outcome = std::move(outcome).value();
        }
        wanted.emplace(number, std::move(run));
      });
  if (unread) return unread;
  if (fault) return fault;
  unread = other.database_.each("SELECT run, key, value FROM changes", {}, [&](const Cells& row) {
    const auto found = wanted.find(integer_of(row[0]));
    if (found != wanted.end()) found->second.changes.emplace_back(text_of(row[1]), text_of(row[2]));
  });
  if (unread) return unread;
  for (const auto& [number, run] : wanted) {
    if (auto unkept = keep(run)) return unkept;
  }
  return std::nullopt;
}

sim::Result<SweepFile::Tables> SweepFile::tables() {
  Tables tables;
  tables.changes.resize(static_cast<std::size_t>(identity_.runs));
  auto fault = database_.each(
      "SELECT number, fault FROM runs WHERE fault != '' ORDER BY number", {},
      [&](const Cells& row) { tables.faults.emplace_back(integer_of(row[0]), text_of(row[1])); });
  if (fault) return *fault;
  fault = database_.each("SELECT run, key, value FROM changes", {}, [&](const Cells& row) {
    const auto run = static_cast<std::size_t>(integer_of(row[0]));
    if (run < tables.changes.size()) {
      tables.changes[run].emplace_back(text_of(row[1]), text_of(row[2]));
    }
  });
  if (fault) return *fault;
  fault = database_.each(
      "SELECT run, name, verdict, time_ps, bus_bandwidth_bytes_per_s, bottleneck FROM cases "
      "ORDER BY run, place",
      {}, [&](const Cells& row) {
        tables.cases.push_back({integer_of(row[0]), text_of(row[1]), text_of(row[2]),
                                integer_of(row[3]), integer_of(row[4]), text_of(row[5])});
      });
  if (fault) return *fault;
  return tables;
}

}  // namespace analysis
