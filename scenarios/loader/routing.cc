// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/loader/declared.h"
#include "scenarios/loader/file.h"

namespace scenarios {
namespace {

using collectives::Routing;
using sim::Dimension;
using sim::Key;
using sim::Section;
using Model = Routing::Model;
using Shape = sim::Key::Shape;

constexpr std::array<std::pair<std::string_view, Model>, 6> kModels = {
    {{"balanced", Model::kBalanced},
     {"uniform", Model::kUniform},
     {"power_law", Model::kPowerLaw},
     {"hot_expert", Model::kHotExpert},
     {"node_limited", Model::kNodeLimited},
     {"matrix", Model::kMatrix}}};

Key key_of(std::string name, Dimension dimension, std::string help) {
  Key key;
  key.name = std::move(name);
  key.dimension = dimension;
  key.help = std::move(help);
  return key;
}

Key number(std::string name, Dimension dimension, std::int64_t least, std::int64_t most,
           std::string help) {
  Key key = key_of(std::move(name), dimension, std::move(help));
  key.least = least;
  key.most = most;
  return key;
}

Key choice(std::string name, std::vector<std::string> choices, std::string help) {
  Key key = key_of(std::move(name), Dimension::kText, std::move(help));
  key.fallback = choices.front();
  key.choices = std::move(choices);
  return key;
}

Key list_of(Key key) {
  key.shape = Shape::kScalars;
  return key;
}

std::vector<Key> routing_keys() {
  constexpr std::int64_t kOne = sim::kRatioOne;
  Key model = key_of("model", Dimension::kText,
                     "How tokens choose their experts, or matrix: bytes as given.");
  for (const auto& [name, value] : kModels) model.choices.emplace_back(name);
  model.required = true;
  return {
      model,
      list_of(
          number("tokens", Dimension::kCount, 1, 100'000'000, "Tokens of a rank; a list sweeps.")),
      number("experts", Dimension::kCount, 1, 1'000'000, "Experts, a multiple of the ranks."),
      number("top_k", Dimension::kCount, 1, 1'000, "Experts that a token goes to."),
      number("token_bytes", Dimension::kBytes, 1, std::int64_t{1} << 30,
             "Bytes of a row: hidden size x bytes per element."),
      number("exponent", Dimension::kRatio, 0, 4 * kOne, "power_law: exponent of the weights."),
      number("hot_factor", Dimension::kRatio, kOne, 1'000'000 * kOne,
             "hot_expert: its rows over the mean of all experts."),
      number("groups", Dimension::kCount, 1, 100'000, "node_limited: groups of experts."),
      number("top_groups", Dimension::kCount, 1, 100'000, "node_limited: groups a token may use."),
      choice("group_choice", {"by_score", "at_random"},
             "node_limited: by the sum of the two best affinities (DeepSeek-V3), or any."),
      number("capacity_factor", Dimension::kRatio, 1, 1'000'000 * kOne,
             "Most rows of a rank for an expert, over the mean."),
      choice("overflow", {"drop", "pad"},
             "capacity_factor: rows beyond are dropped, or all are padded to it."),
      choice("dedup", {"none", "rank", "server"},
             "A row goes once to each expert, to each rank, or to each server and there to each "
             "rank (hierarchical; a server is an inner group)."),
      list_of(number("matrix", Dimension::kBytes, 0, std::int64_t{1} << 50,
                     "matrix: bytes of each rank for each rank, row by row.")),
      key_of("matrix_file", Dimension::kText,
             "matrix: a CSV file beside the scenario, a line for each sending rank, in bytes.")};
}

// Which models need a key and which may have it besides.
struct Use {
  std::string_view key;
  std::vector<Model> needed_by;
  std::vector<Model> allowed_by = {};
};

const std::vector<Use>& uses() {
  static const std::vector<Model> kRouted = {Model::kBalanced, Model::kUniform, Model::kPowerLaw,
                                             Model::kHotExpert, Model::kNodeLimited};
  static const std::vector<Use> kUses = {{"tokens", kRouted},
                                         {"experts", kRouted},
                                         {"top_k", kRouted},
                                         {"token_bytes", kRouted},
                                         {"exponent", {Model::kPowerLaw}},
                                         {"hot_factor", {Model::kHotExpert}},
                                         {"groups", {Model::kNodeLimited}},
                                         {"top_groups", {Model::kNodeLimited}},
                                         {"group_choice", {}, {Model::kNodeLimited}},
                                         {"capacity_factor", {}, kRouted},
                                         {"overflow", {}, kRouted},
                                         {"dedup", {}, kRouted},
                                         {"matrix", {}, {Model::kMatrix}},
                                         {"matrix_file", {}, {Model::kMatrix}}};
  return kUses;
}

bool among(const std::vector<Model>& models, Model model) {
  return std::ranges::find(models, model) != models.end();
}

std::string_view name_of(Model model) {
  return std::ranges::find(kModels, model, &std::pair<std::string_view, Model>::second)->first;
}

std::string ratio_text(std::int64_t ppb) { return sim::to_text(ppb, Dimension::kRatio); }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// A plain number is bytes; sizes with units will do too.
std::optional<std::int64_t> bytes_in(std::string_view cell) {
  for (const Dimension dimension : {Dimension::kCount, Dimension::kBytes}) {
    const auto parsed = sim::parse_quantity(cell, dimension);
    if (parsed.ok() && parsed.value().amount >= 0) return parsed.value().amount;
  }
  return std::nullopt;
}

// Lines of equal length, as many as each is long. The fault names the line.
sim::Result<std::vector<std::int64_t>> matrix_in(const std::string& text) {
  std::vector<std::int64_t> matrix;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> cells = split(line, ',');
    if (rows++ == 0) columns = cells.size();
    if (cells.size() != columns) {
      return sim::Failure{
          fmt::format("line {} has {} sizes, and the first has {}", number, cells.size(), columns),
          "as many lines as sizes in a line"};
    }
    for (const std::string_view cell : cells) {
      const std::optional<std::int64_t> bytes = bytes_in(cell);
      if (!bytes) {
        return sim::Failure{
            fmt::format("line {}: {} is not a size", number, sim::quoted(std::string(cell))),
            "bytes such as 65536 or 64 KiB"};
      }
      matrix.push_back(*bytes);
    }
  }
  if (rows == columns && rows > 0) return matrix;
  return sim::Failure{fmt::format("it has {} lines of {} sizes", rows, columns),
                      "as many lines as sizes in a line"};
}

}  // namespace

Key routing_key() {
  Key key;
  key.name = "routing";
  key.shape = Shape::kSection;
  key.help = "all_to_all_v, instead of bytes: which rank owes which how much.";
  key.inner = routing_keys();
  return key;
}

RoutingItem::RoutingItem(const Section& item, std::string path, const std::string& folder,
                         sim::Diagnostics& diagnostics)
    : path_(std::move(path) + ".routing"), diagnostics_(diagnostics) {
  if (!item.has("routing")) return;
  section_ = &item.section("routing");
  const std::string& name = section_->text("model");
  routing_.model =
      std::ranges::find(kModels, name, [](const auto& one) { return one.first; })->second;
  check_uses();
  read_numbers();
  if (routing_.model == Model::kMatrix) read_matrix(folder);
  write_label();
}

void RoutingItem::check_uses() {
  static const std::vector<Key> kKeys = routing_keys();
  for (const Use& use : uses()) {
    const Section::Entry* entry = section_->find(use.key);
    const bool given = entry != nullptr && !is_default(*entry, *find_key(kKeys, use.key));
    const bool needed = among(use.needed_by, routing_.model);
    if (needed && entry == nullptr) {
      diagnostics_.add({section_->place, fmt::format("{} has no '{}'", path_, use.key),
                        fmt::format("'{}' for model: {}", use.key, name_of(routing_.model))});
    }
    if (given && !needed && !among(use.allowed_by, routing_.model)) {
      report(std::string(use.key), fmt::format("'{}' has no use in {}", use.key, path_),
             fmt::format("no '{}' for model: {}", use.key, name_of(routing_.model)));
    }
  }
}

void RoutingItem::read_numbers() {
  const auto count = [&](const char* key, std::int64_t& to) {
    if (section_->has(key)) to = section_->count(key);
  };
  const auto ratio = [&](const char* key, std::int64_t& to) {
    if (section_->has(key)) to = section_->ratio(key);
  };
  count("experts", routing_.experts);
  count("top_k", routing_.top_k);
  count("groups", routing_.groups);
  count("top_groups", routing_.top_groups);
  ratio("exponent", routing_.exponent_ppb);
  ratio("hot_factor", routing_.hot_factor_ppb);
  ratio("capacity_factor", routing_.capacity_ppb);
  if (section_->has("token_bytes")) routing_.token_bytes = section_->bytes("token_bytes");
  routing_.groups_by_score = section_->text("group_choice") == "by_score";
  routing_.pad = section_->text("overflow") == "pad";
  const std::string& dedup = section_->text("dedup");
  if (dedup == "rank") routing_.dedup = Routing::Dedup::kRank;
  if (dedup == "server") routing_.dedup = Routing::Dedup::kServer;
  if (routing_.pad && routing_.capacity_ppb == 0) {
    report("overflow", "overflow: pad needs a capacity in " + path_, "a capacity_factor");
  }
}

void RoutingItem::read_matrix(const std::string& folder) {
  if (section_->has("matrix") == section_->has("matrix_file")) {
    const bool both = section_->has("matrix");
    diagnostics_.add({section_->place,
                      fmt::format("{} has {}", path_,
                                  both ? "both 'matrix' and 'matrix_file'"
                                       : "neither 'matrix' nor 'matrix_file'"),
                      "one of them for model: matrix"});
    return;
  }
  if (section_->has("matrix_file")) return read_matrix_file(folder);
  for (const sim::Quantity& one : section_->find("matrix")->scalars) {
    routing_.matrix.push_back(one.amount);
  }
}

void RoutingItem::read_matrix_file(const std::string& folder) {
  const std::string& name = section_->text("matrix_file");
  const bool elsewhere = name.starts_with('/') || folder.empty();
  const sim::Result<std::string> text = read_text_file(elsewhere ? name : folder + "/" + name);
  if (!text.ok()) {
    return report("matrix_file", fmt::format("{}: {}", name, text.failure().what),
                  "a CSV file that can be read");
  }
  sim::Result<std::vector<std::int64_t>> matrix = matrix_in(text.value());
  if (!matrix.ok()) {
    return report("matrix_file", fmt::format("{}: {}", name, matrix.failure().what),
                  matrix.failure().hint);
  }
  routing_.matrix = std::move(matrix).value();
}

void RoutingItem::write_label() {
  label_ = std::string(name_of(routing_.model));
  if (routing_.model == Model::kPowerLaw) label_ += " " + ratio_text(routing_.exponent_ppb);
  if (routing_.model == Model::kHotExpert) label_ += " " + ratio_text(routing_.hot_factor_ppb);
  if (routing_.model == Model::kNodeLimited) {
    label_ += fmt::format(" {} of {}", routing_.top_groups, routing_.groups);
    if (!routing_.groups_by_score) label_ += " at random";
  }
  if (routing_.capacity_ppb > 0) {
    label_ += fmt::format(", {} {}", routing_.pad ? "padded to" : "capacity",
                          ratio_text(routing_.capacity_ppb));
  }
  if (routing_.dedup == Routing::Dedup::kRank) label_ += ", once a rank";
  if (routing_.dedup == Routing::Dedup::kServer) label_ += ", once a server";
}

std::shared_ptr<const Routing> RoutingItem::over(sim::Rank ranks, sim::Rank server,
                                                 std::int64_t tokens) {
  auto made = std::make_shared<Routing>(routing_);
  made->tokens = tokens;
  const auto fault = fault_in(*made, ranks, server);
  if (!fault) return made;
  const bool file = fault->key == "matrix" && section_->has("matrix_file");
  report(file ? "matrix_file" : fault->key, fmt::format("{} in {}", fault->what, path_),
         fault->expected);
  return nullptr;
}

void RoutingItem::report(const std::string& key, std::string what, std::string expected) {
  const sim::Position place = section_->has(key) ? section_->position(key) : section_->place;
  const sim::Diagnostic fault{place, std::move(what), std::move(expected), ""};
  const auto said = [&](const sim::Diagnostic& one) {
    return one.what == fault.what && one.position.line == place.line &&
           one.position.column == place.column;
  };
  if (std::ranges::none_of(diagnostics_.list(), said)) diagnostics_.add(fault);
}

}  // namespace scenarios
