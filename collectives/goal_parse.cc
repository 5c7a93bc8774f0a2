// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "collectives/goal.h"

namespace collectives::goal {
namespace {

using sim::Position;

constexpr std::int64_t kMostRanks = 1'000'000;
constexpr std::int64_t kMostOps = 20'000'000;
constexpr std::int64_t kMostNanoseconds = 1'000'000'000'000'000;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
constexpr std::int64_t kMostTag = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostCpus = 1'024;

struct Token {
  std::string_view text;  // "" at the end
  Position place;
};

// Words, and the signs : { }. Comments run from # or // to the end of the line, or from /* to */.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { next(); }

  [[nodiscard]] const Token& now() const { return token_; }
  [[nodiscard]] bool at_end() const { return token_.text.empty(); }
  Token take() {
    const Token taken = token_;
    next();
    return taken;
  }

 private:
  static bool is_sign(char c) { return c == ':' || c == '{' || c == '}'; }
  static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ';';
  }

  void step() {
    if (text_[at_] == '\n') {
      ++place_.line;
      place_.column = 0;
    }
    ++place_.column;
    ++at_;
  }

  bool skip_comment() {
    const std::string_view rest = text_.substr(at_);
    const bool line = rest.starts_with("#") || rest.starts_with("//");
    if (!line && !rest.starts_with("/*")) return false;
    const std::size_t end = line ? rest.find('\n') : rest.find("*/", 2);
    std::size_t count = end == std::string_view::npos ? rest.size() : end + (line ? 0 : 2);
    while (count-- > 0) step();
    return true;
  }

  void next() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_.substr(at_).starts_with("#") ||
                                  text_.substr(at_).starts_with("/"))) {
      if (!skip_comment()) {
        if (!is_space(text_[at_])) break;
        step();
      }
    }
    token_ = {{}, place_};
    const std::size_t start = at_;
    if (at_ < text_.size() && is_sign(text_[at_])) {
      step();
    } else {
      while (at_ < text_.size() && !is_space(text_[at_]) && !is_sign(text_[at_])) step();
    }
    token_.text = text_.substr(start, at_ - start);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Position place_{1, 1};
  Token token_;
};

class Reader {
 public:
  Reader(const std::string& text, sim::Diagnostics& diagnostics)
      : tokens_(text), diagnostics_(diagnostics) {}

  std::optional<Program> run() {
    const std::size_t before = diagnostics_.count();
    if (!read_ranks()) return std::nullopt;
    while (!tokens_.at_end() && sound_) read_rank();
    if (sound_) check_all();
    if (diagnostics_.count() > before) return std::nullopt;
    return std::move(program_);
  }

 private:
  // A fault of grammar ends the reading: what follows would be guessed.
  void stop(Position place, std::string what, std::string expected) {
    if (sound_) diagnostics_.add({place, std::move(what), std::move(expected), ""});
    sound_ = false;
  }
  void report(Position place, std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({place, std::move(what), std::move(expected), std::move(hint)});
  }

  static std::string shown(const Token& token) {
    return token.text.empty() ? "the end of the file" : sim::quoted(token.text);
  }

  bool expect(std::string_view word) {
    if (!sound_) return false;
    if (tokens_.now().text == word) return tokens_.take(), true;
    stop(tokens_.now().place, shown(tokens_.now()), fmt::format("'{}'", word));
    return false;
  }

  // A whole number, with `unit` behind it where one is given.
  std::int64_t number(std::string_view what, std::int64_t most, std::string_view unit = "") {
    const Token token = tokens_.take();
    std::string_view text = token.text;
    const bool has_unit = !unit.empty() && text.ends_with(unit);
    if (has_unit) text.remove_suffix(unit.size());
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (whole && value >= 0 && value <= most && (unit.empty() || has_unit)) return value;
    stop(token.place, fmt::format("{} as {}", shown(token), what),
         fmt::format("a whole number from 0 to {}{}", most,
                     unit.empty() ? "" : fmt::format(", and '{}' behind it", unit)));
    return 0;
  }

  bool read_ranks() {
    if (!expect("num_ranks")) return false;
    program_.ranks_place = tokens_.now().place;
    const std::int64_t count = number("the number of ranks", kMostRanks);
    if (sound_ && count < 2) stop(program_.ranks_place, "fewer than 2 ranks", "at least 2");
    program_.ranks.resize(static_cast<std::size_t>(count));
    given_.assign(program_.ranks.size(), false);
    return sound_;
  }

  sim::Rank rank_number(std::string_view what) {
    const Position place = tokens_.now().place;
    const std::int64_t rank = number(what, kMostRanks);
    if (sound_ && rank >= static_cast<std::int64_t>(program_.ranks.size())) {
      stop(place, fmt::format("there is no rank {}", rank),
           fmt::format("at most {}", program_.ranks.size() - 1));
    }
    return static_cast<sim::Rank>(rank);
  }

  void read_rank() {
    if (!expect("rank")) return;
    const Position place = tokens_.now().place;
    const sim::Rank rank = rank_number("a rank");
    if (!expect("{")) return;
    if (given_[rank]) return stop(place, fmt::format("rank {} is there twice", rank), "each once");
    given_[rank] = true;
    labels_.clear();
    waits_.clear();
    while (sound_ && tokens_.now().text != "}") read_line(rank);
    expect("}");
    for (const Wait& wait : waits_) resolve(wait, program_.ranks[rank]);
  }

  // `label: op ...`, `op ...`, or `label requires label`.
  void read_line(sim::Rank rank) {
    const Token first = tokens_.take();
    const std::string_view text = first.text;
    if (text == "calc" || text == "send" || text == "recv") return read_op(rank, first, "");
    if (tokens_.now().text == ":") {
      tokens_.take();
      return read_op(rank, tokens_.take(), text);
    }
    const Token word = tokens_.take();
    if (word.text != "requires" && word.text != "irequires") {
      return stop(text.empty() ? first.place : word.place, shown(text.empty() ? first : word),
                  "':', requires or irequires behind a label");
    }
    waits_.push_back({first, tokens_.take(), word.text == "irequires"});
  }

  void read_op(sim::Rank rank, const Token& word, std::string_view label) {
    Op op;
    op.place = word.place;
    if (word.text == "calc") {
      op.amount = number("nanoseconds", kMostNanoseconds);
    } else if (word.text == "send" || word.text == "recv") {
      op.kind = word.text == "send" ? Kind::kSend : Kind::kReceive;
      read_message(rank, op);
    } else {
      return stop(word.place, shown(word), "calc, send or recv");
    }
    read_rest(op);
    std::vector<Op>& ops = program_.ranks[rank];
    if (!label.empty() && !labels_.emplace(label, static_cast<std::uint32_t>(ops.size())).second) {
      report(word.place, fmt::format("the label {} is there twice", sim::quoted(label)),
             "each once in a rank");
    }
    if (++ops_ > kMostOps) stop(word.place, "too many ops", fmt::format("at most {}", kMostOps));
    ops.push_back(std::move(op));
  }

  void read_message(sim::Rank rank, Op& op) {
    op.amount = number("a size", kMostBytes, "b");
    if (!expect(op.kind == Kind::kSend ? "to" : "from")) return;
    const Position place = tokens_.now().place;
    op.peer = rank_number("a rank");
    if (sound_ && op.peer == rank) {
      report(place, fmt::format("rank {} and itself", rank), "another rank");
    }
  }

  void read_rest(Op& op) {
    while (sound_) {
      const std::string_view word = tokens_.now().text;
      if (word == "cpu") {
        tokens_.take();
        op.cpu = static_cast<std::uint32_t>(number("a cpu", kMostCpus - 1));
      } else if (word == "tag" && op.kind != Kind::kCalc) {
        tokens_.take();
        op.tag = number("a tag", kMostTag);
      } else if (word == "nic" && op.kind != Kind::kCalc) {
        tokens_.take();
        static_cast<void>(number("a nic", kMostCpus - 1));  // the fabric says which one
      } else {
        return;
      }
    }
  }

  struct Wait {
    Token who;
    Token whom;
    bool begun = false;
  };

  void resolve(const Wait& wait, std::vector<Op>& ops) {
    const auto who = labels_.find(wait.who.text);
    const auto whom = labels_.find(wait.whom.text);
    for (const auto& [token, found] : {std::pair{wait.who, who}, std::pair{wait.whom, whom}}) {
      if (found != labels_.end()) continue;
      std::vector<std::string> known;
      for (const auto& [label, op] : labels_) known.emplace_back(label);
      const std::string near = sim::nearest(token.text, known);
      report(token.place, fmt::format("no op of this rank is called {}", shown(token)),
             "a label of the rank", near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
    if (who == labels_.end() || whom == labels_.end()) return;
    ops[who->second].needs.push_back({whom->second, wait.begun, wait.who.place});
  }

  void check_all() {
    for (std::size_t rank = 0; rank < given_.size(); ++rank) {
      if (given_[rank]) continue;
      return report(program_.ranks_place, fmt::format("rank {} is not there", rank),
                    fmt::format("rank {} {{ }} at least", rank));
    }
  }

  Tokens tokens_;
  sim::Diagnostics& diagnostics_;
  Program program_;
  std::vector<bool> given_;
  std::map<std::string_view, std::uint32_t> labels_;  // of the rank being read
  std::vector<Wait> waits_;
  std::int64_t ops_ = 0;
  bool sound_ = true;
};

}  // namespace

std::optional<Program> parse(const std::string& text, sim::Diagnostics& diagnostics) {
  return Reader(text, diagnostics).run();
}

}  // namespace collectives::goal
