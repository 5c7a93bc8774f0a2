// SPDX-License-Identifier: GPL-2.0-only
#include "tests/tidy/arrows.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tidy {
namespace {

struct Room {
  std::string folder;
  std::string library;          // of its CMakeLists.txt
  std::vector<std::string> to;  // the rooms it may include, apart from itself
};

// The map of the house. A room within a room (packet) comes before the one around it.
const std::vector<Room>& rooms() {
  static const std::vector<Room> kRooms = {
      {"sim/base", "sim_base", {}},
      {"sim/fabric", "sim_fabric", {"sim/base"}},
      {"sim/schedule", "sim_schedule", {"sim/base"}},
      {"sim/results", "sim_results", {"sim/base"}},
      {"sim/engine/packet",
       "sim_engine",
       {"sim/engine", "sim/fabric", "sim/schedule", "sim/results", "sim/base"}},
      {"sim/engine/flow",
       "sim_engine",
       {"sim/engine", "sim/fabric", "sim/schedule", "sim/results", "sim/base"}},
      {"sim/engine/analytic",
       "sim_engine",
       {"sim/engine/flow", "sim/engine", "sim/fabric", "sim/schedule", "sim/results", "sim/base"}},
      {"sim/engine", "sim_engine", {"sim/fabric", "sim/schedule", "sim/results", "sim/base"}},
      {"topologies", "topologies", {"sim/fabric", "sim/base"}},
      {"collectives", "collectives", {"sim/schedule", "sim/base"}},
      {"analysis", "analysis", {"sim/results", "sim/base"}},
      {"scenarios",
       "scenarios",
       {"topologies", "collectives", "analysis", "sim/engine", "sim/fabric", "sim/schedule",
        "sim/results", "sim/base"}},
      {"tests",
       "",
       {"scenarios", "topologies", "collectives", "analysis", "sim/engine/packet",
        "sim/engine/flow", "sim/engine/analytic", "sim/engine", "sim/fabric", "sim/schedule",
        "sim/results", "sim/base"}}};
  return kRooms;
}

// The one place of sim/engine that knows the engines by name.
constexpr std::string_view kEngineCatalog = "sim/engine/engines.cc";

const Room* find_room(const std::string& folder) {
  for (const Room& room : rooms()) {
    if (room.folder == folder) return &room;
  }
  return nullptr;
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool arrow_allowed(const Source& source, const std::string& from, const std::string& to) {
  if (from == to || source.path == kEngineCatalog) {
    return from == to || to.starts_with("sim/engine/") || contains(find_room(from)->to, to);
  }
  return contains(find_room(from)->to, to);
}

// A library behind its door: who may include headers that start with `prefix`, and in how many
// files.
struct Door {
  std::string prefix;
  std::vector<std::string> folders;  // or single files
  std::string ending;                // "" for any
  std::size_t most_files = 0;        // 0: any number
};

const std::vector<Door>& third_parties() {
  static const std::vector<Door> kDoors = {
      {"boost/",
       {"sim/fabric", "scenarios/loader/dot.cc", "scenarios/loader/graphml.cc"},
       ".cc",
       0},
      {"google/protobuf/", {"sim/results/codec.cc"}, "", 0},
      {"sim/results/results.pb.h", {"sim/results/codec.cc"}, "", 0},
      {"ns3/", {"sim/engine/packet", "tests/sim/engine"}, "", 0},
      {"yaml-cpp/", {"scenarios/loader"}, "", 1},
      {"CLI/", {"scenarios/command"}, "", 1},
      {"toml++/", {"scenarios/workload"}, "", 1},
      {"nlohmann/", {"scenarios", "analysis", "tests"}, "", 2},
      {"sqlite3.h", {"analysis"}, "", 1},
      {"pugixml.hpp", {"collectives/msccl_parse.cc"}, "", 0},
      {"xxhash.h", {"sim/base/fingerprint.cc"}, "", 0},
      {"fmt/", {"sim", "topologies", "collectives", "analysis", "scenarios", "tests"}, "", 0},
      {"gtest/", {"tests"}, "", 0},
      {"gmock/", {"tests"}, "", 0},
      {"benchmark/", {"tests/bench"}, "", 0},
      {"simgrid/", {"tests/bench/peers"}, "", 1},
      // The operating system: only who runs processes and files.
      {"sys/", {"scenarios", "tests"}, "", 0},
      {"unistd.h", {"scenarios", "tests"}, "", 0},
      {"fcntl.h", {"scenarios", "tests"}, "", 0},
      {"poll.h", {"scenarios", "tests"}, "", 0},
      {"spawn.h", {"scenarios/command/nightly.cc"}, "", 0},
      {"signal.h", {"scenarios", "tests"}, "", 0},
      {"malloc.h", {"scenarios/command/main.cc", "tests"}, "", 0}};
  return kDoors;
}

bool lies_in(const Source& source, const std::vector<std::string>& places) {
  return std::any_of(places.begin(), places.end(), [&](const std::string& place) {
    return source.path == place || source.within(place);
  });
}

const Door* door_of(const std::string& include) {
  for (const Door& door : third_parties()) {
    if (include.starts_with(door.prefix)) return &door;
  }
  return nullptr;
}

bool is_standard(const std::string& include) {
  return include.find('/') == std::string::npos && include.find('.') == std::string::npos;
}

std::string door_fault(const Source& source, const Include& include, const Door* door) {
  if (door == nullptr) {
    if (include.angled) return is_standard(include.path) ? "" : "has no door";
    return room_of(include.path).empty() ? "is not named from the root of the house" : "";
  }
  if (!lies_in(source, door->folders)) return "may not be used here";
  if (!source.path.ends_with(door->ending)) return "may be used in " + door->ending + " files only";
  return "";
}

// Targets of third parties that each library may link.
const std::map<std::string, std::vector<std::string>>& link_doors() {
  static const std::map<std::string, std::vector<std::string>> kDoors = {
      {"sim_base", {}},
      {"sim_fabric", {"Boost::"}},
      {"sim_schedule", {}},
      {"sim_results", {"protobuf::"}},
      {"sim_engine", {"ns3::"}},
      {"topologies", {}},
      {"collectives", {"pugixml::"}},
      {"analysis", {"nlohmann_json::", "SQLite::"}},
      {"scenarios", {"yaml-cpp", "Boost::", "CLI11::", "nlohmann_json::", "Threads::"}}};
  return kDoors;
}

struct Link {
  std::string library;
  std::string target;
  std::size_t line = 0;
};

// Every `target_link_libraries(library ... target ...)` of one CMake file.
std::vector<Link> links_of(const Source& source) {
  constexpr std::string_view kCommand = "target_link_libraries(";
  std::vector<Link> links;
  for (std::size_t at = source.text.find(kCommand); at != std::string::npos;
       at = source.text.find(kCommand, at + 1)) {
    const std::size_t start = at + kCommand.size();
    std::istringstream words(source.text.substr(start, source.text.find(')', start) - start));
    std::string library;
    std::string word;
    words >> library;
    while (words >> word) {
      if (word == "PUBLIC" || word == "PRIVATE" || word == "INTERFACE") continue;
      links.push_back({library, word, line_at(source.text, at)});
    }
  }
  return links;
}

bool is_house_library(const std::string& name) {
  return std::any_of(rooms().begin(), rooms().end(),
                     [&](const Room& room) { return room.library == name; });
}

std::vector<std::string> allowed_libraries(const std::string& library) {
  std::vector<std::string> allowed;
  for (const Room& room : rooms()) {
    if (room.library != library) continue;
    for (const std::string& to : room.to) allowed.push_back(find_room(to)->library);
  }
  return allowed;
}

// `owner` is the library of the room in whose CMake file the link stands.
bool link_allowed(const Link& link, const std::string& owner) {
  if (link.target == owner || link.target.starts_with(owner + "_")) {
    return link.target != link.library;  // a further target of the same room
  }
  if (is_house_library(link.target)) return contains(allowed_libraries(owner), link.target);
  const auto& doors = link_doors().at(owner);
  return link.target.starts_with("fmt::") ||
         std::any_of(doors.begin(), doors.end(),
                     [&](const std::string& door) { return link.target.starts_with(door); });
}

// Which libraries the sources of each library include.
std::map<std::string, std::set<std::string>> included_libraries(const Sources& sources) {
  std::map<std::string, std::set<std::string>> included;
  for (const Source& source : sources) {
    const Room* from = find_room(room_of(source.path));
    if (from == nullptr || from->library.empty() || !source.is_cpp()) continue;
    for (const Include& include : includes_of(source)) {
      const Room* to = include.angled ? nullptr : find_room(room_of(include.path));
      if (to != nullptr && to->library != from->library)
        included[from->library].insert(to->library);
    }
  }
  return included;
}

using Graph = std::map<std::string, std::set<std::string>>;

// Depth-first walk that reports the first way back to a node under way.
class CycleFinder {
 public:
  explicit CycleFinder(const Graph& graph) : graph_(graph) {}

  Faults run() {
    for (const auto& [node, targets] : graph_) visit(node);
    return std::move(faults_);
  }

 private:
  void visit(const std::string& node) {
    if (done_.count(node) != 0) return;
    const auto start = std::find(way_.begin(), way_.end(), node);
    if (start != way_.end()) {
      std::string cycle = "cycle: ";
      for (auto at = start; at != way_.end(); ++at) cycle += *at + " -> ";
      faults_.push_back(cycle + node);
      return;
    }
    way_.push_back(node);
    const auto targets = graph_.find(node);
    if (targets != graph_.end()) {
      for (const std::string& target : targets->second) visit(target);
    }
    way_.pop_back();
    done_.insert(node);
  }

  const Graph& graph_;
  std::vector<std::string> way_;
  std::set<std::string> done_;
  Faults faults_;
};

}  // namespace

std::string room_of(const std::string& path) {
  for (const Room& room : rooms()) {
    if (path.starts_with(room.folder + "/")) return room.folder;
  }
  return "";
}

const std::vector<std::string>& rooms_with_readme() {
  static const std::vector<std::string> kRooms = {
      "sim/base",   "sim/fabric",  "sim/schedule", "sim/results", "sim/engine",
      "topologies", "collectives", "analysis",     "scenarios",   "tests"};
  return kRooms;
}

Faults include_arrows(const Sources& sources) {
  Faults faults;
  for (const Source& source : sources) {
    if (!source.is_cpp()) continue;
    const std::string from = room_of(source.path);
    if (from.empty()) {
      faults.push_back(source.at(1) + ": lies in no room of the house");
      continue;
    }
    for (const Include& include : includes_of(source)) {
      const std::string to = include.angled ? "" : room_of(include.path);
      if (to.empty() || arrow_allowed(source, from, to)) continue;
      faults.push_back(source.at(include.line) + ": " + from + " may not include " + include.path);
    }
  }
  return faults;
}

Faults link_arrows(const Sources& sources) {
  Faults faults;
  std::map<std::string, std::set<std::string>> linked;
  for (const Source& source : sources) {
    const Room* room = find_room(room_of(source.path));
    if (!source.is_cmake() || room == nullptr || room->library.empty()) continue;
    for (const Link& link : links_of(source)) {
      linked[room->library].insert(link.target);
      if (link_allowed(link, room->library)) continue;
      faults.push_back(source.at(link.line) + ": " + link.library + " may not link " + link.target);
    }
  }
  for (const auto& [library, targets] : included_libraries(sources)) {
    for (const std::string& target : targets) {
      if (linked[library].count(target) != 0) continue;
      faults.push_back(library + " includes from " + target + " but does not link it");
    }
  }
  return faults;
}

Faults doors(const Sources& sources) {
  Faults faults;
  std::map<std::string, std::set<std::string>> users;
  for (const Source& source : sources) {
    if (!source.is_cpp()) continue;
    for (const Include& include : includes_of(source)) {
      const Door* door = door_of(include.path);
      const bool counts = door != nullptr && !source.within("tests");  // tests may read any format
      if (counts) users[door->prefix].insert(source.path);
      const std::string fault = door_fault(source, include, door);
      if (!fault.empty())
        faults.push_back(source.at(include.line) + ": " + include.path + " " + fault);
    }
  }
  for (const Door& door : third_parties()) {
    if (door.most_files == 0 || users[door.prefix].size() <= door.most_files) continue;
    for (const std::string& user : users[door.prefix]) {
      faults.push_back(user + ": " + door.prefix + " may be used in at most " +
                       std::to_string(door.most_files) + " files");
    }
  }
  return faults;
}

Faults file_cycles(const Sources& sources) {
  Graph graph;
  for (const Source& source : sources) {
    if (!source.is_cpp()) continue;
    for (const Include& include : includes_of(source)) {
      if (!include.angled) graph[source.path].insert(include.path);
    }
  }
  return CycleFinder(graph).run();
}

Faults folder_cycles(const Sources& sources) {
  Graph graph;
  for (const Source& source : sources) {
    if (!source.is_cpp() || source.path == kEngineCatalog) continue;
    for (const Include& include : includes_of(source)) {
      const std::string to = include.path.substr(0, include.path.rfind('/'));
      if (!include.angled && to != source.folder()) graph[source.folder()].insert(to);
    }
  }
  return CycleFinder(graph).run();
}

}  // namespace tidy
