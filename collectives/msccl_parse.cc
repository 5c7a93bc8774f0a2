// SPDX-License-Identifier: GPL-2.0-only
// The only pugixml door. Reads what is said, element by element; what it means for the data is for
// msccl_plan.cc.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <pugixml.hpp>
#include <string_view>
#include <utility>

#include "collectives/msccl.h"

namespace collectives::msccl {
namespace {

using sim::Position;

constexpr std::int64_t kMostRanks = 65'536;
constexpr std::int64_t kMostChunks = 1 << 20;
constexpr std::int64_t kMostSteps = 4'000'000;

struct Kind {
  std::string_view type;
  Action first;
  Action second;  // kNothing: it has one half
  bool from;      // names what it reads here
  bool to;        // names what it writes here
};

constexpr Kind kKinds[] = {{"s", Action::kSend, Action::kNothing, true, false},
                           {"r", Action::kReceive, Action::kNothing, false, true},
                           {"rcs", Action::kReceive, Action::kSend, false, true},
                           {"rrs", Action::kReduceAside, Action::kSendAside, true, false},
                           {"rrc", Action::kReduce, Action::kNothing, true, true},
                           {"rrcs", Action::kReduce, Action::kSend, true, true},
                           {"cpy", Action::kCopy, Action::kNothing, true, true},
                           {"re", Action::kReduceOwn, Action::kNothing, true, true},
                           {"nop", Action::kNothing, Action::kNothing, false, false}};

struct Name {
  std::string_view text;
  sim::Collective collective;
};

constexpr Name kNames[] = {{"allreduce", sim::Collective::kAllReduce},
                           {"allgather", sim::Collective::kAllGather},
                           {"reducescatter", sim::Collective::kReduceScatter},
                           {"reduce_scatter", sim::Collective::kReduceScatter},
                           {"alltoall", sim::Collective::kAllToAll},
                           {"broadcast", sim::Collective::kBroadcast},
                           {"reduce", sim::Collective::kReduce}};

// What a step waits for, as written: threadblock and step, and where it says so.
struct Wait {
  std::uint32_t step = 0;  // of the rank
  std::int64_t block = -1;
  std::int64_t at = -1;
  Position place;
};

// Where the steps of a threadblock are among those of its rank, by the number they have in the
// file. A dependent is let go by the first step from the one it names on that signals.
struct Written {
  std::vector<std::uint32_t> last;  // by step: its last half
  std::vector<bool> signals;        // hasdep
};

class Reader {
 public:
  Reader(const std::string& text, sim::Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics) {
    line_starts_.push_back(0);
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
      line_starts_.push_back(at + 1);
    }
  }

  std::optional<Program> run() {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_buffer(text_.data(), text_.size());
    if (!parsed) {
      report(position(static_cast<std::size_t>(parsed.offset)),
             fmt::format("this is not well-formed XML: {}", parsed.description()), "MSCCL XML");
      return std::nullopt;
    }
    const pugi::xml_node algo = document.document_element();
    if (std::string_view(algo.name()) != "algo") {
      report(place(algo), fmt::format("the element is {}", sim::quoted(algo.name())),
             "<algo name=... ngpus=... coll=...>");
      return std::nullopt;
    }
    const std::size_t before = diagnostics_.count();
    read_algo(algo);
    for (const pugi::xml_node node : algo.children()) {
      if (expect(node, "gpu", "algo")) read_gpu(node);
    }
    check_gpus(algo);
    if (diagnostics_.count() > before) return std::nullopt;
    return std::move(program_);
  }

 private:
  void report(Position where, std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({where, std::move(what), std::move(expected), std::move(hint)});
  }

  [[nodiscard]] Position position(std::size_t offset) const {
    const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - 1;
    return {static_cast<int>(line - line_starts_.begin()) + 1,
            static_cast<int>(offset - *line) + 1};
  }

  [[nodiscard]] Position place(const pugi::xml_node& node) const {
    return position(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)));
  }

  // Of the attribute's name: pugixml keeps the place of elements only.
  [[nodiscard]] Position place(const pugi::xml_node& node, std::string_view name) const {
    const auto start = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
    const std::size_t end = std::min(text_.find('>', start), text_.size());
    for (std::size_t at = text_.find(name, start); at < end; at = text_.find(name, at + 1)) {
      const bool begins =
          at > 0 && std::string_view(" \t\r\n").find(text_[at - 1]) != std::string_view::npos;
      const std::size_t after = text_.find_first_not_of(" \t\r\n", at + name.size());
      if (begins && after < end && text_[after] == '=') return position(at);
    }
    return position(start);
  }

  bool expect(const pugi::xml_node& node, std::string_view name, const char* inside) {
    if (node.type() != pugi::node_element || node.name() == name) {
      return node.type() == pugi::node_element;
    }
    report(place(node), fmt::format("{} inside {}", sim::quoted(node.name()), inside),
           fmt::format("<{}>", name));
    return false;
  }

  void check_attributes(const pugi::xml_node& node, const std::vector<std::string>& known) {
    for (const pugi::xml_attribute one : node.attributes()) {
      if (std::ranges::find(known, one.name()) != known.end()) continue;
      const std::string near = sim::nearest(one.name(), known);
      report(place(node, one.name()),
             fmt::format("{} has no attribute {}", node.name(), sim::quoted(one.name())),
             fmt::format("one of {}", fmt::join(known, ", ")),
             near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
  }

  // A whole number in a range; `fallback` where it is left out, a fault where there is none.
  std::int64_t number(const pugi::xml_node& node, const char* name, std::int64_t least,
                      std::int64_t most, std::optional<std::int64_t> fallback = {}) {
    const pugi::xml_attribute given = node.attribute(name);
    if (!given) {
      if (!fallback) {
        report(place(node), fmt::format("{} has no '{}'", node.name(), name),
               fmt::format("{}=\"...\"", name));
      }
      return fallback.value_or(least);
    }
    const std::string_view value = given.value();
    std::int64_t result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error == std::errc() && end == value.data() + value.size() && result >= least &&
        result <= most) {
      return result;
    }
    report(place(node, name), fmt::format("{} is {}", name, sim::quoted(value)),
           fmt::format("a whole number from {} to {}", least, most));
    return least;
  }

  void read_algo(const pugi::xml_node& algo) {
    check_attributes(algo, {"name", "proto", "nchannels", "nchunksperloop", "ngpus", "coll",
                            "inplace", "outofplace", "redop", "minBytes", "maxBytes", "nthreads"});
    constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
    program_.name = algo.attribute("name").value();
    program_.chunks = count(number(algo, "nchunksperloop", 1, kMostChunks));
    ranks_ = count(number(algo, "ngpus", 1, kMostRanks));
    channels_ = number(algo, "nchannels", 1, kMostRanks, kMostRanks);
    if (algo.attribute("minBytes")) program_.least_bytes = number(algo, "minBytes", 0, kAny);
    if (algo.attribute("maxBytes")) program_.most_bytes = number(algo, "maxBytes", 0, kAny);
    program_.ranks_place = place(algo, "ngpus");
    program_.collective_place = place(algo, "coll");
    program_.sizes_place = place(algo, program_.least_bytes ? "minBytes" : "maxBytes");
    read_collective(algo);
    read_place(algo);
  }

  void read_collective(const pugi::xml_node& algo) {
    const std::string_view given = algo.attribute("coll").value();
    const auto known = std::ranges::find(kNames, given, &Name::text);
    if (known != std::end(kNames)) {
      program_.collective = known->collective;
      return;
    }
    report(program_.collective_place,
           given.empty() ? "algo has no 'coll'" : fmt::format("coll is {}", sim::quoted(given)),
           "allreduce, allgather, reducescatter, alltoall, broadcast or reduce",
           given == "custom" ? "nothing says what a custom one should end with" : "");
  }

  // Where a file serves both, it is played as our own schedules are: in place, and an all-to-all
  // from one buffer to another.
  void read_place(const pugi::xml_node& algo) {
    const bool exchanges = program_.collective == sim::Collective::kAllToAll;
    const bool inside = algo.attribute("inplace");
    const bool outside = algo.attribute("outofplace");
    const bool in = number(algo, "inplace", 0, 1, inside || !outside ? 1 : 0) == 1;
    const bool out = number(algo, "outofplace", 0, 1, !inside || !in ? 1 : 0) == 1;
    program_.in_place = exchanges ? !out : in;
    if (in || out) return;
    report(place(algo, "inplace"), "neither inplace nor outofplace", "one of them 1");
  }

  static std::uint32_t count(std::int64_t value) { return static_cast<std::uint32_t>(value); }

  void read_gpu(const pugi::xml_node& node) {
    check_attributes(node, {"id", "i_chunks", "o_chunks", "s_chunks"});
    const auto id = count(number(node, "id", 0, ranks_ - std::int64_t{1}));
    number(node, "i_chunks", 0, kMostChunks, 0);
    number(node, "o_chunks", 0, kMostChunks, 0);
    Gpu gpu;
    gpu.place = place(node);
    gpu.scratch = count(number(node, "s_chunks", 0, kMostChunks, 0));
    std::vector<Written> written;
    std::vector<Wait> waits;
    for (const pugi::xml_node block : node.children()) {
      if (expect(block, "tb", "gpu")) read_block(block, gpu, written, waits);
    }
    for (const Wait& wait : waits) resolve(wait, written, gpu);
    check_connections(gpu, node);
    if (!gpus_.emplace(id, std::move(gpu)).second) {
      report(place(node, "id"), fmt::format("gpu {} is there twice", id), "each rank once");
    }
  }

  void read_block(const pugi::xml_node& node, Gpu& gpu, std::vector<Written>& written,
                  std::vector<Wait>& waits) {
    check_attributes(node, {"id", "send", "recv", "chan"});
    const std::int64_t id = number(node, "id", 0, kMostSteps);
    if (id != static_cast<std::int64_t>(written.size())) {
      report(place(node, "id"), fmt::format("threadblock {}", id),
             fmt::format("number {}: they are counted from 0 in each gpu", written.size()));
    }
    ThreadBlock block;
    block.send = peer(node, "send");
    block.receive = peer(node, "recv");
    block.channel = count(number(node, "chan", 0, std::max<std::int64_t>(channels_ - 1, 0), 0));
    block.first = static_cast<std::uint32_t>(gpu.steps.size());
    written.emplace_back();
    for (const pugi::xml_node step : node.children()) {
      if (expect(step, "step", "tb")) read_step(step, block, gpu, written.back(), waits);
    }
    block.end = static_cast<std::uint32_t>(gpu.steps.size());
    gpu.blocks.push_back(block);
  }

  sim::Rank peer(const pugi::xml_node& node, const char* name) {
    const std::int64_t rank = number(node, name, -1, ranks_ - std::int64_t{1}, -1);
    return rank < 0 ? sim::kNoRank : static_cast<sim::Rank>(rank);
  }

  void read_step(const pugi::xml_node& node, const ThreadBlock& block, Gpu& gpu, Written& written,
                 std::vector<Wait>& waits) {
    check_attributes(node, {"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid",
                            "deps", "hasdep"});
    const std::int64_t s = number(node, "s", 0, kMostSteps);
    if (s != static_cast<std::int64_t>(written.last.size())) {
      report(place(node, "s"), fmt::format("step {}", s),
             fmt::format("number {}: they are counted from 0 in each tb", written.last.size()));
    }
    const Kind* kind = std::ranges::find(kKinds, node.attribute("type").value(), &Kind::type);
    if (kind == std::end(kKinds)) {
      report(place(node, "type"),
             fmt::format("type is {}", sim::quoted(node.attribute("type").value())),
             "s, r, rcs, rrs, rrc, rrcs, cpy, re or nop");
      return;
    }
    if (++steps_ > kMostSteps) {
      if (steps_ == kMostSteps + 1)
        report(place(node), "too many steps", fmt::format("at most {}", kMostSteps));
      return;
    }
    check_peers(node, *kind, block);
    const auto number_here = static_cast<std::uint32_t>(gpu.steps.size());
    const std::int64_t depends = number(node, "depid", -1, kMostSteps, -1);
    const std::int64_t at = number(node, "deps", -1, kMostSteps, -1);
    if (depends >= 0) waits.push_back({number_here, depends, at, place(node, "depid")});
    add_halves(step_of(node, *kind), *kind, gpu);
    written.last.push_back(static_cast<std::uint32_t>(gpu.steps.size()) - 1);
    written.signals.push_back(number(node, "hasdep", 0, 1) == 1);
  }

  void check_peers(const pugi::xml_node& node, const Kind& kind, const ThreadBlock& block) {
    const auto sends = [](Action action) {
      return action == Action::kSend || action == Action::kSendAside;
    };
    const auto receives = [](Action action) {
      return action == Action::kReceive || action == Action::kReduce ||
             action == Action::kReduceAside;
    };
    if ((sends(kind.first) || sends(kind.second)) && block.send == sim::kNoRank) {
      report(place(node, "type"), "a step that sends, in a threadblock that sends to nobody",
             "send=\"a rank\" in its tb");
    }
    if (receives(kind.first) && block.receive == sim::kNoRank) {
      report(place(node, "type"),
             "a step that receives, in a threadblock that receives from nobody",
             "recv=\"a rank\" in its tb");
    }
  }

  Step step_of(const pugi::xml_node& node, const Kind& kind) {
    Step step;
    step.action = kind.first;
    step.place = place(node);
    if (kind.from) step.from = chunks(node, "srcbuf", "srcoff");
    if (kind.to) step.to = chunks(node, "dstbuf", "dstoff");
    const bool moves = kind.first != Action::kNothing;
    step.count = count(number(node, "cnt", moves ? 1 : 0, kMostChunks,
                              moves ? std::nullopt : std::optional<std::int64_t>(0)));
    return step;
  }

  Chunks chunks(const pugi::xml_node& node, const char* buffer, const char* offset) {
    const std::string_view name = node.attribute(buffer).value();
    Chunks chunks;
    chunks.offset = count(number(node, offset, 0, kMostChunks));
    if (name == "i") return chunks;
    chunks.buffer = name == "o" ? Buffer::kOutput : Buffer::kScratch;
    if (name != "o" && name != "s") {
      report(place(node, buffer), fmt::format("{} is {}", buffer, sim::quoted(name)),
             "i (input), o (output) or s (scratch)");
    }
    return chunks;
  }

  static void add_halves(Step step, const Kind& kind, Gpu& gpu) {
    gpu.steps.push_back(step);
    if (kind.second == Action::kNothing) return;
    step.action = kind.second;
    step.from = step.to;  // what was written is sent on; rrs keeps a place of its own
    gpu.steps.push_back(step);
  }

  void resolve(const Wait& wait, const std::vector<Written>& written, Gpu& gpu) {
    const auto block = static_cast<std::size_t>(wait.block);
    const auto at = static_cast<std::size_t>(wait.at);
    if (block >= written.size() || wait.at < 0 || at >= written[block].last.size()) {
      report(wait.place,
             fmt::format("it waits for step {} of threadblock {}, which is not there", wait.at,
                         wait.block),
             "a step of another threadblock of this gpu");
      return;
    }
    const std::vector<bool>& signals = written[block].signals;
    const auto signal = std::find(signals.begin() + wait.at, signals.end(), true);
    if (signal == signals.end()) {
      report(wait.place,
             fmt::format("it waits for step {} of threadblock {}, which never signals", wait.at,
                         wait.block),
             "hasdep=\"1\" in that step, or in one after it");
      return;
    }
    gpu.steps[wait.step].after =
        written[block].last[static_cast<std::size_t>(signal - signals.begin())];
  }

  // A connection belongs to one threadblock at each end.
  void check_connections(const Gpu& gpu, const pugi::xml_node& node) {
    std::map<std::pair<sim::Rank, std::uint32_t>, int> sends;
    std::map<std::pair<sim::Rank, std::uint32_t>, int> receives;
    for (const ThreadBlock& block : gpu.blocks) {
      const std::pair to{block.send, block.channel};
      const std::pair from{block.receive, block.channel};
      if (block.send != sim::kNoRank && ++sends[to] == 2) twice(node, "send to", to);
      if (block.receive != sim::kNoRank && ++receives[from] == 2) twice(node, "receive from", from);
    }
  }

  void twice(const pugi::xml_node& node, const char* what,
             std::pair<sim::Rank, std::uint32_t> connection) {
    report(place(node),
           fmt::format("two threadblocks {} rank {} over channel {}", what, connection.first,
                       connection.second),
           "one for each peer and channel");
  }

  void check_gpus(const pugi::xml_node& algo) {
    if (gpus_.size() != ranks_) {
      report(place(algo, "ngpus"),
             fmt::format("ngpus is {}, and there are {} gpu elements", ranks_, gpus_.size()),
             "one <gpu> for each rank");
    }
    for (auto& [id, gpu] : gpus_) program_.gpus.push_back(std::move(gpu));
  }

  const std::string& text_;
  sim::Diagnostics& diagnostics_;
  std::vector<std::size_t> line_starts_;
  Program program_;
  sim::Rank ranks_ = 0;
  std::int64_t channels_ = 0;
  std::int64_t steps_ = 0;
  std::map<std::uint32_t, Gpu> gpus_;  // by id
};

}  // namespace

std::optional<Program> parse(const std::string& text, sim::Diagnostics& diagnostics) {
  return Reader(text, diagnostics).run();
}

std::string coll_of(sim::Collective collective) {
  const auto known = std::ranges::find(kNames, collective, &Name::collective);
  return known == std::end(kNames) ? "" : std::string(known->text);
}

}  // namespace collectives::msccl
