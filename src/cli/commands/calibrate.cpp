#include "gpucap/calibrate/samples_file.hpp"
#include "gpucap/calibrate/self_test.hpp"
#include "gpucap/cli/calibrate_commands.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/cli/progress.hpp"
#include "gpucap/core/file.hpp"
#include "gpucap/core/version.hpp"
#include "gpucap/measure/plan.hpp"
#include "gpucap/report/listing.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <ctime>
#include <map>
#include <thread>

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using report::Cell;
using report::Listing;
using report::Shown;

std::atomic<bool> interrupted = false;

/// While it lives Ctrl-C, a lost terminal or a polite kill ends the measuring, not the program; a
/// second one ends both.
class Interruptible {
 public:
  Interruptible() {
    interrupted = false;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      before_[i] = std::signal(signals[i], on_signal);
    }
  }
  ~Interruptible() {
    for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], before_[i]);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  static void on_signal(int) {
    if (interrupted.exchange(true)) std::_Exit(130);
  }
  static constexpr std::array<int, 3> signals = {SIGINT, SIGHUP, SIGTERM};
  std::array<void (*)(int), 3> before_{};
};

/// The only place that asks what day it is: samples of a device are dated.
std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

/// What the options ask for.
struct Request {
  bool cpu = true;
  int index = 0;
  int threads = 1;
  Seconds time_limit;
};

Request request_of(Arguments& arguments) {
  Request request;
  const std::string device = arguments.text("device").value_or("cuda:0");
  request.cpu = device == "cpu" || arguments.has("selftest");
  if (!request.cpu) {
    const auto index = parse_count(device.starts_with("cuda:") ? device.substr(5) : "");
    if (index && *index >= 0 && *index < 1024) {
      request.index = static_cast<int>(*index);
    } else {
      arguments.problem("device", fmt::format("\"{}\" is no device; write cpu or cuda:0", device),
                        "unknown-name");
    }
  }
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const auto threads = arguments.count("threads");
  if (threads && (*threads > 4096 || !request.cpu)) {
    arguments.problem("threads", request.cpu ? "at most 4096" : "is about --device cpu",
                      "contradiction");
  }
  request.threads = static_cast<int>(threads.value_or(cores));
  request.time_limit = arguments.value("time-limit", parse_duration).value_or(300 * unit::s);
  if (request.time_limit < 1 * unit::s) {
    arguments.problem("time-limit", "is less than a second", "out-of-range");
  }
  if (arguments.has("selftest") && arguments.text("device").value_or("cpu") != "cpu") {
    arguments.problem("selftest", "runs on the processor: leave --device out", "contradiction");
  }
  arguments.throw_if_problems();
  return request;
}

/// Throws InputError that says what is missing.
std::unique_ptr<measure::Device> opened(const Request& request) {
  try {
    return request.cpu ? measure::open_cpu(request.threads) : measure::open_cuda(request.index);
  } catch (const measure::Unavailable& fault) {
    throw InputError(Problem{"", "", "--device",
                             fmt::format("{}; --device cpu measures this machine's processor, and "
                                         "gpucap fit --from takes other people's logs",
                                         fault.what()),
                             "no-device"});
  }
}

/// Samples by kind: how many, what the best of them reach, how steady they were.
Listing overview(const measure::Samples& samples) {
  struct Kind {
    std::int64_t samples = 0, discarded = 0;
    double spread = 0;
  };
  std::map<std::pair<std::string, std::string>, Kind> kinds;
  for (const measure::Sample& sample : samples.samples) {
    Kind& kind = kinds[{calibrate::kind_of(sample.work), sample.implementation}];
    ++kind.samples;
    kind.discarded += sample.discarded;
    kind.spread += sample.slowest / sample.fastest - 1;
  }
  Listing listing{{{"kind", "KIND"},
                   {"implementation", "BY"},
                   {"samples", "SAMPLES", Shown::count},
                   {"discarded", "BATCHES DISCARDED", Shown::count},
                   {"spread_percent", "SLOWEST OVER FASTEST %", Shown::plain}},
                  {}};
  for (const auto& [name, kind] : kinds) {
    listing.rows.push_back({name.first, name.second, kind.samples, kind.discarded,
                            100 * kind.spread / static_cast<double>(kind.samples)});
  }
  return listing;
}

/// A device that did other things at the same time tells little.
void tell_disturbance(const measure::Samples& samples, Console& console) {
  std::int64_t discarded = 0, all = 0;
  for (const measure::Sample& sample : samples.samples) {
    discarded += sample.discarded;
    all += sample.batches + (sample.batches == sample.discarded ? 0 : sample.discarded);
  }
  if (all == 0 || 10 * discarded < all) return;
  console.complain(fmt::format(
      "DISTURBED: {:.0f} % of the batches ran while the device was throttled or shared with other "
      "programs; measure again when it is idle",
      100.0 * static_cast<double>(discarded) / static_cast<double>(all)));
}

void tell_ending(const measure::Samples& samples, Console& console) {
  tell_disturbance(samples, console);
  if (!samples.complete) {
    console.note(fmt::format("Ended by the {}: {} samples, the rest of the plan was not measured",
                             samples.ended_by, samples.samples.size()));
  }
  for (const auto& skipped : samples.skipped) {
    console.note(fmt::format("Skipped  {} by {}: {}", calibrate::kind_of(skipped.work),
                             skipped.implementation, skipped.reason));
  }
}

Exit run_plan(const Request& request, const std::string& out, Format format, Console& console) {
  require_writable(out);
  const auto device = opened(request);
  const auto plan = measure::calibration_plan(device->facts());
  measure::Samples samples;
  {
    const Interruptible guard;
    Progress progress(console, plan.size());
    samples =
        measure_plan(*device, plan, measure::protocol_for(device->facts(), request.time_limit),
                     interrupted, [&](std::size_t, std::size_t) { progress.advance(); });
  }
  samples.date = today();
  samples.version = version();
  write_file(out, calibrate::samples_json(samples));
  print_rows(overview(samples), format, console);
  tell_ending(samples, console);
  console.note(
      fmt::format("Wrote    {} in {:.0f} s; gpucap fit {} --out CALIBRATION.json makes a "
                  "calibration of it",
                  out, samples.elapsed.in(unit::s), out));
  return Exit::done;
}

Listing passes_of(const calibrate::SelfTest& test) {
  Listing listing{{{"phase", "PHASE"},
                   {"sequences", "SEQUENCES", Shown::count},
                   {"tokens", "TOKENS", Shown::count},
                   {"predicted_ms", "PREDICTED ms", Shown::plain},
                   {"measured_ms", "MEASURED ms", Shown::plain},
                   {"error_percent", "ERROR %", Shown::plain}},
                  {}};
  for (const auto& pass : test.passes) {
    listing.rows.push_back({pass.phase, pass.sequences, pass.tokens, pass.predicted.in(unit::ms),
                            pass.measured.in(unit::ms), 100 * pass.error()});
  }
  return listing;
}

Exit run_self_test(const Request& request, const std::optional<std::string>& out, Format format,
                   Console& console) {
  if (out) require_writable(*out);
  const Interruptible guard;
  const auto test = calibrate::self_test(request.threads, request.time_limit, today(), interrupted,
                                         [&](const std::string& line) { console.note(line); });
  if (out) write_file(*out, test.calibration);
  tell_disturbance(test.samples, console);
  print_rows(passes_of(test), format, console);
  console.note(
      fmt::format("{} passes of a decoder that was not measured: median error {:.1f} %, worst "
                  "{:+.1f} %; {:.0f} "
                  "s in all",
                  test.passes.size(), 100 * test.median_error(), 100 * test.worst_error(),
                  test.elapsed.in(unit::s)));
  return Exit::done;
}

Exit run_calibrate(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  const Request request = request_of(arguments);
  const auto out = arguments.text("out");
  if (arguments.has("selftest")) return run_self_test(request, out, format, console);
  return run_plan(request, out.value_or("samples.json"), format, console);
}

}  // namespace

Command calibrate_command() {
  return {
      "calibrate",
      "measure the kernels of a device at hand",
      {"gpucap calibrate --device cuda:0 --out samples.json", "gpucap calibrate --selftest"},
      {},
      {{"device", "D", "cuda:N (default cuda:0) or cpu"},
       {"out", "FILE", "samples to write (default samples.json); of --selftest the calibration"},
       {"time-limit", "T", "no kernel is begun later (default 300 s)"},
       {"threads", "N", "of --device cpu (default: all)"},
       {"selftest", "", "calibrate this processor, predict a small decoder, run it and compare"},
       format_option()},
      run_calibrate};
}

}  // namespace gpucap::cli
