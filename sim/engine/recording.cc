// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/recording.h"

#include <algorithm>
#include <map>

#include "sim/engine/case_figures.h"

namespace sim {
namespace {

SpanKind kind_of(OpKind kind) {
  if (kind == OpKind::kSend) return SpanKind::kSend;
  return kind == OpKind::kReduce ? SpanKind::kReduce : SpanKind::kCopy;
}

// Every how many ranks one is recorded.
Rank stride_of(const Case& c) {
  const auto ops = static_cast<std::int64_t>(c.schedule->ops());
  const std::int64_t times = (ops + c.most_spans - 1) / c.most_spans;
  return static_cast<Rank>(std::clamp<std::int64_t>(times, 1, c.schedule->ranks()));
}

void add_spans(const Case& c, const OpTimes& times, const std::vector<Time>& began, Rank rank,
               std::vector<Span>& spans) {
  OpId id = c.schedule->first_op(rank);
  const std::size_t first = spans.size();
  for (const Op& op : c.schedule->program(rank).ops) {
    if (static_cast<std::int64_t>(spans.size()) == c.most_spans) break;
    Span span;
    span.rank = rank;
    span.kind = kind_of(op.kind);
    span.bytes = c.schedule->bytes(op).value;
    span.ready_ps = span.begin_ps = times.begin[id].value;
    span.end_ps = times.end[id].value;
    if (op.kind == OpKind::kSend) {
      span.peer = op.peer;
      span.begin_ps = (began.empty() ? times.issue[id] : began[id]).value;
    }
    spans.push_back(span);
    ++id;
  }
  std::stable_sort(spans.begin() + static_cast<std::ptrdiff_t>(first), spans.end(),
                   [](const Span& a, const Span& b) { return a.begin_ps < b.begin_ps; });
}

// Ranks are whole; only the first is cut where it is longer than all that was asked for.
bool has_room(const Case& c, Rank rank, const std::vector<Span>& spans) {
  return spans.size() + c.schedule->program(rank).ops.size() <=
         static_cast<std::size_t>(c.most_spans);
}

void add_traffic(const Schedule& schedule, Rank rank, std::vector<PairTraffic>& traffic) {
  std::map<Rank, std::int64_t> bytes;
  for (const Op& op : schedule.program(rank).ops) {
    if (op.kind == OpKind::kSend) bytes[op.peer] += schedule.bytes(op).value;
  }
  for (const auto& [peer, sum] : bytes) traffic.push_back({rank, peer, sum});
}

}  // namespace

Recording record(const Case& c, const Executor& executor, const std::vector<Time>& began) {
  Recording recording;
  const Rank ranks = c.schedule->ranks();
  const Rank stride = stride_of(c);
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (ranks <= kMostTrafficRanks) add_traffic(*c.schedule, rank, recording.traffic);
    if (rank % stride != 0 || (rank > 0 && !has_room(c, rank, recording.spans))) continue;
    add_spans(c, executor.times(), began, rank, recording.spans);
    ++recording.ranks_recorded;
  }
  return recording;
}

std::vector<LinkTraffic> record_links(const Fabric& fabric, std::vector<LinkLoad> loads,
                                      Time time) {
  if (loads.size() > kMostRecordedLinks) {
    std::ranges::stable_sort(loads, std::ranges::greater{}, &LinkLoad::busy_ps);
    loads.resize(kMostRecordedLinks);
    std::ranges::sort(loads, {}, [](const LinkLoad& load) { return index(load.link); });
  }
  std::vector<LinkTraffic> links;
  for (const LinkLoad& load : loads) {
    const std::int64_t busy = std::min(load.busy_ps, time.value);
    links.push_back({fabric.describe(load.link), fabric.kind(load.link).name, load.payload,
                     parts_per_billion(busy, time.value)});
  }
  return links;
}

}  // namespace sim
