#include "json_layout.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::calibrate {

using Json = nlohmann::ordered_json;

namespace {

bool is_scalar_list(const Json& value) {
  return value.is_array() && std::none_of(value.begin(), value.end(),
                                          [](const Json& item) { return item.is_structured(); });
}

std::string inline_text(const Json& value) {
  if (!value.is_structured()) return value.dump();
  std::string out;
  for (const auto& item : value.items()) {
    const std::string key = value.is_object() ? Json(item.key()).dump() + ": " : "";
    out += (out.empty() ? "" : ", ") + key + inline_text(item.value());
  }
  return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

}  // namespace

double rounded(double value, int digits) {
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

std::string laid_out(const Json& value, const std::string& indent) {
  if (value.empty() || !value.is_structured() || is_scalar_list(value)) return inline_text(value);
  const std::string inner = indent + "  ";
  std::string out;
  for (const auto& item : value.items()) {
    out += out.empty() ? "\n" : ",\n";
    out += inner;
    if (value.is_object()) out += Json(item.key()).dump() + ": " + laid_out(item.value(), inner);
    if (value.is_array()) out += inline_text(item.value());
  }
  return (value.is_object() ? "{" : "[") + out + "\n" + indent + (value.is_object() ? "}" : "]");
}

}  // namespace gpucap::calibrate
