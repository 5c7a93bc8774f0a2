// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/calibration.h"

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

#include "sim/base/check.h"
#include "sim/base/random.h"

namespace scenarios {

double calibration_seconds() {
  constexpr std::size_t kWords = 1 << 19;  // 4 MiB
  constexpr int kSteps = 8'000'000;
  std::vector<std::uint64_t> words(kWords, 1);
  sim::Random random(1, "calibration");
  const std::clock_t start = std::clock();
  std::uint64_t sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const std::uint64_t number = random.next();
    std::uint64_t& word = words[number % kWords];
    word += number ^ sum;
    sum += word;
  }
  const std::clock_t end = std::clock();
  CHECK(sum != 0);  // the loop cannot be left out
  return static_cast<double>(end - start) / CLOCKS_PER_SEC;
}

}  // namespace scenarios
