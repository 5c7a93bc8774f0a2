// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/output_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace scenarios {
namespace {

namespace fs = std::filesystem;

class Folder : public testing::Test {
 protected:
  Folder() { fs::remove_all(path_); }
  ~Folder() override { fs::remove_all(path_); }

  [[nodiscard]] sim::Result<OutputFolder> open() const {
    return OutputFolder::open(path_, {"a.txt", "b.txt"});
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::stringstream stream;
    stream << std::ifstream(path_ + "/" + name).rdbuf();
    return stream.str();
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

  std::string path_ = fs::temp_directory_path() / ("ultrasim_folder_" + std::to_string(getpid()));
};

TEST_F(Folder, IsCreatedWithItsParentsAndHoldsWhatIsWritten) {
  path_ += "/deep/er";
  {
    const auto folder = open();
    ASSERT_TRUE(folder.ok());
    EXPECT_FALSE(folder.value().write({{"a.txt", "one"}, {"b.txt", ""}}));
  }
  EXPECT_EQ(text("a.txt"), "one");
  EXPECT_EQ(entries(), 2U);
}

TEST_F(Folder, IsRefusedWhileAnotherRunHoldsIt) {
  const auto first = open();
  ASSERT_TRUE(first.ok());
  const auto second = open();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.failure().what, "another run (process " + std::to_string(getpid()) +
                                       ") is writing to the folder '" + path_ + "'");
  EXPECT_EQ(second.failure().hint, "choose another folder with --out DIR");
}

TEST_F(Folder, IsFreeAgainAfterARun) {
  { ASSERT_TRUE(open().ok()); }
  EXPECT_TRUE(open().ok());
}

TEST_F(Folder, ALockWhoseOwnerIsGoneIsTakenOver) {
  fs::create_directories(path_);
  std::ofstream(path_ + "/.ultrasim.lock") << "999999\n";
  EXPECT_TRUE(open().ok());
}

TEST_F(Folder, AFileInItsPlaceIsAFault) {
  std::ofstream(path_) << "a file";
  ASSERT_FALSE(open().ok());
  EXPECT_EQ(open().failure().what.find("cannot create the folder"), 0U);
}

TEST_F(Folder, ANameThatIsTooLongIsAFault) {
  const std::string parent = path_;
  for (const std::string& name : {std::string(300, 'a'), "deep/" + std::string(300, 'a')}) {
    path_ = parent + "/" + name;
    const auto folder = open();
    ASSERT_FALSE(folder.ok());
    EXPECT_TRUE(folder.failure().what.ends_with(": File name too long")) << folder.failure().what;
  }
  path_ = parent;
}

TEST_F(Folder, SomethingElseInThePlaceOfAResultIsAFault) {
  fs::create_directories(path_ + "/a.txt");
  ASSERT_FALSE(open().ok());
  EXPECT_EQ(open().failure().what, "'" + path_ + "/a.txt' is in the way: it is not a file");
}

TEST_F(Folder, AFullDiskLeavesTheEarlierResultsWhole) {
  const auto folder = open();
  ASSERT_TRUE(folder.ok());
  ASSERT_FALSE(folder.value().write({{"a.txt", "old"}, {"b.txt", "old"}}));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {100, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto failure = folder.value().write({{"a.txt", "new"}, {"b.txt", std::string(1'000, 'x')}});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_TRUE(failure);
  EXPECT_EQ(text("a.txt"), "old");
  EXPECT_EQ(text("b.txt"), "old");
  EXPECT_EQ(entries(), 3U);  // the lock is the third
}

}  // namespace
}  // namespace scenarios
