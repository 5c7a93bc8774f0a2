// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/sweep_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "analysis/sweep_page.h"
#include "tests/analysis/sample.h"

namespace analysis {
namespace {

namespace fs = std::filesystem;

const SweepIdentity kSweep{"grid", "0123", "1.0", 4};

// A folder of the test's own.
class SweepFileTest : public testing::Test {
 protected:
  SweepFileTest() {
    folder_ =
        fs::temp_directory_path() / ("ultrasim_sweep_" + std::to_string(getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  ~SweepFileTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  static SweepRun run(std::int64_t number, std::int64_t time_ps = 1'000'000) {
    SweepRun run;
    run.number = number;
    run.changes = {{"wiring", number % 2 == 0 ? "doc" : "full"}};
    run.outcome = sample_outcome();
    run.outcome.cases.resize(1);
    run.outcome.cases[0].time_ps = time_ps;
    return run;
  }

  SweepFile open(const std::string& name) const {
    sim::Result<SweepFile> file = SweepFile::open(path(name), kSweep);
    EXPECT_TRUE(file.ok()) << file.failure().what;
    return std::move(file).value();
  }

  fs::path folder_;
};

TEST_F(SweepFileTest, KeepsRunsOverReopening) {
  {
    SweepFile file = open("a");
    EXPECT_FALSE(file.keep(run(2)));
    EXPECT_FALSE(file.keep(run(0)));
  }
  SweepFile file = open("a");
  EXPECT_EQ(file.numbers().value(), (std::vector<std::int64_t>{0, 2}));
  const SweepFile::Tables tables = file.tables().value();
  ASSERT_EQ(tables.cases.size(), 2U);
  EXPECT_EQ(tables.cases[1].run, 2);
  EXPECT_EQ(tables.cases[1].time_ps, 1'000'000);
  EXPECT_EQ(tables.changes[2], run(2).changes);
}

TEST_F(SweepFileTest, ARunIsThereOnce) {
  SweepFile file = open("a");
  EXPECT_FALSE(file.keep(run(1)));
  EXPECT_TRUE(file.keep(run(1)));
  EXPECT_EQ(file.tables().value().cases.size(), 1U) << "half of a refused run was kept";
}

TEST_F(SweepFileTest, AnotherSweepIsRefused) {
  static_cast<void>(open("a"));
  SweepIdentity other = kSweep;
  other.input_hash = "4567";
  const sim::Result<SweepFile> file = SweepFile::open(path("a"), other);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.failure().what.find("another sweep"), std::string::npos);
}

TEST_F(SweepFileTest, DamagedFilesAreSaidToBeSo) {
  std::ofstream(path("a")) << std::string(5'000, 'x');
  const sim::Result<SweepFile> file = SweepFile::open(path("a"), kSweep);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.failure().hint.find("damaged"), std::string::npos) << file.failure().what;
  EXPECT_FALSE(SweepFile::read(path("none")).ok());
}

TEST_F(SweepFileTest, ASecondWriterIsToldSo) {
  const SweepFile file = open("a");
  const sim::Result<SweepFile> second = SweepFile::open(path("a"), kSweep);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.failure().hint.find("another process"), std::string::npos)
      << second.failure().what;
}

TEST_F(SweepFileTest, ShardsMergeAndContradictionsDoNot) {
  {
    SweepFile one = open("one");
    SweepFile two = open("two");
    SweepFile odd = open("odd");
    EXPECT_FALSE(one.keep(run(0)) || one.keep(run(2)) || two.keep(run(1)) || two.keep(run(2)));
    EXPECT_FALSE(odd.keep(run(1, 77)));
  }
  SweepFile all = open("all");
  SweepFile one = SweepFile::read(path("one")).value();
  SweepFile two = SweepFile::read(path("two")).value();
  SweepFile odd = SweepFile::read(path("odd")).value();
  EXPECT_FALSE(all.take_from(one));
  EXPECT_FALSE(all.take_from(two));
  EXPECT_EQ(all.numbers().value(), (std::vector<std::int64_t>{0, 1, 2}));
  const auto fault = all.take_from(odd);
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->what.find("run 1"), std::string::npos);
}

TEST_F(SweepFileTest, ThePageComparesTheValuesOfAKey) {
  SweepFile file = open("a");
  for (const std::int64_t number : {0, 1, 2, 3}) {
    EXPECT_FALSE(file.keep(run(number, number % 2 == 0 ? 2'000'000 : 1'000'000)));
  }
  const SweepFile::Tables tables = file.tables().value();
  const std::string page = sweep_page(file.identity(), tables, "a");
  EXPECT_NE(page.find("grid   4 of 4 runs"), std::string::npos) << page;
  EXPECT_NE(page.find("doc       2.00 us       +100.0 %"), std::string::npos) << page;
  EXPECT_EQ(sweep_csv(tables).substr(0, 48), "run,wiring,case,verdict,time_ps,bus_bandwidth_by");
}

}  // namespace
}  // namespace analysis
