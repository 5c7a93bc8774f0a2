// SPDX-License-Identifier: GPL-2.0-only
// Every rule bites: small sources that break it are told by file and line, small good ones pass.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tidy/arrows.h"
#include "tests/tidy/functions.h"
#include "tests/tidy/manners.h"
#include "tests/tidy/source.h"

namespace tidy {
namespace {

void expect_faults(const Faults& faults, const std::vector<std::string>& expected) {
  EXPECT_EQ(faults, expected);
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(Blanked, LeavesNothingOfCommentsAndLiterals) {
  EXPECT_EQ(blanked("a // {\nb /* { \n } */ c"), "a     \nb      \n      c");
  EXPECT_EQ(blanked("f(\"{\\\"}\", '{', '\\'')"), "f(      ,    ,     )");
  EXPECT_EQ(blanked("1'000'000 + '1'"), "1'000'000 +    ");
  EXPECT_EQ(blanked("R\"x({\")x\" + 1"), "          + 1");
  EXPECT_EQ(blanked("#define A { \\\n }\nb"), "             \n  \nb");
}

TEST(Functions, AreFoundInNamespacesAndClassesWithTheirLengths) {
  const Source source("a.cc",
                      "namespace a {\n"                      // 1
                      "struct S final : public T {\n"        // 2
                      "  S(int x) : a_(x), b_{x}, c_{} {\n"  // 3
                      "    if (x) { y(); }\n"                // 4
                      "  }\n"                                // 5
                      " public:\n"                           // 6
                      "  bool operator==(const S& o) const { return true; }\n"
                      "  int d_ = {};\n"  // 8
                      "};\n"              // 9
                      "constexpr std::array<int, 2> k = {{f(1), 2}};\n"
                      "enum class E : int { kA, kB };\n"  // 11
                      "template <class X>\n"              // 12
                      "X g(S s = {}) {\n"                 // 13
                      "  auto l = [](int) {\n"            // 14
                      "  };\n"                            // 15
                      "}\n"                               // 16
                      "}  // namespace a\n"
                      "TEST(A, B) {\n"
                      "}\n");
  const std::vector<Function> functions = functions_of(source);
  ASSERT_EQ(functions.size(), 4U);
  const std::vector<std::string> names = {"S", "operator==", "g", "TEST"};
  const std::vector<std::size_t> lines = {3, 7, 12, 18};
  const std::vector<std::size_t> lengths = {3, 1, 5, 2};
  for (std::size_t i = 0; i < functions.size(); ++i) {
    EXPECT_EQ(functions[i].name, names[i]);
    EXPECT_EQ(functions[i].line, lines[i]) << names[i];
    EXPECT_EQ(functions[i].lines, lengths[i]) << names[i];
  }
}

TEST(Lengths, GiveMedianNinetiethAndLongest) {
  std::vector<Function> functions;
  for (std::size_t i = 1; i <= 11; ++i) functions.push_back({"f", 1, i});
  const Lengths lengths = lengths_of(functions);
  EXPECT_EQ(lengths.functions, 11U);
  EXPECT_EQ(lengths.median, 6U);
  EXPECT_EQ(lengths.ninetieth, 10U);
  EXPECT_EQ(lengths.longest, 11U);
}

TEST(Rules, IncludeArrows) {
  expect_faults(include_arrows({{"sim/fabric/a.cc", "\n#include \"sim/engine/b.h\"\n"},
                                {"topologies/a.cc", "#include \"sim/schedule/b.h\"\n"},
                                {"sim/engine/a.cc", "#include \"sim/engine/packet/b.h\"\n"},
                                {"scenarios/a.cc", "#  include \"tests/b.h\"\n"},
                                {"sim/odd/a.cc", ""}}),
                {"sim/fabric/a.cc:2: sim/fabric may not include sim/engine/b.h",
                 "topologies/a.cc:1: topologies may not include sim/schedule/b.h",
                 "sim/engine/a.cc:1: sim/engine may not include sim/engine/packet/b.h",
                 "scenarios/a.cc:1: scenarios may not include tests/b.h",
                 "sim/odd/a.cc:1: lies in no room of the house"});
  expect_faults(include_arrows({{"sim/engine/engines.cc", "#include \"sim/engine/packet/b.h\"\n"},
                                {"sim/engine/packet/a.cc", "#include \"sim/engine/b.h\"\n"},
                                {"tests/a.cc", "#include \"scenarios/b.h\"\n"}}),
                {});
}

TEST(Rules, LinkArrows) {
  expect_faults(link_arrows({{"sim/fabric/CMakeLists.txt",
                              "\ntarget_link_libraries(sim_fabric PUBLIC sim_base sim_engine\n"
                              "  PRIVATE Boost::boost yaml-cpp)\n"},
                             {"topologies/a.cc", "#include \"sim/base/b.h\"\n"}}),
                {"sim/fabric/CMakeLists.txt:2: sim_fabric may not link sim_engine",
                 "sim/fabric/CMakeLists.txt:2: sim_fabric may not link yaml-cpp",
                 "topologies includes from sim_base but does not link it"});
  expect_faults(link_arrows({{"sim/fabric/CMakeLists.txt",
                              "target_link_libraries(sim_fabric PUBLIC sim_base fmt::fmt)\n"},
                             {"sim/fabric/a.cc", "#include \"sim/base/b.h\"\n"}}),
                {});
  expect_faults(
      link_arrows(
          {{"scenarios/command/CMakeLists.txt",
            "target_link_libraries(ultrasim PRIVATE scenarios CLI11::CLI11 ns3::core)\n"},
           {"tests/CMakeLists.txt", "target_link_libraries(x PRIVATE anything)\n"}}),
      {"scenarios/command/CMakeLists.txt:1: ultrasim may not link ns3::core"});
}

TEST(Rules, Doors) {
  expect_faults(doors({{"sim/fabric/a.h", "#include <boost/graph.hpp>\n"},
                       {"sim/engine/a.cc", "#include <ns3/node.h>\n"},
                       {"sim/results/a.cc", "#include \"sim/results/results.pb.h\"\n"},
                       {"sim/base/a.cc", "#include <vector>\n#include <zlib.h>\n"},
                       {"sim/base/b.cc", "#include \"a.h\"\n#include <gtest/gtest.h>\n"}}),
                {"sim/fabric/a.h:1: boost/graph.hpp may be used in .cc files only",
                 "sim/engine/a.cc:1: ns3/node.h may not be used here",
                 "sim/results/a.cc:1: sim/results/results.pb.h may not be used here",
                 "sim/base/a.cc:2: zlib.h has no door",
                 "sim/base/b.cc:1: a.h is not named from the root of the house",
                 "sim/base/b.cc:2: gtest/gtest.h may not be used here"});
  expect_faults(doors({{"scenarios/loader/a.cc", "#include <yaml-cpp/yaml.h>\n"},
                       {"scenarios/loader/b.cc", "#include <yaml-cpp/mark.h>\n"}}),
                {"scenarios/loader/a.cc: yaml-cpp/ may be used in at most 1 files",
                 "scenarios/loader/b.cc: yaml-cpp/ may be used in at most 1 files"});
  expect_faults(doors({{"sim/engine/packet/a.h", "#include <ns3/node.h>\n"},
                       {"sim/results/codec.cc", "#include \"sim/results/results.pb.h\"\n"},
                       {"tests/a.cc", "#include <gtest/gtest.h>\n"}}),
                {});
}

TEST(Rules, Cycles) {
  const Sources files = {{"sim/base/a.h", "#include \"sim/base/b.h\"\n"},
                         {"sim/base/b.h", "#include \"sim/base/a.h\"\n"}};
  expect_faults(file_cycles(files), {"cycle: sim/base/a.h -> sim/base/b.h -> sim/base/a.h"});
  expect_faults(folder_cycles(files), {});
  expect_faults(folder_cycles({{"scenarios/command/a.cc", "#include \"scenarios/loader/b.h\"\n"},
                               {"scenarios/loader/c.cc", "#include \"scenarios/command/d.h\"\n"}}),
                {"cycle: scenarios/command -> scenarios/loader -> scenarios/command"});
}

TEST(Rules, Sizes) {
  const std::string body = repeated("  x();\n", 59);
  expect_faults(long_functions({{"a.cc", "\nvoid f() {\n" + body + "}\n"},
                                {"b.cc", "void g()\n{" + repeated("\n", 58) + "}\n"}}),
                {"a.cc:2: f has 61 lines, at most 60"});
  expect_faults(long_files({{"a.cc", repeated("\n", 501)},
                            {"b.cc", repeated("\n", 500)},
                            {"c.h", repeated("\n", 251)},
                            {"d.md", repeated("\n", 900)}}),
                {"a.cc:1: 501 lines, at most 500", "c.h:1: 251 lines, at most 250"});
  expect_faults(wide_lines({{"a.cc", "\n" + std::string(101, 'x') + "\n"},
                            {"b.cc", repeated("\u00e9", 100)},
                            {"c.yaml", std::string(200, 'x')}}),
                {"a.cc:2: 101 columns, at most 100"});
}

TEST(Rules, Names) {
  expect_faults(empty_names({{"sim/util/a.cc", ""}, {"sim/base/link_helper.h", ""}}),
                {"sim/util/a.cc:1: 'util' says nothing: name the idea",
                 "sim/base/link_helper.h:1: 'helper' says nothing: name the idea"});
  expect_faults(empty_names({{"sim/base/utility_rate.cc", ""}}), {});
}

TEST(Rules, FirstLinesAndPragmas) {
  const std::string licence = "// SPDX-License-Identifier: GPL-2.0-only\n";
  expect_faults(missing_licences({{"a.cc", "\n" + licence}, {"b.cc", licence}, {"c.md", ""}}),
                {"a.cc:1: the first line is not SPDX-License-Identifier: GPL-2.0-only"});
  expect_faults(missing_pragmas({{"a.h", licence}, {"b.h", licence + "#pragma once\n"}}),
                {"a.h:1: no #pragma once"});
}

TEST(Rules, Readmes) {
  Sources sources;
  const std::string heads = "## What it is\n## How it works\n## Limits\n## How it is checked\n";
  for (const std::string& room : rooms_with_readme())
    sources.emplace_back(room + "/README.md", heads);
  expect_faults(readmes(sources), {});
  sources[0] = Source("sim/base/README.md", heads + "## More\n");
  sources.pop_back();
  expect_faults(readmes(sources),
                {"sim/base/README.md:1: its heads are not exactly the four of a room",
                 "tests/README.md:1: is missing"});
}

TEST(Rules, WordsThatMayNotBeSaid) {
  expect_faults(using_in_headers({{"a.h", "\nusing namespace std;\n"},
                                  {"b.h", "// using namespace std;\n"},
                                  {"c.cc", "using namespace std;\n"}}),
                {"a.h:2: using namespace in a header"});
  expect_faults(macros({{"sim/a.cc", "#define MAX 3\n"},
                        {"sim/base/check.h", "#define CHECK(x) x\n"},
                        {"tests/a.cc", "#define MAX 3\n"}}),
                {"sim/a.cc:1: a macro other than CHECK"});
  expect_faults(clocks_and_chance(
                    {{"sim/a.cc", "auto t = std::chrono::steady_clock::now();\nint r = rand();\n"},
                     {"sim/b.cc", "auto t = std::time(nullptr);\np.time(\"x\"); // rand\n"},
                     {"sim/c.cc", "std::mt19937 random(1);"},
                     {"tests/c.cc", "std::mt19937 random(1);"},
                     {"scenarios/command/a.cc", "steady_clock::now();\n"}}),
                {"sim/a.cc:1: steady_clock: results may not depend on clocks or unseeded chance",
                 "sim/a.cc:2: rand: results may not depend on clocks or unseeded chance",
                 "sim/b.cc:1: time(): results may not depend on clocks or unseeded chance",
                 "sim/c.cc:1: mt19937: results may not depend on clocks or unseeded chance"});
}

TEST(Rules, HashOrder) {
  const Source header("sim/a.h", "std::unordered_map<int, std::vector<int>> seen_;\n");
  expect_faults(
      hash_order(
          {header,
           {"sim/a.cc", "void f() {\n  for (auto& [k, v] : seen_) g(k);\n  seen_.find(3);\n}\n"},
           {"sim/b.cc", "std::vector<int> seen_; for (int x : seen_) {}\n"}}),
      {"sim/a.cc:2: walks seen_ in the order of a hash"});
}

}  // namespace
}  // namespace tidy
