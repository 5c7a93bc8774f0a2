// SPDX-License-Identifier: GPL-2.0-only
// The only CLI11 door.
#include "scenarios/command/arguments.h"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "scenarios/command/command_help.h"
#include "scenarios/command/examples.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/loader/keys.h"
#include "sim/base/diagnostic.h"
#include "sim/base/quantity.h"

namespace scenarios {
namespace {

constexpr int kMostJobs = 256;
constexpr int kSamples = 16;
constexpr int kSpeedTolerance = 25;
constexpr int kMostSamples = 10'000;
constexpr int kMostShards = 100'000;
constexpr int kMostSpans = 100'000;
constexpr int kMostTraced = 10'000'000;

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
  ExportArguments exported;
  StudyArguments study;
  SweepArguments sweep;
  std::string shard = "1/1";
  MergeArguments merge;
  CompareArguments compare;
  ReportArguments report;
  TraceArguments trace;
  NightlyArguments nightly;
  BlessArguments bless;
  bool range = false;
  std::vector<std::string> set;  // of whichever command was given
};

void add_scenario(CLI::App& command, std::string& file, std::vector<std::string>& set) {
  command.add_option("FILE", file, "Scenario file (YAML)")->required();
  command.add_option("--set", set, "Replace a key of the file, by its path; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_run(CLI::App& app, Options& options) {
  CLI::App* run = app.add_subcommand("run", "Run a scenario file and print the answer");
  add_scenario(*run, options.run.file, options.set);
  run->add_option("--out", options.run.out, "Folder for the results (default: out/<scenario>)")
      ->type_name("DIR");
  run->add_option("--format", options.format, "What to print (default: table)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json", "csv"}));
  run->add_flag("--quiet", options.run.quiet, "No progress on stderr");
  run->add_option("--jobs", options.run.jobs, "Cases run at once (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs));
  run->add_flag("--record", options.run.record,
                "Keep timelines, traffic and use of each link with the results");
  run->add_flag("--range", options.range,
                "Run every input that is not published over its range instead");
  run->add_option("--samples", options.study.samples,
                  "With --range: runs with all inputs changed at once (default: 16)")
      ->type_name("N")
      ->default_val(kSamples)
      ->check(CLI::Range(0, kMostSamples));
  run->footer(kRunExamples);
}

void add_layouts(CLI::App& app, Options& options) {
  CLI::App* layouts =
      app.add_subcommand("layouts", "Search the layouts of a model scenario and rank them");
  add_scenario(*layouts, options.layouts.file, options.set);
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

void add_export(CLI::App& app, Options& options) {
  CLI::App* command =
      app.add_subcommand("export", "Print the schedule of a scenario's case as MSCCL XML");
  add_scenario(*command, options.exported.file, options.set);
  command
      ->add_option("--case", options.exported.case_name, "Which case; needed when there are many")
      ->type_name("NAME");
  command->footer(kExportExamples);
}

// What all commands with many runs take.
template <class Many>
void add_runs(CLI::App& command, Many& arguments, std::string& format) {
  command.add_option("--format", format, "What to print: table or csv (default: table)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "csv"}));
  command.add_flag("--quiet", arguments.quiet, "No progress on stderr");
  command.add_option("--jobs", arguments.jobs, "Runs at once (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs));
}

void add_studies(CLI::App& app, Options& options) {
  CLI::App* what_if =
      app.add_subcommand("what-if", "Hold changes of a scenario against it as it stands");
  add_scenario(*what_if, options.study.file, options.set);
  what_if
      ->add_option("--change", options.study.changes,
                   "Keys to change together, by path; may be repeated")
      ->type_name("KEY=VALUE[; ...]")
      ->allow_extra_args(false);
  add_runs(*what_if, options.study, options.format);
  what_if->footer(kWhatIfExamples);
  CLI::App* bottleneck =
      app.add_subcommand("bottleneck", "Measure what binds: each rate and cost halved and doubled");
  add_scenario(*bottleneck, options.study.file, options.set);
  add_runs(*bottleneck, options.study, options.format);
  bottleneck->footer(kBottleneckExamples);
}

void add_sweep(CLI::App& app, Options& options) {
  CLI::App* sweep = app.add_subcommand("sweep", "Run every combination of a scenario's sweep:");
  add_scenario(*sweep, options.sweep.file, options.set);
  sweep->add_option("--results", options.sweep.results, "SQLite file that keeps every run")
      ->type_name("FILE");
  sweep->add_option("--shard", options.shard, "Only every n-th run, from the i-th (default: 1/1)")
      ->type_name("I/N");
  add_runs(*sweep, options.sweep, options.format);
  sweep->footer(kSweepExamples);
  CLI::App* merge = app.add_subcommand("merge", "Put the files of a sweep's shards together");
  merge->add_option("INTO", options.merge.into, "File that gets all runs")->required();
  merge->add_option("FILES", options.merge.files, "Files of shards")->required();
  merge->footer(kMergeExamples);
}

void add_nightly(CLI::App& app, Options& options) {
  NightlyArguments& nightly = options.nightly;
  CLI::App* command =
      app.add_subcommand("nightly", "Run a suite and say what moved since the baseline");
  command->add_option("SUITE", nightly.suite, "Suite file (YAML)")->required();
  command->add_option("--history", nightly.history, "SQLite file that keeps all nights")
      ->type_name("FILE")
      ->required();
  command->add_option("--commit", nightly.commit, "Name of this build, such as its commit")
      ->type_name("NAME");
  command->add_option("--old", nightly.old_binary, "Hold against this ultrasim instead")
      ->type_name("PROGRAM");
  command->add_option("--junit", nightly.junit, "Write JUnit XML")->type_name("FILE");
  command->add_option("--markdown", nightly.markdown, "Write Markdown")->type_name("FILE");
  command
      ->add_option("--speed-tolerance", nightly.speed_tolerance_percent,
                   "Per cent that the simulator may be slower (default: 25)")
      ->type_name("N")
      ->default_val(kSpeedTolerance)
      ->check(CLI::Range(1, 99));
  command->add_flag("--quiet", nightly.quiet, "No progress on stderr");
  command->add_option("--jobs", nightly.jobs, "Cases run at once (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs));
  command->footer(kNightlyExamples);
  CLI::App* bless = app.add_subcommand("bless", "Make the last night the baseline, for a reason");
  bless->add_option("SUITE", options.bless.suite, "Suite file (YAML)")->required();
  bless->add_option("--history", options.bless.history, "SQLite file that keeps all nights")
      ->type_name("FILE")
      ->required();
  bless->add_option("--reason", options.bless.reason, "Why the results may be others now")
      ->type_name("TEXT")
      ->required();
  bless->footer(kBlessExamples);
}

void add_compare(CLI::App& app, Options& options) {
  CLI::App* compare = app.add_subcommand("compare", "Say what differs between two results");
  compare->add_option("BEFORE", options.compare.before, "Folder of a run, or a results.pb")
      ->required();
  compare->add_option("AFTER", options.compare.after, "Folder of a run, or a results.pb")
      ->required();
  compare->add_option("--format", options.format, "What to print: table or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json"}));
  compare->footer(kCompareExamples);
  CLI::App* report =
      app.add_subcommand("report", "Write a result as a page: self-contained HTML, or Markdown");
  report->add_option("RESULT", options.report.result, "Folder of a run, or a results.pb")
      ->required();
  report->add_option("--out", options.report.out, "File to write (default: report.html there)")
      ->type_name("FILE");
  report->add_option("--format", options.report.format, "html, markdown, csv or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"html", "markdown", "csv", "json"}));
  report->footer(kReportExamples);
}

void add_trace(CLI::App& app, Options& options) {
  CLI::App* trace =
      app.add_subcommand("trace", "Write a timeline for Perfetto: ranks, transfers, busy links");
  add_scenario(*trace, options.trace.file, options.set);
  trace->get_option("FILE")->description("Scenario file, or the folder of a recorded run");
  trace->add_option("--case", options.trace.only, "Only cases whose name holds this")
      ->type_name("TEXT");
  trace->add_option("--out", options.trace.out, "JSON file (default: out/<scenario>/trace.json)")
      ->type_name("FILE");
  trace
      ->add_option("--spans", options.trace.spans,
                   "Most spans over all cases; ranks beyond them are left out (default: 100000)")
      ->type_name("N")
      ->default_val(kMostSpans)
      ->check(CLI::Range(1, kMostTraced));
  trace->add_flag("--quiet", options.trace.quiet, "No progress on stderr");
  trace->add_option("--jobs", options.trace.jobs, "Cases run at once (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs));
  trace->footer(kTraceExamples);
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
  add_scenario(*validate, options.validate.file, options.set);
  validate->footer(kValidateExamples);
  CLI::App* agree =
      app.add_subcommand("agree", "Run a scenario file at every fidelity and compare the times");
  add_scenario(*agree, options.agree.file, options.set);
  agree->add_flag("--quiet", options.agree.quiet, "No progress on stderr");
  agree->footer(kAgreeExamples);
  CLI::App* tune = app.add_subcommand(
      "tune", "Play the algorithms of a scenario and write who is fastest from which size on");
  add_scenario(*tune, options.tune.file, options.set);
  tune->footer(kTuneExamples);
  add_layouts(app, options);
  app.add_subcommand("list", "List topologies, algorithms, fidelities, presets and scenarios")
      ->footer(kListExamples);
  add_trace(app, options);
  add_describe(app, options);
  CLI::App* schema = app.add_subcommand("schema", "Print the JSON Schema of scenario files");
  schema->add_flag("--models", options.schema.models, "Of scenarios about models");
  schema->footer(kSchemaExamples);
  add_import(app, options);
  add_export(app, options);
  add_draw(app, options);
  add_studies(app, options);
  add_sweep(app, options);
  add_compare(app, options);
  add_nightly(app, options);
  app.add_subcommand("man", "Print the manual page (troff)")->footer(kManExamples);
  app.add_subcommand("completion", "Print the completion for bash")->footer(kCompletionExamples);
}

// All that is declared, free of CLI11.
std::vector<CommandHelp> help_of(const CLI::App& app) {
  std::vector<CommandHelp> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandHelp help{command->get_name(), command->get_description(), command->get_footer(), {}};
    for (const CLI::Option* option : command->get_options()) {
      const bool flag = option->get_items_expected_max() == 0;
      help.options.push_back(
          {option->get_name(), flag ? "" : option->get_type_name(), option->get_description()});
    }
    commands.push_back(std::move(help));
  }
  return commands;
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

// One command is given: what it is to change is in the same list for all.
std::optional<Message> take_overrides(Options& options) {
  std::vector<Override> overrides;
  if (std::optional<Message> message = split(options.set, overrides)) return message;
  options.run.overrides = options.validate.overrides = options.agree.overrides = overrides;
  options.tune.overrides = options.layouts.overrides = options.study.overrides = overrides;
  options.sweep.overrides = options.trace.overrides = options.exported.overrides = overrides;
  return std::nullopt;
}

// `run --range` as the study that it is.
StudyArguments range_of(const Options& options) {
  StudyArguments range = options.study;
  range.kind = StudyArguments::Kind::kRange;
  range.file = options.run.file;
  range.overrides = options.run.overrides;
  range.csv = options.format == "csv";
  range.quiet = options.run.quiet;
  range.jobs = options.run.jobs;
  return range;
}

Arguments chosen_study(const std::string& name, Options& options) {
  options.study.kind =
      name == "bottleneck" ? StudyArguments::Kind::kBottleneck : StudyArguments::Kind::kWhatIf;
  options.study.csv = options.format == "csv";
  return options.study;
}

Arguments chosen_sweep(Options& options) {
  options.sweep.csv = options.format == "csv";
  const std::size_t slash = options.shard.find('/');
  const auto part = [&](std::size_t from, std::size_t length) {
    const sim::Result<sim::Quantity> read =
        sim::parse_quantity(options.shard.substr(from, length), sim::Dimension::kCount);
    return read.ok() && read.value().amount <= kMostShards ? static_cast<int>(read.value().amount)
                                                           : 0;
  };
  if (slash != std::string::npos) {
    options.sweep.shard = part(0, slash);
    options.sweep.shards = part(slash + 1, std::string::npos);
  }
  if (slash == std::string::npos || options.sweep.shard < 1 ||
      options.sweep.shard > options.sweep.shards) {
    return fault(fmt::format("--shard {} is not I/N", sim::quoted(options.shard)),
                 fmt::format("for example --shard 3/8; at most {} shards", kMostShards));
  }
  return options.sweep;
}

bool empty_out(const CLI::App& command) {
  const CLI::Option* out = command.get_option_no_throw("--out");
  return out != nullptr && out->count() > 0 && out->as<std::string>().empty();
}

Arguments chosen(const CLI::App& app, Options& options) {
  const std::string& name = app.get_subcommands().at(0)->get_name();
  if (std::optional<Message> message = take_overrides(options)) return *message;
  if (empty_out(*app.get_subcommands().at(0))) {
    return fault("--out is empty", "name a place: --out results, or leave it out");
  }
  if (name == "run") {
    if (options.range && options.format == "json") {
      return fault("--range prints a table or csv", "leave out --format json");
    }
    if (options.range && (options.run.record || !options.run.out.empty())) {
      return fault("--range keeps no results", "leave out --out and --record; --format csv");
    }
    if (options.range) return range_of(options);
    if (options.format == "json") options.run.format = Format::kJson;
    if (options.format == "csv") options.run.format = Format::kCsv;
    return options.run;
  }
  if (name == "layouts") {
    if (options.format == "csv") options.layouts.format = Format::kCsv;
    return options.layouts;
  }
  if (name == "validate") return options.validate;
  if (name == "agree") return options.agree;
  if (name == "export") return options.exported;
  if (name == "tune") return options.tune;
  if (name == "what-if" || name == "bottleneck") return chosen_study(name, options);
  if (name == "sweep") return chosen_sweep(options);
  if (name == "merge") return options.merge;
  if (name == "man") return Message{man_page(help_of(app), ULTRASIM_VERSION), kDone};
  if (name == "completion") return Message{bash_completion(help_of(app)), kDone};
  if (name == "nightly") return options.nightly;
  if (name == "bless") {
    if (options.bless.reason.empty()) return fault("--reason is empty", "say why");
    return options.bless;
  }
  if (name == "report") return options.report;
  if (name == "trace") return options.trace;
  if (name == "compare") {
    if (options.format == "json") options.compare.format = Format::kJson;
    return options.compare;
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
