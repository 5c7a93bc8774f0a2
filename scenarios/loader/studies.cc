// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenarios/loader/echo.h"

namespace scenarios {
namespace {

using sim::Dimension;
using sim::Key;
using sim::Quantity;
using sim::Value;

Key open_map(std::string name, std::string help) {
  Key key;
  key.name = std::move(name);
  key.shape = Key::Shape::kOpenMap;
  key.help = std::move(help);
  return key;
}

// Reads the values of one axis. Lives only during `read_sweep`.
class AxisReader {
 public:
  AxisReader(const Value::Entry& entry, sim::Diagnostics& diagnostics)
      : entry_(entry), diagnostics_(diagnostics) {}

  Axis read() {
    Axis axis{entry_.key, {}};
    const Value& value = entry_.value;
    if (value.kind == Value::Kind::kMap) return {entry_.key, range(value)};
    if (value.kind == Value::Kind::kScalar) return {entry_.key, {on_one_line(value)}};
    for (const Value& item : value.items) axis.values.push_back(on_one_line(item));
    if (axis.values.empty()) report("has no values");
    return axis;
  }

 private:
  void report(const std::string& what) {
    diagnostics_.add({entry_.value.position,
                      fmt::format("{} in sweep {}", sim::quoted(entry_.key), what),
                      "a list of values, {from: 64 KiB, to: 1 MiB, times: 4} or "
                      "{from: 1 us, to: 4 us, points: 5}"});
  }

  // The number that a range gives as `name`, or nothing after a fault was reported.
  std::optional<Quantity> number(const Value& range, const char* name) {
    const Value::Entry* given = range.find(name);
    const std::optional<Quantity> found =
        given == nullptr ? std::nullopt : any_quantity(given->value.text);
    if (!found) report(fmt::format("has no number as '{}'", name));
    return found;
  }

  std::vector<std::string> range(const Value& value) {
    const bool counted = value.find("points") != nullptr;
    const auto from = number(value, "from");
    const auto to = number(value, "to");
    const auto step = number(value, counted ? "points" : "times");
    if (!from || !to || !step) return {};
    if (value.entries.size() != 3) return report("is a range with other keys"), Strings{};
    if (from->dimension != to->dimension || step->dimension != Dimension::kCount ||
        from->amount < 1 || to->amount < from->amount || step->amount < 2) {
      return report("is no range of rising numbers above 0 in at least 2 steps"), Strings{};
    }
    return counted ? spaced(*from, *to, step->amount) : multiplied(*from, *to, step->amount);
  }

  // from, from x factor, ... up to and including `to`.
  static std::vector<std::string> multiplied(const Quantity& from, const Quantity& to,
                                             std::int64_t factor) {
    Strings values;
    for (std::int64_t amount = from.amount;; amount *= factor) {
      values.push_back(sim::to_text(amount, from.dimension));
      if (amount > to.amount / factor) return values;
    }
  }

  // So many values, evenly spaced by ratio; equal neighbours (of small counts) once.
  std::vector<std::string> spaced(const Quantity& from, const Quantity& to, std::int64_t points) {
    if (points > static_cast<std::int64_t>(kMostAxisValues)) {
      return report(fmt::format("has more than {} points", kMostAxisValues)), Strings{};
    }
    const double ratio = static_cast<double>(to.amount) / static_cast<double>(from.amount);
    Strings values;
    for (std::int64_t i = 0; i < points; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(points - 1);
      const double exact = static_cast<double>(from.amount) * std::pow(ratio, share);
      const std::int64_t amount = i + 1 == points ? to.amount : std::llround(exact);
      const std::string text = sim::to_text(amount, from.dimension);
      if (values.empty() || values.back() != text) values.push_back(text);
    }
    return values;
  }

  using Strings = std::vector<std::string>;

  const Value::Entry& entry_;
  sim::Diagnostics& diagnostics_;
};

}  // namespace

Key what_if_key() {
  Key name;
  name.name = "name";
  name.help = "What the change is called in the answer.";
  name.required = true;
  Key set = open_map("set", "Keys by path, as --set takes them, with the values they get.");
  set.required = true;
  Key key;
  key.name = "what_if";
  key.shape = Key::Shape::kSections;
  key.help = "Changes that `ultrasim what-if` holds against the scenario as it stands.";
  key.inner = {name, set};
  return key;
}

Key sweep_key() {
  return open_map(
      "sweep",
      "Keys by path, as --set takes them, each with a list, {from, to, times} or {from, "
      "to, points}: `ultrasim sweep` runs every combination.");
}

std::vector<Variant> read_what_if(const sim::Section& top, sim::Diagnostics& diagnostics) {
  std::vector<Variant> variants;
  const sim::Section::Entry* given = top.find("what_if");
  if (given == nullptr) return variants;
  for (const sim::Section& section : given->sections) {
    const sim::Section::Entry* set = section.find("set");
    if (set == nullptr || !section.has("name")) continue;  // a fault that was reported
    Variant variant{section.text("name"), {}};
    for (const Value::Entry& entry : set->open.entries) {
      variant.overrides.push_back({entry.key, on_one_line(entry.value)});
    }
    if (variant.overrides.empty()) {
      diagnostics.add(
          {set->position, "the change sets nothing", "at least one key with its value"});
    }
    const auto same = [&](const Variant& other) { return other.name == variant.name; };
    if (std::ranges::any_of(variants, same)) {
      diagnostics.add({section.position("name"),
                       fmt::format("two changes are called {}", sim::quoted(variant.name)),
                       "each name once"});
    }
    variants.push_back(std::move(variant));
  }
  return variants;
}

std::vector<Axis> read_sweep(const sim::Section& top, sim::Diagnostics& diagnostics) {
  std::vector<Axis> axes;
  const sim::Section::Entry* given = top.find("sweep");
  if (given == nullptr) return axes;
  for (const Value::Entry& entry : given->open.entries) {
    const auto same = [&](const Axis& axis) { return axis.path == entry.key; };
    if (std::ranges::any_of(axes, same)) {
      diagnostics.add({entry.position,
                       fmt::format("duplicate key {} in sweep", sim::quoted(entry.key)),
                       "each key once"});
    }
    axes.push_back(AxisReader(entry, diagnostics).read());
  }
  if (runs_of(axes) > kMostRuns) {
    diagnostics.add({given->position, fmt::format("the sweep has {} runs", runs_of(axes)),
                     fmt::format("at most {}", kMostRuns)});
  }
  return axes;
}

std::optional<Quantity> any_quantity(std::string_view text) {
  for (const Dimension dimension : {Dimension::kCount, Dimension::kBytes, Dimension::kBandwidth,
                                    Dimension::kTime, Dimension::kRatio}) {
    sim::Result<Quantity> read = sim::parse_quantity(text, dimension);
    if (read.ok()) return std::move(read).value();
  }
  return std::nullopt;
}

std::uint64_t runs_of(const std::vector<Axis>& axes) {
  std::uint64_t runs = axes.empty() ? 0 : 1;
  for (const Axis& axis : axes) {
    runs = std::min(runs, 2 * kMostRuns) * axis.values.size();  // large products stay large
  }
  return runs;
}

std::vector<Override> point_of(const std::vector<Axis>& axes, std::uint64_t number) {
  std::vector<Override> point(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::uint64_t values = axes[i].values.size();
    point[i] = {axes[i].path, axes[i].values[number % values]};
    number /= values;
  }
  return point;
}

}  // namespace scenarios
