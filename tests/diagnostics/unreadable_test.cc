// SPDX-License-Identifier: GPL-2.0-only
// Input that cannot be checked in as a file: made here, in a folder of its own.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "scenarios/loader/scenario.h"

namespace {

namespace fs = std::filesystem;

class Unreadable : public testing::Test {
 protected:
  Unreadable() : folder_(fs::temp_directory_path() / ("ultrasim_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Unreadable() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  // The faults of a file, with its folder cut off.
  std::string faults_of(const std::string& file) const {
    const scenarios::Loaded loaded = scenarios::load_file(file, {});
    EXPECT_FALSE(loaded.scenario.has_value());
    const std::string prefix = folder_.string() + "/";
    return loaded.faults.starts_with(prefix) ? loaded.faults.substr(prefix.size()) : loaded.faults;
  }

 private:
  fs::path folder_;
};

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST_F(Unreadable, MissingFile) {
  EXPECT_EQ(faults_of(path("none.yaml")),
            "none.yaml: error: there is no such file\n  hint: check the path\n1 error\n");
}

TEST_F(Unreadable, FolderInsteadOfFile) {
  fs::create_directory(path("folder"));
  EXPECT_EQ(faults_of(path("folder")),
            "folder: error: is a directory\n  hint: name a file in it\n1 error\n");
}

TEST_F(Unreadable, PipeIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(faults_of(path("pipe")), "pipe: error: is not a regular file\n1 error\n");
}

TEST_F(Unreadable, FileWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string file = write("secret.yaml", "scenario: x\n");
  fs::permissions(file, fs::perms::none);
  EXPECT_EQ(faults_of(file),
            "secret.yaml: error: cannot be read\n  hint: check its permissions\n1 error\n");
}

TEST_F(Unreadable, EmptyFileAndFileOfComments) {
  const std::string message =
      ": error: the file is empty\n  expected: a scenario\n"
      "  hint: see the files of scenarios/library for examples\n1 error\n";
  EXPECT_EQ(faults_of(write("empty.yaml", "")), "empty.yaml" + message);
  EXPECT_EQ(faults_of(write("comments.yaml", "# nothing\n\n")), "comments.yaml" + message);
}

TEST_F(Unreadable, HundredMegabytesCostNothing) {
  const std::string file = write("huge.yaml", "");
  fs::resize_file(file, 100'000'000);
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_EQ(faults_of(file),
            "huge.yaml: error: is too large: 100000000 bytes\n"
            "  hint: a scenario has at most 1048576 bytes\n1 error\n");
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LE(after.ru_utime.tv_sec - before.ru_utime.tv_sec, 1);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 10'000) << "kilobytes";
}

TEST_F(Unreadable, NulBytesAreNamedWithTheirPlace) {
  const std::string text("scenario: bad\nabout: a\0b\n", 25);
  EXPECT_EQ(faults_of(write("nul.yaml", text)),
            "nul.yaml:2:9: error: control character 0x00 in the text\n"
            "  about: a?b\n          ^\n  expected: printable text\n1 error\n");
}

TEST_F(Unreadable, ThousandsOfNestedLevels) {
  std::string block;
  for (int i = 0; i < 1000; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  for (const std::string& text :
       {block, repeated("- ", 100'000), "a: " + repeated("[", 5000) + repeated("]", 5000),
        "a: " + repeated("{a: ", 5000) + repeated("}", 5000)}) {
    const std::string faults = faults_of(write("deep.yaml", text));
    EXPECT_NE(faults.find("error: nested more than 32 levels deep"), std::string::npos) << faults;
  }
}

// The parser takes what is never closed for the key of something.
TEST_F(Unreadable, ThousandsOfBracketsNeverClosed) {
  for (const std::string& text : {repeated("[", 1'000'000), repeated("{a: ", 200'000)}) {
    const std::string faults = faults_of(write("open.yaml", text));
    EXPECT_NE(faults.find("open.yaml:1:"), std::string::npos) << faults;
    EXPECT_TRUE(faults.ends_with("\n1 error\n")) << faults;
  }
}

TEST_F(Unreadable, MoreNodesThanAllowed) {
  const std::string faults = faults_of(write("many.yaml", "about: [" + repeated("a,", 200'000)));
  EXPECT_NE(faults.find("error: more than 100000 keys and values"), std::string::npos) << faults;
}

TEST_F(Unreadable, OtherEncodingsAreRefusedAndAByteOrderMarkIsNot) {
  const std::string utf16("\xFF\xFEs\0c\0", 6);
  EXPECT_EQ(faults_of(write("utf16.yaml", utf16)).substr(0, 49),
            "utf16.yaml:1:1: error: byte 0xff is not UTF-8\n  ?");
  const std::string marked = "\xEF\xBB\xBFscenari: bad\r\n";
  EXPECT_EQ(faults_of(write("marked.yaml", marked)).substr(0, 46),
            "marked.yaml:1:1: error: unknown key 'scenari'\n");
}

TEST_F(Unreadable, LinesMayEndWithCarriageReturns) {
  const std::string text = "scenario: bad\r\ncluster: {}\r\nworkload:\r\n- {algoritm: ring}\r\n";
  const std::string faults = faults_of(write("crlf.yaml", text));
  EXPECT_NE(faults.find("crlf.yaml:4:4: error: unknown key 'algoritm' in workload[0]\n"
                        "  - {algoritm: ring}\n     ^\n"),
            std::string::npos)
      << faults;
}

}  // namespace
