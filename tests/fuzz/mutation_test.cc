// SPDX-License-Identifier: GPL-2.0-only
// Mutates the files of scenarios/library and tests/diagnostics/bad with a fixed seed, for any
// compiler. The seconds and the seed can be set: ULTRASIM_FUZZ_SECONDS, ULTRASIM_FUZZ_SEED.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
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

// What YAML and scenarios are made of, to be put anywhere.
std::vector<std::string> words() {
  std::vector<std::string> words;
  std::istringstream listed(
      "[ ] { } & * !!str << ? | > \" ' # ~ --- ... % , all 0 -1 1 2 145 99999999999999999999 1B "
      "1TiB 64KB 1e400 .nan cores star headline hierarchical twin_first plane_first recursive "
      "all_to_all bytes_per_peer ultraservers: logical_cores: overrides: ends: from: times:");
  for (std::string word; listed >> word;) words.push_back(word);
  for (const char* more : {": ", "- ", "\n", "\n  ", "\t", "\r", "---\n", "|\n", "\xC3",
                           "\xEF\xBB\xBF", "ultraservers: 2\n", "overrides: {ends: 3}"}) {
    words.emplace_back(more);
  }
  // Overrides follow a NUL byte: see load.cc.
  for (const char* override : {"planes=2", "seed=[",
                               "workload.0.bytes={from: 1 B, to: 1 GiB, "
                               "times: 7}"}) {
    words.push_back(std::string(1, '\0') + override);
  }
  return words;
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
    switch (random_.below(5)) {
      case 0:
        text.insert(place(text), any(words_));
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
  std::vector<std::string> words_ = words();
  sim::Random random_;
};

TEST(Fuzz, AnyMutationGivesAScenarioOrAMessage) {
  const std::vector<std::string> texts = corpus();
  ASSERT_GE(texts.size(), 50U);
  Mutator mutator(texts, setting("ULTRASIM_FUZZ_SEED", 1));
  for (std::uint64_t runs = setting("ULTRASIM_FUZZ_RUNS", 50'000); runs > 0; --runs) {
    const std::string text = mutator.next();
    // Kept, so that a crash leaves its input behind.
    std::ofstream("mutation_test.input", std::ios::binary) << text;
    fuzz::load(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
}

}  // namespace
