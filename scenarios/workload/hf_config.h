// SPDX-License-Identifier: GPL-2.0-only
// Hugging Face's config.json -> Model, for the families in `hf_families`. Accepts the key names of
// transformers 4 and 5, a nested `text_config`, and the aliases that files in circulation carry.
// What decides nothing here (rotary angles, token ids, dropout) is left unread; a model_type that
// is not known is refused with the list of those that are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/workload/model.h"
#include "sim/base/diagnostic.h"

namespace workload {

struct ImportedModel {
  Model model;
  std::vector<std::string> notes;  // choices and doubts that a reader should see, a sentence each
};

[[nodiscard]] const std::vector<std::string>& hf_families();

// `text` is the content of the file that `diagnostics` names. Empty after a fault.
[[nodiscard]] std::optional<ImportedModel> import_hf_config(const std::string& text,
                                                            sim::Diagnostics& diagnostics);

}  // namespace workload
