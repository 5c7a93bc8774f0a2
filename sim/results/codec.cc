// SPDX-License-Identifier: GPL-2.0-only
// The only Protobuf door. Each struct has one `write` and one `read` beside each other.
#include "sim/results/codec.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/fingerprint.h"
#include "sim/results/results.pb.h"

namespace sim {
namespace {

namespace proto = ultrasim::results;

constexpr std::uint32_t kMagic = 0x4D49'5355;  // "USIM" as the four bytes of the file
constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kHeaderBytes = 10;  // two fixed32 fields with their tags

std::string serialise(const google::protobuf::MessageLite& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    CHECK(message.SerializeToCodedStream(&coded));
  }
  return bytes;
}

bool parse(std::string_view bytes, google::protobuf::MessageLite& message) {
  const google::protobuf::LogSilencer silence;  // damage is told by the return value
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
  return bytes.size() <= kMost &&
         message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

proto::Verdict to_proto(Verdict verdict) {
  switch (verdict) {
    case Verdict::kDone:
      return proto::VERDICT_DONE;
    case Verdict::kFailed:
      return proto::VERDICT_FAILED;
    case Verdict::kStalled:
      return proto::VERDICT_STALLED;
    case Verdict::kInterrupted:
      return proto::VERDICT_INTERRUPTED;
  }
  CHECK(false);
}

std::optional<Verdict> from_proto(proto::Verdict verdict) {
  switch (verdict) {
    case proto::VERDICT_DONE:
      return Verdict::kDone;
    case proto::VERDICT_FAILED:
      return Verdict::kFailed;
    case proto::VERDICT_STALLED:
      return Verdict::kStalled;
    case proto::VERDICT_INTERRUPTED:
      return Verdict::kInterrupted;
    default:
      return std::nullopt;
  }
}

void write(const Breakdown& from, proto::Breakdown& to) {
  to.set_launch_ps(from.launch_ps);
  to.set_endpoint_ps(from.endpoint_ps);
  to.set_latency_ps(from.latency_ps);
  to.set_transmission_ps(from.transmission_ps);
  to.set_queueing_ps(from.queueing_ps);
  to.set_compute_ps(from.compute_ps);
  to.set_repair_ps(from.repair_ps);
  to.set_late_ps(from.late_ps);
}

Breakdown read(const proto::Breakdown& from) {
  Breakdown to;
  to.launch_ps = from.launch_ps();
  to.endpoint_ps = from.endpoint_ps();
  to.latency_ps = from.latency_ps();
  to.transmission_ps = from.transmission_ps();
  to.queueing_ps = from.queueing_ps();
  to.compute_ps = from.compute_ps();
  to.repair_ps = from.repair_ps();
  to.late_ps = from.late_ps();
  return to;
}

void write(const LevelUse& from, proto::LevelUse& to) {
  to.set_name(from.name);
  to.set_links(from.links);
  to.set_payload_bytes(from.payload_bytes);
  to.set_busiest_ppb(from.busiest_ppb);
  to.set_busiest(from.busiest);
}

LevelUse read(const proto::LevelUse& from) {
  return {from.name(), from.links(), from.payload_bytes(), from.busiest_ppb(), from.busiest()};
}

void write(const Assumption& from, proto::Assumption& to) {
  to.set_name(from.name);
  to.set_value(from.value);
  to.set_low(from.low);
  to.set_high(from.high);
  to.set_grade(from.grade);
  to.set_source(from.source);
}

Assumption read(const proto::Assumption& from) {
  return {from.name(), from.value(), from.low(), from.high(), from.grade(), from.source()};
}

void write(const Recording& from, proto::Recording& to) {
  to.set_ranks_recorded(from.ranks_recorded);
  for (const Span& span : from.spans) {
    to.add_span_rank(span.rank);
    to.add_span_kind(static_cast<std::int64_t>(span.kind));
    to.add_span_peer(span.peer + 1);
    to.add_span_bytes(span.bytes);
    to.add_span_ready_ps(span.ready_ps);
    to.add_span_begin_ps(span.begin_ps);
    to.add_span_end_ps(span.end_ps);
  }
  for (const PairTraffic& pair : from.traffic) {
    to.add_traffic_from(pair.from);
    to.add_traffic_to(pair.to);
    to.add_traffic_bytes(pair.bytes);
  }
  for (const LinkTraffic& link : from.links) {
    proto::LinkTraffic& one = *to.add_links();
    one.set_name(link.name);
    one.set_level(link.level);
    one.set_payload_bytes(link.payload_bytes);
    one.set_busy_ppb(link.busy_ppb);
  }
  for (const LevelCurve& curve : from.curves) {
    proto::LevelCurve& one = *to.add_curves();
    one.set_level(curve.level);
    one.set_period_ps(curve.period_ps);
    for (const std::int64_t busy : curve.busy_ppb) one.add_busy_ppb(busy);
  }
}

// False when the columns do not belong together.
bool read_spans(const proto::Recording& from, std::vector<Span>& spans) {
  const int count = from.span_rank_size();
  for (const int size :
       {from.span_kind_size(), from.span_peer_size(), from.span_bytes_size(),
        from.span_ready_ps_size(), from.span_begin_ps_size(), from.span_end_ps_size()}) {
    if (size != count) return false;
  }
  for (int i = 0; i < count; ++i) {
    if (from.span_kind(i) < 0 || from.span_kind(i) > 2) return false;
    if (from.span_begin_ps(i) < 0 || from.span_end_ps(i) < from.span_begin_ps(i)) return false;
    spans.push_back({from.span_rank(i), static_cast<SpanKind>(from.span_kind(i)),
                     from.span_peer(i) - 1, from.span_bytes(i), from.span_ready_ps(i),
                     from.span_begin_ps(i), from.span_end_ps(i)});
  }
  return true;
}

std::optional<Recording> read(const proto::Recording& from) {
  Recording to;
  to.ranks_recorded = from.ranks_recorded();
  if (!read_spans(from, to.spans)) return std::nullopt;
  const int pairs = from.traffic_from_size();
  if (from.traffic_to_size() != pairs || from.traffic_bytes_size() != pairs) return std::nullopt;
  for (int i = 0; i < pairs; ++i) {
    to.traffic.push_back({from.traffic_from(i), from.traffic_to(i), from.traffic_bytes(i)});
  }
  for (const proto::LinkTraffic& one : from.links()) {
    to.links.push_back({one.name(), one.level(), one.payload_bytes(), one.busy_ppb()});
  }
  for (const proto::LevelCurve& one : from.curves()) {
    constexpr std::int64_t kWhole = 1'000'000'000;
    const auto wrong = [](std::int64_t share) { return share < 0 || share > kWhole; };
    if (one.period_ps() <= 0 || std::ranges::any_of(one.busy_ppb(), wrong)) return std::nullopt;
    to.curves.push_back(
        {one.level(), one.period_ps(), {one.busy_ppb().begin(), one.busy_ppb().end()}});
  }
  return to;
}

void write(const CaseOutcome& from, proto::Case& to) {
  to.set_name(from.name);
  to.set_verdict(to_proto(from.verdict));
  to.set_collective(from.collective);
  to.set_algorithm(from.algorithm);
  to.set_group(from.group);
  to.set_ranks(from.ranks);
  to.set_bytes(from.bytes);
  to.set_time_ps(from.time_ps);
  to.set_algorithm_bandwidth_bytes_per_s(from.algorithm_bandwidth);
  to.set_bus_bandwidth_bytes_per_s(from.bus_bandwidth);
  to.set_bound_ps(from.bound_ps);
  to.set_bound(from.bound);
  to.set_bound_share_ppb(from.bound_share_ppb);
  to.set_transfers(from.transfers);
  to.set_packets(from.packets);
  to.set_packet_hops(from.packet_hops);
  to.set_packets_dropped(from.packets_dropped);
  to.set_packets_resent(from.packets_resent);
  to.set_bottleneck(from.bottleneck);
  write(from.breakdown, *to.mutable_breakdown());
  for (const LevelUse& level : from.levels) write(level, *to.add_levels());
  for (const std::string& line : from.waiting) to.add_waiting(line);
  for (const std::string& line : from.symmetry) to.add_symmetry(line);
  to.set_failure(from.failure);
  to.set_fingerprint(from.fingerprint);
  to.set_choice(from.choice);
  for (const std::int64_t time : from.seed_times_ps) to.add_seed_time_ps(time);
  to.set_last_arrival_ps(from.last_arrival_ps);
  if (!from.recording.empty()) write(from.recording, *to.mutable_recording());
}

std::optional<CaseOutcome> read(const proto::Case& from) {
  const std::optional<Verdict> verdict = from_proto(from.verdict());
  if (!verdict) return std::nullopt;
  CaseOutcome to;
  to.name = from.name();
  to.verdict = *verdict;
  to.collective = from.collective();
  to.algorithm = from.algorithm();
  to.group = from.group();
  to.ranks = from.ranks();
  to.bytes = from.bytes();
  to.time_ps = from.time_ps();
  to.algorithm_bandwidth = from.algorithm_bandwidth_bytes_per_s();
  to.bus_bandwidth = from.bus_bandwidth_bytes_per_s();
  to.bound_ps = from.bound_ps();
  to.bound = from.bound();
  to.bound_share_ppb = from.bound_share_ppb();
  to.transfers = from.transfers();
  to.packets = from.packets();
  to.packet_hops = from.packet_hops();
  to.packets_dropped = from.packets_dropped();
  to.packets_resent = from.packets_resent();
  to.bottleneck = from.bottleneck();
  to.breakdown = read(from.breakdown());
  for (const proto::LevelUse& level : from.levels()) to.levels.push_back(read(level));
  to.waiting.assign(from.waiting().begin(), from.waiting().end());
  to.symmetry.assign(from.symmetry().begin(), from.symmetry().end());
  to.failure = from.failure();
  to.fingerprint = from.fingerprint();
  to.choice = from.choice();
  to.seed_times_ps.assign(from.seed_time_ps().begin(), from.seed_time_ps().end());
  to.last_arrival_ps = from.last_arrival_ps();
  std::optional<Recording> recording = read(from.recording());
  if (!recording) return std::nullopt;
  to.recording = std::move(*recording);
  return to;
}

void write(const Outcome& from, proto::Outcome& to) {
  to.set_scenario(from.scenario);
  to.set_about(from.about);
  to.set_fabric(from.fabric);
  to.set_fidelity(from.fidelity);
  to.set_verdict(to_proto(from.verdict));
  for (const CaseOutcome& one : from.cases) write(one, *to.add_cases());
  to.set_cases_missing(from.cases_missing);
  for (const std::string& name : from.missing) to.add_missing(name);
  for (const Assumption& assumption : from.assumptions) write(assumption, *to.add_assumptions());
  for (const std::string& limit : from.limits) to.add_limits(limit);
  to.set_echo(from.echo);
  to.set_input_hash(from.input_hash);
  to.set_version(from.version);
  to.set_seed(from.seed);
}

std::optional<Outcome> read(const proto::Outcome& from) {
  const std::optional<Verdict> verdict = from_proto(from.verdict());
  if (!verdict) return std::nullopt;
  Outcome to;
  to.scenario = from.scenario();
  to.about = from.about();
  to.fabric = from.fabric();
  to.fidelity = from.fidelity();
  to.verdict = *verdict;
  for (const proto::Case& one : from.cases()) {
    std::optional<CaseOutcome> outcome = read(one);
    if (!outcome) return std::nullopt;
    to.cases.push_back(std::move(*outcome));
  }
  to.cases_missing = from.cases_missing();
  to.missing.assign(from.missing().begin(), from.missing().end());
  for (const proto::Assumption& one : from.assumptions()) to.assumptions.push_back(read(one));
  to.limits.assign(from.limits().begin(), from.limits().end());
  to.echo = from.echo();
  to.input_hash = from.input_hash();
  to.version = from.version();
  to.seed = from.seed();
  return to;
}

std::uint64_t checksum_of(std::string_view outcome) {
  Fingerprint fingerprint;
  fingerprint.add(outcome);
  return fingerprint.value();
}

Failure damaged() { return {"the results file is cut short or damaged", "run the scenario again"}; }

// Empty when the first bytes are those of a file that this version reads.
std::optional<Failure> refuse_header(std::string_view bytes) {
  proto::Envelope header;
  if (bytes.size() < kHeaderBytes) {
    return Failure{bytes.empty() ? "the results file is empty" : damaged().what, damaged().hint};
  }
  if (!parse(bytes.substr(0, kHeaderBytes), header) || header.magic() != kMagic) {
    return Failure{"this is not a results file of ultrasim", "give the results.pb of a run"};
  }
  if (header.format() > kFormat) {
    return Failure{"the results file was written by a newer ultrasim (format " +
                       std::to_string(header.format()) + ", this one reads up to " +
                       std::to_string(kFormat) + ")",
                   "read it with that version"};
  }
  if (header.format() == 0) return damaged();
  return std::nullopt;
}

}  // namespace

std::string encode(const Outcome& outcome) {
  proto::Outcome message;
  write(outcome, message);
  proto::Envelope envelope;
  envelope.set_magic(kMagic);
  envelope.set_format(kFormat);
  envelope.set_outcome(serialise(message));
  envelope.set_checksum(checksum_of(envelope.outcome()));
  return serialise(envelope);
}

Result<Outcome> decode_outcome(std::string_view bytes) {
  if (std::optional<Failure> failure = refuse_header(bytes)) return *failure;
  proto::Envelope envelope;
  if (!parse(bytes, envelope) || serialise(envelope) != bytes) return damaged();
  if (envelope.checksum() != checksum_of(envelope.outcome())) return damaged();
  proto::Outcome message;
  std::optional<Outcome> outcome;
  if (parse(envelope.outcome(), message)) outcome = read(message);
  if (!outcome) return damaged();
  return std::move(*outcome);
}

std::string encode_case(const CaseOutcome& outcome) {
  proto::Case message;
  write(outcome, message);
  return serialise(message);
}

Result<CaseOutcome> decode_case(std::string_view bytes) {
  proto::Case message;
  std::optional<CaseOutcome> outcome;
  if (parse(bytes, message)) outcome = read(message);
  if (!outcome) return Failure{"the outcome of a case is cut short or damaged", ""};
  return std::move(*outcome);
}

}  // namespace sim
