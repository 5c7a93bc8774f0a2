// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>

namespace workload {
namespace {

constexpr double kLeastUsed = 0.75;  // of the ranks

std::vector<std::int64_t> or_else(const std::vector<std::int64_t>& given,
                                  std::vector<std::int64_t> otherwise) {
  return given.empty() ? std::move(otherwise) : given;
}

// Lists candidates degree by degree. Lives only during `candidate_layouts`.
class Lister {
 public:
  explicit Lister(const ModelScenario& scenario)
      : scenario_(scenario), model_(scenario.model), limits_(scenario.search) {}

  std::vector<Layout> run() {
    for (const std::int64_t t : or_else(limits_.tensor, divisors(model_.attention.heads))) {
      for (const std::int64_t c : or_else(limits_.context, {1})) {
        for (const std::int64_t p : or_else(limits_.pipeline, up_to(model_.layers))) {
          if (t * c * p <= scenario_.ranks) add_stages(t, c, p);
        }
      }
    }
    return std::move(found_);
  }

 private:
  static std::vector<std::int64_t> up_to(std::int64_t n) {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 1; i <= n; ++i) all.push_back(i);
    return all;
  }

  void add_stages(std::int64_t t, std::int64_t c, std::int64_t p) {
    Layout layout = scenario_.layout;
    layout.tensor = t;
    layout.context = c;
    layout.pipeline = p;
    layout.replicate = 1;
    layout.shard = scenario_.ranks / (t * c * p);
    const auto used = static_cast<double>(layout.ranks());
    if (used < kLeastUsed * static_cast<double>(scenario_.ranks)) return;
    const std::vector<std::int64_t> experts =
        model_.is_moe() ? or_else(limits_.expert, divisors(model_.moe.experts))
                        : std::vector<std::int64_t>{1};
    for (const std::int64_t e : experts) {
      layout.expert = e;
      add_batches(layout);
    }
  }

  void add_batches(Layout layout) {
    const bool training = layout.phase == Phase::kTraining;
    const std::vector<std::int64_t> batches =
        training ? or_else(limits_.micro_batch, {1, 2, 4})
                 : or_else(limits_.micro_batch, {layout.micro_batch});
    for (const std::int64_t batch : batches) {
      layout.micro_batch = batch;
      if (training && layout.micro_batches() > limits_.most_micro_batches) continue;
      for (const std::int64_t v : or_else(limits_.virtual_stages, {1, 2, 4})) {
        if (v > 1 && (layout.pipeline == 1 || !training)) continue;
        layout.virtual_stages = v;
        layout.schedule = v > 1 ? Schedule::kInterleaved : Schedule::k1f1b;
        add_recompute(layout);
      }
    }
  }

  void add_recompute(Layout layout) {
    add(layout);
    if (layout.phase != Phase::kTraining || layout.recompute == Recompute::kFull) return;
    layout.recompute = Recompute::kFull;
    add(layout);
  }

  void add(const Layout& layout) {
    if (!fault_in(model_, layout, layout.ranks())) found_.push_back(layout);
  }

  const ModelScenario& scenario_;
  const Model& model_;
  const SearchLimits& limits_;
  std::vector<Layout> found_;
};

struct Estimate {
  bool fits = false;
  std::string_view largest;  // term of memory
  std::int64_t total = 0;
  std::int64_t memory = 0;
};

Estimate estimate(const ModelScenario& scenario, const Layout& layout, const Machine& machine) {
  const MemoryTable memory = memory_of(
      scenario.model, layout, scenario.chip.memory / machine.ranks_per_chip, scenario.margin);
  Estimate one{memory.fits(), memory.largest().name, 0, memory.sum};
  if (one.fits) one.total = evaluate(scenario.model, layout, machine, Depth::kEstimate).total;
  return one;
}

std::vector<Estimate> estimate_all(const ModelScenario& scenario,
                                   const std::vector<Layout>& layouts, std::size_t threads) {
  std::vector<Estimate> estimates(layouts.size());
  std::vector<std::thread> workers;
  const std::size_t count = std::max<std::size_t>(threads, 1);
  for (std::size_t worker = 0; worker < count; ++worker) {
    workers.emplace_back([&, worker] {
      const std::unique_ptr<CollectivePrice> price = scenario.link_price();
      const Machine machine = scenario.machine(*price);
      for (std::size_t i = worker; i < layouts.size(); i += count) {
        estimates[i] = estimate(scenario, layouts[i], machine);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return estimates;
}

// Indexes of those that fit, fastest first; equal times in the order of the list.
std::vector<std::size_t> fastest(const std::vector<Estimate>& estimates) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    if (estimates[i].fits) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return estimates[i].total; });
  return order;
}

std::vector<Refused> refusals(const std::vector<Estimate>& estimates) {
  std::map<std::string_view, std::int64_t> counts;
  for (const Estimate& one : estimates) {
    if (!one.fits) ++counts[one.largest];
  }
  std::vector<Refused> list;
  for (const auto& [term, count] : counts) list.push_back({term, count});
  std::ranges::stable_sort(list, std::greater<>(), &Refused::layouts);
  return list;
}

double part(std::int64_t time, const Step& step) {
  return static_cast<double>(time) / static_cast<double>(step.total);
}

// What grew most against the best, in its own words.
std::string why_slower(const ModelScenario& scenario, const Ranked& loser, const Ranked& best) {
  std::int64_t most = loser.step.compute - best.step.compute;
  std::string why = fmt::format(
      "compute {:.0f} % longer (narrow products, recomputation or a "
      "fuller stage)",
      100 * (static_cast<double>(loser.step.compute) / static_cast<double>(best.step.compute) - 1));
  const auto consider = [&](std::int64_t more, std::string text) {
    if (more > most) most = more, why = std::move(text);
  };
  for (std::size_t i = 0; i < kPurposes; ++i) {
    consider(
        loser.step.exposed[i] - best.step.exposed[i],
        fmt::format("exposed {}: {:.1f} % of its step, {:.1f} % of the best",
                    name_of(static_cast<Purpose>(i)), 100 * part(loser.step.exposed[i], loser.step),
                    100 * part(best.step.exposed[i], best.step)));
  }
  consider(loser.step.bubble - best.step.bubble,
           fmt::format("bubble: {:.1f} % of its step", 100 * part(loser.step.bubble, loser.step)));
  const std::int64_t idle = scenario.ranks - loser.layout.ranks();
  if (idle > scenario.ranks - best.layout.ranks()) why += fmt::format("; {} ranks idle", idle);
  return why;
}

// The best of each degree of a kind that the best layout of all does not have.
class Losers {
 public:
  Losers(const ModelScenario& scenario, const Machine& machine, const Ranked& best)
      : scenario_(scenario), machine_(machine), best_(best) {}

  void consider(const char* kind, std::int64_t degree, std::int64_t of_best, const Layout& layout) {
    if (degree == of_best) return;
    const std::string name = fmt::format("{} {}", kind, degree);
    if (std::ranges::find(list_, name, &Loser::compared_by) != list_.end()) return;
    Loser loser;
    loser.ranked = {layout, evaluate(scenario_.model, layout, machine_, Depth::kExact)};
    loser.compared_by = name;
    loser.why = why_slower(scenario_, loser.ranked, best_);
    list_.push_back(std::move(loser));
  }

  std::vector<Loser> take() && { return std::move(list_); }

 private:
  const ModelScenario& scenario_;
  const Machine& machine_;
  const Ranked& best_;
  std::vector<Loser> list_;
};

std::vector<std::size_t> front_of(const std::vector<Estimate>& estimates,
                                  const std::vector<Layout>& layouts,
                                  const std::vector<std::size_t>& order) {
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {  // fastest first: only memory and ranks can still be better
    const bool beaten = std::ranges::any_of(front, [&](std::size_t other) {
      return estimates[other].memory <= estimates[i].memory &&
             layouts[other].ranks() <= layouts[i].ranks();
    });
    if (!beaten) front.push_back(i);
  }
  return front;
}

}  // namespace

std::vector<Layout> candidate_layouts(const ModelScenario& scenario) {
  return Lister(scenario).run();
}

SearchResult search_layouts(const ModelScenario& scenario, std::size_t threads) {
  constexpr std::size_t kMostFront = 20;
  const std::vector<Layout> layouts = candidate_layouts(scenario);
  const std::vector<Estimate> estimates = estimate_all(scenario, layouts, threads);
  const std::vector<std::size_t> order = fastest(estimates);
  SearchResult result;
  result.tried = static_cast<std::int64_t>(layouts.size());
  result.fitting = static_cast<std::int64_t>(order.size());
  result.refused = refusals(estimates);
  if (order.empty()) return result;

  const std::unique_ptr<CollectivePrice> price = scenario.link_price();
  const Machine machine = scenario.machine(*price);
  const auto played = [&](std::size_t i) {
    return Ranked{layouts[i], evaluate(scenario.model, layouts[i], machine, Depth::kExact)};
  };
  const auto top = std::min(order.size(), static_cast<std::size_t>(scenario.search.top));
  for (std::size_t i = 0; i < top; ++i) result.best.push_back(played(order[i]));
  std::ranges::stable_sort(result.best, {}, [](const Ranked& one) { return one.step.total; });
  for (const std::size_t i : front_of(estimates, layouts, order)) {
    if (result.front.size() < kMostFront) result.front.push_back(played(i));
  }
  const Ranked& best = result.best[0];
  Losers losers(scenario, machine, best);
  for (const std::size_t i : order) {
    const Layout& one = layouts[i];
    losers.consider("tp", one.tensor, best.layout.tensor, one);
    losers.consider("pp", one.pipeline, best.layout.pipeline, one);
    losers.consider("ep", one.expert, best.layout.expert, one);
  }
  result.losers = std::move(losers).take();
  return result;
}

}  // namespace workload
