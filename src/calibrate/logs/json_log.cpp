#include "json_log.hpp"

#include "gpucap/catalog/json_scanner.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::calibrate {
namespace {

using nlohmann::json;

constexpr std::string_view blanks = " \t\r\n";

/// Numbers that no JSON has, outside of texts, each with the last text before it: its key.
std::vector<Problem> no_numbers(const std::string& file, std::string_view text) {
  std::vector<Problem> problems;
  std::string last;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') {
      const std::size_t start = at + 1;
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
      last = std::string(text.substr(start, std::min(at, text.size()) - start));
      continue;
    }
    for (const std::string_view word : {"NaN", "-Infinity", "Infinity"}) {
      if (!text.substr(at).starts_with(word)) continue;
      problems.push_back({file, catalog::line_and_column(text, at), "/" + last,
                          fmt::format("{} is no measured value", word), "not-a-number"});
      at += word.size() - 1;
      break;
    }
  }
  return problems;
}

std::string child(const std::string& pointer, const std::string& key) {
  return key.empty() ? pointer : pointer + "/" + key;
}

}  // namespace

void refuse_foreign(const std::filesystem::path& file, std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    throw InputError(Problem{file.string(), "", "", "is empty", "empty-file"});
  }
  if (text[first] == '<') {
    throw InputError(Problem{file.string(), catalog::line_and_column(text, first), "",
                             "is a web page, not a log; download the raw file", "wrong-format"});
  }
}

catalog::JsonDocument open_json_log(const std::filesystem::path& file, std::string text) {
  refuse_foreign(file, text);
  auto problems = no_numbers(file.string(), text);
  if (!problems.empty()) throw InputError(std::move(problems));
  return {file.string(), std::move(text)};
}

LogObject::LogObject(catalog::JsonDocument& document, std::string pointer)
    : document_(&document), pointer_(std::move(pointer)), object_(nullptr) {
  const json& value = document.root().at(json::json_pointer(pointer_));
  if (value.is_object()) {
    object_ = &value;
  } else {
    document.add_problem(pointer_, "must be an object { ... }", "wrong-type");
  }
}

const json* LogObject::raw(const std::string& key) const {
  if (object_ == nullptr) return nullptr;
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

bool LogObject::has(const std::string& key) const {
  return raw(key) != nullptr;
}

std::optional<double> LogObject::number(const std::string& key) {
  const json* value = raw(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) {
    problem(key, "must be a number", "wrong-type");
    return std::nullopt;
  }
  const auto number = value->get<double>();
  if (number >= 0) return number;
  problem(key, fmt::format("is {:g}; no run measures less than zero", number), "out-of-range");
  return std::nullopt;
}

std::optional<std::int64_t> LogObject::count(const std::string& key) {
  const auto value = number(key);
  if (!value) return std::nullopt;
  constexpr double most = 1e15;
  if (*value == std::floor(*value) && *value < most) return static_cast<std::int64_t>(*value);
  problem(key, fmt::format("is {:g} and must be a whole number", *value), "wrong-type");
  return std::nullopt;
}

std::string LogObject::text(const std::string& key) const {
  const json* value = raw(key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

std::vector<double> LogObject::numbers(const std::string& key) {
  std::vector<double> out;
  const json* value = raw(key);
  if (value == nullptr) return out;
  if (!value->is_array()) {
    problem(key, "must be a list of numbers", "wrong-type");
    return out;
  }
  for (std::size_t i = 0; i < value->size(); ++i) {
    const json& item = (*value)[i];
    if (item.is_number() && item.get<double>() >= 0) {
      out.push_back(item.get<double>());
      continue;
    }
    problem(fmt::format("{}/{}", key, i), "must be a number of at least zero", "out-of-range");
    return {};
  }
  return out;
}

std::vector<std::int64_t> LogObject::counts(const std::string& key) {
  std::vector<std::int64_t> out;
  for (const double number : numbers(key)) out.push_back(static_cast<std::int64_t>(number));
  return out;
}

void LogObject::missing(const std::string& key, std::string_view tool) {
  if (has(key)) return;
  problem(key, fmt::format("is missing; {} writes it", tool), "missing-key");
}

double LogObject::needed(const std::string& key, std::string_view tool) {
  missing(key, tool);
  return number(key).value_or(0);
}

std::int64_t LogObject::needed_count(const std::string& key, std::string_view tool) {
  missing(key, tool);
  return count(key).value_or(0);
}

void LogObject::problem(const std::string& key, std::string message, std::string code) {
  document_->add_problem(child(pointer_, key), std::move(message), std::move(code));
}

LogPlace LogObject::place(const std::string& key) const {
  const std::string pointer = child(pointer_, key);
  return {document_->position(pointer), pointer};
}

}  // namespace gpucap::calibrate
