// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/key.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sim {
namespace {

Value scalar(const std::string& text, Position position = {1, 1}) {
  Value value;
  value.kind = Value::Kind::kScalar;
  value.text = text;
  value.position = position;
  return value;
}

Value list(std::vector<Value> items, Position position = {1, 1}) {
  Value value;
  value.kind = Value::Kind::kList;
  value.items = std::move(items);
  value.position = position;
  return value;
}

Value map(std::vector<Value::Entry> entries, Position position = {1, 1}) {
  Value value;
  value.kind = Value::Kind::kMap;
  value.entries = std::move(entries);
  value.position = position;
  return value;
}

Key key(const std::string& name, Dimension dimension) {
  Key result;
  result.name = name;
  result.dimension = dimension;
  return result;
}

Key shaped(const std::string& name, Key::Shape shape, std::vector<Key> inner = {}) {
  Key result = key(name, Dimension::kBytes);
  result.shape = shape;
  result.inner = std::move(inner);
  return result;
}

// What `read_section` makes of one map, as the user would see it.
struct Read {
  Section section;
  Diagnostics faults{"f", ""};
};

Read read(const Value& value, const std::vector<Key>& keys, const std::string& path = "cluster") {
  Read result;
  result.section = read_section(value, keys, path, result.faults);
  return result;
}

// Exactly one fault, at this place.
void expect_fault(const Read& read, Position position, const std::string& what,
                  const std::string& expected, const std::string& hint = "") {
  ASSERT_EQ(read.faults.count(), 1U) << read.faults.render();
  const Diagnostic& fault = read.faults.list()[0];
  EXPECT_EQ(fault.what, what);
  EXPECT_EQ(fault.expected, expected);
  EXPECT_EQ(fault.hint, hint);
  EXPECT_EQ(fault.position.line, position.line);
  EXPECT_EQ(fault.position.column, position.column);
}

TEST(ReadSection, GivesEveryDimensionInItsOwnType) {
  const Read got = read(map({{"size", {1, 1}, scalar("4 KiB", {1, 7})},
                             {"rate", {2, 1}, scalar("1 GB/s")},
                             {"delay", {3, 1}, scalar("1 us")},
                             {"ends", {4, 1}, scalar("8")},
                             {"share", {5, 1}, scalar("50 %")},
                             {"exact", {6, 1}, scalar("true")},
                             {"name", {7, 1}, scalar("x")}}),
                        {key("size", Dimension::kBytes), key("rate", Dimension::kBandwidth),
                         key("delay", Dimension::kTime), key("ends", Dimension::kCount),
                         key("share", Dimension::kRatio), key("exact", Dimension::kFlag),
                         key("name", Dimension::kText)});
  ASSERT_TRUE(got.faults.empty()) << got.faults.render();
  EXPECT_EQ(got.section.bytes("size"), Bytes(4096));
  EXPECT_EQ(got.section.bandwidth("rate"), gigabytes_per_second(1));
  EXPECT_EQ(got.section.time("delay"), microseconds(1));
  EXPECT_EQ(got.section.count("ends"), 8);
  EXPECT_EQ(got.section.ratio("share"), kRatioOne / 2);
  EXPECT_TRUE(got.section.flag("exact"));
  EXPECT_EQ(got.section.text("name"), "x");
  EXPECT_EQ(got.section.position("size").column, 7);
}

TEST(ReadSection, FillsDefaultsAndLeavesOutWhatHasNone) {
  Key given = key("a", Dimension::kCount);
  Key filled = key("b", Dimension::kCount);
  filled.fallback = "7";
  const Read got =
      read(map({{"a", {2, 1}, scalar("1")}}, {2, 3}), {given, filled, key("c", Dimension::kCount)});
  ASSERT_TRUE(got.faults.empty());
  EXPECT_TRUE(got.section.find("a")->given);
  EXPECT_FALSE(got.section.find("b")->given);
  EXPECT_EQ(got.section.count("b"), 7);
  EXPECT_EQ(got.section.position("b").line, 2);
  EXPECT_FALSE(got.section.has("c"));
}

TEST(ReadSection, AnEmptyMapAsDefaultFillsTheInnerDefaults) {
  Key inner = key("times", Dimension::kCount);
  inner.fallback = "4";
  Key outer = shaped("sweep", Key::Shape::kSection, {inner});
  outer.fallback = "{}";
  Key none = shaped("faults", Key::Shape::kSections, {inner});
  none.fallback = "[]";
  const Read got = read(map({}), {outer, none});
  ASSERT_TRUE(got.faults.empty()) << got.faults.render();
  EXPECT_EQ(got.section.section("sweep").count("times"), 4);
  EXPECT_TRUE(got.section.find("faults")->sections.empty());
}

TEST(ReadSection, ReportsUnknownKeysAtTheKeyWithTheNearest) {
  const Read got = read(map({{"bandwith", {3, 5}, scalar("1 GB/s", {3, 15})}}),
                        {key("bandwidth", Dimension::kBandwidth), key("x", Dimension::kCount)});
  expect_fault(got, {3, 5}, "unknown key 'bandwith' in cluster", "a map with the keys bandwidth, x",
               "did you mean 'bandwidth'?");
}

TEST(ReadSection, ReportsDuplicateKeysAtTheSecond) {
  const Read got = read(map({{"a", {1, 1}, scalar("1")}, {"a", {2, 1}, scalar("2")}}),
                        {key("a", Dimension::kCount)}, "");
  expect_fault(got, {2, 1}, "duplicate key 'a'", "each key once", "the first is in line 1");
}

TEST(ReadSection, ReportsAMissingKeyAtTheSection) {
  Key needed = key("ends", Dimension::kCount);
  needed.required = true;
  needed.least = 2;
  expect_fault(read(map({}, {4, 3}), {needed}), {4, 3}, "missing key 'ends' in cluster",
               "a whole number, at least 2");
}

TEST(ReadSection, ReportsAllFaultsOfAMap) {
  Key needed = key("ends", Dimension::kCount);
  needed.required = true;
  const Read got = read(map({{"endz", {1, 1}, scalar("1")},
                             {"size", {2, 1}, scalar("64")},
                             {"rate", {3, 1}, scalar("fast")}}),
                        {needed, key("size", Dimension::kBytes), key("rate", Dimension::kTime)});
  EXPECT_EQ(got.faults.count(), 4U) << got.faults.render();
}

TEST(ReadSection, ReportsTheWrongKindOfValue) {
  const Key size = key("size", Dimension::kBytes);
  const std::string expected = "a size such as 64 KiB or 256 MiB";
  expect_fault(read(map({{"size", {1, 1}, list({scalar("1 B")}, {1, 7})}}), {size}), {1, 7},
               "key 'size' in cluster is a list", expected);
  expect_fault(read(map({{"size", {1, 1}, map({}, {1, 8})}}), {size}), {1, 8},
               "key 'size' in cluster is a map", expected);
  expect_fault(read(map({{"size", {1, 1}, Value{}}}), {size}), {0, 0},
               "key 'size' in cluster has no value", expected);
  expect_fault(read(map({{"size", {1, 1}, scalar("", {1, 9})}}), {size}), {1, 9},
               "key 'size' in cluster has no value", expected);
  expect_fault(read(scalar("text", {5, 1}), {size}), {5, 1}, "cluster is text",
               "a map with the keys size");
  expect_fault(read(list({}, {5, 1}), {size}, ""), {5, 1}, "the file is a list",
               "a map with the keys size");
}

TEST(ReadScalar, ReportsBadNumbersAtTheValue) {
  expect_fault(
      read(map({{"size", {1, 1}, scalar("64KB", {1, 7})}}), {key("size", Dimension::kBytes)}),
      {1, 7}, "'64KB' is ambiguous for bytes",
      "a size such as 64 KiB (65,536 bytes) or 64 kB (64,000 bytes)");
  expect_fault(
      read(map({{"rate", {1, 1}, scalar("128 GB", {1, 7})}}), {key("rate", Dimension::kBandwidth)}),
      {1, 7}, "unknown bandwidth unit 'GB' in '128 GB'", "a bandwidth such as 128 GB/s or 200 Gb/s",
      "did you mean '128 GB/s'?");
}

TEST(ReadScalar, KeepsTheRangeOfTheKey) {
  Key size = key("size", Dimension::kBytes);
  size.least = 1;
  size.most = 65'536;
  const std::string expected = "a size such as 64 KiB or 256 MiB, at least 1 B, at most 64 KiB";
  const auto of = [&](const std::string& text) {
    return read(map({{"size", {1, 1}, scalar(text, {1, 7})}}), {size});
  };
  EXPECT_TRUE(of("1 B").faults.empty());
  EXPECT_TRUE(of("64 KiB").faults.empty());
  expect_fault(of("0 B"), {1, 7}, "'0 B' is too small for 'size' in cluster", expected);
  expect_fault(of("65537 B"), {1, 7}, "'65537 B' is too large for 'size' in cluster", expected);
  expect_fault(of("-1 B"), {1, 7}, "'-1 B' is negative in 'size' in cluster", expected);
}

TEST(ReadScalar, NegativeNumbersNeedALeastThatAllowsThem) {
  Key open = key("shift", Dimension::kTime);
  EXPECT_FALSE(read(map({{"shift", {1, 1}, scalar("-1 ns")}}), {open}).faults.empty());
  open.least = -5000;
  EXPECT_TRUE(read(map({{"shift", {1, 1}, scalar("-1 ns")}}), {open}).faults.empty());
}

TEST(ReadScalar, TakesOnlyTheChoices) {
  Key wiring = key("wiring", Dimension::kText);
  wiring.choices = {"doc", "full", "headline"};
  expect_fault(read(map({{"wiring", {1, 1}, scalar("ful", {1, 9})}}), {wiring}), {1, 9},
               "unknown value 'ful' for 'wiring' in cluster", "one of doc, full, headline",
               "did you mean 'full'?");
  EXPECT_TRUE(read(map({{"wiring", {1, 1}, scalar("doc")}}), {wiring}).faults.empty());
}

TEST(ReadScalars, TakesOneOrAList) {
  const Key sizes = shaped("sizes", Key::Shape::kScalars);
  EXPECT_EQ(
      read(map({{"sizes", {1, 1}, scalar("1 B")}}), {sizes}).section.find("sizes")->scalars.size(),
      1U);
  const Read two = read(
      map({{"sizes", {1, 1}, list({scalar("1 B", {1, 9}), scalar("2 B", {1, 14})})}}), {sizes});
  ASSERT_EQ(two.section.find("sizes")->scalars.size(), 2U);
  EXPECT_EQ(two.section.find("sizes")->places[1].column, 14);
}

TEST(ReadScalars, ReportsEmptyLongAndNestedLists) {
  const Key sizes = shaped("sizes", Key::Shape::kScalars);
  const std::string expected = "a size such as 64 KiB or 256 MiB, or a list of them";
  expect_fault(read(map({{"sizes", {1, 1}, list({}, {1, 8})}}), {sizes}), {1, 8},
               "key 'sizes' in cluster is an empty list", expected);
  expect_fault(
      read(map({{"sizes", {1, 1}, list(std::vector<Value>(1001, scalar("1 B")))}}), {sizes}),
      {1, 1}, "key 'sizes' in cluster lists 1001 values", "at most 1000 values");
  expect_fault(read(map({{"sizes", {1, 1}, list({list({}, {1, 9})})}}), {sizes}), {1, 9},
               "key 'sizes' in cluster is a list", "a size such as 64 KiB or 256 MiB");
}

Read range(const std::string& from, const std::string& to, const std::string& times) {
  return read(map({{"bytes",
                    {1, 1},
                    map({{"from", {1, 9}, scalar(from, {1, 15})},
                         {"to", {1, 20}, scalar(to, {1, 24})},
                         {"times", {1, 30}, scalar(times, {1, 37})}},
                        {1, 8})}}),
              {shaped("bytes", Key::Shape::kSizeRange)});
}

std::vector<std::string> texts(const Read& read) {
  std::vector<std::string> result;
  for (const Quantity& one : read.section.find("bytes")->scalars) result.push_back(one.text);
  return result;
}

TEST(ReadRange, GoesGeometricallyUpToItsEnd) {
  EXPECT_EQ(texts(range("64 KiB", "4 MiB", "4")),
            (std::vector<std::string>{"64 KiB", "256 KiB", "1 MiB", "4 MiB"}));
  EXPECT_EQ(texts(range("1 B", "9 B", "2")),
            (std::vector<std::string>{"1 B", "2 B", "4 B", "8 B"}));
  EXPECT_EQ(texts(range("5 B", "5 B", "2")), (std::vector<std::string>{"5 B"}));
  EXPECT_EQ(texts(range("1 B", "9223372036854775807 B", "2")).size(), 63U);
  EXPECT_EQ(texts(range("1 B", "9 B", "9223372036854775807")).size(), 1U);
}

TEST(ReadRange, ReportsRangesThatCannotBe) {
  const std::string at_least_one = "a size such as 64 KiB or 256 MiB, at least 1 B";
  expect_fault(range("0 B", "4 B", "2"), {1, 15}, "'0 B' is too small for 'from' in cluster.bytes",
               at_least_one);
  expect_fault(range("4 B", "2 B", "2"), {1, 24}, "'to' is less than 'from' in cluster.bytes",
               "at least 4 B");
  expect_fault(range("1 B", "4 B", "1"), {1, 37}, "'1' is too small for 'times' in cluster.bytes",
               "a whole number, at least 2");
}

TEST(ReadSections, NameTheirPlaceInMessages) {
  const Key jobs = shaped("jobs", Key::Shape::kSections, {key("size", Dimension::kBytes)});
  const Value second = map({{"sise", {3, 5}, scalar("1 B")}});
  expect_fault(read(map({{"jobs", {1, 1}, list({map({}), second})}}), {jobs}, ""), {3, 5},
               "unknown key 'sise' in jobs[1]", "a map with the keys size", "did you mean 'size'?");
  expect_fault(read(map({{"jobs", {1, 1}, map({}, {2, 3})}}), {jobs}, ""), {2, 3},
               "key 'jobs' is a map", "a list of maps with the keys size");
  expect_fault(read(map({{"jobs", {1, 1}, list({scalar("x", {2, 5})})}}), {jobs}, ""), {2, 5},
               "jobs[0] is text", "a map with the keys size");
}

TEST(ReadOpenMap, KeepsItsValuesAsTheyStand) {
  const Key open = shaped("overrides", Key::Shape::kOpenMap);
  const Read got =
      read(map({{"overrides", {1, 1}, map({{"any", {2, 3}, scalar("1 B")}})}}), {open});
  ASSERT_TRUE(got.faults.empty());
  EXPECT_EQ(got.section.find("overrides")->open.find("any")->value.text, "1 B");
  expect_fault(read(map({{"overrides", {1, 1}, scalar("x", {1, 12})}}), {open}), {1, 12},
               "key 'overrides' in cluster is text", "a map");
}

TEST(ReadSection, AHundredThousandBadKeysAreReadInGoodTime) {
  std::vector<Value::Entry> entries;
  for (int i = 0; i < 100'000; ++i) {
    entries.push_back({"unknown" + std::to_string(i), {i + 1, 1}, scalar("1")});
  }
  const Read got = read(map(std::move(entries)), {key("size", Dimension::kBytes)});
  EXPECT_EQ(got.faults.count(), 100'000U);
}

TEST(SectionDeathTest, ReadingAnAbsentKeyIsAProgrammersFault) {
  const Section section;
  EXPECT_DEATH(static_cast<void>(section.bytes("size")), "CHECK");
}

}  // namespace
}  // namespace sim
