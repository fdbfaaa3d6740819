#include "source_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpucap::validate {
namespace {

/// `*` in the pattern stands for any text.
bool matches(std::string_view text, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t skipped = 0; skipped <= text.size(); ++skipped) {
    if (matches(text.substr(skipped), pattern)) return true;
  }
  return false;
}

/// `only` wins over earlier rules: the narrower one stands later in the file.
void keep(std::vector<Measured>& measured, const std::vector<std::string>& only) {
  std::erase_if(measured, [&](const Measured& figure) {
    return std::find(only.begin(), only.end(), figure.metric) == only.end();
  });
}

ServingCase with(const SourceRule& rule, ServingCase one) {
  for (const auto& [option, value] : rule.options) set_option(one.options, option, value);
  if (!rule.only.empty()) keep(one.measured, rule.only);
  if (!rule.remark.empty()) one.remarks.push_back(rule.remark);
  one.calibration = one.calibration || rule.calibration;
  return one;
}

}  // namespace

bool SourceRule::holds(const CsvCells& row) const {
  return std::all_of(when.begin(), when.end(), [&](const auto& condition) {
    return matches(row.text(condition.first), condition.second);
  });
}

void set_option(scenario::Options& options, const std::string& name, const std::string& value) {
  for (auto& [option, old] : options) {
    if (option != name) continue;
    old = value;
    return;
  }
  options.emplace_back(name, value);
}

std::optional<std::string> skip_reason(const Source& source, const CsvCells& row) {
  for (const SourceRule& rule : source.rules) {
    if (rule.skip && rule.holds(row)) return rule.skip;
  }
  return std::nullopt;
}

std::vector<ServingCase> ruled(const Source& source, const CsvCells& row, ServingCase one) {
  for (const SourceRule& rule : source.rules) {
    if (!rule.skip && !rule.variant && rule.holds(row)) one = with(rule, std::move(one));
  }
  std::vector<ServingCase> cases{one};
  for (const SourceRule& rule : source.rules) {
    if (!rule.variant || !rule.holds(row)) continue;
    cases.push_back(with(rule, one));
    cases.back().id += fmt::format(" ({})", *rule.variant);
  }
  return cases;
}

}  // namespace gpucap::validate
