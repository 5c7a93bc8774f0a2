// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/arrival.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

#include "scenarios/loader/file.h"
#include "sim/base/quantity.h"
#include "sim/base/random.h"

namespace scenarios {
namespace {

using sim::Dimension;
using sim::Key;
using sim::Section;
using sim::Time;

constexpr std::int64_t kMostLate = 1'000 * sim::kPicosecondsPerSecond;
constexpr std::int64_t kMostRanks = 10'000'000;

Key key_of(const char* name, Key::Shape shape, Dimension dimension, std::int64_t most,
           const char* help) {
  Key key;
  key.name = name;
  key.shape = shape;
  key.dimension = dimension;
  key.help = help;
  if (dimension != Dimension::kText) {
    key.least = 0;
    key.most = most;
  }
  return key;
}

// Which model has a use for a key.
struct Use {
  const char* key;
  std::string_view model;
};
constexpr std::array<Use, 5> kUses = {{{"ranks", "fixed"},
                                       {"late", "fixed"},
                                       {"deviation", "normal"},
                                       {"times", "trace"},
                                       {"times_file", "trace"}}};

// One draw from a normal distribution about 0.
std::int64_t normal(sim::Random& random, std::int64_t deviation) {
  constexpr int kDraws = 12;  // variance 1/12 each
  constexpr std::uint64_t kOne = std::uint64_t{1} << 32U;
  std::int64_t sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += static_cast<std::int64_t>(random.below(kOne));
  const std::int64_t centred = sum - static_cast<std::int64_t>(kDraws / 2 * kOne);
  return static_cast<std::int64_t>(static_cast<__int128>(deviation) * centred /
                                   static_cast<std::int64_t>(kOne));
}

}  // namespace

std::vector<Time> Arrival::drawn(sim::Rank of, std::uint64_t seed) const {
  std::vector<Time> arrivals(of);
  if (is_random()) {
    sim::Random random(seed, "arrival");
    for (Time& time : arrivals) time = Time(normal(random, deviation.value));
  } else if (!times.empty()) {
    arrivals = times;
  } else {
    for (const sim::Rank rank : ranks) arrivals[rank] = late;
  }
  const Time first = std::ranges::min(arrivals);
  for (Time& time : arrivals) time = time - first;
  return arrivals;
}

Key arrival_key() {
  Key model = key_of("model", Key::Shape::kScalar, Dimension::kText, 0,
                     "fixed: some ranks late by one time. normal: each by a draw of its own, the "
                     "first at 0. trace: times as given.");
  model.required = true;
  model.choices = {"fixed", "normal", "trace"};
  Key arrival = key_of("arrival", Key::Shape::kSection, Dimension::kText, 0,
                       "When the ranks come to the collective; all at once when left out. Times "
                       "count from the first.");
  arrival.inner = {
      model,
      key_of("ranks", Key::Shape::kScalars, Dimension::kCount, kMostRanks,
             "fixed: the ranks that are late; with several groups at once counted over all."),
      key_of("late", Key::Shape::kScalar, Dimension::kTime, kMostLate, "fixed: how late."),
      key_of("deviation", Key::Shape::kScalar, Dimension::kTime, sim::kPicosecondsPerSecond,
             "normal: the standard deviation."),
      key_of("times", Key::Shape::kScalars, Dimension::kTime, kMostLate,
             "trace: by rank, when it comes."),
      key_of("times_file", Key::Shape::kScalar, Dimension::kText, 0,
             "trace: the same from a file beside the scenario, a time a line such as 1.5 us; # "
             "begins a comment line.")};
  return arrival;
}

ArrivalItem::ArrivalItem(const Section& item, std::string path, const std::string& folder,
                         sim::Diagnostics& diagnostics)
    : path_(std::move(path) + ".arrival"), diagnostics_(diagnostics) {
  if (!item.has("arrival")) return;
  section_ = &item.section("arrival");
  const std::string& model = section_->text("model");
  check_uses(model);
  if (model == "fixed") read_fixed();
  if (model == "trace") read_trace(folder);
  if (model != "normal" || !section_->has("deviation")) return;
  arrival_.deviation = section_->time("deviation");
  label_ = "arrival normal " + sim::to_text(arrival_.deviation.value, Dimension::kTime);
}

void ArrivalItem::report(const char* key, std::string what, std::string expected) {
  const sim::Position place = section_->has(key) ? section_->position(key) : section_->place;
  diagnostics_.add({place, std::move(what), std::move(expected), ""});
}

void ArrivalItem::check_uses(const std::string& model) {
  for (const Use& use : kUses) {
    const bool given = section_->has(use.key);
    const bool one_of_two = std::string_view(use.key).starts_with("times");
    if (given && model != use.model) {
      report(use.key, fmt::format("'{}' has no use in {}", use.key, path_),
             fmt::format("no '{}' for model: {}", use.key, model));
    } else if (!given && model == use.model && !one_of_two) {
      report(use.key, fmt::format("{} has no '{}'", path_, use.key),
             fmt::format("'{}' for model: {}", use.key, model));
    }
  }
}

void ArrivalItem::read_fixed() {
  if (!section_->has("ranks") || !section_->has("late")) return;
  arrival_.late = section_->time("late");
  label_ = "rank";
  for (const sim::Quantity& rank : section_->find("ranks")->scalars) {
    arrival_.ranks.push_back(static_cast<sim::Rank>(rank.amount));
    label_ += fmt::format(" {}", rank.amount);
  }
  label_ += " late by " + sim::to_text(arrival_.late.value, Dimension::kTime);
}

void ArrivalItem::read_trace(const std::string& folder) {
  if (section_->has("times") == section_->has("times_file")) {
    const bool both = section_->has("times");
    diagnostics_.add(
        {section_->place,
         fmt::format("{} has {}", path_,
                     both ? "both 'times' and 'times_file'" : "neither 'times' nor 'times_file'"),
         "one of them for model: trace", ""});
    return;
  }
  if (section_->has("times_file")) {
    read_file(folder);
  } else {
    for (const sim::Quantity& one : section_->find("times")->scalars) {
      arrival_.times.emplace_back(one.amount);
    }
  }
  label_ = "arrival as traced";
}

void ArrivalItem::read_file(const std::string& folder) {
  const std::string& name = section_->text("times_file");
  const bool elsewhere = name.starts_with('/') || folder.empty();
  const sim::Result<std::string> text = read_text_file(elsewhere ? name : folder + "/" + name);
  if (!text.ok()) {
    return report("times_file", fmt::format("{}: {}", name, text.failure().what),
                  "a file that can be read");
  }
  std::istringstream lines(text.value());
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    const auto time = sim::parse_quantity(line, Dimension::kTime);
    if (!time.ok() || time.value().amount < 0 || time.value().amount > kMostLate) {
      return report("times_file",
                    fmt::format("{}, line {}: {} is not a time", name, number, sim::quoted(line)),
                    "a time such as 1.5 us, 0 to 1000 s");
    }
    arrival_.times.emplace_back(time.value().amount);
  }
}

bool ArrivalItem::suits(sim::Rank ranks) {
  if (section_ == nullptr) return true;
  for (const sim::Rank rank : arrival_.ranks) {
    if (rank < ranks) continue;
    report("ranks", fmt::format("there is no rank {} in {} of {} ranks", rank, path_, ranks),
           fmt::format("at most {}", ranks - 1));
    return false;
  }
  if (section_->text("model") != "trace" || arrival_.times.size() == ranks) return true;
  const char* key = section_->has("times_file") ? "times_file" : "times";
  report(key, fmt::format("{} arrivals for {} ranks in {}", arrival_.times.size(), ranks, path_),
         fmt::format("{} of them", ranks));
  return false;
}

}  // namespace scenarios
