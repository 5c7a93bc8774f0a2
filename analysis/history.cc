// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/history.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "sim/results/codec.h"

namespace analysis {
namespace {

using sim::Failure;

constexpr std::array<const char*, 4> kTables = {
    "CREATE TABLE IF NOT EXISTS nights (number INTEGER PRIMARY KEY, suite TEXT NOT NULL, "
    "version TEXT NOT NULL, commit_name TEXT NOT NULL, finished INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS results (night INTEGER NOT NULL, place INTEGER NOT NULL, "
    "name TEXT NOT NULL, outcome BLOB NOT NULL, cpu_seconds REAL NOT NULL, "
    "calibration_seconds REAL NOT NULL, PRIMARY KEY (night, name))",
    "CREATE TABLE IF NOT EXISTS baselines (suite TEXT NOT NULL, place INTEGER NOT NULL, "
    "name TEXT NOT NULL, outcome BLOB NOT NULL, cpu_seconds REAL NOT NULL, "
    "calibration_seconds REAL NOT NULL, PRIMARY KEY (suite, name))",
    "CREATE TABLE IF NOT EXISTS blessings (number INTEGER PRIMARY KEY, suite TEXT NOT NULL, "
    "night INTEGER NOT NULL, reason TEXT NOT NULL)"};

double real_of(const Cell& cell) {
  const auto* real = std::get_if<double>(&cell);
  return real != nullptr ? *real : 0;
}

}  // namespace

sim::Result<History> History::open(const std::string& path) {
  sim::Result<Database> database = Database::open(path, Database::Mode::kWrite);
  if (!database.ok()) return database.failure();
  for (const char* sql : kTables) {
    if (auto fault = database.value().run(sql)) return *fault;
  }
  return History(std::move(database).value());
}

sim::Result<std::int64_t> History::number(const std::string& sql, const Cells& values) {
  std::int64_t found = 0;
  auto fault =
      database_.each(sql, values, [&](const Cells& row) { found = integer_of(row.at(0)); });
  if (fault) return *fault;
  return found;
}

sim::Result<std::int64_t> History::begin(const Night& night) {
  const Cells values = {night.suite, night.version, night.commit};
  sim::Result<std::int64_t> open = number(
      "SELECT max(number) FROM nights WHERE suite = ? AND version = ? AND commit_name = ? AND "
      "finished = 0",
      values);
  if (!open.ok() || open.value() > 0) return open;
  if (auto fault = database_.run(
          "INSERT INTO nights (suite, version, commit_name, finished) VALUES (?, ?, ?, 0)",
          values)) {
    return *fault;
  }
  return number("SELECT max(number) FROM nights", {});
}

std::optional<Failure> History::keep(std::int64_t night, const NightResult& result) {
  return database_.run(
      "INSERT INTO results VALUES (?, (SELECT count(*) FROM results WHERE night = ?), ?, ?, ?, ?)",
      {night, night, result.name, Blob{sim::encode(result.outcome)}, result.cpu_seconds,
       result.calibration_seconds});
}

std::optional<Failure> History::finish(std::int64_t night) {
  return database_.run("UPDATE nights SET finished = 1 WHERE number = ?", {night});
}

sim::Result<NightResults> History::read(const std::string& sql, const Cells& values) {
  NightResults results;
  std::optional<Failure> bad;
  auto fault = database_.each(sql, values, [&](const Cells& row) {
    sim::Result<sim::Outcome> outcome = sim::decode_outcome(text_of(row[1]));
    if (!outcome.ok()) return void(bad = outcome.failure());
    results.push_back(
        {text_of(row[0]), std::move(outcome).value(), real_of(row[2]), real_of(row[3])});
  });
  if (fault) return *fault;
  if (bad) return *bad;
  return results;
}

sim::Result<NightResults> History::results(std::int64_t night) {
  return read(
      "SELECT name, outcome, cpu_seconds, calibration_seconds FROM results WHERE night = ? ORDER "
      "BY place",
      {night});
}

sim::Result<NightResults> History::baseline(const std::string& suite) {
  return read(
      "SELECT name, outcome, cpu_seconds, calibration_seconds FROM baselines WHERE suite = ? "
      "ORDER BY place",
      {suite});
}

sim::Result<std::int64_t> History::finished_before(const std::string& suite, std::int64_t night) {
  return number("SELECT max(number) FROM nights WHERE suite = ? AND finished = 1 AND number < ?",
                {suite, night});
}

sim::Result<std::int64_t> History::bless(const std::string& suite, const std::string& reason) {
  const auto last = finished_before(suite, std::numeric_limits<std::int64_t>::max());
  if (!last.ok()) return last;
  if (last.value() == 0) {
    return Failure{fmt::format("there is no finished night of suite {}", suite),
                   "run ultrasim nightly first"};
  }
  const std::int64_t night = last.value();
  auto fault = database_.together([&]() -> std::optional<Failure> {
    if (auto bad = database_.run("DELETE FROM baselines WHERE suite = ?", {suite})) return bad;
    if (auto bad =
            database_.run("INSERT INTO baselines SELECT ?, place, name, outcome, cpu_seconds, "
                          "calibration_seconds FROM results WHERE night = ?",
                          {suite, night})) {
      return bad;
    }
    return database_.run("INSERT INTO blessings (suite, night, reason) VALUES (?, ?, ?)",
                         {suite, night, reason});
  });
  if (fault) return *fault;
  return night;
}

}  // namespace analysis
