#include "gpucap/workload/lengths.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "support/catch.hpp"
#include "trace_files.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

constexpr int n = 100000;

std::vector<double> draws(const LengthDistribution& lengths, std::uint64_t seed = 3) {
  RandomStream random(seed, "lengths/prompt");
  std::vector<double> values(n);
  for (double& value : values) value = static_cast<double>(lengths.draw(random));
  return values;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::string refusal(std::string_view text) {
  const auto lengths = parse_lengths(text);
  return lengths ? "accepted" : lengths.failure().message;
}

}  // namespace

TEST_CASE("a lognormal has the mean and the p95 that were asked for") {
  const std::vector<double> values = draws(*parse_lengths("lognormal:mean=1500,p95=2600"));
  // sigma = 1.64485 - sqrt(1.64485^2 - 2 ln(2600 / 1500)) = 0.3782, so the deviation of a draw is
  // 1500 sqrt(exp(sigma^2) - 1) = 588; a share of 5 % has the error sqrt(0.05 * 0.95 / n).
  CHECK(mean_of(values) == Approx(1500).margin(4 * 588 / std::sqrt(n)));
  const auto above = std::count_if(values.begin(), values.end(), [](double v) { return v > 2600; });
  CHECK(static_cast<double>(above) / n == Approx(0.05).margin(4 * std::sqrt(0.05 * 0.95 / n)));
}

TEST_CASE("a uniform draw reaches both ends and no further") {
  const std::vector<double> values = draws(*parse_lengths("uniform:100..200"));
  CHECK(*std::min_element(values.begin(), values.end()) == 100);
  CHECK(*std::max_element(values.begin(), values.end()) == 200);
  // 101 equally likely numbers: deviation sqrt((101^2 - 1) / 12) = 29.2.
  CHECK(mean_of(values) == Approx(150).margin(4 * 29.2 / std::sqrt(n)));
}

TEST_CASE("a cut exponential keeps its mean and its maximum without a pile at the end") {
  const std::vector<double> values = draws(*parse_lengths("exponential:mean=201,max=900"));
  CHECK(*std::max_element(values.begin(), values.end()) <= 900);
  // Its deviation lies below that of the uncut one with the same mean; rounding up to 1 adds less
  // than 0.01.
  CHECK(mean_of(values) == Approx(201).margin(4 * 201 / std::sqrt(n)));
  // 201 = 214.86 - 900 / (e^(900 / 214.86) - 1), so (e^(-890.5 / 214.86) - e^(-900 / 214.86)) /
  // (1 - e^(-900 / 214.86)) = 0.07 % of the draws lie above 890; clamping would put 1.6 % there.
  const auto late = std::count_if(values.begin(), values.end(), [](double v) { return v > 890; });
  CHECK(late < n / 500);
  CHECK(late > 0);
}

TEST_CASE("a constant draws itself and is known as one") {
  const LengthDistribution lengths = *parse_lengths("1500");
  RandomStream random(1, "lengths/prompt");
  CHECK(lengths.draw(random) == 1500);
  CHECK(lengths.constant_tokens() == 1500);
  CHECK_FALSE((*parse_lengths("uniform:1..2")).constant_tokens());
}

TEST_CASE("draws are at least 1") {
  const std::vector<double> values = draws(*parse_lengths("exponential:mean=1,max=30"));
  CHECK(*std::min_element(values.begin(), values.end()) == 1);
}

TEST_CASE("an empirical file gives its own values only, with or without a header") {
  const TemporaryFile plain("gpucap_lengths_plain.txt", "7\n9\n9\n");
  const TemporaryFile headed("gpucap_lengths_headed.csv", "tokens\r\n7\r\n9\r\n9");
  for (const TemporaryFile* file : {&plain, &headed}) {
    const std::vector<double> values = draws(*parse_lengths("empirical:" + file->path().string()));
    CHECK(std::set<double>(values.begin(), values.end()) == std::set<double>{7, 9});
    // Two of three rows are 9: mean 25/3, deviation sqrt(2 / 9) * 2 = 0.943.
    CHECK(mean_of(values) == Approx(25.0 / 3).margin(4 * 0.943 / std::sqrt(n)));
  }
}

TEST_CASE("two columns of one file are drawn as pairs, of two files independently") {
  const std::string table = "prompt,output\n10,1\n20,2\n30,3\n";
  const TemporaryFile file("gpucap_pairs_a.csv", table), copy("gpucap_pairs_b.csv", table);
  const auto column = [](const TemporaryFile& from, const char* name) {
    return *parse_lengths("empirical:" + from.path().string() + ",column=" + name);
  };
  LengthSampler pairs(1, column(file, "prompt"), column(file, "2"));
  LengthSampler loose(1, column(file, "prompt"), column(copy, "output"));
  bool mixed = false;
  for (int i = 0; i < 100; ++i) {
    const auto [prompt, output] = pairs.next();
    REQUIRE(prompt == 10 * output);
    const auto free = loose.next();
    mixed |= free.prompt_tokens != 10 * free.output_tokens;
  }
  CHECK(mixed);
}

TEST_CASE("a change of the output lengths leaves the prompts as they were") {
  LengthSampler a(9, *parse_lengths("uniform:1..1000"), *parse_lengths("5"));
  LengthSampler b(9, *parse_lengths("uniform:1..1000"), *parse_lengths("uniform:1..1000"));
  for (int i = 0; i < 100; ++i) REQUIRE(a.next().prompt_tokens == b.next().prompt_tokens);
}

TEST_CASE("lengths that cannot be are refused with the reason") {
  CHECK(refusal("0") == "a length of 0 tokens is not in 1..2147483647");
  CHECK(refusal("-3") == "a length of -3 tokens is not in 1..2147483647");
  CHECK(refusal("many").find("\"many\" is no token count; write for example 1500") == 0);
  // exp(1.64485^2 / 2) = 3.868 times the mean is the highest p95.
  CHECK(refusal("lognormal:mean=1000,p95=4000") ==
        "no lognormal has mean 1000 and p95 4000: p95 must lie above the mean and at most at 3868");
  CHECK(refusal("lognormal:mean=1000,p95=1000").find("no lognormal") == 0);
  CHECK(refusal("lognormal:mean=nan,p95=1000") == "\"nan\" is not a number");
  CHECK(refusal("lognormal:mean=1500") ==
        "\"mean=1500\" is not of the form lognormal:mean=1500,p95=2600");
  CHECK(refusal("lognormal:mean=1,mean=2").find("is not of the form") != std::string::npos);
  CHECK(refusal("uniform:200..100") == "200..100 is not a range within 1..2147483647");
  CHECK(refusal("exponential:mean=450,max=900") ==
        "an exponential cut at 900 has a mean below 450, not 450; use uniform");
  CHECK(refusal("log-normal:mean=1,p95=2") ==
        "unknown length distribution \"log-normal\"; did you mean \"lognormal\"?");
}

TEST_CASE("a bad file of lengths is refused with its line") {
  const TemporaryFile nan("gpucap_lengths_nan.txt", "5\nnan\n");
  const TemporaryFile zero("gpucap_lengths_zero.csv", "tokens\n5\n0\n");
  const TemporaryFile two("gpucap_lengths_two.csv", "a,b\n5,6\n");
  CHECK(refusal("empirical:" + nan.path().string()) ==
        nan.path().string() + ":2:1: 5: \"nan\" is not a whole number");
  CHECK(refusal("empirical:" + zero.path().string()).find(":3:1: tokens: a length of 0") !=
        std::string::npos);
  CHECK(refusal("empirical:" + two.path().string()).find("has 2 columns; name one") !=
        std::string::npos);
  CHECK(refusal("empirical:" + two.path().string() + ",column=c").find("column is missing") !=
        std::string::npos);
  CHECK(refusal("empirical:/no/such/file") == "/no/such/file: there is no such file");
}
