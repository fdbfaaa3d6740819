#include "gpucap/cluster/stay.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace gpucap::cluster {
namespace {

std::int64_t working_time(const StayTerms& terms) {
  const double ns = std::ceil(static_cast<double>(terms.work.ns) / terms.rate);
  if (!(ns < 4.6e18)) throw std::out_of_range("a job runs longer than 146 years");
  return static_cast<std::int64_t>(ns);
}

/// Writes of a stay that is not stopped.
std::int64_t writes(const StayTerms& terms, std::int64_t working) {
  return terms.interval ? (working + terms.interval->ns - 1) / terms.interval->ns : 0;
}

/// Takes up to `most` off `from`.
std::int64_t take(std::int64_t& from, std::int64_t most) {
  const std::int64_t taken = std::min(from, most);
  from -= taken;
  return taken;
}

void keep(StaySpent& spent, const StayTerms& terms, std::int64_t working) {
  const auto kept = static_cast<double>(working);
  spent.stalled.ns = std::llrint(kept * terms.stall_share);
  spent.useful.ns = working - spent.stalled.ns;
  spent.done.ns = std::min(terms.work.ns, static_cast<std::int64_t>(kept * terms.rate));
}

/// Working time that a beginning of a stay holds: saved by finished writes, and since the last.
struct Worked {
  std::int64_t saved = 0, since = 0;
};

/// Walks through the first `left` of a stay; all but work goes to `spent`.
Worked walk(const StayTerms& terms, std::int64_t left, StaySpent& spent) {
  spent.saving.ns += take(left, terms.save_first.ns);
  spent.restarting.ns += take(left, terms.restart.ns);
  if (!terms.interval) return {0, left};
  const std::int64_t cycles = left / (terms.interval->ns + terms.write.ns);
  Worked worked{cycles * terms.interval->ns, 0};
  spent.saving.ns += cycles * terms.write.ns;
  left -= worked.saved + cycles * terms.write.ns;
  // The last piece of work may be shorter than an interval.
  worked.since = take(left, std::min(terms.interval->ns, working_time(terms) - worked.saved));
  spent.saving.ns += left;
  return worked;
}

}  // namespace

SimTime length(const StayTerms& terms) {
  const std::int64_t working = working_time(terms);
  const Ticks::Wide all = static_cast<Ticks::Wide>(writes(terms, working)) * terms.write.ns +
                          working + terms.save_first.ns + terms.restart.ns;
  if (all > SimTime::never().ns / 2) throw std::out_of_range("a job runs longer than 146 years");
  return {static_cast<std::int64_t>(all)};
}

StaySpent spent_whole(const StayTerms& terms) {
  StaySpent spent;
  const std::int64_t working = working_time(terms);
  keep(spent, terms, working);
  spent.saving.ns = terms.save_first.ns + writes(terms, working) * terms.write.ns;
  spent.restarting = terms.restart;
  spent.done = terms.work;
  return spent;
}

StaySpent spent_until_failure(const StayTerms& terms, SimTime elapsed) {
  StaySpent spent;
  const Worked worked = walk(terms, elapsed.ns, spent);
  keep(spent, terms, worked.saved);
  spent.lost.ns = worked.since;
  return spent;
}

StaySpent spent_until_saved(const StayTerms& terms, SimTime elapsed, SimTime write) {
  StaySpent spent;
  spent.saving.ns = std::min(write.ns, elapsed.ns);
  const Worked worked = walk(terms, elapsed.ns - spent.saving.ns, spent);
  keep(spent, terms, worked.saved + worked.since);
  return spent;
}

}  // namespace gpucap::cluster
