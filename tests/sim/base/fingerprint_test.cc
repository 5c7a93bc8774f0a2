// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/fingerprint.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

namespace sim {
namespace {

std::uint64_t of_texts(std::initializer_list<std::string_view> texts) {
  Fingerprint fingerprint;
  for (const std::string_view text : texts) fingerprint.add(text);
  return fingerprint.value();
}

std::uint64_t of_numbers(std::initializer_list<std::uint64_t> numbers) {
  Fingerprint fingerprint;
  for (const std::uint64_t number : numbers) fingerprint.add(number);
  return fingerprint.value();
}

TEST(Fingerprint, EqualSequencesAreEqual) {
  EXPECT_EQ(of_texts({"a", "bc"}), of_texts({"a", "bc"}));
  EXPECT_EQ(of_numbers({1, 2, 3}), of_numbers({1, 2, 3}));
}

TEST(Fingerprint, BordersAndOrderCount) {
  EXPECT_NE(of_texts({"a", "bc"}), of_texts({"ab", "c"}));
  EXPECT_NE(of_texts({"a", ""}), of_texts({"", "a"}));
  EXPECT_NE(of_texts({}), of_texts({""}));
  EXPECT_NE(of_numbers({1, 2}), of_numbers({2, 1}));
  EXPECT_NE(of_numbers({0}), of_numbers({0, 0}));
  EXPECT_NE(of_numbers({}), of_numbers({0}));
}

// Written down once: stored results are compared with new ones.
TEST(Fingerprint, ValuesNeverChange) {
  Fingerprint fingerprint;
  fingerprint.add(std::uint64_t{42});
  fingerprint.add(std::string_view("ultrasim"));
  EXPECT_EQ(fingerprint.hex(), "08212cf7d8c0a842");
}

TEST(Fingerprint, HexHasSixteenDigits) { EXPECT_EQ(Fingerprint().hex(), "0000000000000000"); }

}  // namespace
}  // namespace sim
