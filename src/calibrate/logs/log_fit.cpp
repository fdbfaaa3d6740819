#include "gpucap/calibrate/log_fit.hpp"

#include "gpucap/calibrate/identify.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <thread>

#include "log_numbers.hpp"

namespace gpucap::calibrate {
namespace {

constexpr int most_draws = 4;  // of random arrivals and lengths, whose logarithms are averaged

/// A figure that is compared, and how much it decides.
struct Compared {
  std::size_t run = 0;
  LoggedFigure figure;
  double weight = 0;
};

std::optional<double> value_of(const evaluate::Outcome& outcome, const LoggedFigure& figure) {
  if (figure.metric == "throughput") {
    if (figure.statistic == "req/s") return outcome.throughput.requests_per_s;
    if (figure.statistic == "out tok/s") return outcome.throughput.output_tokens_per_s;
    return outcome.throughput.total_tokens_per_s;
  }
  static const std::map<std::string, Summary evaluate::Outcome::*> latencies{
      {"ttft", &evaluate::Outcome::ttft_s},
      {"tpot", &evaluate::Outcome::tpot_s},
      {"itl", &evaluate::Outcome::itl_s},
      {"e2e", &evaluate::Outcome::e2e_s}};
  const Summary& summary = outcome.*latencies.at(figure.metric);
  return figure.statistic == "mean" ? summary.mean : summary.p50;
}

/// Whether the engine and not the clients' clock decided how long the run took.
bool engine_bound(const ServedRun& run) {
  const double rate = run.request_rate->in(unit::per_s);
  if (std::isinf(rate)) return true;
  return run.duration.in(unit::s) > 1.5 * static_cast<double>(run.completed) / rate;
}

/// Means and medians; a metric of a run counts once, however many statistics it has. Gaps between
/// tokens are shown only: their median falls between steps with and without a prompt.
std::vector<Compared> compared_of(const std::vector<LoggedCase>& cases) {
  std::vector<Compared> all;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::map<std::string, int> statistics;
    const std::size_t first = all.size();
    for (const LoggedFigure& figure : cases[i].run.figures) {
      if (figure.statistic == "p99") continue;
      ++statistics[figure.metric];
      all.push_back({i, figure, 1});
    }
    for (std::size_t k = first; k < all.size(); ++k) {
      const std::string& metric = all[k].figure.metric;
      const bool decides =
          cases[i].run.decides && metric != "itl" &&
          (metric != "throughput" || (engine_bound(cases[i].run) && !cases[i].guessed_lengths));
      all[k].weight = decides ? 1.0 / statistics[metric] : 0;
    }
  }
  return all;
}

bool is_random(const LoggedCase& logged) {
  const auto& generated = std::get<scenario::Generated>(logged.asked.requests);
  const bool lengths =
      logged.run.prompt_lengths.empty() &&
      !(generated.prompt_tokens.constant_tokens() && generated.output_tokens.constant_tokens());
  return lengths || !std::isinf(logged.run.request_rate->in(unit::per_s));
}

/// Every run under every draw, on all processors; results in the order of the runs.
class Simulator {
 public:
  explicit Simulator(const std::vector<LoggedCase>& cases) : cases_(cases) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      for (int draw = 0; draw < (is_random(cases[i]) ? most_draws : 1); ++draw) {
        jobs_.push_back({i, draw});
      }
    }
  }

  /// ln of each compared figure, averaged over draws.
  [[nodiscard]] std::vector<double> logs(
      const std::vector<Compared>& compared,
      const std::function<void(plan::ServingQuestion&)>& change) const {
    const auto outcomes = simulate(change);
    std::vector<double> sums(compared.size(), 0.0);
    for (std::size_t k = 0; k < compared.size(); ++k) {
      int count = 0;
      for (std::size_t j = 0; j < jobs_.size(); ++j) {
        if (jobs_[j].run != compared[k].run) continue;
        const auto value = value_of(outcomes[j], compared[k].figure);
        if (!value || !(*value > 0)) {
          throw InputError(cases_[jobs_[j].run].run.problem(
              "", "the simulated run finishes no request", "impossible"));
        }
        sums[k] += std::log(*value);
        ++count;
      }
      sums[k] /= count;
    }
    return sums;
  }

 private:
  struct Job {
    std::size_t run;
    int draw;
  };

  [[nodiscard]] std::vector<evaluate::Outcome> simulate(
      const std::function<void(plan::ServingQuestion&)>& change) const {
    std::vector<plan::ServingPlan> plans;
    for (const LoggedCase& one : cases_) {
      plan::ServingQuestion question = one.planned.plan.question;
      change(question);
      plans.push_back(plan::plan_serving(std::move(question)));
    }
    std::vector<evaluate::Outcome> outcomes(jobs_.size());
    std::vector<std::exception_ptr> faults(jobs_.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t j = next++; j < jobs_.size(); j = next++) {
        try {
          outcomes[j] = repeat(cases_[jobs_[j].run], plans[jobs_[j].run], jobs_[j].draw);
        } catch (...) {
          faults[j] = std::current_exception();
        }
      }
    };
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) others.emplace_back(work);
    work();
    others.clear();  // waits for them
    for (const auto& fault : faults) {
      if (fault) std::rethrow_exception(fault);
    }
    return outcomes;
  }

  const std::vector<LoggedCase>& cases_;
  std::vector<Job> jobs_;
};

/// The runs as a function of factors on the numbers that are sought.
class TurnedRuns {
 public:
  TurnedRuns(const std::vector<LoggedCase>& cases, const std::vector<LogNumber>& sought)
      : simulator_(cases), compared_(compared_of(cases)) {
    for (const LogNumber number : sought) {
      knobs_.push_back(knob_of(number, cases.at(0).planned.plan.question));
    }
  }

  [[nodiscard]] const std::vector<LogKnob>& knobs() const { return knobs_; }
  [[nodiscard]] const std::vector<Compared>& compared() const { return compared_; }

  [[nodiscard]] std::vector<Prior> priors() const {
    std::vector<Prior> priors;
    for (const LogKnob& knob : knobs_) {
      priors.push_back({knob.key, knob.deviation, knob.low, knob.high});
    }
    return priors;
  }

  void turn_all(std::span<const double> factors, plan::ServingQuestion& question) const {
    for (std::size_t k = 0; k < knobs_.size(); ++k) {
      if (factors[k] != 1) turn(knobs_[k], factors[k], question);
    }
  }

  [[nodiscard]] std::vector<double> logs(std::span<const double> factors) const {
    return simulator_.logs(compared_, [&](plan::ServingQuestion& one) { turn_all(factors, one); });
  }

 private:
  Simulator simulator_;
  std::vector<Compared> compared_;
  std::vector<LogKnob> knobs_;
};

LogResult result_of(const LogKnob& knob, double factor, double deviation, bool identified) {
  LogResult result;
  result.number = knob.number;
  result.key = knob.key;
  result.meaning = knob.meaning;
  result.unit = knob.unit;
  result.before = knob.before;
  result.after = identified ? knob.value(factor) : knob.before;
  result.standard_error = identified ? deviation * knob.slope(factor) : 0;
  result.prior = knob.deviation;
  result.narrowed = deviation / knob.deviation;
  result.identified = identified;
  return result;
}

std::vector<LogError> errors_of(const std::vector<LoggedCase>& cases,
                                const std::vector<Compared>& compared,
                                const std::vector<double>& before,
                                const std::vector<double>& after) {
  std::vector<LogError> errors;
  for (std::size_t k = 0; k < compared.size(); ++k) {
    const Compared& one = compared[k];
    errors.push_back({cases[one.run].run.name, one.figure.metric, one.figure.statistic,
                      one.figure.value, std::exp(before[k]), std::exp(after[k]), one.weight > 0});
  }
  return errors;
}

Observations observed(const std::vector<Compared>& compared) {
  Observations seen;
  for (const Compared& one : compared) {
    seen.log_measured.push_back(std::log(one.figure.value));
    seen.weight.push_back(one.weight);
    seen.cluster.push_back(one.run);
  }
  return seen;
}

}  // namespace

LogFit fit_logs(const std::vector<LoggedCase>& cases, const std::vector<LogNumber>& sought) {
  const TurnedRuns runs(cases, sought);
  const auto model = [&](std::span<const double> factors, std::span<double> out) {
    const auto logs = runs.logs(factors);
    std::copy(logs.begin(), logs.end(), out.begin());
  };
  const Identified found = identify(runs.priors(), observed(runs.compared()), model);
  LogFit fit;
  fit.scatter = found.scatter;
  for (std::size_t k = 0; k < sought.size(); ++k) {
    fit.results.push_back(
        result_of(runs.knobs()[k], found.factors[k], found.deviations[k], found.identified[k]));
  }
  fit.errors = errors_of(cases, runs.compared(), runs.logs(std::vector<double>(sought.size(), 1.0)),
                         runs.logs(found.factors));
  plan::ServingQuestion question = cases.at(0).planned.plan.question;
  runs.turn_all(found.factors, question);
  fit.kernels = question.engine.weights.kernels;
  fit.calibration = std::move(question.calibration);
  fit.profile = std::move(question.engine.profile);
  return fit;
}

std::vector<LogError> predict_logs(const std::vector<LoggedCase>& cases,
                                   const perf::Calibration* calibration,
                                   const perf::EngineProfile::Host* host) {
  const auto compared = compared_of(cases);
  const Simulator simulator(cases);
  const auto before = simulator.logs(compared, [](plan::ServingQuestion&) {});
  const auto after = simulator.logs(compared, [&](plan::ServingQuestion& one) {
    if (calibration != nullptr) one.calibration = *calibration;
    if (host != nullptr) one.engine.profile.host = *host;
  });
  return errors_of(cases, compared, before, after);
}

}  // namespace gpucap::calibrate
