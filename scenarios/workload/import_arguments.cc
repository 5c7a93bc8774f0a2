// SPDX-License-Identifier: GPL-2.0-only
// Argument lines: Megatron-LM (training/arguments.py @ d98e8a6) and vLLM (serve).
#include <fmt/format.h>

#include <array>
#include <cctype>

#include "scenarios/workload/import_table.h"
#include "sim/base/quantity.h"

namespace workload {
namespace {

constexpr std::array kMegatron = {
    ImportRow{"tensor-model-parallel-size", "layout.tensor_parallel_degree"},
    ImportRow{"pipeline-model-parallel-size", "layout.pipeline_parallel_degree"},
    ImportRow{"context-parallel-size", "layout.context_parallel_degree"},
    ImportRow{"expert-model-parallel-size", "layout.expert_parallel_degree"},
    ImportRow{"expert-tensor-parallel-size", "layout.expert_tensor_parallel_degree"},
    ImportRow{"sequence-parallel", "layout.sequence_parallel", Turn::kFlag},
    ImportRow{"num-virtual-stages-per-pipeline-rank", "layout.virtual_stages"},
    ImportRow{"micro-batch-size", "layout.micro_batch_size"},
    ImportRow{"global-batch-size", "layout.global_batch_size"},
    ImportRow{"seq-length", "layout.seq_len"},
    ImportRow{"data-parallel-sharding-strategy", "layout.data_parallel_sharding", Turn::kWord,
              "no_shard=no_shard,optim=optim,optim_grads=optim_grads,"
              "optim_grads_params=optim_grads_params"},
    ImportRow{"use-distributed-optimizer", "layout.data_parallel_sharding", Turn::kWord, "=optim"},
    ImportRow{"cp-comm-type", "layout.context_parallel_method", Turn::kWord,
              "p2p=ring,all_gather=allgather,a2a=ulysses"},
    ImportRow{"recompute-granularity", "layout.activation_checkpoint", Turn::kWord,
              "full=full,selective=selective"},
    ImportRow{"moe-token-dispatcher-type", "layout.moe_dispatcher", Turn::kWord,
              "alltoall=alltoall,allgather=allgather,flex=alltoallv_dedup"},
    ImportRow{"moe-router-force-load-balancing", "layout.routing.model", Turn::kWord, "=balanced"},
    ImportRow{"tp-comm-overlap", "layout.overlap.tensor", Turn::kWord, "=chunked"},
    ImportRow{"overlap-grad-reduce", "layout.overlap.data", Turn::kWord, "=async"},
    ImportRow{"overlap-moe-expert-parallel-comm", "layout.overlap.expert", Turn::kWord, "=chunked"},
    ImportRow{"moe-shared-expert-overlap", "layout.overlap.expert", Turn::kWord, "=async"},
    ImportRow{"num-layers", "model.architecture.num_hidden_layers"},
    ImportRow{"hidden-size", "model.architecture.hidden_size"},
    ImportRow{"vocab-size", "model.architecture.vocab_size"},
    ImportRow{"num-attention-heads", "model.architecture.attention.num_attention_heads"},
    ImportRow{"num-query-groups", "model.architecture.attention.num_key_value_heads"},
    ImportRow{"kv-channels", "model.architecture.attention.head_dim"},
    ImportRow{"ffn-hidden-size", "model.architecture.mlp.intermediate_size"},
    ImportRow{"swiglu", "model.architecture.mlp.gated", Turn::kFlag},
    ImportRow{"num-experts", "model.architecture.moe.num_experts"},
    ImportRow{"moe-router-topk", "model.architecture.moe.num_experts_per_tok"},
    ImportRow{"moe-ffn-hidden-size", "model.architecture.moe.moe_intermediate_size"},
    ImportRow{"bf16", "layout.dtype.compute", Turn::kWord, "=bf16"},
    ImportRow{"fp8-format", "layout.dtype.compute", Turn::kWord, "hybrid=fp8,e4m3=fp8"},
    ImportRow{"group-query-attention", "", Turn::kIgnored},
    ImportRow{"overlap-param-gather", "", Turn::kIgnored},
    ImportRow{"max-position-embeddings", "", Turn::kIgnored},
    ImportRow{"train-iters", "", Turn::kIgnored},
    ImportRow{"lr", "", Turn::kIgnored}};

constexpr std::array kVllm = {
    ImportRow{"tensor-parallel-size", "layout.tensor_parallel_degree"},
    ImportRow{"pipeline-parallel-size", "layout.pipeline_parallel_degree"},
    ImportRow{"data-parallel-size", "layout.data_parallel_shard_degree"},
    ImportRow{"max-num-seqs", "layout.micro_batch_size"},
    ImportRow{"max-model-len", "layout.seq_len"},
    ImportRow{"kv-cache-dtype", "layout.dtype.kv_cache", Turn::kWord,
              "auto=bf16,bfloat16=bf16,fp8=fp8,fp8_e4m3=fp8"},
    ImportRow{"dtype", "layout.dtype.activations", Turn::kWord,
              "auto=bf16,bfloat16=bf16,float32=fp32"},
    ImportRow{"quantization", "layout.dtype.weights", Turn::kWord, "fp8=fp8,mxfp4=mxfp4"},
    ImportRow{"all2all-backend", "layout.moe_dispatcher", Turn::kWord,
              "allgather_reducescatter=allgather,naive=allgather,pplx=alltoall,"
              "deepep_low_latency=alltoall,deepep_high_throughput=alltoallv_dedup"},
    ImportRow{"num-speculative-tokens", "layout.speculative_tokens"},
    ImportRow{"gpu-memory-utilization", "", Turn::kIgnored},
    ImportRow{"port", "", Turn::kIgnored},
    ImportRow{"host", "", Turn::kIgnored}};

struct Argument {
  std::string name;
  std::string value;
};

// Words of a line as a shell splits them: spaces, quotes, and a backslash before a line's end.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && i + 1 < line.size()) {
      if (line[++i] != '\n') word += line[i];
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!word.empty()) words.push_back(std::move(word)), word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

// --name value, --name=value and --name; -tp is vLLM's short form.
sim::Result<std::vector<Argument>> arguments_of(const std::string& line, Imported& imported) {
  std::vector<Argument> arguments;
  const std::vector<std::string> words = words_of(line);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (word == "-tp") word = "--tensor-parallel-size";
    if (word == "-pp") word = "--pipeline-parallel-size";
    if (word == "-dp") word = "--data-parallel-size";
    if (!word.starts_with("--")) {
      imported.unmapped.push_back(word + ": not an argument with a name");
      continue;
    }
    const std::size_t equals = word.find('=');
    Argument one{word.substr(2, equals == std::string::npos ? equals : equals - 2), ""};
    if (equals != std::string::npos) {
      one.value = word.substr(equals + 1);
    } else if (i + 1 < words.size() && !words[i + 1].starts_with("-")) {
      one.value = words[++i];
    }
    arguments.push_back(std::move(one));
  }
  if (arguments.empty()) {
    return sim::Failure{"there are no arguments", "a line such as --tensor-model-parallel-size 8"};
  }
  return arguments;
}

std::string value_of(const Imported& imported, std::string_view key) {
  for (const Mapping& one : imported.mapped) {
    if (one.key == key) return one.value;
  }
  return "";
}

}  // namespace

sim::Result<Imported> import_megatron(const std::string& line) {
  Imported imported;
  const sim::Result<std::vector<Argument>> arguments = arguments_of(line, imported);
  if (!arguments.ok()) return arguments.failure();
  for (const Argument& one : arguments.value()) map_key(kMegatron, one.name, one.value, imported);
  if (!value_of(imported, "layout.virtual_stages").empty()) {
    imported.mapped.push_back(
        {"virtual stages", "layout.pipeline_parallel_schedule", "Interleaved1F1B"});
  }
  if (value_of(imported, "layout.data_parallel_sharding").empty()) {
    imported.mapped.push_back(
        {"no --use-distributed-optimizer", "layout.data_parallel_sharding", "no_shard"});
  }
  if (value_of(imported, "layout.sequence_parallel").empty()) {
    imported.mapped.push_back({"no --sequence-parallel", "layout.sequence_parallel", "false"});
  }
  if (!value_of(imported, "model.architecture.num_hidden_layers").empty() &&
      value_of(imported, "model.architecture.mlp.gated").empty()) {
    imported.mapped.push_back({"no --swiglu", "model.architecture.mlp.gated", "false"});
  }
  return imported;
}

sim::Result<Imported> import_vllm(const std::string& line) {
  Imported imported;
  const sim::Result<std::vector<Argument>> arguments = arguments_of(line, imported);
  if (!arguments.ok()) return arguments.failure();
  bool experts = false;
  for (const Argument& one : arguments.value()) {
    if (one.name == "enable-expert-parallel") {
      experts = true;
    } else {
      map_key(kVllm, one.name, one.value, imported);
    }
  }
  imported.mapped.push_back({"vLLM serves", "layout.data_parallel_sharding", "no_shard"});
  if (!experts) return imported;
  // vLLM spreads experts over tensor x data parallel ranks.
  const auto degree = [&](const char* key) {
    const std::string value = value_of(imported, key);
    return value.empty() ? std::int64_t{1}
                         : sim::parse_quantity(value, sim::Dimension::kCount).value().amount;
  };
  imported.mapped.push_back({"enable-expert-parallel", "layout.expert_parallel_degree",
                             std::to_string(degree("layout.tensor_parallel_degree") *
                                            degree("layout.data_parallel_shard_degree"))});
  return imported;
}

}  // namespace workload
