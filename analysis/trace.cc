// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "analysis/figures.h"
#include "analysis/json.h"
#include "sim/base/check.h"

namespace analysis {
namespace {

using sim::CaseOutcome;
using sim::Recording;
using sim::Span;
using sim::SpanKind;

constexpr std::int64_t kPicosecondsPerMicrosecond = 1'000'000;

std::string microseconds(std::int64_t ps) {
  return fmt::format("{}.{:06}", ps / kPicosecondsPerMicrosecond, ps % kPicosecondsPerMicrosecond);
}

std::string name_of(const Span& span) {
  if (span.kind == SpanKind::kSend) return fmt::format("send to {}", span.peer);
  return span.kind == SpanKind::kReduce ? "reduce" : "copy";
}

std::string_view stream_of(SpanKind kind) {
  if (kind == SpanKind::kSend) return "sends";
  return kind == SpanKind::kReduce ? "reductions" : "copies";
}

// The first of a stream's threads that is free at a span's begin.
class Lanes {
 public:
  std::size_t take(const Span& span) {
    const auto fits = [&](std::int64_t free) { return free <= span.begin_ps; };
    const auto found = std::ranges::find_if(free_from_, fits);
    const auto lane = static_cast<std::size_t>(found - free_from_.begin());
    if (found == free_from_.end()) free_from_.push_back(0);
    free_from_[lane] = span.end_ps;
    return lane;
  }

 private:
  std::vector<std::int64_t> free_from_;
};

// One kind of span of one rank, on as many threads as overlap.
void write_stream(TraceWriter& trace, int process, SpanKind kind, std::span<const Span> spans) {
  Lanes lanes;
  std::vector<int> threads;
  for (const Span& span : spans) {
    if (span.kind != kind) continue;
    const std::size_t lane = lanes.take(span);
    if (lane == threads.size()) {
      threads.push_back(trace.thread(
          process, fmt::format("rank {} {} {}", span.rank, stream_of(kind), lane + 1)));
    }
    std::vector<TraceArgument> arguments{{"bytes", fmt::format("{}", span.bytes)},
                                         {"ready_ps", fmt::format("{}", span.ready_ps)},
                                         {"begin_ps", fmt::format("{}", span.begin_ps)},
                                         {"end_ps", fmt::format("{}", span.end_ps)}};
    trace.span(process, threads[lane], name_of(span), stream_of(kind), span.begin_ps, span.end_ps,
               arguments);
  }
}

void write_whole(TraceWriter& trace, int process, const CaseOutcome& one) {
  const int thread = trace.thread(process, "collective");
  trace.span(process, thread, one.name, one.collective, 0, one.time_ps,
             {{"algorithm", one.algorithm},
              {"group", one.group},
              {"ranks", fmt::format("{}", one.ranks)},
              {"ranks_shown", fmt::format("{}", one.recording.ranks_recorded)},
              {"bytes", fmt::format("{}", one.bytes)},
              {"transfers", fmt::format("{}", one.transfers)},
              {"bound by", one.bottleneck}});
}

void write_counters(TraceWriter& trace, int process, const CaseOutcome& one) {
  for (const sim::LevelCurve& curve : one.recording.curves) {
    const std::string name = curve.level + " busy %";
    for (std::size_t i = 0; i < curve.busy_ppb.size(); ++i) {
      const std::int64_t time = static_cast<std::int64_t>(i) * curve.period_ps;
      if (time > one.time_ps) break;
      trace.counter(process, name, time, curve.busy_ppb[i]);
    }
    trace.counter(process, name, one.time_ps, 0);
  }
}

void write_case(TraceWriter& trace, const CaseOutcome& one) {
  const int process = trace.process(one.name);
  write_whole(trace, process, one);
  write_counters(trace, process, one);
  const std::vector<Span>& spans = one.recording.spans;
  for (auto first = spans.begin(); first != spans.end();) {
    const auto end =
        std::find_if(first, spans.end(), [&](const Span& s) { return s.rank != first->rank; });
    const std::span<const Span> own(first, end);
    for (const SpanKind kind : {SpanKind::kSend, SpanKind::kReduce, SpanKind::kCopy}) {
      write_stream(trace, process, kind, own);
    }
    first = end;
  }
}

bool is_number(const std::string& text) {
  const auto digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  return !text.empty() && std::ranges::all_of(text, digit);
}

}  // namespace

int TraceWriter::process(std::string_view name) {
  threads_.push_back(0);
  const int process = ++processes_;
  event(fmt::format(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":{}}})", process,
                    json_string(name)));
  event(fmt::format(R"("ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}})",
                    process));
  return process;
}

int TraceWriter::thread(int process, std::string_view name) {
  const int thread = ++threads_[static_cast<std::size_t>(process - 1)];
  event(fmt::format(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}})",
                    process, thread, json_string(name)));
  event(fmt::format(
      R"("ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}})",
      process, thread, thread));
  return thread;
}

void TraceWriter::span(int process, int thread, std::string_view name, std::string_view category,
                       std::int64_t begin_ps, std::int64_t end_ps,
                       const std::vector<TraceArgument>& arguments) {
  CHECK(begin_ps <= end_ps);
  std::string told;
  for (const auto& [key, value] : arguments) {
    told += fmt::format("{}{}:{}", told.empty() ? "" : ",", json_string(key),
                        is_number(value) ? value : json_string(value));
  }
  event(
      fmt::format(R"("ph":"X","name":{},"cat":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}})",
                  json_string(name), json_string(category), process, thread, microseconds(begin_ps),
                  microseconds(end_ps - begin_ps), told));
}

void TraceWriter::counter(int process, std::string_view name, std::int64_t time_ps,
                          std::int64_t parts_per_billion) {
  constexpr std::int64_t kPerPercent = 10'000'000;
  event(fmt::format(R"("ph":"C","name":{},"pid":{},"ts":{},"args":{{"percent":{}.{:02}}})",
                    json_string(name), process, microseconds(time_ps),
                    parts_per_billion / kPerPercent,
                    parts_per_billion % kPerPercent / (kPerPercent / 100)));
}

void TraceWriter::event(std::string text) {
  events_ += events_.empty() ? "" : ",\n";
  events_ += "{" + std::move(text) + "}";
}

std::string TraceWriter::finish() && {
  return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + std::move(events_) + "\n]}\n";
}

std::string trace_of(const sim::Outcome& outcome) {
  TraceWriter trace;
  bool any = false;
  for (const CaseOutcome& one : outcome.cases) {
    if (one.recording.empty()) continue;
    any = true;
    write_case(trace, one);
  }
  return any ? std::move(trace).finish() : std::string();
}

}  // namespace analysis
