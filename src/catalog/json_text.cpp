#include "json_text.hpp"

#include "gpucap/catalog/json_scanner.hpp"
#include "gpucap/core/error.hpp"
#include "gpucap/core/nearest_name.hpp"

#include <vector>

#include "json_quick.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace gpucap::catalog {
namespace {

using nlohmann::json;

constexpr const char* too_deep = "lists and objects are nested too deep";
constexpr std::size_t shown_text = 40;

bool nested_too_deep(const json& value) {
  return value.is_structured() && nesting_fault(value.dump(-1, ' ', true)).has_value();
}

/// Why nothing can be put at the pointer, whose deepest existing part is `at`.
std::string no_place(const json& root, const json::json_pointer& at,
                     const json::json_pointer& target) {
  const json& holder = root[at];
  if (holder.is_array()) {
    return fmt::format("the list at \"{}\" has {} entries, counted from 0", at.to_string(),
                       holder.size());
  }
  json::json_pointer next = target;
  while (next.parent_pointer() != at) next = next.parent_pointer();
  std::vector<std::string> keys;
  if (holder.is_object()) {
    for (const auto& [key, ignored] : holder.items()) keys.push_back(key);
  }
  const auto near = nearest_name(next.back(), keys);
  const std::string hint = near ? fmt::format("; did you mean \"{}\"?", *near) : "";
  return fmt::format("there is no \"{}\" at \"{}\"{}; keys there: {}", next.back(), at.to_string(),
                     hint, fmt::join(keys, ", "));
}

std::string put(json& root, const json::json_pointer& target, const json& value) {
  json::json_pointer parent = target.parent_pointer();
  while (!root.contains(parent)) parent = parent.parent_pointer();
  const json& holder = root[parent];
  const bool reached = parent == target.parent_pointer() && !holder.is_primitive();
  if (!reached || (holder.is_array() && !root.contains(target))) {
    return no_place(root, parent, target);
  }
  root[target] = value;
  return "";
}

}  // namespace

json parse_strictly(const std::string& file, const std::string& text) {
  if (auto root = parse_quickly(text)) return std::move(*root);
  const auto refuse = [&](std::size_t at, std::string pointer, std::string why, std::string code) {
    throw InputError(Problem{file, line_and_column(text, at), std::move(pointer), std::move(why),
                             std::move(code)});
  };
  if (const auto at = nesting_fault(text)) refuse(*at, "", too_deep, "json-syntax");
  json root;
  try {
    root = json::parse(text);
  } catch (const json::parse_error& error) {
    const std::size_t at = error.byte == 0 ? 0 : error.byte - 1;
    refuse(at, "", syntax_fault(text, at), "json-syntax");
  } catch (const json::out_of_range&) {
    const auto number = overflowing_number(text);
    refuse(number ? number->offset : 0, number ? number->pointer : "",
           "the number is larger than any that can be computed with", "out-of-range");
  }
  if (const auto twice = duplicate_key(text)) {
    refuse(twice->offset, twice->pointer, "the key stands twice in this object", "duplicate-key");
  }
  return root;
}

std::string put_at(json& root, const std::string& pointer, const json& value) {
  if (pointer.empty() || pointer.front() != '/') return "a JSON pointer begins with \"/\"";
  if (nested_too_deep(value)) return too_deep;
  try {
    return put(root, json::json_pointer(pointer), value);
  } catch (const json::exception&) {
    return "is no JSON pointer such as /candidates/0/node/count";
  }
}

std::string described(const json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  const bool fits = text.size() <= shown_text;
  return fits ? fmt::format("the text \"{}\"", text) : "a text";
}

}  // namespace gpucap::catalog
