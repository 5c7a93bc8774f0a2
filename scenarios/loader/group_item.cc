// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/group_item.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "scenarios/loader/declared.h"
#include "sim/base/fingerprint.h"
#include "sim/base/quantity.h"

namespace scenarios {
namespace {

using sim::Dimension;
using sim::Key;
using sim::Section;

constexpr std::int64_t kMostChips = 100'000'000;

Key text_key(const char* name, Key::Shape shape, const char* fallback, const char* help) {
  Key key;
  key.name = name;
  key.shape = shape;
  key.help = help;
  if (fallback != nullptr) key.fallback = fallback;
  return key;
}

Key count_key(const char* name, std::int64_t least, std::int64_t most, const char* help) {
  Key key;
  key.name = name;
  key.dimension = Dimension::kCount;
  key.least = least;
  key.most = most;
  key.help = help;
  return key;
}

std::string chips_text(std::int64_t chips) {
  return fmt::format("{} {}", chips, chips == 1 ? "chip" : "chips");
}

// Where a rank is a whole chip.
std::string name_of(const sim::Fabric& fabric, const std::vector<sim::EndpointId>& chip) {
  return chip.size() == 1 ? fabric.node(fabric.node_of(chip[0])).name : "";
}

}  // namespace

Key group_key() {
  Key span = text_key("span", Key::Shape::kScalar, "sled_first",
                      "Order in which chips are taken: neighbours in a sled, in a plane, or across "
                      "the racks first.");
  span.choices = {"sled_first", "plane_first", "twin_first"};
  Key stride = count_key("stride", 1, 1'000'000,
                         "Takes every so many chips of that order: a group whose members lie "
                         "apart, such as data parallel over tensor parallel.");
  stride.fallback = "1";
  Key group = text_key("group", Key::Shape::kSection, "{}", "Which chips take part.");
  group.inner = {
      text_key("chips", Key::Shape::kScalars, "all",
               "Chips in the group: a count, a list of counts, or all."),
      span,
      stride,
      count_key("first", 0, kMostChips,
                "Chips left out before the first of the group; 0 when left out."),
      text_key("members", Key::Shape::kScalars, nullptr,
               "Instead of chips, stride and first: each chip by its number in that order, or, "
               "where a rank is a chip, by its name."),
      text_key("at_once", Key::Shape::kScalar, "1",
               "How many such groups beside each other run the collective at the same time, each "
               "by itself: a count, or all that there is room for. With a stride, the chips "
               "between a group's own belong to the next groups.")};
  return group;
}

GroupItem::GroupItem(const Section& item, std::string path, sim::Diagnostics& diagnostics)
    : group_(item.section("group")),
      path_(std::move(path)),
      diagnostics_(diagnostics),
      sizes_(read_groups(item, path_, diagnostics)),
      stride_(static_cast<std::size_t>(group_.count("stride"))) {
  if (group_.has("first")) first_ = static_cast<std::size_t>(group_.count("first"));
  if (!group_.has("members")) return;
  const Key declared = group_key();
  for (const char* key : {"chips", "stride", "first", "at_once"}) {
    const Section::Entry* given = group_.find(key);
    if (given == nullptr || !given->given) continue;
    if (is_default(*given, *find_key(declared.inner, key))) continue;
    report(group_.position(key),
           fmt::format("'{}' does not go with 'members' in {}.group", key, path_),
           "members alone: they say which chips");
  }
}

void GroupItem::report(sim::Position place, std::string what, std::string expected,
                       std::string hint) {
  diagnostics_.add({place, std::move(what), std::move(expected), std::move(hint)});
}

bool GroupItem::order(const sim::Fabric& fabric) {
  sim::Result<Chips> chips = chips_in_order(fabric, group_.text("span"));
  if (!chips.ok()) {
    report(group_.position("span"), chips.failure().what, chips.failure().hint);
    return false;
  }
  chips_ = std::move(chips).value();
  if (group_.has("members")) return pick_members(fabric);
  const std::size_t all = (chips_.size() + stride_ - 1) / stride_;
  if (first_ < all) return true;
  report(group_.position("first"), fmt::format("there is no chip {}", first_),
         fmt::format("0 to {}", all - 1));
  return false;
}

std::optional<std::size_t> GroupItem::member(const sim::Fabric& fabric, std::size_t number) {
  const Section::Entry& entry = *group_.find("members");
  const std::string& text = entry.scalars[number].text;
  for (std::size_t chip = 0; chip < chips_.size(); ++chip) {
    if (name_of(fabric, chips_[chip]) == text) return chip;
  }
  const auto count = sim::parse_quantity(text, Dimension::kCount);
  if (count.ok() && count.value().amount >= 0 &&
      count.value().amount < static_cast<std::int64_t>(chips_.size())) {
    return static_cast<std::size_t>(count.value().amount);
  }
  const std::string name = name_of(fabric, chips_[0]);
  report(entry.places[number],
         fmt::format("there is no chip {} in {}.group", sim::quoted(text), path_),
         fmt::format("0 to {}{}", chips_.size() - 1,
                     name.empty() ? "" : fmt::format(", or a name such as {}", name)));
  return std::nullopt;
}

bool GroupItem::pick_members(const sim::Fabric& fabric) {
  const Section::Entry& entry = *group_.find("members");
  std::set<std::size_t> seen;
  Chips picked;
  for (std::size_t i = 0; i < entry.scalars.size(); ++i) {
    const std::optional<std::size_t> chip = member(fabric, i);
    if (!chip) continue;
    if (!seen.insert(*chip).second) {
      report(entry.places[i],
             fmt::format("chip {} is there twice in {}.group", entry.scalars[i].text, path_),
             "each chip once");
      continue;
    }
    picked.push_back(chips_[*chip]);
  }
  const bool sound = picked.size() == entry.scalars.size() && !picked.empty();
  if (picked.empty() && entry.scalars.empty()) {
    report(entry.position, fmt::format("no chips in {}.group", path_), "at least one chip");
  }
  chips_ = std::move(picked);
  return sound;
}

std::vector<TakenGroups> GroupItem::take(const sim::Fabric& fabric, std::uint32_t domains) {
  std::vector<TakenGroups> taken;
  if (!order(fabric)) return taken;
  for (const GroupSize& size : sizes_) {
    if (auto groups = take(size, fabric, domains)) taken.push_back(std::move(*groups));
  }
  return taken;
}

std::optional<TakenGroups> GroupItem::take(const GroupSize& size, const sim::Fabric& fabric,
                                           std::uint32_t domains) {
  const auto drawn = static_cast<std::int64_t>((chips_.size() + stride_ - 1) / stride_ - first_);
  const std::int64_t all = drawn * domains;
  const std::int64_t wanted = size.chips.value_or(all);
  if (wanted > all) {
    const std::string of =
        stride_ > 1 ? fmt::format("every chip in {} of the cluster", stride_) : "the cluster";
    report(size.place, fmt::format("a group of {} chips is larger than {}", wanted, of),
           fmt::format("at most {} chips", all));
    return std::nullopt;
  }
  if (wanted > drawn && !whole_domains(size, wanted, drawn)) return std::nullopt;
  Pattern pattern{static_cast<std::size_t>(std::min(wanted, drawn)), stride_, first_ * stride_};
  TakenGroups taken;
  taken.chips = wanted;
  const std::optional<std::uint32_t> count = count_at_once(pattern, domains);
  if (!count) return std::nullopt;
  taken.count = *count;
  Chips chips;
  for (std::size_t group = 0; group < taken.count; ++group) {
    for (std::size_t i = 0; i < pattern.chips; ++i) chips.push_back(chips_[pattern.chip(group, i)]);
  }
  taken.placement = place(fabric, chips, chips.size());
  return taken;
}

std::optional<std::uint32_t> GroupItem::count_at_once(const Pattern& pattern,
                                                      std::uint32_t domains) {
  const std::string& text = group_.text("at_once");
  const std::size_t room = pattern.fit(chips_.size());
  const auto count = sim::parse_quantity(text, Dimension::kCount);
  const bool all = text == "all";
  if (!all && (!count.ok() || count.value().amount < 1)) {
    report(group_.position("at_once"),
           fmt::format("{} is not a number of groups in {}.group", sim::quoted(text), path_),
           "a whole number of at least 1, or all");
    return std::nullopt;
  }
  const std::size_t wanted = all ? room : static_cast<std::size_t>(count.value().amount);
  if (wanted > room) {
    report(group_.position("at_once"),
           fmt::format("there is no room for {} groups of {} at once", wanted,
                       chips_text(static_cast<std::int64_t>(pattern.chips))),
           fmt::format("at most {}, or all", room));
    return std::nullopt;
  }
  if (wanted > 1 && domains > 1) {
    report(group_.position("at_once"), "several groups at once cannot be told by symmetry",
           "at_once: 1", "symmetry: never draws every chip");
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(wanted);
}

// A cluster told by symmetry is taken domain by domain.
bool GroupItem::whole_domains(const GroupSize& size, std::int64_t wanted, std::int64_t drawn) {
  const std::string& span = group_.text("span");
  if (wanted % drawn == 0 && span == "sled_first") return true;
  report(size.place,
         fmt::format("a group of {} chips in {} cannot be told by symmetry", wanted, span),
         fmt::format("up to {0} chips, or a multiple of {0} in sled_first", drawn),
         "symmetry: never draws every chip");
  return false;
}

// All of few; of many the first ones, and a number that tells lists apart.
std::string GroupItem::members_text() const {
  constexpr std::size_t kMost = 8;
  const std::vector<sim::Quantity>& members = group_.find("members")->scalars;
  std::string text = "members";
  sim::Fingerprint print;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i < kMost) text += " " + members[i].text;
    print.add(members[i].text);
  }
  if (members.size() > kMost) text += " .. " + print.hex().substr(0, 8);
  return text;
}

std::string GroupItem::shown(const TakenGroups& taken, const sim::Fabric& fabric) const {
  std::string text = chips_text(taken.chips);
  // Without sleds every span is the same.
  if (fabric.level("sled") != nullptr) text += ", " + group_.text("span");
  if (stride_ > 1) text += fmt::format(", stride {}", stride_);
  if (group_.has("members")) text += ", " + members_text();
  if (taken.count > 1) text += fmt::format(", {} groups at once", taken.count);
  return text;
}

std::string GroupItem::label(const TakenGroups& taken) const {
  std::string text = chips_text(taken.chips);
  const std::string& span = group_.text("span");
  if (span != "sled_first") text += " " + span;
  if (first_ > 0) text += fmt::format(" from {}", first_);
  if (stride_ > 1) text += fmt::format(" stride {}", stride_);
  if (group_.has("members")) text += " " + members_text();
  if (taken.count > 1) text += fmt::format(" {} at once", taken.count);
  return text;
}

}  // namespace scenarios
