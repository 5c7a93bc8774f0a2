// SPDX-License-Identifier: GPL-2.0-only
// The only CLI11 door.
#include "scenarios/command/arguments.h"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "scenarios/command/exit_codes.h"
#include "scenarios/loader/keys.h"
#include "sim/base/diagnostic.h"

namespace scenarios {
namespace {

constexpr int kMostJobs = 256;

constexpr const char* kExamples =
    "Examples:\n"
    "  ultrasim run scenarios/library/ultraserver-overhead.yaml\n"
    "  ultrasim describe trn3-gen2 --wiring doc\n";
constexpr const char* kRunExamples =
    "Examples:\n"
    "  ultrasim run scenarios/library/ultraserver-overhead.yaml --out /tmp/overhead\n"
    "  ultrasim run scenarios/library/bench-ring-64-star.yaml --format json \\\n"
    "    --set cluster.overrides.ends=32\n"
    "\nExit code: 0 done, 1 failed or stalled, 2 wrong input, 130 interrupted.\n";
constexpr const char* kValidateExamples =
    "Examples:\n"
    "  ultrasim validate scenarios/library/ultraserver-overhead.yaml\n"
    "  ultrasim validate mine.yaml --set cluster.wiring=doc\n";
constexpr const char* kAgreeExamples =
    "Examples:\n"
    "  ultrasim agree scenarios/library/bench-ring-64-star.yaml\n"
    "  ultrasim agree mine.yaml --set workload.0.bytes='[64 KiB, 16 MiB]'\n";
constexpr const char* kLayoutsExamples =
    "Examples:\n"
    "  ultrasim layouts train.yaml\n"
    "  ultrasim layouts train.yaml --set search.top=5 --format csv\n";
constexpr const char* kImportExamples =
    "Examples:\n"
    "  ultrasim import torchtitan train.toml\n"
    "  ultrasim import megatron args.txt > train.yaml\n";
constexpr const char* kListExamples =
    "Examples:\n"
    "  ultrasim list\n"
    "  ultrasim list | grep bench\n";
constexpr const char* kDescribeExamples =
    "Examples:\n"
    "  ultrasim describe trn3-gen2 --wiring doc --ultraservers 2\n"
    "  ultrasim describe workload.bytes\n";
constexpr const char* kDrawExamples =
    "Examples:\n"
    "  ultrasim draw trn3-gen2 > ultraserver.svg\n"
    "  ultrasim draw scenarios/library/fault-dead-chip.yaml --format dot | head\n";
constexpr const char* kSchemaExamples =
    "Examples:\n"
    "  ultrasim schema > scenario.schema.json\n"
    "  ultrasim schema | less\n";

constexpr const char* kTuneExamples =
    "Examples:\n"
    "  ultrasim tune scenarios/library/tune-trn3-gen2.yaml\n"
    "  ultrasim tune mine.yaml --set fidelity=flow > selection.yaml\n";

struct Options {
  RunArguments run;
  ValidateArguments validate;
  AgreeArguments agree;
  TuneArguments tune;
  LayoutsArguments layouts;
  SchemaArguments schema;
  ImportArguments import;
  DescribeArguments describe;
  DrawArguments draw;
  std::string picture = "svg";
  std::string format = "table";
  std::vector<std::string> run_set;
  std::vector<std::string> validate_set;
  std::vector<std::string> agree_set;
  std::vector<std::string> tune_set;
  std::vector<std::string> layouts_set;
};

void add_scenario(CLI::App& command, std::string& file, std::vector<std::string>& set) {
  command.add_option("FILE", file, "Scenario file (YAML)")->required();
  command.add_option("--set", set, "Replace a key of the file, by its path; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_run(CLI::App& app, Options& options) {
  CLI::App* run = app.add_subcommand("run", "Run a scenario file and print the answer");
  add_scenario(*run, options.run.file, options.run_set);
  run->add_option("--out", options.run.out, "Folder for the results (default: out/<scenario>)")
      ->type_name("DIR");
  run->add_option("--format", options.format, "What to print (default: table)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json", "csv"}));
  run->add_flag("--quiet", options.run.quiet, "No progress on stderr");
  run->add_option("--jobs", options.run.jobs, "Cases run at once (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs));
  run->footer(kRunExamples);
}

void add_layouts(CLI::App& app, Options& options) {
  CLI::App* layouts =
      app.add_subcommand("layouts", "Search the layouts of a model scenario and rank them");
  add_scenario(*layouts, options.layouts.file, options.layouts_set);
  layouts->add_option("--format", options.format, "What to print (default: table)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "csv"}));
  layouts->add_flag("--quiet", options.layouts.quiet, "No figures of the search on stderr");
  layouts->add_option("--jobs", options.layouts.jobs, "Threads (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs));
  layouts->footer(kLayoutsExamples);
}

void add_import(CLI::App& app, Options& options) {
  CLI::App* import = app.add_subcommand(
      "import", "Turn a layout of another tool into keys of a scenario, with the mapping");
  import->add_option("FROM", options.import.from, "torchtitan, megatron or vllm")
      ->required()
      ->check(CLI::IsMember({"torchtitan", "megatron", "vllm"}));
  import->add_option("FILE", options.import.file, "A TOML file, or a file with an argument line")
      ->required();
  import->footer(kImportExamples);
}

void add_describe(CLI::App& app, Options& options) {
  CLI::App* describe = app.add_subcommand(
      "describe", "Show a topology, algorithm, preset, fidelity, key or parameter");
  describe->add_option("NAME", options.describe.name, "See `ultrasim list`; or a key path")
      ->required();
  describe->add_option("--wiring", options.describe.wiring, "Wiring of a preset")->type_name("W");
  describe
      ->add_option("--ultraservers,--servers", options.describe.ultraservers,
                   "UltraServers or servers joined by a network")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, kMostDomains));
  describe->footer(kDescribeExamples);
}

void add_draw(CLI::App& app, Options& options) {
  CLI::App* draw = app.add_subcommand("draw", "Draw the fabric of a preset or a scenario as SVG");
  draw->add_option("NAME", options.draw.name, "Hardware preset, or a scenario file (.yaml)")
      ->required();
  draw->add_option("--wiring", options.draw.wiring, "Wiring of a preset")->type_name("W");
  draw->add_option("--ultraservers,--servers", options.draw.ultraservers,
                   "UltraServers or servers joined by a network")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, kMostDomains));
  draw->add_option("--format", options.picture, "What to print (default: svg)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"svg", "dot"}));
  draw->footer(kDrawExamples);
}

void declare(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "ultrasim " ULTRASIM_VERSION, "Print the version");
  app.require_subcommand(1);
  app.footer(kExamples);
  add_run(app, options);
  CLI::App* validate = app.add_subcommand("validate", "Check a scenario file without running it");
  add_scenario(*validate, options.validate.file, options.validate_set);
  validate->footer(kValidateExamples);
  CLI::App* agree =
      app.add_subcommand("agree", "Run a scenario file at every fidelity and compare the times");
  add_scenario(*agree, options.agree.file, options.agree_set);
  agree->add_flag("--quiet", options.agree.quiet, "No progress on stderr");
  agree->footer(kAgreeExamples);
  CLI::App* tune = app.add_subcommand(
      "tune", "Play the algorithms of a scenario and write who is fastest from which size on");
  add_scenario(*tune, options.tune.file, options.tune_set);
  tune->footer(kTuneExamples);
  add_layouts(app, options);
  app.add_subcommand("list", "List topologies, algorithms, fidelities, presets and scenarios")
      ->footer(kListExamples);
  add_describe(app, options);
  CLI::App* schema = app.add_subcommand("schema", "Print the JSON Schema of scenario files");
  schema->add_flag("--models", options.schema.models, "Of scenarios about models");
  schema->footer(kSchemaExamples);
  add_import(app, options);
  add_draw(app, options);
}

Message fault(const std::string& what, const std::string& hint) {
  std::string text = fmt::format("ultrasim: error: {}\n", what);
  if (!hint.empty()) text += fmt::format("  hint: {}\n", hint);
  return {text, kWrongInput};
}

// Empty when there is none or when it is known; CLI11 itself would name no candidates.
std::optional<Message> unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) return std::nullopt;
    names.push_back(command->get_name());
  }
  const std::string near = sim::nearest(argv[1], names);
  return fault(fmt::format("unknown command {}", sim::quoted(argv[1])),
               near.empty() ? fmt::format("the commands are {}", fmt::join(names, ", "))
                            : fmt::format("did you mean '{}'?", near));
}

Message message_of(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    std::ostringstream out;
    static_cast<void>(app.exit(error, out, out));
    return {out.str(), kDone};
  }
  const auto parsed = app.get_subcommands();
  const std::string help =
      parsed.empty() ? "ultrasim --help" : fmt::format("ultrasim {} --help", parsed[0]->get_name());
  return fault(error.what(), "see " + help);
}

// Splits `--set` texts; the first fault ends it.
std::optional<Message> split(const std::vector<std::string>& set,
                             std::vector<Override>& overrides) {
  for (const std::string& text : set) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fault(fmt::format("--set {} is not KEY=VALUE", sim::quoted(text)),
                   "for example --set cluster.wiring=doc");
    }
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return std::nullopt;
}

Arguments chosen(const CLI::App& app, Options& options) {
  const std::string& name = app.get_subcommands().at(0)->get_name();
  if (name == "run") {
    if (auto message = split(options.run_set, options.run.overrides)) return *message;
    if (app.get_subcommands().at(0)->count("--out") > 0 && options.run.out.empty()) {
      return fault("--out is empty", "name a folder: --out results, or leave it out");
    }
    if (options.format == "json") options.run.format = Format::kJson;
    if (options.format == "csv") options.run.format = Format::kCsv;
    return options.run;
  }
  if (name == "layouts") {
    if (auto message = split(options.layouts_set, options.layouts.overrides)) return *message;
    if (options.format == "csv") options.layouts.format = Format::kCsv;
    return options.layouts;
  }
  if (name == "validate") {
    if (auto message = split(options.validate_set, options.validate.overrides)) return *message;
    return options.validate;
  }
  if (name == "agree") {
    if (auto message = split(options.agree_set, options.agree.overrides)) return *message;
    return options.agree;
  }
  if (name == "tune") {
    if (auto message = split(options.tune_set, options.tune.overrides)) return *message;
    return options.tune;
  }
  if (name == "describe") return options.describe;
  if (name == "draw") {
    options.draw.dot = options.picture == "dot";
    return options.draw;
  }
  if (name == "schema") return options.schema;
  if (name == "import") return options.import;
  return ListArguments{};
}

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv) {
  CLI::App app("Predicts what communication costs on AI clusters, packet by packet.", "ultrasim");
  Options options;
  declare(app, options);
  if (std::optional<Message> message = unknown_command(app, argc, argv)) return *message;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return message_of(app, error);
  }
  return chosen(app, options);
}

}  // namespace scenarios
