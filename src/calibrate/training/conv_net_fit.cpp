#include "gpucap/calibrate/conv_net_fit.hpp"

#include "gpucap/calibrate/least_squares.hpp"
#include "gpucap/training/conv_net.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace gpucap::calibrate {
namespace {

using training::Software;

constexpr double ninety = 1.645;  // standard deviations, either way, that hold 90 of 100
constexpr double eighty = 1.282;

/// One run as the fit sees it: what the form is linear in, and what was measured.
struct Row {
  Seconds products, streams, cycles, measured;
  bool wide = false;
  std::string card;
};

std::vector<Row> rows_of(const models::ConvNet& net, const std::vector<ConvNetRun>& runs) {
  const auto work = training::conv_net_work(net);
  std::vector<Row> rows;
  for (const ConvNetRun& run : runs) {
    const auto rates = training::conv_net_rates(*run.gpu, *run.calibration, run.arithmetic);
    const auto terms = training::conv_net_terms(rates, work);
    rows.push_back({terms.products, terms.streams, terms.cycles, unit::s / run.images_per_second,
                    rates.number_bytes > 2, run.gpu->id});
  }
  return rows;
}

Seconds predict(const Row& row, double traffic, double narrow, double wide) {
  return row.products + row.streams * traffic + row.cycles * (row.wide ? wide : narrow);
}

double error_of(const Row& row, const std::vector<double>& values) {
  return predict(row, values[0], values[1], values[2]) / row.measured - 1;
}

std::vector<std::string> cards_of(const std::vector<Row>& rows) {
  std::set<std::string> cards;
  for (const Row& row : rows) cards.insert(row.card);
  return {cards.begin(), cards.end()};
}

Solution solve(const std::vector<Row>& rows) {
  const auto cards = cards_of(rows);
  Observations seen;
  for (const Row& row : rows) {
    seen.log_measured.push_back(std::log(row.measured.in(unit::s)));
    seen.weight.push_back(1);
    const auto place = std::lower_bound(cards.begin(), cards.end(), row.card);
    seen.cluster.push_back(static_cast<std::size_t>(place - cards.begin()));
  }
  const std::vector<Unknown> unknowns{{1, 0.05, 20}, {1, 0.01, 100}, {1, 0.01, 100}};
  return least_squares(unknowns, seen, [&](std::span<const double> values, std::span<double> out) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out[i] = std::log(predict(rows[i], values[0], values[1], values[2]).in(unit::s));
    }
  });
}

double left_out_error(const std::vector<Row>& rows, const Row& out) {
  std::vector<Row> others;
  for (const Row& row : rows) {
    if (row.card != out.card) others.push_back(row);
  }
  return error_of(out, solve(others).values);
}

void require_enough(const std::vector<Row>& rows) {
  const auto wide =
      std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.wide; });
  const bool both = wide > 0 && wide < static_cast<std::ptrdiff_t>(rows.size());
  if (cards_of(rows).size() < 3 || !both) {
    throw std::invalid_argument("a fit of a convolution net needs three cards and both widths");
  }
}

}  // namespace

ConvNetFit fit_conv_net(const models::ConvNet& net, const std::vector<ConvNetRun>& runs) {
  const auto rows = rows_of(net, runs);
  require_enough(rows);
  const Solution all = solve(rows);
  ConvNetFit fit;
  fit.constants.traffic = all.values[0];
  fit.constants.cycles_narrow = all.values[1];
  fit.constants.cycles_wide = all.values[2];
  fit.constants.fitted_on = {net.id};
  const char* keys[] = {"traffic", "cycles_narrow", "cycles_wide"};
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    const double reach = ninety * all.standard_errors[i];
    fit.intervals.push_back({keys[i], {all.values[i] - reach, all.values[i] + reach}});
  }
  double squares = 0;
  for (const Row& row : rows) {
    fit.errors.push_back(error_of(row, all.values));
    fit.left_out_errors.push_back(left_out_error(rows, row));
    squares += fit.left_out_errors.back() * fit.left_out_errors.back();
  }
  fit.spread = std::sqrt(squares / static_cast<double>(rows.size()));
  fit.constants.relative_error = eighty * fit.spread;
  return fit;
}

Seconds conv_net_time(const Software::Convolutions& constants, const models::ConvNet& net,
                      const ConvNetRun& run) {
  const Row row = rows_of(net, {run}).front();
  return predict(row, constants.traffic, constants.cycles_narrow, constants.cycles_wide);
}

}  // namespace gpucap::calibrate
