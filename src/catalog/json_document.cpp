#include "gpucap/catalog/json_document.hpp"

#include "gpucap/catalog/json_scanner.hpp"
#include "gpucap/core/file.hpp"
#include "gpucap/core/nearest_name.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "json_text.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::catalog {

using nlohmann::json;

namespace {

// Some editors put it before UTF-8; it means nothing there.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t usual_keys = 16;
constexpr std::uint64_t largest_count = std::numeric_limits<std::int64_t>::max();

}  // namespace

JsonDocument::JsonDocument(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)) {
  if (text_.starts_with(byte_order_mark)) text_.erase(0, byte_order_mark.size());
  root_ = std::make_unique<json>(parse_strictly(file_, text_));
}

JsonDocument::~JsonDocument() = default;
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;

JsonDocument JsonDocument::read(const std::string& path) {
  return {path, read_file(path)};
}

std::string JsonDocument::position(std::string_view pointer) const {
  return line_and_column(text_, offset_of(text_, pointer));
}

/// Where a value was written: in this file, in one merged below it, or outside any file.
struct JsonDocument::Place {
  const std::string* file;
  std::string position;
  std::size_t order;  ///< problems are reported in this order
};

std::optional<JsonDocument::Place> JsonDocument::written_at(std::string_view pointer) const {
  if (const auto here = exact_offset_of(text_, pointer)) {
    return Place{&file_, line_and_column(text_, *here), *here};
  }
  // The last one lies directly below this file and hides those before it.
  for (auto base = bases_.rbegin(); base != bases_.rend(); ++base) {
    if (auto place = base->written_at(pointer)) {
      place->order = 0;
      return place;
    }
  }
  return std::nullopt;
}

JsonDocument::Place JsonDocument::place_of(std::string_view pointer) const {
  for (const auto& [set_pointer, origin] : set_) {
    const bool inside = pointer == set_pointer || pointer.starts_with(set_pointer + "/");
    if (inside) return {&origin, "", text_.size()};
  }
  if (auto place = written_at(pointer)) return *place;
  return {&file_, position(pointer), offset_of(text_, pointer)};
}

const std::string& JsonDocument::file_of(std::string_view pointer) const {
  return *place_of(pointer).file;
}

void JsonDocument::merge_over(JsonDocument base) {
  json merged = *base.root_;
  merged.merge_patch(*root_);
  *root_ = std::move(merged);
  problems_.insert(problems_.end(), base.problems_.begin(), base.problems_.end());
  bases_.insert(bases_.begin(), std::move(base));
}

void JsonDocument::set(const std::string& pointer, const json& value, const std::string& origin) {
  const std::string fault = put_at(*root_, pointer, value);
  if (fault.empty()) {
    set_.emplace_back(pointer, origin);
  } else {
    problems_.push_back({origin, "", pointer, fault, "bad-pointer"});
  }
}

void JsonDocument::add_problem(std::string pointer, std::string message, std::string code) {
  Place place = place_of(pointer);
  problems_.push_back({*place.file, std::move(place.position), std::move(pointer),
                       std::move(message), std::move(code)});
}

void JsonDocument::throw_if_problems() const {
  if (problems_.empty()) return;
  std::vector<Problem> ordered = problems_;
  std::stable_sort(ordered.begin(), ordered.end(), [&](const Problem& a, const Problem& b) {
    return place_of(a.pointer).order < place_of(b.pointer).order;
  });
  throw InputError(std::move(ordered));
}

ObjectReader::ObjectReader(JsonDocument& document, std::string pointer)
    : ObjectReader(document, pointer, document.root().at(json::json_pointer(pointer))) {}

ObjectReader::ObjectReader(JsonDocument& document, std::string pointer, const json& value)
    : document_(&document), pointer_(std::move(pointer)), object_(nullptr) {
  if (value.is_object()) {
    object_ = &value;
  } else {
    document.add_problem(pointer_, "must be an object { ... }", "wrong-type");
  }
  asked_.reserve(usual_keys);
  asked_.emplace_back("notes");
  if (pointer_.empty()) asked_.emplace_back("$schema");
}

bool ObjectReader::has(std::string_view key) const {
  return object_ != nullptr && object_->contains(key);
}

const json* ObjectReader::raw(std::string_view key) {
  if (!asked(key)) asked_.emplace_back(key);
  if (object_ == nullptr) return nullptr;
  const auto found = object_->find(key);
  return found == object_->end() ? nullptr : &*found;
}

const json* ObjectReader::typed(std::string_view key, bool (*is)(const json&),
                                const char* expected) {
  const json* value = raw(key);
  if (value == nullptr || is(*value)) return value;
  problem(key, fmt::format("must be {}, not {}", expected, described(*value)), "wrong-type");
  return nullptr;
}

std::optional<std::string> ObjectReader::text(std::string_view key) {
  const json* value = typed(
      key, [](const json& j) { return j.is_string(); }, "a text");
  if (value == nullptr) return std::nullopt;
  return value->get<std::string>();
}

std::optional<std::string> ObjectReader::spelled(std::string_view key) {
  const json* value = raw(key);
  if (value != nullptr && value->is_number()) return value->dump();
  return text(key);
}

std::optional<double> ObjectReader::number(std::string_view key) {
  const json* value = typed(
      key, [](const json& j) { return j.is_number(); }, "a number");
  if (value == nullptr) return std::nullopt;
  return value->get<double>();
}

std::optional<std::int64_t> ObjectReader::count(std::string_view key) {
  const auto whole = [](const json& j) {
    if (j.is_number_unsigned()) return j.get<std::uint64_t>() <= largest_count;
    if (j.is_number_integer()) return true;
    if (!j.is_number()) return false;
    const double real = j.get<double>();
    return std::nearbyint(real) == real && std::fabs(real) < 9e15;
  };
  const json* value = typed(key, whole, "a whole number");
  if (value == nullptr) return std::nullopt;
  return value->is_number_integer() ? value->get<std::int64_t>()
                                    : static_cast<std::int64_t>(value->get<double>());
}

std::optional<bool> ObjectReader::flag(std::string_view key) {
  const json* value = typed(
      key, [](const json& j) { return j.is_boolean(); }, "true or false");
  if (value == nullptr) return std::nullopt;
  return value->get<bool>();
}

std::vector<std::string> ObjectReader::texts(std::string_view key) {
  const auto is_texts = [](const json& j) {
    return j.is_array() &&
           std::all_of(j.begin(), j.end(), [](const json& e) { return e.is_string(); });
  };
  const json* value = typed(key, is_texts, "a list of texts");
  return value == nullptr ? std::vector<std::string>{} : value->get<std::vector<std::string>>();
}

std::vector<double> ObjectReader::numbers(std::string_view key) {
  const auto is_numbers = [](const json& j) {
    return j.is_array() &&
           std::all_of(j.begin(), j.end(), [](const json& e) { return e.is_number(); });
  };
  const json* value = typed(key, is_numbers, "a list of numbers");
  return value == nullptr ? std::vector<double>{} : value->get<std::vector<double>>();
}

std::optional<ObjectReader> ObjectReader::object(std::string_view key) {
  const json* value = typed(
      key, [](const json& j) { return j.is_object(); }, "an object { ... }");
  if (value == nullptr) return std::nullopt;
  return ObjectReader(*document_, pointer_to(key), *value);
}

std::vector<ObjectReader> ObjectReader::objects(std::string_view key) {
  std::vector<ObjectReader> readers;
  const json* value = typed(
      key, [](const json& j) { return j.is_array(); }, "a list [ ... ]");
  if (value == nullptr) return readers;
  const std::string list = pointer_to(key);
  readers.reserve(value->size());
  for (std::size_t i = 0; i < value->size(); ++i) {
    readers.push_back(ObjectReader(*document_, fmt::format("{}/{}", list, i), (*value)[i]));
  }
  return readers;
}

std::vector<std::string> ObjectReader::keys() const {
  std::vector<std::string> names;
  if (object_ == nullptr) return names;
  for (const auto& [key, value] : object_->get_ref<const json::object_t&>()) names.push_back(key);
  return names;
}

void ObjectReader::problem(std::string_view key, std::string message, std::string code) {
  document_->add_problem(pointer_to(key), std::move(message), std::move(code));
}

void ObjectReader::missing(std::string_view key) {
  if (object_ == nullptr) return;  // reported already: there is no object at all
  document_->add_problem(pointer_, fmt::format("\"{}\" is missing", key), "missing-key");
}

void ObjectReader::unknown_word(std::string_view key, std::string_view kind,
                                const std::string& word, const std::vector<std::string>& known) {
  problem(key, unknown_name(kind, word, known), "unknown-name");
}

void ObjectReader::finish() {
  if (object_ == nullptr) return;
  for (const auto& [key, value] : object_->get_ref<const json::object_t&>()) {
    if (asked(key)) continue;
    std::vector<std::string> known = asked_;
    std::sort(known.begin(), known.end());
    problem(key, unknown_name("key", key, known), "unknown-key");
  }
}

std::string ObjectReader::pointer_to(std::string_view key) const {
  std::string pointer = pointer_ + "/";
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

}  // namespace gpucap::catalog
