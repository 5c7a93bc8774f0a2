// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/block.h"
#include "analysis/figures.h"

namespace analysis {
namespace {

const NightResult* find(const NightResults& results, const std::string& name) {
  const auto found = std::ranges::find(results, name, &NightResult::name);
  return found == results.end() ? nullptr : &*found;
}

// Simulated work for the CPU time that the calibration loop takes; 0: too short to tell.
double speed_of(const NightResult& result) {
  constexpr double kLeastSeconds = 0.2;
  if (result.cpu_seconds < kLeastSeconds) return 0;
  double work = 0;
  for (const sim::CaseOutcome& one : result.outcome.cases) {
    work += static_cast<double>(std::max(one.packet_hops, one.transfers));
  }
  return work / result.cpu_seconds * result.calibration_seconds;
}

bool same_inputs(const std::vector<InputChange>& inputs) {
  return std::ranges::all_of(inputs, [](const InputChange& one) { return one.name == "version"; });
}

ScaleReport report_of(const NightResult& before, const NightResult& after, double tolerance) {
  ScaleReport report;
  report.name = after.name;
  const Comparison comparison = compare(before.outcome, after.outcome);
  report.inputs = comparison.inputs;
  report.mean = mean_change(comparison);
  for (const CaseDrift& one : comparison.cases) {
    if (one.drift > report.worst) report.worst = one.drift;
  }
  if (const CaseDrift* most = most_moved(comparison)) {
    report.change = most->change;
    report.case_name = most->name;
  }
  const double old_speed = speed_of(before);
  const double new_speed = speed_of(after);
  if (old_speed > 0 && new_speed > 0) report.speed_change = new_speed / old_speed - 1;
  if (!same_inputs(report.inputs)) {
    report.cause = Cause::kInput;
  } else if (report.worst != Drift::kEqual) {
    report.cause = Cause::kModel;
  } else if (report.speed_change < -tolerance ||
             report.speed_change > tolerance / (1 - tolerance)) {
    report.cause = Cause::kSpeed;
  }
  return report;
}

// "ring.ultraservers=4" -> "ring" and 4.
struct Scale {
  std::string scenario;
  double value = 0;
};

std::optional<Scale> scale_of(const std::string& name) {
  const std::size_t equals = name.rfind('=');
  const std::size_t dot = name.find('.');
  if (equals == std::string::npos || dot == std::string::npos) return std::nullopt;
  Scale scale{name.substr(0, dot), 0};
  const char* end = name.data() + name.size();
  if (std::from_chars(name.data() + equals + 1, end, scale.value).ec != std::errc()) {
    return std::nullopt;
  }
  return scale.value > 0 ? std::optional(scale) : std::nullopt;
}

double mean_log_time(const sim::Outcome& outcome) {
  double logs = 0;
  int count = 0;
  for (const sim::CaseOutcome& one : outcome.cases) {
    if (!finished(one) || one.time_ps <= 0) continue;
    logs += std::log(static_cast<double>(one.time_ps));
    ++count;
  }
  return count > 0 ? logs / count : 0;
}

// Least squares of log time over log scale, by scenario with at least three scales.
std::map<std::string, double> exponents_of(const NightResults& results) {
  std::map<std::string, std::vector<std::pair<double, double>>> points;
  for (const NightResult& one : results) {
    const auto scale = scale_of(one.name);
    if (scale)
      points[scale->scenario].emplace_back(std::log(scale->value), mean_log_time(one.outcome));
  }
  std::map<std::string, double> exponents;
  for (const auto& [scenario, list] : points) {
    if (list.size() < 3) continue;
    double x_mean = 0;
    double y_mean = 0;
    for (const auto& [x, y] : list) {
      x_mean += x / static_cast<double>(list.size());
      y_mean += y / static_cast<double>(list.size());
    }
    double over = 0;
    double under = 0;
    for (const auto& [x, y] : list) {
      over += (x - x_mean) * (y - y_mean);
      under += (x - x_mean) * (x - x_mean);
    }
    if (under > 0) exponents[scenario] = over / under;
  }
  return exponents;
}

bool moved(const Exponent& one) { return std::abs(one.after - one.before) > kExponentDrift; }

std::int64_t count_of(const Regression& regression, Cause cause) {
  return std::ranges::count(regression.scales, cause, &ScaleReport::cause);
}

std::string verdict_in_words(const Regression& regression) {
  const auto all = static_cast<std::int64_t>(regression.scales.size());
  if (regression.against.empty()) {
    return fmt::format("the first night: {} to hold the next one against.", counted(all, "result"));
  }
  const std::int64_t still = count_of(regression, Cause::kNone);
  std::vector<std::string> words;
  for (const Cause cause :
       {Cause::kModel, Cause::kInput, Cause::kSpeed, Cause::kNew, Cause::kGone}) {
    const std::int64_t count = count_of(regression, cause);
    if (count > 0) words.push_back(fmt::format("{} {}", count, name_of(cause)));
  }
  const std::string what = words.empty() ? "nothing moved" : listed(words);
  return fmt::format("{}: {} of {} as in {}; {}.", regression.failed() ? "FAILED" : "ok", still,
                     all, regression.against, what);
}

std::string what_moved(const ScaleReport& one) {
  switch (one.cause) {
    case Cause::kSpeed:
      return fmt::format("simulator {}", change_figure(one.speed_change));
    case Cause::kNew:
    case Cause::kGone:
    case Cause::kNone:
      return "";
    case Cause::kModel:
    case Cause::kInput:
      break;
  }
  std::string text = std::string(name_of(one.worst));
  if (!one.case_name.empty()) text += ", " + one.case_name;
  if (one.cause == Cause::kInput && !one.inputs.empty()) text += "; " + one.inputs.front().name;
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '&') {
      result += "&amp;";
    } else if (letter == '<') {
      result += "&lt;";
    } else if (letter == '"') {
      result += "&quot;";
    } else {
      result += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
    }
  }
  return result;
}

}  // namespace

std::string_view name_of(Cause cause) {
  constexpr std::array<std::string_view, 6> kNames{"equal", "model", "input",
                                                   "speed", "new",   "gone"};
  return kNames[static_cast<std::size_t>(cause)];
}

bool is_finding(const ScaleReport& one) {
  if (one.worst == Drift::kBroken || one.cause == Cause::kGone) return true;
  if (one.cause == Cause::kSpeed) return one.speed_change < 0;
  return one.cause == Cause::kModel && one.worst >= Drift::kSmall;
}

bool Regression::failed() const {
  return std::ranges::any_of(scales, is_finding) || std::ranges::any_of(exponents, moved);
}

Regression regression_of(const NightResults& before, const NightResults& after,
                         double speed_tolerance) {
  Regression regression;
  for (const NightResult& one : after) {
    const NightResult* old = find(before, one.name);
    ScaleReport report;
    report.name = one.name;
    report.cause = Cause::kNew;
    if (old != nullptr) report = report_of(*old, one, speed_tolerance);
    regression.scales.push_back(std::move(report));
  }
  for (const NightResult& one : before) {
    if (find(after, one.name) != nullptr) continue;
    ScaleReport report;
    report.name = one.name;
    report.cause = Cause::kGone;
    regression.scales.push_back(std::move(report));
  }
  const auto old_exponents = exponents_of(before);
  for (const auto& [scenario, exponent] : exponents_of(after)) {
    const auto old = old_exponents.find(scenario);
    regression.exponents.push_back(
        {scenario, old == old_exponents.end() ? exponent : old->second, exponent});
  }
  return regression;
}

std::string regression_markdown(const Regression& regression) {
  std::string text = fmt::format("**{}** {}\n", regression.suite, verdict_in_words(regression));
  bool any = false;
  for (const ScaleReport& one : regression.scales) {
    if (one.cause == Cause::kNone || one.cause == Cause::kNew) continue;
    if (!any)
      text += "\n| scenario and scale | most | mean | cause | what |\n|---|---|---|---|---|\n";
    any = true;
    text += fmt::format("| {} | {} | {} | {} | {} |\n", one.name, change_figure(one.change),
                        change_figure(one.mean), name_of(one.cause), what_moved(one));
  }
  if (!regression.exponents.empty()) {
    text += "\n| scenario | time grows as scale to the | before | |\n|---|---|---|---|\n";
  }
  for (const Exponent& one : regression.exponents) {
    text += fmt::format("| {} | {:.3f} | {:.3f} | {} |\n", one.scenario, one.after, one.before,
                        moved(one) ? "moved" : "");
  }
  return text;
}

std::string regression_junit(const Regression& regression) {
  const auto failures = std::ranges::count_if(regression.scales, is_finding) +
                        std::ranges::count_if(regression.exponents, moved);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\">\n",
      escaped(regression.suite), regression.scales.size() + regression.exponents.size(), failures);
  const auto add = [&](const std::string& name, bool bad, const std::string& why) {
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\"", escaped(regression.suite),
                        escaped(regression.suite + "." + name));
    text += bad ? fmt::format("><failure message=\"{}\"/></testcase>\n", escaped(why)) : "/>\n";
  };
  for (const ScaleReport& one : regression.scales) {
    add(one.name, is_finding(one),
        fmt::format("{}: {}, {} at most against {}", name_of(one.cause), what_moved(one),
                    change_figure(one.change), regression.against));
  }
  for (const Exponent& one : regression.exponents) {
    add(one.scenario + ".exponent", moved(one),
        fmt::format("the scaling exponent was {:.3f} and is {:.3f}", one.before, one.after));
  }
  return text + "</testsuite>\n";
}

}  // namespace analysis
