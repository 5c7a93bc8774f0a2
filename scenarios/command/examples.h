// SPDX-License-Identifier: GPL-2.0-only
// What stands below the help of each command: two real examples, and the exit codes where they
// matter.
#pragma once

namespace scenarios {

inline constexpr const char* kExamples =
    "Examples:\n"
    "  ultrasim run scenarios/library/ultraserver-overhead.yaml\n"
    "  ultrasim describe trn3-gen2 --wiring doc\n";
inline constexpr const char* kRunExamples =
    "Examples:\n"
    "  ultrasim run scenarios/library/ultraserver-overhead.yaml --out /tmp/overhead\n"
    "  ultrasim run scenarios/library/bench-ring-64-star.yaml --format json \\\n"
    "    --set cluster.overrides.ends=32\n"
    "\nExit code: 0 done, 1 failed or stalled, 2 wrong input, 130 interrupted.\n";
inline constexpr const char* kValidateExamples =
    "Examples:\n"
    "  ultrasim validate scenarios/library/ultraserver-overhead.yaml\n"
    "  ultrasim validate mine.yaml --set cluster.wiring=doc\n";
inline constexpr const char* kAgreeExamples =
    "Examples:\n"
    "  ultrasim agree scenarios/library/bench-ring-64-star.yaml\n"
    "  ultrasim agree mine.yaml --set workload.0.bytes='[64 KiB, 16 MiB]'\n";
inline constexpr const char* kListExamples =
    "Examples:\n"
    "  ultrasim list\n"
    "  ultrasim list | grep bench\n";
inline constexpr const char* kDescribeExamples =
    "Examples:\n"
    "  ultrasim describe trn3-gen2 --wiring doc --ultraservers 2\n"
    "  ultrasim describe workload.bytes\n";
inline constexpr const char* kSchemaExamples =
    "Examples:\n"
    "  ultrasim schema > scenario.schema.json\n"
    "  ultrasim schema | less\n";

inline constexpr const char* kWhatIfExamples =
    "Examples:\n"
    "  ultrasim what-if tp8.yaml --change cluster.wiring=doc --change 'switch.latency=300 ns'\n"
    "  ultrasim what-if tp8.yaml --change 'sled.bandwidth=1 TB/s; rack.bandwidth=1 TB/s'\n"
    "\nChanges of the file's own what_if: come first. Exit code: 0 done, 1 a change failed, 2 "
    "wrong\n"
    "input, 130 interrupted.\n";
inline constexpr const char* kBottleneckExamples =
    "Examples:\n"
    "  ultrasim bottleneck tp8.yaml\n"
    "  ultrasim bottleneck tp8.yaml --set fidelity=flow --format csv\n";
inline constexpr const char* kSweepExamples =
    "Examples:\n"
    "  ultrasim sweep grid.yaml --results grid.sqlite\n"
    "  ultrasim sweep grid.yaml --results part-$SLURM_ARRAY_TASK_ID.sqlite --shard 3/8\n"
    "\nA sweep that was stopped goes on where it was. Exit code: 0 done, 1 a run failed, 2 wrong\n"
    "input, 130 interrupted.\n";
inline constexpr const char* kMergeExamples =
    "Examples:\n"
    "  ultrasim merge all.sqlite part-1.sqlite part-2.sqlite\n"
    "  ultrasim merge all.sqlite part-*.sqlite\n";
inline constexpr const char* kCompareExamples =
    "Examples:\n"
    "  ultrasim compare out/before out/after\n"
    "  ultrasim compare baseline.pb out/tp8 --format json\n";

inline constexpr const char* kReportExamples =
    "Examples:\n"
    "  ultrasim report out/tp8\n"
    "  ultrasim report out/tp8 --format markdown --out tp8.md\n";

inline constexpr const char* kTraceExamples =
    "Examples:\n"
    "  ultrasim trace tp8.yaml --case direct\n"
    "  ultrasim trace out/tp8 --out tp8.json\n"
    "\nOpen the file in https://ui.perfetto.dev or chrome://tracing; nothing is sent anywhere.\n";

inline constexpr const char* kNightlyExamples =
    "Examples:\n"
    "  ultrasim nightly scenarios/suites/nightly.yaml --history nights.sqlite\n"
    "  ultrasim nightly suite.yaml --history nights.sqlite --junit report.xml --old "
    "./ultrasim-1.0\n"
    "\nExit code: 0 nothing to look at, 1 a finding or a failed case, 2 wrong input, 130\n"
    "interrupted. A night that was stopped goes on where it was.\n";
inline constexpr const char* kBlessExamples =
    "Examples:\n"
    "  ultrasim bless suite.yaml --history nights.sqlite --reason 'credits return sooner'\n"
    "  ultrasim bless suite.yaml --history /srv/nights.sqlite --reason 'first baseline'\n";

inline constexpr const char* kManExamples =
    "Examples:\n"
    "  ultrasim man | man -l -\n"
    "  ultrasim man > /usr/local/share/man/man1/ultrasim.1\n";
inline constexpr const char* kCompletionExamples =
    "Examples:\n"
    "  source <(ultrasim completion)\n"
    "  ultrasim completion > /etc/bash_completion.d/ultrasim\n";
inline constexpr const char* kLayoutsExamples =
    "Examples:\n"
    "  ultrasim layouts train.yaml\n"
    "  ultrasim layouts train.yaml --set search.top=5 --format csv\n";
inline constexpr const char* kImportExamples =
    "Examples:\n"
    "  ultrasim import torchtitan train.toml\n"
    "  ultrasim import megatron args.txt > train.yaml\n";
inline constexpr const char* kExportExamples =
    "Examples:\n"
    "  ultrasim export scenarios/library/bench-ring-64-star.yaml > ring-64.xml\n"
    "  ultrasim export mine.yaml --case all_reduce/8_chips/1_MiB/swing\n";
inline constexpr const char* kDrawExamples =
    "Examples:\n"
    "  ultrasim draw trn3-gen2 > ultraserver.svg\n"
    "  ultrasim draw scenarios/library/fault-dead-chip.yaml --format dot | head\n";
inline constexpr const char* kTuneExamples =
    "Examples:\n"
    "  ultrasim tune scenarios/library/collective-atlas-trn3.yaml\n"
    "  ultrasim tune mine.yaml --set fidelity=flow > selection.yaml\n";

}  // namespace scenarios
