// SPDX-License-Identifier: GPL-2.0-only
// Recording: what happened inside a case over time, kept only when a run is asked to record. Spans
// of ops by rank, traffic by pair of ranks, use by link, and how busy each link class was from
// period to period. Bounded: with more spans than asked for, whole ranks are left out, evenly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim {

enum class SpanKind : std::uint8_t { kSend, kReduce, kCopy };

struct Span {
  std::int64_t rank = 0;
  SpanKind kind = SpanKind::kSend;
  std::int64_t peer = -1;     // of a send: who receives
  std::int64_t bytes = 0;     // payload
  std::int64_t ready_ps = 0;  // all it waits for has ended
  std::int64_t begin_ps = 0;  // a send: its first bytes may leave; else as ready_ps
  std::int64_t end_ps = 0;    // a send: in the receiver's memory

  bool operator==(const Span&) const = default;
};

struct PairTraffic {
  std::int64_t from = 0;  // ranks
  std::int64_t to = 0;
  std::int64_t bytes = 0;  // payload

  bool operator==(const PairTraffic&) const = default;
};

struct LinkTraffic {
  std::string name;   // "rack 0 sled 3 chip 1 -> sled switch 0"
  std::string level;  // its link class
  std::int64_t payload_bytes = 0;
  std::int64_t busy_ppb = 0;  // share of the case's time it was sending

  bool operator==(const LinkTraffic&) const = default;
};

// How busy the links of a class were, all together, in periods of equal length from 0 on.
struct LevelCurve {
  std::string level;
  std::int64_t period_ps = 0;
  std::vector<std::int64_t> busy_ppb;  // of what its links in use can send in a period

  bool operator==(const LevelCurve&) const = default;
};

struct Recording {
  std::int64_t ranks_recorded = 0;   // with spans; traffic and links are of all ranks
  std::vector<Span> spans;           // by rank, then begin
  std::vector<PairTraffic> traffic;  // by from, then to
  std::vector<LinkTraffic> links;    // that carried anything, in the fabric's order
  std::vector<LevelCurve> curves;    // where the fidelity can tell

  [[nodiscard]] bool empty() const { return ranks_recorded == 0; }
  bool operator==(const Recording&) const = default;
};

}  // namespace sim
