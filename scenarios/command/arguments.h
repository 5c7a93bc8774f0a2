// SPDX-License-Identifier: GPL-2.0-only
// The command line as plain structs. Whatever is wrong with it is a Message with exit code 2; help
// and version are Messages with exit code 0.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "scenarios/loader/scenario.h"

namespace scenarios {

enum class Format { kTable, kJson, kCsv };

struct RunArguments {
  std::string file;
  std::vector<Override> overrides;
  std::string out;  // empty: out/<scenario>
  Format format = Format::kTable;
  bool record = false;  // keep spans, traffic and links with the results
  bool quiet = false;
  int jobs = 0;  // 0: one per core
};

struct ValidateArguments {
  std::string file;
  std::vector<Override> overrides;
};

struct AgreeArguments {
  std::string file;
  std::vector<Override> overrides;
  bool quiet = false;
};

struct TuneArguments {
  std::string file;
  std::vector<Override> overrides;
};

struct ExportArguments {
  std::string file;
  std::vector<Override> overrides;
  std::string case_name;  // empty: the only one
};

struct LayoutsArguments {
  std::string file;
  std::vector<Override> overrides;
  Format format = Format::kTable;
  bool quiet = false;
  int jobs = 0;  // 0: one per core
};

struct ListArguments {};

struct DescribeArguments {
  std::string name;
  std::string wiring;  // empty: the preset's default
  std::int64_t ultraservers = 1;
};

struct SchemaArguments {
  bool models = false;  // of scenarios about models
};

struct ImportArguments {
  std::string from;  // torchtitan, megatron, vllm
  std::string file;
};

struct DrawArguments {
  std::string name;    // a preset, or a scenario file
  std::string wiring;  // empty: the preset's default
  std::int64_t ultraservers = 1;
  bool dot = false;
};

// Many runs of one scenario with some of its keys changed.
struct StudyArguments {
  enum class Kind { kWhatIf, kRange, kBottleneck };

  Kind kind = Kind::kWhatIf;
  std::string file;
  std::vector<Override> overrides;
  std::vector<std::string> changes;  // what-if: "key=value; key=value" each
  int samples = 0;                   // range: runs of the Latin hypercube
  bool csv = false;
  bool quiet = false;
  int jobs = 0;  // 0: one per core
};

struct SweepArguments {
  std::string file;
  std::vector<Override> overrides;
  std::string results;  // empty: out/<scenario>/sweep.sqlite
  int shard = 1;
  int shards = 1;
  bool csv = false;
  bool quiet = false;
  int jobs = 0;  // 0: one per core
};

struct MergeArguments {
  std::string into;
  std::vector<std::string> files;
};

struct CompareArguments {
  std::string before;
  std::string after;
  Format format = Format::kTable;
};

struct ReportArguments {
  std::string result;  // folder of a run, or results.pb
  std::string out;     // empty: report.html (.md, .csv, .json) in that folder
  std::string format = "html";
};

struct TraceArguments {
  std::string file;  // a scenario, the folder of a recorded run, or its results.pb
  std::vector<Override> overrides;
  std::string only;  // plays the cases whose names hold this
  std::string out;   // empty: trace.json beside the results
  std::int64_t spans = 0;
  bool quiet = false;
  int jobs = 0;  // 0: one per core
};

struct NightlyArguments {
  std::string suite;
  std::string history;
  std::string commit;
  std::string old_binary;  // empty: the baseline, or the night before
  std::string junit;       // files to write; empty: none
  std::string markdown;
  int speed_tolerance_percent = 0;
  bool quiet = false;
  int jobs = 0;  // 0: one per core
};

struct BlessArguments {
  std::string suite;
  std::string history;
  std::string reason;
};

struct Message {
  std::string text;
  int exit_code = 0;  // 0: the text is the answer; else a fault
};

using Arguments = std::variant<Message, RunArguments, ValidateArguments, AgreeArguments,
                               TuneArguments, LayoutsArguments, ListArguments, DescribeArguments,
                               DrawArguments, SchemaArguments, ImportArguments, StudyArguments,
                               SweepArguments, MergeArguments, CompareArguments, ReportArguments,
                               TraceArguments, NightlyArguments, BlessArguments, ExportArguments>;

[[nodiscard]] Arguments parse_arguments(int argc, const char* const* argv);

}  // namespace scenarios
