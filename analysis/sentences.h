// SPDX-License-Identifier: GPL-2.0-only
// What an Outcome says, in words: which algorithm wins from which size, what binds small and large
// messages, what crossing racks costs, and which inputs are least sure. Only finished cases count.
// Every figure in a sentence is a figure of the Outcome; nothing is simulated here.
#pragma once

#include <string>
#include <vector>

#include "sim/results/outcome.h"

namespace analysis {

// Cases that did not finish, or are missing: "" when there are none.
[[nodiscard]] std::string gaps_in_words(const sim::Outcome& outcome);

// At most one sentence per collective, two in all, where algorithms were compared.
[[nodiscard]] std::vector<std::string> winners_in_words(const sim::Outcome& outcome);

// What the time of the smallest and of the largest messages is spent on; "" without finished cases.
[[nodiscard]] std::string binding_in_words(const sim::Outcome& outcome);

// All-to-all across racks or UltraServers against inside one; "" when not both are there.
[[nodiscard]] std::string crossing_in_words(const sim::Outcome& outcome);

// The judged inputs of the widest range, at most three; "" when none has a range.
[[nodiscard]] std::string least_sure_in_words(const sim::Outcome& outcome);

// "40 inputs: 12 published, 3 analyst's, 7 judged, 18 chosen"; "" without assumptions.
[[nodiscard]] std::string grades_in_words(const sim::Outcome& outcome);

}  // namespace analysis
