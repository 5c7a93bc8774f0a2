// SPDX-License-Identifier: GPL-2.0-only
// The house rules on the sources as they are.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "tests/tidy/arrows.h"
#include "tests/tidy/functions.h"
#include "tests/tidy/manners.h"
#include "tests/tidy/source.h"

namespace tidy {
namespace {

const Sources& house() {
  static const Sources kHouse = read_house(ULTRASIM_SOURCE_DIR);
  return kHouse;
}

void expect_none(const Faults& faults) {
  std::string text;
  for (const std::string& fault : faults) text += "\n" + fault;
  EXPECT_TRUE(faults.empty()) << faults.size() << " faults:" << text;
}

TEST(House, IsReadAtAll) {
  EXPECT_GT(house().size(), 50U);
  EXPECT_GT(functions_of(Source("a.cc", "int f() {\n}\n")).size(), 0U);
}

TEST(House, RoomsIncludeOnlyAlongTheArrows) { expect_none(include_arrows(house())); }
TEST(House, LibrariesLinkAlongTheArrowsAndNothingMore) { expect_none(link_arrows(house())); }
TEST(House, ThirdPartiesStayBehindTheirDoors) { expect_none(doors(house())); }
TEST(House, FilesIncludeInNoCycle) { expect_none(file_cycles(house())); }
TEST(House, FoldersIncludeInNoCycle) { expect_none(folder_cycles(house())); }
TEST(House, FunctionsAreShort) { expect_none(long_functions(house())); }
TEST(House, FilesAreShort) { expect_none(long_files(house())); }
TEST(House, LinesFitAHundredColumns) { expect_none(wide_lines(house())); }
TEST(House, NamesSayWhatIsInside) { expect_none(empty_names(house())); }
TEST(House, EverySourceStartsWithItsLicence) { expect_none(missing_licences(house())); }
TEST(House, HeadersAreIncludedOnce) { expect_none(missing_pragmas(house())); }
TEST(House, EveryRoomHasAReadmeWithFourHeads) { expect_none(readmes(house())); }
TEST(House, HeadersOpenNoNamespaces) { expect_none(using_in_headers(house())); }
TEST(House, CheckIsTheOnlyMacro) { expect_none(macros(house())); }
TEST(House, NothingDependsOnClocksOrUnseededChance) { expect_none(clocks_and_chance(house())); }
TEST(House, NothingWalksInTheOrderOfAHash) { expect_none(hash_order(house())); }

TEST(House, TellsTheLengthsOfItsFunctions) {
  std::vector<Function> all;
  for (const Source& source : house()) {
    if (source.within("tests")) continue;
    const std::vector<Function> found = functions_of(source);
    all.insert(all.end(), found.begin(), found.end());
  }
  const Lengths lengths = lengths_of(all);
  std::cout << lengths.functions << " functions: median " << lengths.median
            << " lines, 90th percentile " << lengths.ninetieth << ", longest " << lengths.longest
            << "\n";
  RecordProperty("functions", std::to_string(lengths.functions));
  RecordProperty("median_lines", std::to_string(lengths.median));
  RecordProperty("ninetieth_percentile_lines", std::to_string(lengths.ninetieth));
  RecordProperty("longest_lines", std::to_string(lengths.longest));
  EXPECT_GT(lengths.functions, 100U);
  EXPECT_LE(lengths.longest, kMostFunctionLines);
}

}  // namespace
}  // namespace tidy
