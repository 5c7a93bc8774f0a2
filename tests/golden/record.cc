// SPDX-License-Identifier: GPL-2.0-only
#include "tests/golden/record.h"

#include <fmt/format.h>

#include <sstream>

namespace golden {
namespace {

constexpr std::string_view kHead =
    "# Stored results; ULTRASIM_REWRITE=1 golden_test writes them again, see tests/README.md.\n";
constexpr std::string_view kCase = "case ";

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string breakdown(const sim::Breakdown& b) {
  std::string text = fmt::format(
      "launch {} + endpoint {} + latency {} + transmission {} + queueing {} + compute {}",
      b.launch_ps, b.endpoint_ps, b.latency_ps, b.transmission_ps, b.queueing_ps, b.compute_ps);
  if (b.repair_ps > 0) text += fmt::format(" + repair {}", b.repair_ps);
  if (b.late_ps > 0) text += fmt::format(" + late {}", b.late_ps);
  return text + " ps";
}

}  // namespace

Block block_of(const sim::CaseOutcome& outcome) {
  std::string text = fmt::format("{}{}\n", kCase, outcome.name);
  if (outcome.verdict != sim::Verdict::kDone) {
    text += fmt::format("  {}: {}\n", sim::name_of(outcome.verdict), outcome.failure);
  }
  text += fmt::format("  time_ps {}\n", outcome.time_ps);
  if (!outcome.seed_times_ps.empty()) {
    text += "  seed_times_ps";
    for (const std::int64_t time : outcome.seed_times_ps) text += fmt::format(" {}", time);
    text += "\n";
  }
  text += fmt::format("  packets {}\n", outcome.packets);
  text += fmt::format("  packet_hops {}\n", outcome.packet_hops);
  text += fmt::format("  bound_ps {} ({})\n", outcome.bound_ps, outcome.bound);
  text += fmt::format("  bottleneck {}\n", outcome.bottleneck);
  text += fmt::format("  breakdown {}\n", breakdown(outcome.breakdown));
  text += fmt::format("  fingerprint {}\n", outcome.fingerprint);
  return {outcome.name, std::move(text)};
}

std::string file_text(const std::vector<Block>& blocks) {
  std::string text(kHead);
  for (const Block& block : blocks) text += block.text;
  return text;
}

std::vector<Block> read_blocks(std::string_view text) {
  std::vector<Block> blocks;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(kCase)) blocks.push_back({line.substr(kCase.size()), ""});
    if (!blocks.empty()) blocks.back().text += line + "\n";
  }
  return blocks;
}

std::string first_difference(std::string_view stored, std::string_view found) {
  if (stored == found) return "";
  const std::vector<std::string> before = lines_of(stored);
  const std::vector<std::string> now = lines_of(found);
  std::size_t i = 0;
  while (i < before.size() && i < now.size() && before[i] == now[i]) ++i;
  const auto line = [&](const std::vector<std::string>& lines) {
    return i < lines.size() ? lines[i] : std::string("(nothing)");
  };
  return fmt::format("line {} of the case\n  stored: {}\n  found:  {}\n", i + 1, line(before),
                     line(now));
}

}  // namespace golden
