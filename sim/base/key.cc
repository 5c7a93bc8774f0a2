// SPDX-License-Identifier: GPL-2.0-only
// What a key accepts, for people, and the reading of one scalar against it.
#include "sim/base/key.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace sim {
namespace {

constexpr std::size_t kMostNames = 16;

// Nothing this program counts can be negative, unless its key says so.
std::int64_t least_of(const Key& key) {
  return key.least == std::numeric_limits<std::int64_t>::min() ? 0 : key.least;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

// ", or a file *.xml"
std::string files_of(const Key& key) {
  std::string text;
  for (const std::string& ending : key.endings) {
    text += (text.empty() ? ", or a file *" : " or *") + ending;
  }
  return text;
}

bool is_file(const Key& key, const std::string& text) {
  return std::any_of(key.endings.begin(), key.endings.end(), [&](const std::string& ending) {
    return text.size() > ending.size() && text.ends_with(ending);
  });
}

std::string scalar_accepts(const Key& key) {
  if (!key.choices.empty()) return "one of " + listed(key.choices) + files_of(key);
  if (key.dimension == Dimension::kFlag) return "true or false";
  if (key.dimension == Dimension::kText) return "text";
  std::string text =
      key.dimension == Dimension::kCount
          ? "a whole number"
          : fmt::format("a {} such as {}", name_of(key.dimension), example_of(key.dimension));
  if (least_of(key) != 0) text += ", at least " + to_text(least_of(key), key.dimension);
  if (key.most != std::numeric_limits<std::int64_t>::max()) {
    text += ", at most " + to_text(key.most, key.dimension);
  }
  return text;
}

std::string keys_listed(const std::vector<Key>& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) names.push_back(key.name);
  return listed(names);
}

std::string in(const std::string& path) { return path.empty() ? "" : " in " + path; }

Diagnostic unreadable(const Value& value, const Key& key, const Failure& failure) {
  return {value.position, failure.what, failure.hint, hint_for(value.text, key.dimension)};
}

Diagnostic unknown_choice(const Value& value, const Key& key, const std::string& path) {
  const std::string near = nearest(value.text, key.choices);
  return {value.position,
          fmt::format("unknown value {} for '{}'{}", quoted(value.text), key.name, in(path)),
          accepts(key), near.empty() ? "" : fmt::format("did you mean '{}'?", near)};
}

Diagnostic out_of_range(const Value& value, const Key& key, const std::string& path,
                        std::int64_t amount) {
  const char* fault = amount > key.most ? "too large" : amount < 0 ? "negative" : "too small";
  const char* link = amount < 0 && amount <= key.most ? "in" : "for";
  return {value.position,
          fmt::format("{} is {} {} '{}'{}", quoted(value.text), fault, link, key.name, in(path)),
          accepts(key), ""};
}

}  // namespace

std::optional<Quantity> read_scalar(const Value& value, const Key& key, const std::string& path,
                                    Diagnostics& diagnostics) {
  if (value.kind != Value::Kind::kScalar || value.text.empty()) {
    const bool nothing = value.kind == Value::Kind::kNull || value.kind == Value::Kind::kScalar;
    diagnostics.add(
        {value.position,
         fmt::format("key '{}'{} {}", key.name, in(path),
                     nothing ? "has no value" : fmt::format("is {}", name_of(value.kind))),
         scalar_accepts(key), ""});
    return std::nullopt;
  }
  Result<Quantity> quantity = parse_quantity(value.text, key.dimension);
  if (!quantity.ok()) {
    diagnostics.add(unreadable(value, key, quantity.failure()));
    return std::nullopt;
  }
  if (key.dimension == Dimension::kText) {
    const bool known =
        std::find(key.choices.begin(), key.choices.end(), value.text) != key.choices.end();
    if (key.choices.empty() || known || is_file(key, value.text))
      return std::move(quantity).value();
    diagnostics.add(unknown_choice(value, key, path));
    return std::nullopt;
  }
  const std::int64_t amount = quantity.value().amount;
  if (amount < least_of(key) || amount > key.most) {
    diagnostics.add(out_of_range(value, key, path, amount));
    return std::nullopt;
  }
  return std::move(quantity).value();
}

std::string accepts(const Key& key) {
  switch (key.shape) {
    case Key::Shape::kScalar:
      return scalar_accepts(key);
    case Key::Shape::kScalars:
      return scalar_accepts(key) + ", or a list of them";
    case Key::Shape::kSizeRange:
      return scalar_accepts(key) + ", a list of them, or {from, to, times}";
    case Key::Shape::kSection:
      return "a map with the keys " + keys_listed(key.inner);
    case Key::Shape::kSections:
      return "a list of maps with the keys " + keys_listed(key.inner);
    case Key::Shape::kOpenMap:
      return "a map";
  }
  return "";
}

}  // namespace sim
