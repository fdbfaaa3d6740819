#include "sections.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::scenario {
namespace {

// More cards than any machine holds; products of three such numbers still fit into an int.
constexpr std::int64_t largest_card_count = 1024;

/// 90 from "90 %".
std::optional<double> percentage(const nlohmann::json* value) {
  if (value == nullptr || !value->is_string()) return std::nullopt;
  const auto& text = value->get_ref<const std::string&>();
  if (!text.ends_with('%')) return std::nullopt;
  const auto number = parse_number(std::string_view(text).substr(0, text.size() - 1));
  return number ? std::optional<double>(*number) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> count_from(ObjectReader& object, std::string_view key,
                                       std::int64_t least, std::int64_t most) {
  const auto count = object.count(key);
  if (!count || (*count >= least && *count <= most)) return count;
  object.problem(key,
                 *count < least ? fmt::format("{} is too small; at least {}", *count, least)
                                : fmt::format("{} is too large; at most {}", *count, most),
                 "out-of-range");
  return std::nullopt;
}

std::optional<int> cards_from(ObjectReader& object, std::string_view key) {
  const auto count = count_from(object, key, 1, largest_card_count);
  return count ? std::optional<int>(static_cast<int>(*count)) : std::nullopt;
}

std::optional<double> positive(ObjectReader& object, std::string_view key, double most) {
  const auto number = object.number(key);
  if (!number || (*number > 0 && *number <= most)) return number;
  object.problem(key,
                 *number > 0 ? fmt::format("{} is too large; at most {}", *number, most)
                             : fmt::format("{} is not above 0", *number),
                 "out-of-range");
  return std::nullopt;
}

std::optional<double> share(ObjectReader& object, std::string_view key) {
  const auto per_cent = percentage(object.raw(key));
  const auto number = per_cent ? per_cent : object.number(key);
  if (!number || (!per_cent && *number > 0 && *number <= 1)) return number;
  object.problem(
      key,
      *number > 0 && *number <= 100
          ? fmt::format("is a share, at most 1; for {} % write {}", *number, *number / 100)
          : fmt::format("{} is no share above 0 and at most 1", *number),
      "out-of-range");
  return std::nullopt;
}

std::filesystem::path path_from(ObjectReader& object, std::string_view key, const std::string& text,
                                const Reading& reading) {
  const std::string& file = object.document().file_of(object.pointer_to(key));
  const bool included = file != object.document().file() && !file.starts_with("--");
  return (included ? std::filesystem::path(file).parent_path() : reading.folder) / text;
}

}  // namespace gpucap::scenario
