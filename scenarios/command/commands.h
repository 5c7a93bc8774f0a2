// SPDX-License-Identifier: GPL-2.0-only
// One function per subcommand, each in its own file. Returns the exit code.
#pragma once

#include "scenarios/command/arguments.h"

namespace scenarios {

[[nodiscard]] int run(const RunArguments& arguments);
[[nodiscard]] int run_model(const RunArguments& arguments);  // of a scenario with the key `model`
[[nodiscard]] int validate(const ValidateArguments& arguments);
[[nodiscard]] int agree(const AgreeArguments& arguments);
[[nodiscard]] int tune(const TuneArguments& arguments);
[[nodiscard]] int validate_model(const ValidateArguments& arguments);
[[nodiscard]] int layouts(const LayoutsArguments& arguments);
[[nodiscard]] int list();
[[nodiscard]] int describe(const DescribeArguments& arguments);
[[nodiscard]] int draw(const DrawArguments& arguments);
[[nodiscard]] int import_layout(const ImportArguments& arguments);
[[nodiscard]] int schema(const SchemaArguments& arguments);
[[nodiscard]] int what_if(const StudyArguments& arguments);
[[nodiscard]] int range(const StudyArguments& arguments);
[[nodiscard]] int bottleneck(const StudyArguments& arguments);
[[nodiscard]] int sweep(const SweepArguments& arguments);
[[nodiscard]] int merge(const MergeArguments& arguments);
[[nodiscard]] int nightly(const NightlyArguments& arguments);
[[nodiscard]] int bless(const BlessArguments& arguments);
[[nodiscard]] int report(const ReportArguments& arguments);
[[nodiscard]] int export_msccl(const ExportArguments& arguments);
[[nodiscard]] int trace(const TraceArguments& arguments);
[[nodiscard]] int compare(const CompareArguments& arguments);

}  // namespace scenarios
