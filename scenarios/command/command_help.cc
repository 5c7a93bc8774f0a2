// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/command_help.h"

#include <fmt/format.h>

#include <string_view>

namespace scenarios {
namespace {

std::string options_of(const CommandHelp& command) {
  std::string names;
  for (const OptionHelp& one : command.options) {
    if (!one.name.starts_with("--")) continue;
    names += (names.empty() ? "" : " ") + one.name;
  }
  return names;
}

// Text that troff prints as it stands.
std::string troff(std::string_view text) {
  std::string result;
  bool fresh = true;  // at the start of a line
  for (const char letter : text) {
    if (fresh && (letter == '.' || letter == '\'')) result += "\\&";
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else {
      result += letter;
    }
    fresh = letter == '\n';
  }
  return result;
}

std::string synopsis(const CommandHelp& command) {
  std::string text = fmt::format(".B ultrasim {}\n", troff(command.name));
  for (const OptionHelp& one : command.options) {
    if (!one.name.starts_with("-")) text += fmt::format(".I {}\n", troff(one.name));
  }
  return text + "[options]\n.br\n";
}

std::string command_section(const CommandHelp& command) {
  std::string text = fmt::format(".SS {}\n{}\n", troff(command.name), troff(command.text));
  for (const OptionHelp& one : command.options) {
    text += fmt::format(".TP\n.B {}{}{}\n{}\n", troff(one.name), one.value.empty() ? "" : " ",
                        troff(one.value), troff(one.text));
  }
  if (!command.footer.empty()) text += ".PP\n.nf\n" + troff(command.footer) + "\n.fi\n";
  return text;
}

}  // namespace

std::string bash_completion(const std::vector<CommandHelp>& commands) {
  std::string names;
  std::string cases;
  for (const CommandHelp& one : commands) {
    names += (names.empty() ? "" : " ") + one.name;
    cases += fmt::format("    {}) options=\"{}\" ;;\n", one.name, options_of(one));
  }
  return fmt::format(
      "# bash completion of ultrasim; written by `ultrasim completion`\n"
      "_ultrasim() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} options=\"\"\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _ultrasim ultrasim\n",
      names, cases);
}

std::string man_page(const std::vector<CommandHelp>& commands, const std::string& version) {
  std::string text = fmt::format(
      ".TH ULTRASIM 1 \"\" \"ultrasim {}\"\n.SH NAME\nultrasim \\- predicts what communication "
      "costs on AI clusters\n.SH SYNOPSIS\n",
      troff(version));
  for (const CommandHelp& one : commands) text += synopsis(one);
  text += ".SH COMMANDS\n";
  for (const CommandHelp& one : commands) text += command_section(one);
  return text +
         ".SH EXIT STATUS\n0 done, 1 failed or stalled or a finding, 2 wrong input, 130 "
         "interrupted.\n";
}

}  // namespace scenarios
