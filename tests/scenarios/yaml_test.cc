// SPDX-License-Identifier: GPL-2.0-only
// YAML text -> tree: places, text that stays text, and what is refused.
#include "scenarios/loader/yaml.h"

#include <gtest/gtest.h>

#include <string>

namespace {

using sim::Value;

Value tree_of(const std::string& text) {
  sim::Diagnostics diagnostics("test.yaml", text);
  std::optional<Value> tree = scenarios::parse_yaml(text, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << diagnostics.render();
  return tree ? *tree : Value{};
}

std::string fault_of(const std::string& text) {
  sim::Diagnostics diagnostics("test.yaml", text);
  EXPECT_FALSE(scenarios::parse_yaml(text, diagnostics).has_value());
  EXPECT_EQ(diagnostics.count(), 1U);
  return diagnostics.list().empty() ? "" : diagnostics.list()[0].what;
}

void expect_place(sim::Position place, int line, int column) {
  EXPECT_EQ(place.line, line);
  EXPECT_EQ(place.column, column);
}

TEST(Yaml, PlacesOfKeysAndValuesCountFromOne) {
  const Value tree = tree_of("# head\na: 1\nlist:\n  - x\n  - {b:  2}\nempty:\nlast: 3\n");
  ASSERT_EQ(tree.entries.size(), 4U);
  expect_place(tree.position, 2, 1);
  expect_place(tree.entries[0].position, 2, 1);
  expect_place(tree.entries[0].value.position, 2, 4);
  expect_place(tree.entries[1].value.items[0].position, 4, 5);
  expect_place(tree.entries[1].value.items[1].entries[0].position, 5, 6);
  expect_place(tree.entries[1].value.items[1].entries[0].value.position, 5, 10);
  expect_place(tree.entries[2].value.position, 6, 1);
  EXPECT_EQ(tree.entries[2].value.kind, Value::Kind::kNull);
}

TEST(Yaml, ScalarsStayText) {
  const Value tree = tree_of("[010, yes, 1_000, 0x10, 1e3, .nan, '', \"~\", 12:30:45, 1.10]");
  const char* expected[] = {"010",  "yes", "1_000", "0x10",     "1e3",
                            ".nan", "",    "~",     "12:30:45", "1.10"};
  ASSERT_EQ(tree.items.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(tree.items[i].kind, Value::Kind::kScalar);
    EXPECT_EQ(tree.items[i].text, expected[i]);
  }
}

TEST(Yaml, DuplicateKeysAreKept) { EXPECT_EQ(tree_of("a: 1\nb: 2\na: 3\n").entries.size(), 3U); }

TEST(Yaml, WhatWeDoNotTakeIsRefused) {
  EXPECT_EQ(fault_of("a: &x 1\n"), "anchors (&name) are not supported");
  EXPECT_EQ(fault_of("a: &x [1]\nb: *x\n"), "anchors (&name) are not supported");
  EXPECT_EQ(fault_of("a: !!int 1\n"), "tags (!name) are not supported");
  EXPECT_EQ(fault_of("a: !x {b: 1}\n"), "tags (!name) are not supported");
  EXPECT_EQ(fault_of("<<: {b: 1}\n"), "merge keys (<<) are not supported");
  EXPECT_EQ(fault_of("a: 1\n---\nb: 2\n"), "a second YAML document");
  EXPECT_EQ(fault_of("{[a]: b}\n"), "a key must be text");
  EXPECT_EQ(fault_of("{{a: b}: c}\n"), "a key must be text");
  EXPECT_EQ(fault_of("~: b\n"), "a key must be text");
  EXPECT_EQ(fault_of("a:\n \tb: 1\n"), "tab in the indentation");
  EXPECT_EQ(fault_of("a: b: c\n"), "not valid YAML: illegal map value");
  EXPECT_TRUE(fault_of("a: 'open\n").starts_with("not valid YAML: "));
}

TEST(Yaml, BytesThatAreNotUtf8AreRefused) {
  for (const char* bytes : {"\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80",
                            "\xE2\x82", "\xF8\x88\x80\x80\x80"}) {
    EXPECT_NE(fault_of(std::string("a: ") + bytes).find("is not UTF-8"), std::string::npos);
  }
  EXPECT_EQ(tree_of("a: \u00e9\u20ac\U0001F600\n").entries[0].value.text, "\u00e9\u20ac\U0001F600");
}

TEST(Yaml, TextIsCleanedOfMarksAndCarriageReturns) {
  EXPECT_EQ(scenarios::clean_text("\xEF\xBB\xBF"
                                  "a\r\nb\rc\n"),
            "a\nb\nc\n");
  EXPECT_EQ(scenarios::clean_text(""), "");
}

TEST(Yaml, TabsElsewhereThanInTheIndentationAreFine) {
  EXPECT_EQ(tree_of("a: 1\t# comment\n\t\n\t# comment\nb:\t2\n").entries.size(), 2U);
}

}  // namespace
