// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/chip.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "scenarios/loader/embedded.h"
#include "scenarios/loader/yaml.h"
#include "scenarios/workload/declare.h"
#include "sim/base/check.h"

namespace workload {
namespace {

using sim::Diagnostics;
using sim::Dimension;
using sim::Key;
using sim::Section;

struct DtypeFact {
  std::string_view name;
  std::int64_t bits_of_32;  // bits of 32 elements, scales included
};
constexpr std::array<DtypeFact, kDtypes> kDtypeFacts = {
    {{"fp32", 1024}, {"bf16", 512}, {"fp8", 256}, {"mxfp8", 264}, {"mxfp4", 136}}};

Key fact(std::string name, Dimension dimension, std::string help) {
  Key key = text_key(std::move(name), std::move(help));
  key.dimension = dimension;
  return required(std::move(key));
}

std::vector<Key> declare_facts() {
  return {fact("cores", Dimension::kCount, "Physical cores of a chip."),
          fact("hbm.capacity", Dimension::kBytes, "Memory of a chip."),
          fact("hbm.bandwidth", Dimension::kBandwidth, "Memory bandwidth of a chip."),
          fact("hbm.share", Dimension::kRatio, "Part of it that streaming operations reach."),
          fact("peak.fp32", Dimension::kCount, "GFLOP/s in FP32."),
          fact("peak.bf16", Dimension::kCount, "GFLOP/s in BF16."),
          fact("peak.fp8", Dimension::kCount, "GFLOP/s in FP8; 0: not at all."),
          fact("peak.mxfp8", Dimension::kCount, "GFLOP/s in MXFP8; 0: not at all."),
          fact("peak.mxfp4", Dimension::kCount, "GFLOP/s in MXFP4; 0: not at all."),
          fact("gemm.share", Dimension::kRatio, "Part of the peak that large products reach."),
          fact("gemm.tile", Dimension::kCount, "Rows and columns come in multiples of it."),
          fact("gemm.grouped_share", Dimension::kRatio, "Grouped products against single ones."),
          fact("attention.share", Dimension::kRatio, "Part of the peak that attention reaches."),
          fact("op.launch", Dimension::kTime, "Fixed cost of one operation."),
          fact("collective.beside", Dimension::kRatio,
               "Part of compute lost while a collective runs beside it.")};
}

std::vector<Key> value_keys(const Key& key) {
  Key value = key;
  value.name = "value";
  Key low = value;
  low.name = "low";
  low.required = false;
  Key high = low;
  high.name = "high";
  return {value, low, high,
          required(choice_key("grade", "", {"published", "analyst", "judged", "chosen"}, "")),
          required(text_key("source", ""))};
}

sim::Grade grade_of(const std::string& name) {
  for (const sim::Grade grade :
       {sim::Grade::kPublished, sim::Grade::kAnalyst, sim::Grade::kJudged}) {
    if (name == sim::name_of(grade)) return grade;
  }
  return sim::Grade::kChosen;
}

std::vector<Key> file_keys() {
  Key hardware = text_key("hardware", "");
  hardware.shape = Key::Shape::kScalars;
  Key facts = required(text_key("facts", ""));
  facts.shape = Key::Shape::kOpenMap;
  Key share = ratio_key("share", "", "");
  share.shape = Key::Shape::kScalars;
  return {required(text_key("chip", "")), required(text_key("title", "")), hardware, facts,
          required(section_key("gemm_curve", "",
                               {required(counts_key("side", "", 1, 1'000'000)), required(share),
                                required(text_key("source", ""))}))};
}

void read_facts(const sim::Value& map, Chip& chip, Diagnostics& diagnostics) {
  for (const Key& key : chip_fact_keys()) {
    const sim::Value::Entry* entry = map.find(key.name);
    if (entry == nullptr) {
      diagnostics.add({map.position, "fact '" + key.name + "' is missing", sim::accepts(key), ""});
      continue;
    }
    const std::size_t before = diagnostics.count();
    const Section section =
        sim::read_section(entry->value, value_keys(key), "facts." + key.name, diagnostics);
    if (diagnostics.count() > before) continue;
    const sim::Quantity value = section.find("value")->scalars[0];
    const auto bound = [&](const char* name) {
      return section.has(name) ? section.find(name)->scalars[0] : value;
    };
    set_fact(chip, key.name, value);
    chip.facts.push_back({key.name, value, bound("low"), bound("high"),
                          grade_of(section.text("grade")), section.text("source")});
  }
}

Chip parse_shipped(const scenarios::EmbeddedFile& file) {
  const std::string text = scenarios::clean_text(file.text);
  Diagnostics diagnostics("scenarios/chips/" + std::string(file.name), text);
  Chip chip;
  if (const std::optional<sim::Value> tree = scenarios::parse_yaml(text, diagnostics)) {
    const Section section = sim::read_section(*tree, file_keys(), "", diagnostics);
    if (diagnostics.empty()) {
      chip.name = section.text("chip");
      chip.title = section.text("title");
      if (const Section::Entry* hardware = section.find("hardware")) {
        for (const sim::Quantity& one : hardware->scalars) chip.hardware.push_back(one.text);
      }
      const Section& curve = section.section("gemm_curve");
      for (const sim::Quantity& one : curve.find("side")->scalars) {
        chip.curve_side.push_back(static_cast<double>(one.amount));
      }
      for (const sim::Quantity& one : curve.find("share")->scalars) {
        chip.curve_share.push_back(static_cast<double>(one.amount) / sim::kRatioOne);
      }
      read_facts(section.find("facts")->open, chip, diagnostics);
    }
  }
  if (!diagnostics.empty()) std::fputs(diagnostics.render().c_str(), stderr);
  CHECK(diagnostics.empty());
  CHECK(chip.curve_side.size() == chip.curve_share.size() && !chip.curve_side.empty());
  return chip;
}

std::size_t peak_of(const std::string& name) {
  return static_cast<std::size_t>(dtype_of(name.substr(name.find('.') + 1)));
}

}  // namespace

std::string_view name_of(Dtype dtype) { return kDtypeFacts[static_cast<std::size_t>(dtype)].name; }

const std::vector<std::string>& dtype_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const DtypeFact& one : kDtypeFacts) names.emplace_back(one.name);
    return names;
  }();
  return kNames;
}

Dtype dtype_of(std::string_view name) {
  for (std::size_t i = 0; i < kDtypes; ++i) {
    if (kDtypeFacts[i].name == name) return static_cast<Dtype>(i);
  }
  CHECK(false);
}

std::int64_t bytes_of(Dtype dtype, std::int64_t elements) {
  constexpr std::int64_t kBits = 256;  // 32 elements, 8 bits a byte
  const auto bits =
      static_cast<__int128>(elements) * kDtypeFacts[static_cast<std::size_t>(dtype)].bits_of_32;
  return static_cast<std::int64_t>((bits + kBits - 1) / kBits);
}

const std::vector<Key>& chip_fact_keys() {
  static const std::vector<Key> kKeys = declare_facts();
  return kKeys;
}

void set_fact(Chip& chip, const std::string& name, const sim::Quantity& value) {
  const auto amount = static_cast<double>(value.amount);
  const double share = amount / sim::kRatioOne;
  if (name == "cores") chip.cores = value.amount;
  if (name == "hbm.capacity") chip.memory = value.amount;
  if (name == "hbm.bandwidth") chip.memory_rate = amount;
  if (name == "hbm.share") chip.memory_share = share;
  if (name.starts_with("peak.")) chip.peak[peak_of(name)] = amount * 1e9;
  if (name == "gemm.share") chip.gemm_share = share;
  if (name == "gemm.tile") chip.tile = std::max<std::int64_t>(value.amount, 1);
  if (name == "gemm.grouped_share") chip.grouped_share = share;
  if (name == "attention.share") chip.attention_share = share;
  if (name == "op.launch") chip.launch = sim::Time(value.amount);
  if (name == "collective.beside") chip.beside = share;
  for (sim::Parameter& one : chip.facts) {
    if (one.name != name) continue;
    one = {name, value, value, value, sim::Grade::kScenario, "this scenario"};
  }
}

std::vector<std::string> chip_names() {
  std::vector<std::string> names;
  for (const scenarios::EmbeddedFile& file : scenarios::chip_files()) {
    names.emplace_back(file.name.substr(0, file.name.rfind(".yaml")));
  }
  return names;
}

std::optional<Chip> find_chip(std::string_view name) {
  for (const scenarios::EmbeddedFile& file : scenarios::chip_files()) {
    if (file.name == std::string(name) + ".yaml") return parse_shipped(file);
  }
  return std::nullopt;
}

std::optional<Chip> chip_of_hardware(std::string_view preset) {
  for (const scenarios::EmbeddedFile& file : scenarios::chip_files()) {
    if (file.text.find(preset) == std::string_view::npos) continue;
    Chip chip = parse_shipped(file);
    if (std::ranges::find(chip.hardware, preset) != chip.hardware.end()) return chip;
  }
  return std::nullopt;
}

}  // namespace workload
