// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/sizes.h"

#include <fmt/format.h>

namespace scenarios {
namespace {

using sim::Dimension;
using sim::Section;

// A key that the item must not have, and what to say of it.
void refuse(const Section& item, const char* key, const std::string& what,
            const std::string& expected, sim::Diagnostics& diagnostics) {
  if (item.has(key)) diagnostics.add({item.position(key), what, expected});
}

std::vector<Size> sizes_of(const Section::Entry& entry, Size::Of of) {
  std::vector<Size> sizes;
  for (std::size_t i = 0; i < entry.scalars.size(); ++i) {
    sizes.push_back({entry.scalars[i], entry.places[i], of});
  }
  return sizes;
}

// A barrier has no size of its own, and a program says its sizes itself.
std::vector<Size> signal_size(sim::Collective collective, const Section& item,
                              const std::string& path, sim::Diagnostics& diagnostics) {
  for (const char* key : {"bytes", "bytes_per_peer"}) {
    const std::string_view kind = sim::name_of(collective);
    refuse(item, key, fmt::format("a {} has no size in {}", kind, path),
           fmt::format("no '{}' for {}", key, kind), diagnostics);
  }
  const std::string text = sim::to_text(sim::kSignalBytes, Dimension::kBytes);
  return {{{Dimension::kBytes, sim::kSignalBytes, text}, item.place}};
}

// What the routing says: tokens of a rank, or a whole matrix.
std::vector<Size> routed_sizes(const Section& item, const std::string& path,
                               sim::Diagnostics& diagnostics) {
  for (const char* key : {"bytes", "bytes_per_peer"}) {
    refuse(item, key, fmt::format("{} has both '{}' and 'routing'", path, key),
           "one of them: routing says how many bytes", diagnostics);
  }
  const Section& routing = item.section("routing");
  if (const Section::Entry* tokens = routing.find("tokens")) {
    return sizes_of(*tokens, Size::Of::kTokens);
  }
  return {{{Dimension::kText, 0, "matrix"}, routing.place, Size::Of::kMatrix}};
}

}  // namespace

std::vector<Size> read_sizes(const Section& item, const std::string& path,
                             sim::Collective collective, sim::Diagnostics& diagnostics) {
  const bool varies = collective == sim::Collective::kAllToAllV;
  if (item.has("routing")) {
    if (varies) return routed_sizes(item, path, diagnostics);
    refuse(item, "routing", fmt::format("'routing' is only for all_to_all_v in {}", path),
           fmt::format("no 'routing' for {}", sim::name_of(collective)), diagnostics);
  }
  const bool sized = collective != sim::Collective::kBarrier &&
                     collective != sim::Collective::kProgram;  // a file says its sizes
  if (!sized) return signal_size(collective, item, path, diagnostics);
  const bool per_peer = item.has("bytes_per_peer");
  if (per_peer == item.has("bytes")) {
    const char* also = varies ? "; all_to_all_v takes 'routing' instead"
                              : "; all_to_all may give bytes_per_peer instead";
    diagnostics.add({per_peer ? item.position("bytes_per_peer") : item.place,
                     fmt::format("{} has {}", path,
                                 per_peer ? "both 'bytes' and 'bytes_per_peer'" : "no 'bytes'"),
                     std::string("a size such as bytes: 64 MiB") + also});
    return {};
  }
  if (per_peer && collective != sim::Collective::kAllToAll) {
    refuse(item, "bytes_per_peer",
           fmt::format("'bytes_per_peer' is only for all_to_all in {}", path),
           "bytes: the whole size", diagnostics);
  }
  return per_peer ? sizes_of(*item.find("bytes_per_peer"), Size::Of::kPeer)
                  : sizes_of(*item.find("bytes"), Size::Of::kBuffer);
}

std::string text_of(const Size& size) {
  switch (size.of) {
    case Size::Of::kTokens:
      return fmt::format("{} tokens", size.quantity.amount);
    case Size::Of::kMatrix:
      return "matrix";
    case Size::Of::kPeer:
      return sim::to_text(size.quantity.amount, Dimension::kBytes) + " per peer";
    case Size::Of::kBuffer:
      break;
  }
  return sim::to_text(size.quantity.amount, Dimension::kBytes);
}

std::vector<GroupSize> read_groups(const Section& item, const std::string& path,
                                   sim::Diagnostics& diagnostics) {
  std::vector<GroupSize> groups;
  const Section::Entry* entry = item.section("group").find("chips");
  for (std::size_t i = 0; i < entry->scalars.size(); ++i) {
    const std::string& text = entry->scalars[i].text;
    GroupSize group{std::nullopt, entry->places[i]};
    if (text != "all") {
      const sim::Result<sim::Quantity> count = sim::parse_quantity(text, Dimension::kCount);
      if (!count.ok() || count.value().amount < 1) {
        diagnostics.add(
            {group.place,
             fmt::format("{} is not a number of chips in {}.group", sim::quoted(text), path),
             "a whole number of at least 1, a list of them, or all"});
        continue;
      }
      group.chips = count.value().amount;
    }
    groups.push_back(group);
  }
  return groups;
}

}  // namespace scenarios
