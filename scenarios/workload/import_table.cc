// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/import_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/quantity.h"

namespace workload {
namespace {

std::optional<std::string> word(std::string_view words, std::string_view value) {
  while (!words.empty()) {
    const std::size_t comma = words.find(',');
    const std::string_view pair = words.substr(0, comma);
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) == value) return std::string(pair.substr(equals + 1));
    if (comma == std::string_view::npos) return std::nullopt;
    words.remove_prefix(comma + 1);
  }
  return std::nullopt;
}

std::optional<std::string> turned(const ImportRow& row, const std::string& value) {
  switch (row.turn) {
    case Turn::kNumber:
    case Turn::kRest:
      if (!sim::parse_quantity(value, sim::Dimension::kCount).ok()) return std::nullopt;
      return value;
    case Turn::kFlag:
      if (value.empty()) return "true";
      if (value == "true" || value == "false") return value;
      return std::nullopt;
    case Turn::kWord:
      return word(row.words, value);
    case Turn::kIgnored:
      return std::nullopt;
  }
  return std::nullopt;
}

// The keys below `prefix` as YAML: each step of the paths once, in the order of first appearance.
std::string branch(const std::vector<Mapping>& mapped, const std::string& prefix,
                   const std::string& indent) {
  std::string text;
  std::vector<std::string> seen;
  for (const Mapping& one : mapped) {
    if (!one.key.starts_with(prefix)) continue;
    const std::string rest = one.key.substr(prefix.size());
    const std::string step = rest.substr(0, rest.find('.'));
    if (std::ranges::find(seen, step) != seen.end()) continue;
    seen.push_back(step);
    if (step == rest) {
      text += fmt::format("{}{}: {}\n", indent, step, one.value);
    } else {
      text += fmt::format("{}{}:\n{}", indent, step,
                          branch(mapped, prefix + step + ".", indent + "  "));
    }
  }
  return text;
}

}  // namespace

void map_key(std::span<const ImportRow> rows, const std::string& key, const std::string& value,
             Imported& imported) {
  const std::string shown = value.empty() ? key : fmt::format("{} = {}", key, value);
  const auto row = std::ranges::find(rows, key, &ImportRow::theirs);
  if (row == rows.end()) {
    imported.unmapped.push_back(shown + ": not known here");
    return;
  }
  if (row->turn == Turn::kIgnored) {
    imported.unmapped.push_back(shown + ": no bearing on one step");
    return;
  }
  if (row->turn == Turn::kRest && value == "-1") {
    imported.notes.push_back(shown + ": the rest of the ranks, which is our default");
    return;
  }
  const std::optional<std::string> ours = turned(*row, value);
  if (!ours) {
    imported.unmapped.push_back(fmt::format("{}: no such value of {}", shown, row->ours));
    return;
  }
  for (Mapping& one : imported.mapped) {
    if (one.key != row->ours) continue;
    imported.notes.push_back(fmt::format("{} overrides {}", shown, one.from));
    one = {shown, std::string(row->ours), *ours};
    return;
  }
  imported.mapped.push_back({shown, std::string(row->ours), *ours});
}

std::string import_page(const Imported& imported) {
  std::string text = "# mapped\n";
  for (const Mapping& one : imported.mapped) {
    text += fmt::format("#   {} -> {}: {}\n", one.from, one.key, one.value);
  }
  if (!imported.unmapped.empty()) text += "# not mapped\n";
  for (const std::string& one : imported.unmapped) text += fmt::format("#   {}\n", one);
  for (const std::string& one : imported.notes) text += fmt::format("# note: {}\n", one);
  return text + branch(imported.mapped, "", "");
}

}  // namespace workload
