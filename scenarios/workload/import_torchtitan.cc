// SPDX-License-Identifier: GPL-2.0-only
// TorchTitan's TOML files (pytorch/torchtitan up to v0.2.x, and the names of its dataclasses
// since). The only file that knows toml++.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <array>
#include <sstream>

#include "scenarios/workload/import_table.h"

namespace workload {
namespace {

constexpr std::string_view kSchedules =
    "1F1B=1F1B,GPipe=GPipe,Interleaved1F1B=Interleaved1F1B,InterleavedZeroBubble=ZB1P,"
    "ZBVZeroBubble=ZBV,DualPipeV=DualPipeV";

constexpr std::array kRows = {
    ImportRow{"parallelism.tensor_parallel_degree", "layout.tensor_parallel_degree"},
    ImportRow{"parallelism.context_parallel_degree", "layout.context_parallel_degree"},
    ImportRow{"parallelism.pipeline_parallel_degree", "layout.pipeline_parallel_degree"},
    ImportRow{"parallelism.expert_parallel_degree", "layout.expert_parallel_degree"},
    ImportRow{"parallelism.expert_tensor_parallel_degree", "layout.expert_tensor_parallel_degree"},
    ImportRow{"parallelism.data_parallel_shard_degree", "layout.data_parallel_shard_degree",
              Turn::kRest},
    ImportRow{"parallelism.data_parallel_replicate_degree",
              "layout.data_parallel_replicate_degree"},
    ImportRow{"parallelism.enable_sequence_parallel", "layout.sequence_parallel", Turn::kFlag},
    ImportRow{"parallelism.pipeline_parallel_schedule", "layout.pipeline_parallel_schedule",
              Turn::kWord, kSchedules},
    ImportRow{"parallelism.pipeline_parallel_microbatch_size", "layout.micro_batch_size"},
    ImportRow{"parallelism.context_parallel_rotate_method", "layout.context_parallel_method",
              Turn::kWord, "allgather=allgather,alltoall=ring"},
    ImportRow{"parallelism.fsdp_reshard_after_forward", "layout.fsdp_reshard_after_forward",
              Turn::kWord, "always=true,never=false,default=true"},
    ImportRow{"parallelism.enable_async_tensor_parallel", "layout.overlap.tensor", Turn::kWord,
              "true=chunked,false=async"},
    ImportRow{"parallelism.expert_parallel_comm_backend", "layout.moe_dispatcher", Turn::kWord,
              "standard=alltoall,deepep=alltoallv_dedup"},
    ImportRow{"training.seq_len", "layout.seq_len"},
    ImportRow{"training.max_context_length", "layout.seq_len"},
    ImportRow{"training.local_batch_size", "layout.micro_batch_size"},
    ImportRow{"training.batch_size", "layout.micro_batch_size"},
    ImportRow{"training.global_batch_size", "layout.global_batch_size", Turn::kRest},
    ImportRow{"training.mixed_precision_param", "layout.dtype.compute", Turn::kWord,
              "bfloat16=bf16,float32=fp32"},
    ImportRow{"training.mixed_precision_reduce", "layout.dtype.gradients", Turn::kWord,
              "bfloat16=bf16,float32=fp32"},
    ImportRow{"activation_checkpoint.mode", "layout.activation_checkpoint", Turn::kWord,
              "none=none,selective=selective,full=full"},
    ImportRow{"debug.moe_force_load_balance", "layout.routing.model", Turn::kWord,
              "true=balanced,false=uniform"},
    ImportRow{"training.steps", "", Turn::kIgnored},
    ImportRow{"training.dataset", "", Turn::kIgnored},
    ImportRow{"training.max_norm", "", Turn::kIgnored},
    ImportRow{"model.tokenizer_path", "", Turn::kIgnored},
    ImportRow{"job.dump_folder", "", Turn::kIgnored},
    ImportRow{"job.description", "", Turn::kIgnored},
    ImportRow{"optimizer.lr", "", Turn::kIgnored},
    ImportRow{"optimizer.eps", "", Turn::kIgnored}};

// TorchTitan's models by flavour.
void map_model(const std::string& name, const std::string& flavour, Imported& imported) {
  constexpr std::array<std::array<const char*, 3>, 7> kModels = {
      {{"llama3", "8B", "llama-3.1-8b"},
       {"llama3", "70B", "llama-3.1-70b"},
       {"llama3", "405B", "llama-3.1-405b"},
       {"deepseek_v3", "671B", "deepseek-v3"},
       {"gpt_oss", "20b", "gpt-oss-20b"},
       {"gpt_oss", "120b", "gpt-oss-120b"},
       {"qwen3", "235B-A22B", "qwen3-235b-a22b"}}};
  const std::string shown = fmt::format("model.name = {}, model.flavor = {}", name, flavour);
  for (const auto& [theirs, size, ours] : kModels) {
    if (name == theirs && flavour == size) {
      imported.mapped.push_back({shown, "model.preset", ours});
      return;
    }
  }
  if (!name.empty()) imported.unmapped.push_back(shown + ": no preset; describe the architecture");
}

std::string text_of(const toml::node& node) {
  if (const auto text = node.value<std::string>()) return *text;
  if (node.is_boolean()) return *node.value<bool>() ? "true" : "false";
  std::ostringstream out;
  node.visit([&out](const auto& value) { out << value; });
  return out.str();
}

}  // namespace

sim::Result<Imported> import_torchtitan(const std::string& text) {
  Imported imported;
  toml::table file;
  try {
    file = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return sim::Failure{fmt::format("line {}: {}", error.source().begin.line, error.description()),
                        "a TOML file of TorchTitan, with sections such as [parallelism]"};
  }
  std::string name;
  std::string flavour;
  for (const auto& [section, node] : file) {
    const toml::table* table = node.as_table();
    const std::string title(section.str());
    if (table == nullptr) {
      imported.unmapped.push_back(fmt::format("{} = {}: no section", title, text_of(node)));
      continue;
    }
    for (const auto& [key, value] : *table) {
      const std::string path = fmt::format("{}.{}", title, key.str());
      if (path == "model.name") {
        name = text_of(value);
      } else if (path == "model.flavor") {
        flavour = text_of(value);
      } else {
        map_key(kRows, path, text_of(value), imported);
      }
    }
  }
  map_model(name, flavour, imported);
  return imported;
}

}  // namespace workload
