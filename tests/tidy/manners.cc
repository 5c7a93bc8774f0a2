// SPDX-License-Identifier: GPL-2.0-only
#include "tests/tidy/manners.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/arrows.h"
#include "tests/tidy/functions.h"

namespace tidy {
namespace {

constexpr std::string_view kLicence = "SPDX-License-Identifier: GPL-2.0-only";

std::string size_fault(const Source& source, std::size_t lines, std::size_t most) {
  return source.at(1) + ": " + std::to_string(lines) + " lines, at most " + std::to_string(most);
}

bool has_columns(const Source& source) {
  return source.is_cpp() || source.is_cmake() || source.ends_with(".proto");
}

// Characters, not bytes: bytes that continue a UTF-8 sequence do not count.
std::size_t width_of(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// The parts of a path between '/', '_', '-' and '.'.
std::vector<std::string> words_of(const std::string& path) {
  std::vector<std::string> words(1);
  for (const char c : path) {
    if (c == '/' || c == '_' || c == '-' || c == '.') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

bool needs_licence(const Source& source) {
  return has_columns(source) || (source.ends_with(".yaml") && source.within("scenarios"));
}

std::string first_line(const Source& source) {
  return source.text.substr(0, source.text.find('\n'));
}

std::vector<std::string> heads_of(const Source& source) {
  std::vector<std::string> heads;
  for (const std::string& line : lines_of(source.text)) {
    if (line.starts_with("## ")) heads.push_back(line);
  }
  return heads;
}

const Source* find(const Sources& sources, const std::string& path) {
  for (const Source& source : sources) {
    if (source.path == path) return &source;
  }
  return nullptr;
}

// Calls check(line) for every line of `code`; what it returns is a fault of that line.
template <class Check>
void each_line(const Source& source, Faults& faults, Check check) {
  std::size_t number = 0;
  for (const std::string& line : lines_of(source.code)) {
    ++number;
    const std::string fault = check(line);
    if (!fault.empty()) faults.push_back(source.at(number) + ": " + fault);
  }
}

bool may_read_the_clock(const Source& source) {
  return source.within("scenarios/command") || source.within("tests/bench");
}

// The C call; time(0) is not looked for, since a member or local function may be called so.
bool calls_c_time(std::string_view line) {
  return has_word(line, "time(nullptr") || has_word(line, "time(NULL") ||
         line.find("std::time(") != std::string_view::npos;
}

template <std::size_t n>
std::string first_word_in(std::string_view line, const std::array<std::string_view, n>& words) {
  for (const std::string_view word : words) {
    if (has_word(line, word)) return std::string(word);
  }
  return "";
}

std::string clock_in(std::string_view line, bool in_tests) {
  constexpr std::array<std::string_view, 10> kNowhere = {"rand",
                                                         "srand",
                                                         "drand48",
                                                         "random_device",
                                                         "default_random_engine",
                                                         "system_clock",
                                                         "steady_clock",
                                                         "high_resolution_clock",
                                                         "clock_gettime",
                                                         "gettimeofday"};
  // Seeded, but not the same in every standard library: sim::Random is there for that.
  constexpr std::array<std::string_view, 5> kOnlyInTests = {
      "mt19937", "mt19937_64", "uniform_int_distribution", "uniform_real_distribution", "shuffle"};
  std::string word = first_word_in(line, kNowhere);
  if (word.empty() && !in_tests) word = first_word_in(line, kOnlyInTests);
  if (word.empty() && calls_c_time(line)) word = "time()";
  return word;
}

// Names declared in `code` with the type std::unordered_map or one of its like.
std::set<std::string> unordered_names(std::string_view code) {
  std::set<std::string> names;
  constexpr std::string_view kType = "std::unordered_";
  for (std::size_t at = code.find(kType); at != std::string_view::npos;
       at = code.find(kType, at + 1)) {
    std::size_t end = code.find_first_not_of("abcdefghijklmnopqrstuvwxyz_:", at);
    int depth = 0;
    for (; end < code.size(); ++end) {
      if (code[end] == '<') ++depth;
      if (code[end] == '>' && --depth == 0) break;
      if (depth == 0) break;
    }
    const std::size_t start = code.find_first_not_of(" \n&>", end);
    const std::size_t stop = code.find_first_of(" ;,(){}=[", start);
    if (stop == std::string_view::npos || start == stop) continue;
    names.emplace(code.substr(start, stop - start));
  }
  return names;
}

bool walks(std::string_view line, const std::string& name) {
  const bool ranged = has_word(line, "for") && (line.find(": " + name + ")") != line.npos ||
                                                line.find("." + name + ")") != line.npos);
  return ranged || has_word(line, name + ".begin()");
}

}  // namespace

Faults long_functions(const Sources& sources) {
  Faults faults;
  for (const Source& source : sources) {
    for (const Function& function : functions_of(source)) {
      if (function.lines <= kMostFunctionLines) continue;
      faults.push_back(source.at(function.line) + ": " + function.name + " has " +
                       std::to_string(function.lines) + " lines, at most " +
                       std::to_string(kMostFunctionLines));
    }
  }
  return faults;
}

Faults long_files(const Sources& sources) {
  Faults faults;
  for (const Source& source : sources) {
    if (!has_columns(source)) continue;
    const std::size_t most = source.is_header() ? kMostHeaderLines : kMostFileLines;
    const std::size_t lines = lines_of(source.text).size();
    if (lines > most) faults.push_back(size_fault(source, lines, most));
  }
  return faults;
}

Faults wide_lines(const Sources& sources) {
  Faults faults;
  for (const Source& source : sources) {
    if (!has_columns(source)) continue;
    std::size_t number = 0;
    for (const std::string& line : lines_of(source.text)) {
      ++number;
      const std::size_t width = width_of(line);
      if (width <= kMostColumns) continue;
      faults.push_back(source.at(number) + ": " + std::to_string(width) + " columns, at most " +
                       std::to_string(kMostColumns));
    }
  }
  return faults;
}

Faults empty_names(const Sources& sources) {
  constexpr std::array<std::string_view, 7> kEmpty = {"util",    "utils",   "common",  "helper",
                                                      "helpers", "manager", "managers"};
  Faults faults;
  for (const Source& source : sources) {
    for (const std::string& word : words_of(source.path)) {
      if (std::find(kEmpty.begin(), kEmpty.end(), word) == kEmpty.end()) continue;
      faults.push_back(source.at(1) + ": '" + word + "' says nothing: name the idea");
    }
  }
  return faults;
}

Faults missing_licences(const Sources& sources) {
  Faults faults;
  for (const Source& source : sources) {
    if (!needs_licence(source) || first_line(source).ends_with(kLicence)) continue;
    faults.push_back(source.at(1) + ": the first line is not " + std::string(kLicence));
  }
  return faults;
}

Faults missing_pragmas(const Sources& sources) {
  Faults faults;
  for (const Source& source : sources) {
    if (!source.is_header() || source.text.find("\n#pragma once\n") != std::string::npos) continue;
    faults.push_back(source.at(1) + ": no #pragma once");
  }
  return faults;
}

Faults readmes(const Sources& sources) {
  const std::vector<std::string> heads = {"## What it is", "## How it works", "## Limits",
                                          "## How it is checked"};
  Faults faults;
  for (const std::string& room : rooms_with_readme()) {
    const Source* readme = find(sources, room + "/README.md");
    if (readme == nullptr) {
      faults.push_back(room + "/README.md:1: is missing");
    } else if (heads_of(*readme) != heads) {
      faults.push_back(readme->at(1) + ": its heads are not exactly the four of a room");
    }
  }
  return faults;
}

Faults using_in_headers(const Sources& sources) {
  Faults faults;
  for (const Source& source : sources) {
    if (!source.is_header()) continue;
    each_line(source, faults, [](const std::string& line) {
      return has_word(line, "using namespace") ? "using namespace in a header" : "";
    });
  }
  return faults;
}

Faults macros(const Sources& sources) {
  Faults faults;
  for (const Source& source : sources) {
    if (!source.is_cpp() || source.within("tests")) continue;
    std::size_t number = 0;
    for (const std::string& line : lines_of(source.text)) {
      ++number;
      if (!line.starts_with("#") || !has_word(line, "define")) continue;
      const bool check = source.path == "sim/base/check.h" && has_word(line, "CHECK");
      // A switch of the xxhash header, which has no other way to be used as a header only.
      const bool door =
          source.path == "sim/base/fingerprint.cc" && has_word(line, "XXH_INLINE_ALL");
      if (!check && !door) faults.push_back(source.at(number) + ": a macro other than CHECK");
    }
  }
  return faults;
}

Faults clocks_and_chance(const Sources& sources) {
  Faults faults;
  for (const Source& source : sources) {
    if (!source.is_cpp() || may_read_the_clock(source)) continue;
    const bool in_tests = source.within("tests");
    each_line(source, faults, [&](const std::string& line) {
      const std::string word = clock_in(line, in_tests);
      return word.empty() ? "" : word + ": results may not depend on clocks or unseeded chance";
    });
  }
  return faults;
}

Faults hash_order(const Sources& sources) {
  Faults faults;
  for (const Source& source : sources) {
    if (!source.is_cpp()) continue;
    std::set<std::string> names = unordered_names(source.code);
    const std::string stem = source.path.substr(0, source.path.rfind('.'));
    if (const Source* header = find(sources, stem + ".h"); header != nullptr) {
      names.merge(unordered_names(header->code));
    }
    for (const std::string& name : names) {
      each_line(source, faults, [&](const std::string& line) {
        return walks(line, name) ? "walks " + name + " in the order of a hash" : "";
      });
    }
  }
  return faults;
}

}  // namespace tidy
