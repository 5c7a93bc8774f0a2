// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/quantity.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sim/base/random.h"

namespace sim {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

struct Accepted {
  std::string text;
  Dimension dimension;
  std::int64_t amount;
};

struct Rejected {
  std::string text;
  Dimension dimension;
  std::string what;
  std::string hint = {};
};

void expect_accepted(const std::vector<Accepted>& cases) {
  for (const Accepted& one : cases) {
    const Result<Quantity> parsed = parse_quantity(one.text, one.dimension);
    ASSERT_TRUE(parsed.ok()) << one.text << ": " << parsed.failure().what;
    EXPECT_EQ(parsed.value().amount, one.amount) << one.text;
    EXPECT_EQ(parsed.value().text, one.text);
    EXPECT_EQ(parsed.value().dimension, one.dimension);
  }
}

void expect_rejected(const std::vector<Rejected>& cases) {
  for (const Rejected& one : cases) {
    const Result<Quantity> parsed = parse_quantity(one.text, one.dimension);
    ASSERT_FALSE(parsed.ok()) << one.text << " was read as " << parsed.value().amount;
    EXPECT_EQ(parsed.failure().what, one.what);
    EXPECT_NE(parsed.failure().hint, "") << one.text;
    EXPECT_EQ(hint_for(one.text, one.dimension), one.hint) << one.text;
  }
}

TEST(ParseQuantity, ReadsSizesInDecimalAndBinaryUnits) {
  expect_accepted({{"64 KiB", Dimension::kBytes, 65'536},
                   {"64KiB", Dimension::kBytes, 65'536},
                   {"64 kB", Dimension::kBytes, 64'000},
                   {"1.5 MiB", Dimension::kBytes, 1'572'864},
                   {"0.25 kB", Dimension::kBytes, 250},
                   {"2 GB", Dimension::kBytes, 2'000'000'000},
                   {"1 TiB", Dimension::kBytes, std::int64_t{1} << 40},
                   {"0 B", Dimension::kBytes, 0},
                   {"-5 B", Dimension::kBytes, -5},
                   {"9223372036854775807 B", Dimension::kBytes, kLargest}});
}

TEST(ParseQuantity, TellsBitsFromBytesInBandwidths) {
  expect_accepted({{"128 GB/s", Dimension::kBandwidth, 128'000'000'000},
                   {"200 Gb/s", Dimension::kBandwidth, 25'000'000'000},
                   {"200 GB/s", Dimension::kBandwidth, 200'000'000'000},
                   {"200Gbps", Dimension::kBandwidth, 25'000'000'000},
                   {"8 b/s", Dimension::kBandwidth, 1},
                   {"1.6 Tb/s", Dimension::kBandwidth, 200'000'000'000},
                   {"4 KiB/s", Dimension::kBandwidth, 4096},
                   {"unlimited", Dimension::kBandwidth, kLargest}});
}

TEST(ParseQuantity, ReadsTimesRatiosCountsAndFlags) {
  expect_accepted({{"15 us", Dimension::kTime, 15'000'000},
                   {"0.5 us", Dimension::kTime, 500'000},
                   {"1.5 ms", Dimension::kTime, 1'500'000'000},
                   {"1 s", Dimension::kTime, kPicosecondsPerSecond},
                   {"0.9", Dimension::kRatio, 900'000'000},
                   {"90 %", Dimension::kRatio, 900'000'000},
                   {"12.5%", Dimension::kRatio, 125'000'000},
                   {"1e-7", Dimension::kRatio, 100},
                   {"144", Dimension::kCount, 144},
                   {"1e3", Dimension::kCount, 1000},
                   {"true", Dimension::kFlag, 1},
                   {"false", Dimension::kFlag, 0}});
}

TEST(ParseQuantity, NeedsAUnitWhereOneIsMeant) {
  expect_rejected({{"64", Dimension::kBytes, "'64' needs a unit"},
                   {"15", Dimension::kTime, "'15' needs a unit"},
                   {"128", Dimension::kBandwidth, "'128' needs a unit"}});
}

TEST(ParseQuantity, SaysWhatAnAmbiguousKilobyteMayMean) {
  const Result<Quantity> parsed = parse_quantity("64KB", Dimension::kBytes);
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.failure().what, "'64KB' is ambiguous for bytes");
  EXPECT_EQ(parsed.failure().hint, "a size such as 64 KiB (65,536 bytes) or 64 kB (64,000 bytes)");
}

TEST(ParseQuantity, NamesTheNearestUnit) {
  expect_rejected(
      {{"64 mib", Dimension::kBytes, "unknown size unit 'mib' in '64 mib'",
        "did you mean '64 MiB'?"},
       {"128 GB", Dimension::kBandwidth, "unknown bandwidth unit 'GB' in '128 GB'",
        "did you mean '128 GB/s'?"},
       {"200 GBps", Dimension::kBandwidth, "unknown bandwidth unit 'GBps' in '200 GBps'",
        "did you mean '200 GB/s'?"},
       {"128 gb/s", Dimension::kBandwidth, "unknown bandwidth unit 'gb/s' in '128 gb/s'",
        "did you mean '128 GB/s' or '128 Gb/s'?"},
       {"15 MS", Dimension::kTime, "unknown time unit 'MS' in '15 MS'", "did you mean '15 ms'?"},
       {"15 \u00b5s", Dimension::kTime, "unknown time unit '\u00b5s' in '15 \u00b5s'",
        "did you mean '15 us'?"},
       {"3 lightyears", Dimension::kTime, "unknown time unit 'lightyears' in '3 lightyears'"},
       {"64 Gb", Dimension::kBytes, "'64 Gb' counts bits where bytes are wanted",
        "'b' means bits: 8 bits are 1 byte, written 'B'"},
       {"8 chips", Dimension::kCount, "'8 chips' has 'chips' after the number"}});
}

TEST(ParseQuantity, TakesPlainDecimalNumbersOnly) {
  expect_rejected(
      {{"010 B", Dimension::kBytes, "'010 B' starts with a zero: is it octal?"},
       {"0x10", Dimension::kCount, "'0x10' is not a decimal number"},
       {"0o17", Dimension::kCount, "'0o17' is not a decimal number"},
       {"nan", Dimension::kRatio, "'nan' is not a finite number"},
       {"-inf", Dimension::kRatio, "'-inf' is not a finite number"},
       {"+5", Dimension::kCount, "'+5' starts with a plus sign"},
       {"5.", Dimension::kRatio, "'5.' needs a digit after the point"},
       {".5", Dimension::kRatio, "'.5' needs a digit before the point"},
       {"1,000", Dimension::kCount, "'1,000' groups its digits"},
       {"1_000", Dimension::kCount, "'1_000' groups its digits"},
       {"many", Dimension::kCount, "'many' is not a number"},
       {"2:1", Dimension::kRatio, "unknown ratio unit ':1' in '2:1'"},
       {"", Dimension::kCount, "a number is missing"},
       {"1e3 B", Dimension::kBytes, "'1e3 B' has an exponent: use a larger or smaller unit"}});
}

TEST(ParseQuantity, NeverRoundsAndNeverOverflows) {
  expect_rejected(
      {{"0.3 B", Dimension::kBytes, "'0.3 B' is finer than this program counts"},
       {"0.5 ps", Dimension::kTime, "'0.5 ps' is finer than this program counts"},
       {"1 b/s", Dimension::kBandwidth, "'1 b/s' is finer than this program counts"},
       {"1e-10", Dimension::kRatio, "'1e-10' is finer than this program counts"},
       {"1.5", Dimension::kCount, "'1.5' is not a whole number"},
       {"9223372036854775808 B", Dimension::kBytes, "'9223372036854775808 B' is too large"},
       {"8388608 TiB", Dimension::kBytes, "'8388608 TiB' is too large"},
       {"99999999999999999999999999 s", Dimension::kTime,
        "'99999999999999999999999999 s' is too large"},
       {"1e999", Dimension::kRatio, "'1e999' is too large"},
       {"1e99999999999999999999", Dimension::kCount, "'1e99999999999999999999' is too large"},
       {"0.12345678901234567890123456789", Dimension::kRatio,
        "'0.12345678901234567890123456789' has more than 24 digits"}});
}

TEST(ParseQuantity, TakesTrueAndFalseAndNothingLikeThem) {
  expect_rejected({{"yes", Dimension::kFlag, "'yes' is neither true nor false", "write 'true'"},
                   {"off", Dimension::kFlag, "'off' is neither true nor false", "write 'false'"},
                   {"True", Dimension::kFlag, "'True' is neither true nor false", "write 'true'"},
                   {"maybe", Dimension::kFlag, "'maybe' is neither true nor false"}});
}

TEST(ToText, PicksTheShortestUnitThatNeedsNoRounding) {
  EXPECT_EQ(to_text(65'536, Dimension::kBytes), "64 KiB");
  EXPECT_EQ(to_text(64'000'000, Dimension::kBytes), "64 MB");
  EXPECT_EQ(to_text(8'760, Dimension::kBytes), "8760 B");
  EXPECT_EQ(to_text(0, Dimension::kBytes), "0 B");
  EXPECT_EQ(to_text(128'000'000'000, Dimension::kBandwidth), "128 GB/s");
  EXPECT_EQ(to_text(12'500'000'000, Dimension::kBandwidth), "12.5 GB/s");
  EXPECT_EQ(to_text(500'000'000, Dimension::kBandwidth), "500 MB/s");
  EXPECT_EQ(to_text(kLargest, Dimension::kBandwidth), "unlimited");
  EXPECT_EQ(to_text(1'500'000, Dimension::kTime), "1.5 us");
  EXPECT_EQ(to_text(83'575'000, Dimension::kTime), "83.575 us");
  EXPECT_EQ(to_text(0, Dimension::kTime), "0 ps");
  EXPECT_EQ(to_text(900'000'000, Dimension::kRatio), "0.9");
  EXPECT_EQ(to_text(100, Dimension::kRatio), "0.0000001");
  EXPECT_EQ(to_text(1, Dimension::kFlag), "true");
}

// The law, over every power and over random amounts of every length.
TEST(ToText, ParsesBackToTheSameAmount) {
  Random random(1, "quantity test");
  std::vector<std::int64_t> amounts = {0, 1, kLargest, kLargest - 1, -1, -kLargest};
  for (std::int64_t power = 1; power <= kLargest / 10; power *= 10) {
    for (std::int64_t by : {1, 3, 8}) amounts.push_back(power * by);
  }
  for (int shift = 0; shift < 63; ++shift) {
    amounts.push_back(std::int64_t{1} << shift);
    for (int i = 0; i < 100; ++i) {
      amounts.push_back(static_cast<std::int64_t>(random.next() >> (63 - shift)));
    }
  }
  for (const Dimension dimension : {Dimension::kBytes, Dimension::kBandwidth, Dimension::kTime,
                                    Dimension::kRatio, Dimension::kCount}) {
    for (const std::int64_t amount : amounts) {
      const std::string text = to_text(amount, dimension);
      const Result<Quantity> parsed = parse_quantity(text, dimension);
      ASSERT_TRUE(parsed.ok()) << amount << " became " << text;
      ASSERT_EQ(parsed.value().amount, amount) << text;
    }
  }
}

// No text, however broken, does anything but fail or parse.
TEST(ParseQuantity, SurvivesRandomBytes) {
  Random random(2, "quantity test");
  const std::string alphabet = "0123456789.eE+-%xKMGTiBbps/ \t\xc2\xb5\xff";
  int parsed = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (std::uint64_t length = random.below(8); length > 0; --length) {
      text += alphabet[random.below(alphabet.size())];
    }
    const auto dimension = static_cast<Dimension>(random.below(7));
    if (parse_quantity(text, dimension).ok()) ++parsed;
    static_cast<void>(hint_for(text, dimension));
  }
  EXPECT_GT(parsed, 1000);
}

}  // namespace
}  // namespace sim
