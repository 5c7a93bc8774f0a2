// SPDX-License-Identifier: GPL-2.0-only
// Mutates the files of scenarios/library and tests/diagnostics/bad with a fixed seed, for any
// compiler. The seconds and the seed can be set: ULTRASIM_FUZZ_SECONDS, ULTRASIM_FUZZ_SEED.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "tests/fuzz/load.h"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 4096;

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  for (const char* folder : {"scenarios/library", "tests/diagnostics/bad"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(ULTRASIM_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Mutator {
 public:
  Mutator(std::vector<std::string> texts, std::uint64_t seed)
      : texts_(std::move(texts)), random_(seed, "fuzz") {}

  std::string next() {
    std::string text = any(texts_);
    for (std::uint64_t n = 1 + random_.below(6); n > 0; --n) mutate(text);
    if (text.size() > kMostBytes) text.resize(kMostBytes);
    return text;
  }

 private:
  const std::string& any(const std::vector<std::string>& list) {
    return list[random_.below(list.size())];
  }
  std::size_t place(const std::string& text) { return random_.below(text.size() + 1); }

  void mutate(std::string& text) {
    static const std::vector<std::string> kWords = {
        "[",
        "]",
        "{",
        "}",
        ": ",
        "- ",
        "\n",
        "\n  ",
        "&a ",
        "*a",
        "!!str ",
        "<<",
        "? ",
        "|\n",
        ">",
        "\"",
        "'",
        "#",
        "\t",
        "~",
        "---\n",
        "...\n",
        "%",
        ",",
        "all",
        "0",
        "-1",
        "1",
        "2",
        "145",
        "99999999999999999999",
        "1 B",
        "1 TiB",
        "64KB",
        "1e400",
        ".nan",
        "cores",
        "star",
        "headline",
        "hierarchical",
        "twin_first",
        "plane_first",
        "recursive",
        "all_to_all",
        "bytes_per_peer",
        "ultraservers: 2",
        "logical_cores: 1",
        "overrides: {ends: 3}",
        "\xC3",
        "\xEF\xBB\xBF",
        "\r",
        "from: 1 B",
        "times: 2",
        std::string("\0planes=2", 9),
        std::string("\0seed=[", 7),
        std::string("\0workload.0.bytes={from: 1 B, to: 1 GiB, times: 7}", 51)};
    switch (random_.below(5)) {
      case 0:
        text.insert(place(text), any(kWords));
        break;
      case 1:
        text.erase(std::min(place(text), text.size()), random_.below(20));
        break;
      case 2:
        if (!text.empty()) text[random_.below(text.size())] = static_cast<char>(random_.below(256));
        break;
      case 3:
        repeat_part(text);
        break;
      default:
        splice(text, any(texts_));
    }
  }

  void repeat_part(std::string& text) {
    const std::string part = text.substr(place(text), random_.below(40));
    const std::size_t at = place(text);
    for (std::uint64_t n = random_.below(8); n > 0; --n) text.insert(at, part);
  }

  void splice(std::string& text, const std::string& other) {
    const std::size_t from = place(other);
    text.insert(place(text), other.substr(from, random_.below(120)));
  }

  std::vector<std::string> texts_;
  sim::Random random_;
};

TEST(Fuzz, AnyMutationGivesAScenarioOrAMessage) {
  const std::vector<std::string> texts = corpus();
  ASSERT_GE(texts.size(), 50U);
  Mutator mutator(texts, setting("ULTRASIM_FUZZ_SEED", 1));
  const std::chrono::seconds budget(setting("ULTRASIM_FUZZ_SECONDS", 20));
  const auto start = std::chrono::steady_clock::now();
  auto longest = std::chrono::steady_clock::duration::zero();
  std::size_t runs = 0;
  for (auto now = start; now - start < budget; ++runs) {
    const std::string text = mutator.next();
    // Kept, so that a crash leaves its input behind.
    std::ofstream("mutation_test.input", std::ios::binary) << text;
    fuzz::load(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    const auto after = std::chrono::steady_clock::now();
    longest = std::max(longest, after - now);
    now = after;
  }
  EXPECT_GT(runs, 100U);
  EXPECT_LT(longest, std::chrono::seconds(5));
  RecordProperty("runs", static_cast<int>(runs));
}

}  // namespace
