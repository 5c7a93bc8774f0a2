// SPDX-License-Identifier: GPL-2.0-only
// The pages a reader meets first do what they say: their commands run, their scenario files load,
// the output they show is what the program prints, their links lead somewhere.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/docs/markdown.h"

namespace docs {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = ULTRASIM_SOURCE_DIR;

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSlowBuild = true;
#else
constexpr bool kSlowBuild = false;
#endif

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> pages() {
  std::vector<std::string> pages{"README.md", "CONTRIBUTING.md"};
  for (const auto& entry : fs::directory_iterator(kSource / "docs")) {
    if (entry.path().extension() == ".md")
      pages.push_back("docs/" + entry.path().filename().string());
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

std::set<std::string> preset_names(const std::string& kind) {
  std::set<std::string> names;
  const auto presets = nlohmann::json::parse(text_of(kSource / "CMakePresets.json"));
  for (const auto& preset : presets.at(kind)) names.insert(preset.at("name").get<std::string>());
  return names;
}

struct Finished {
  int exit_code = -1;
  std::string out;
  std::string err;

  // What a reader looks at: the answer, or why there is none. Progress is neither.
  [[nodiscard]] const std::string& told() const { return exit_code == 0 ? out : err; }
};

// A block of a page and what it should show.
struct Shown {
  Block block;
  std::string text;
};

// A page's own folder, where `ultrasim` and build/release/ultrasim are the built binary and
// scenarios/ are the real ones.
class Page : public testing::TestWithParam<std::string> {
 protected:
  Page() : name_(GetParam()), text_(text_of(kSource / name_)), blocks_(blocks_of(text_)) {
    std::string folder = (fs::temp_directory_path() / "ultrasim_docs_XXXXXX").string();
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    fs::create_directories(folder_ / "build/release");
    fs::create_symlink(ULTRASIM_BINARY, folder_ / "build/release/ultrasim");
    fs::create_symlink(kSource / "scenarios", folder_ / "scenarios");
  }
  ~Page() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string at(std::size_t line) const {
    return name_ + ":" + std::to_string(line) + ": ";
  }

  [[nodiscard]] Finished run(const std::string& command, const fs::path& where) const {
    const fs::path out = folder_ / "stdout.txt";
    const fs::path err = folder_ / "stderr.txt";
    const std::string path = (folder_ / "build/release").string() + ":" + std::getenv("PATH");
    const std::string line = "cd '" + where.string() + "' && export PATH='" + path + "' && { " +
                             command + "; } >'" + out.string() + "' 2>'" + err.string() +
                             "' </dev/null";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(err)};
  }

  std::string run_here(const Command& command) const {
    const Finished finished = run(command.text, folder_);
    EXPECT_EQ(finished.exit_code, command.exit_code) << at(command.line) << command.text << "\n"
                                                     << finished.err;
    return finished.told();
  }

  // A make target that exists, or a preset that does; neither is run.
  void look_up(const Command& command) const {
    const std::vector<std::string> words = command.words();
    if (words.at(0) == "make") {
      const Finished finished = run("make -n" + command.text.substr(4), kSource);
      EXPECT_EQ(finished.exit_code, 0) << at(command.line) << finished.err;
      return;
    }
    const auto preset = std::find(words.begin(), words.end(), "--preset");
    ASSERT_LT(preset + 1, words.end()) << at(command.line) << "has no --preset";
    const bool builds = words.size() > 1 && words[1] == "--build";
    const std::string kind = words[0] == "ctest" ? "testPresets"
                             : builds            ? "buildPresets"
                                                 : "configurePresets";
    EXPECT_TRUE(preset_names(kind).contains(*(preset + 1))) << at(command.line) << command.text;
  }

  // What the commands of a block print.
  std::string follow(const Block& block) const {
    std::string output;
    for (const Command& command : commands_of(block)) {
      const std::string program = command.words().at(0);
      if (program == "ultrasim" || program == "build/release/ultrasim") {
        output += run_here(command);
      } else if (program == "make" || program == "cmake" || program == "ctest") {
        look_up(command);
      } else {
        ADD_FAILURE() << at(command.line) << "a test cannot run '" << program
                      << "': mark the block `sh no-run REASON`";
      }
    }
    return output;
  }

  // Compares, or writes the page anew when ULTRASIM_REWRITE is set.
  void hold(const std::vector<Shown>& all) const {
    if (std::getenv("ULTRASIM_REWRITE") != nullptr) {
      std::string page = text_;
      for (auto shown = all.rbegin(); shown != all.rend(); ++shown) {
        page = with_block(page, shown->block, shown->text);
      }
      std::ofstream(kSource / name_) << page;
      return;
    }
    for (const Shown& shown : all) {
      EXPECT_EQ(shown.block.text(), shown.text) << at(shown.block.line) << "shows another text";
    }
  }

  std::string name_;
  std::string text_;
  std::vector<Block> blocks_;
  fs::path folder_;
};

TEST_P(Page, CommandsRunAndPrintWhatIsShown) {
  std::string printed;
  std::vector<Shown> shown;
  for (const Block& block : blocks_) {
    if (block.language == "yaml" && !block.remainder.empty()) {
      std::ofstream(folder_ / block.remainder) << block.text();
    } else if (block.language == "sh" && block.remainder.empty()) {
      printed = follow(block);
    } else if (block.language == "text" && block.remainder.empty()) {
      shown.push_back({block, printed});
    }
  }
  hold(shown);
}

// "```text of COMMAND": for parts of a long answer, and for what `make run` prints.
TEST_P(Page, OutputsOfNamedCommandsAreTheirs) {
  std::vector<Shown> shown;
  for (const Block& block : blocks_) {
    if (block.language != "text" || !block.remainder.starts_with("of ")) continue;
    if (kSlowBuild) GTEST_SKIP() << "the main scenario takes minutes under the sanitizers";
    shown.push_back({block, run_here({block.line, block.remainder.substr(3), 0})});
  }
  hold(shown);
}

TEST_P(Page, FencesSayWhatTheyHold) {
  const std::set<std::string> known{"sh", "yaml", "text", "cpp", "cmake"};
  for (const Block& block : blocks_) {
    EXPECT_TRUE(known.contains(block.language)) << at(block.line) << "'" << block.language << "'";
    if (block.language != "sh" || block.remainder.empty()) continue;
    const bool reasoned = block.remainder.starts_with("no-run ") && block.remainder.size() > 12;
    EXPECT_TRUE(reasoned) << at(block.line) << "no-run needs a reason";
  }
}

TEST_P(Page, LinksLeadSomewhere) {
  for (const std::string& link : links_of(text_)) {
    if (link.starts_with("http") || link.starts_with("#")) continue;
    const fs::path target = (kSource / name_).parent_path() / link.substr(0, link.find('#'));
    EXPECT_TRUE(fs::exists(target)) << name_ << ": " << link;
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : fs::path(info.param).stem().string()) name += std::isalnum(c) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Docs, Page, testing::ValuesIn(pages()), test_name);

}  // namespace
}  // namespace docs
