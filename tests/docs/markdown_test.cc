// SPDX-License-Identifier: GPL-2.0-only
#include "tests/docs/markdown.h"

#include <gtest/gtest.h>

namespace docs {
namespace {

using Lines = std::vector<std::string>;

TEST(Markdown, FencesKnowTheirLanguageRemainderAndLine) {
  const auto blocks = blocks_of("a\n```sh no-run needs root\nx\n\ny\n```\n```\n```\n");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].line, 2U);
  EXPECT_EQ(blocks[0].language, "sh");
  EXPECT_EQ(blocks[0].remainder, "no-run needs root");
  EXPECT_EQ(blocks[0].text(), "x\n\ny\n");
  EXPECT_EQ(blocks[1].language, "");
  EXPECT_TRUE(blocks[1].lines.empty());
}

TEST(Markdown, CommandsAreJoinedAndLoseTheirComments) {
  const auto blocks =
      blocks_of("```sh\n# all of it\na b \\\n  'c # d'\n\ne  # exit 2\nf  # g\n```");
  const auto commands = commands_of(blocks.at(0));
  ASSERT_EQ(commands.size(), 3U);
  EXPECT_EQ(commands[1].text, "e");
  EXPECT_EQ(commands[1].exit_code, 2);
  EXPECT_EQ(commands[1].line, 6U);
  EXPECT_EQ(commands[2].words(), Lines{"f"});
  EXPECT_EQ(commands[2].exit_code, 0);
}

TEST(Markdown, ABlockIsReplacedAndTheRestStays) {
  const std::string page = "a\n```text\nold\nold\n```\nb\n```text\n```\n";
  const auto blocks = blocks_of(page);
  EXPECT_EQ(with_block(page, blocks[0], "new\n"), "a\n```text\nnew\n```\nb\n```text\n```\n");
  EXPECT_EQ(with_block(page, blocks[1], "x\n"), "a\n```text\nold\nold\n```\nb\n```text\nx\n```\n");
}

TEST(Markdown, LinksAreFound) {
  EXPECT_EQ(links_of("[a](b.md) and ![c](d/e.png)"), (Lines{"b.md", "d/e.png"}));
}

}  // namespace
}  // namespace docs
