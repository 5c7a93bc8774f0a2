// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/units.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace sim {
namespace {

static_assert(!std::is_convertible_v<Bytes, Time> && !std::is_convertible_v<Time, std::int64_t>);
static_assert(!std::is_convertible_v<std::int64_t, Bytes>);

TEST(TransferTime, IsExactWhereItDivides) {
  EXPECT_EQ(transfer_time(Bytes(4096), gigabytes_per_second(50)), picoseconds(81'920));
  EXPECT_EQ(transfer_time(Bytes(0), gigabytes_per_second(50)), picoseconds(0));
}

TEST(TransferTime, RoundsUpSoThatNoLinkCarriesMoreThanItCan) {
  EXPECT_EQ(transfer_time(Bytes(1), Bandwidth(3)), Time(333'333'333'334));
  for (std::int64_t bytes = 1; bytes < 2000; bytes += 7) {
    for (std::int64_t rate = 1; rate < 100'000'000'000; rate = rate * 3 + 1) {
      const Time time = transfer_time(Bytes(bytes), Bandwidth(rate));
      const auto carried = static_cast<__int128>(time.value) * rate;
      const auto owed = static_cast<__int128>(bytes) * kPicosecondsPerSecond;
      ASSERT_GE(carried, owed);
      ASSERT_LT(carried - owed, rate);
    }
  }
}

TEST(TransferTime, DoesNotOverflowOnATebibyte) {
  EXPECT_EQ(transfer_time(Bytes(std::int64_t{1} << 40), Bandwidth(1'000'000'000'000)),
            Time(1'099'511'627'776));
}

TEST(AverageRate, UndoesTransferTimeWithinOneByte) {
  const Bytes bytes = mebibytes(256);
  const Bandwidth rate = gigabytes_per_second(128);
  const Bandwidth back = average_rate(bytes, transfer_time(bytes, rate));
  EXPECT_LE(back, rate);
  EXPECT_GE(back.value, rate.value - 100);
}

TEST(Measure, AddsSubtractsAndScales) {
  Time time = nanoseconds(3) + picoseconds(5);
  time -= picoseconds(1);
  EXPECT_EQ(time, picoseconds(3004));
  EXPECT_EQ(microseconds(2) * 3, microseconds(6));
  EXPECT_LT(nanoseconds(999), microseconds(1));
}

}  // namespace
}  // namespace sim
