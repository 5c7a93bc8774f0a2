// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <map>
#include <utility>

#include "sim/base/check.h"

namespace analysis {

using sim::Failure;

struct Database::Handle {
  std::string path;
  sqlite3* connection = nullptr;
  std::map<std::string, sqlite3_stmt*> statements;  // prepared once, used again

  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    for (const auto& [sql, statement] : statements) sqlite3_finalize(statement);
    sqlite3_close(connection);
  }

  [[nodiscard]] Failure fault() const {
    const int code = sqlite3_errcode(connection);
    std::string hint;
    if (code == SQLITE_FULL) hint = "the disk is full; what was kept before is there";
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) hint = "another process writes to it";
    if (code == SQLITE_READONLY || code == SQLITE_CANTOPEN || code == SQLITE_PERM) {
      hint = "it has to be in a folder that can be written";
    }
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
      hint = "the file is damaged or of another kind: move it away and start anew";
    }
    return {fmt::format("{}: {}", path, sqlite3_errmsg(connection)), hint};
  }

  sqlite3_stmt* prepared(const std::string& sql) {
    const auto found = statements.find(sql);
    if (found != statements.end()) return found->second;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(connection, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      return nullptr;
    }
    statements.emplace(sql, statement);
    return statement;
  }
};

namespace {

int size_of(const std::string& text) { return static_cast<int>(text.size()); }

void bind(sqlite3_stmt* statement, int place, const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    sqlite3_bind_int64(statement, place, *number);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    sqlite3_bind_double(statement, place, *real);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    sqlite3_bind_text(statement, place, text->data(), size_of(*text), nullptr);  // lives on
  } else {
    const std::string& bytes = std::get<Blob>(cell).bytes;
    sqlite3_bind_blob(statement, place, bytes.data(), size_of(bytes), nullptr);
  }
}

Cell read(sqlite3_stmt* statement, int column) {
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return static_cast<std::int64_t>(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
      return Blob{std::string(bytes == nullptr ? "" : bytes, size)};
    }
    default: {
      const void* bytes = sqlite3_column_blob(statement, column);
      return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
    }
  }
}

}  // namespace

Database::Database(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

sim::Result<Database> Database::open(const std::string& path, Mode mode) {
  auto handle = std::make_unique<Handle>();
  handle->path = path;
  const int flags =
      mode == Mode::kRead ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (sqlite3_open_v2(path.c_str(), &handle->connection, flags, nullptr) != SQLITE_OK) {
    return handle->fault();
  }
  Database database(std::move(handle));
  if (mode == Mode::kRead) {
    if (auto fault = database.run("SELECT count(*) FROM sqlite_master")) return *fault;
    return database;
  }
  // The lock is held until the file is closed. A write-ahead log makes a commit one append; it
  // survives the process, and a power cut costs the last commits at most.
  for (const char* sql : {"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = WAL",
                          "PRAGMA synchronous = NORMAL", "BEGIN EXCLUSIVE", "COMMIT"}) {
    if (auto fault = database.run(sql)) return *fault;
  }
  return database;
}

std::optional<Failure> Database::run(const std::string& sql, const Cells& values) {
  return each(sql, values, [](const Cells&) {});
}

std::optional<Failure> Database::each(const std::string& sql, const Cells& values,
                                      const std::function<void(const Cells&)>& row) {
  sqlite3_stmt* statement = handle_->prepared(sql);
  if (statement == nullptr) return handle_->fault();
  CHECK(static_cast<std::size_t>(sqlite3_bind_parameter_count(statement)) == values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    bind(statement, static_cast<int>(i) + 1, values[i]);
  int code = sqlite3_step(statement);
  for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
    Cells cells;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) cells.push_back(read(statement, i));
    row(cells);
  }
  std::optional<Failure> fault;
  if (code != SQLITE_DONE) fault = handle_->fault();
  sqlite3_reset(statement);
  return fault;
}

std::optional<Failure> Database::together(const std::function<std::optional<Failure>()>& steps) {
  if (auto fault = run("BEGIN")) return fault;
  std::optional<Failure> fault = steps();
  if (!fault) fault = run("COMMIT");
  if (fault) static_cast<void>(run("ROLLBACK"));
  return fault;
}

std::int64_t integer_of(const Cell& cell) {
  const auto* number = std::get_if<std::int64_t>(&cell);
  return number != nullptr ? *number : 0;
}

const std::string& text_of(const Cell& cell) {
  static const std::string kNone;
  if (const auto* blob = std::get_if<Blob>(&cell)) return blob->bytes;
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr ? *text : kNone;
}

}  // namespace analysis
