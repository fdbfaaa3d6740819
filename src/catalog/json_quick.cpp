#include "json_quick.hpp"

#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace gpucap::catalog {
namespace {

using nlohmann::json;
namespace dom = simdjson::dom;

constexpr int deepest = 100;  // that of nesting_fault

bool convert(dom::element from, int depth, json& to);

bool convert_members(dom::object from, int depth, json& to) {
  json::object_t members;
  for (const auto [key, value] : from) {
    const auto [member, fresh] = members.try_emplace(std::string(key));
    if (!fresh || !convert(value, depth, member->second)) return false;
  }
  to = std::move(members);
  return true;
}

bool convert_elements(dom::array from, int depth, json& to) {
  json::array_t elements;
  elements.reserve(from.size());
  for (const dom::element element : from) {
    if (!convert(element, depth, elements.emplace_back())) return false;
  }
  to = std::move(elements);
  return true;
}

json number(std::int64_t value) {
  // As nlohmann has it: unsigned without a minus sign.
  return value < 0 ? json(value) : json(static_cast<std::uint64_t>(value));
}

/// `depth` brackets are open around the value.
bool convert(dom::element from, int depth, json& to) {
  using Type = dom::element_type;
  switch (from.type()) {
    case Type::OBJECT:
      return depth < deepest && convert_members(from.get_object().value_unsafe(), depth + 1, to);
    case Type::ARRAY:
      return depth < deepest && convert_elements(from.get_array().value_unsafe(), depth + 1, to);
    case Type::STRING:
      to = std::string(from.get_string().value_unsafe());
      return true;
    case Type::INT64:
      to = number(from.get_int64().value_unsafe());
      return true;
    case Type::UINT64:
      to = from.get_uint64().value_unsafe();
      return true;
    case Type::DOUBLE:
      to = from.get_double().value_unsafe();
      return true;
    case Type::BOOL:
      to = from.get_bool().value_unsafe();
      return true;
    case Type::NULL_VALUE:
      to = nullptr;
      return true;
  }
  return false;
}

}  // namespace

std::optional<json> parse_quickly(const std::string& text) {
  // Lone surrogates are judged differently by different versions.
  if (text.find("\\u") != std::string::npos) return std::nullopt;
  dom::parser parser;
  dom::element root;
  if (parser.parse(text).get(root) != simdjson::SUCCESS) return std::nullopt;
  json value;
  if (!convert(root, 0, value)) return std::nullopt;
  return value;
}

}  // namespace gpucap::catalog
