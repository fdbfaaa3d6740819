#include "gpucap/catalog/json_scanner.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::catalog {
namespace {

std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

/// What a walk over the text meets: each value once, and each key that stands a second time.
struct Visit {
  const std::string& pointer;
  std::size_t offset;
  bool second_key;
};
using Visitor = std::function<bool(const Visit&)>;  // true: stop here

class Walk {
 public:
  Walk(std::string_view text, Visitor visitor) : text_(text), visitor_(std::move(visitor)) {}

  bool value(const std::string& pointer) {
    skip_blanks();
    if (visitor_({pointer, at_, false})) return true;
    switch (peek()) {
      case '{':
        return members(pointer);
      case '[':
        return elements(pointer);
      case '"':
        string_token();
        return false;
      default:
        at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
        return false;
    }
  }

 private:
  bool members(const std::string& pointer) {
    std::set<std::string> seen;
    ++at_;
    for (skip_blanks(); at_ < text_.size() && peek() != '}'; skip_blanks()) {
      const std::size_t key_at = at_;
      const std::string key = string_token();
      const std::string child = pointer + "/" + escaped(key);
      if (!seen.insert(key).second && visitor_({child, key_at, true})) return true;
      skip_blanks();
      ++at_;  // the colon
      if (value(child)) return true;
      skip_blanks();
      if (peek() == ',') ++at_;
    }
    ++at_;
    return false;
  }

  bool elements(const std::string& pointer) {
    ++at_;
    std::size_t index = 0;
    for (skip_blanks(); at_ < text_.size() && peek() != ']'; skip_blanks()) {
      if (value(fmt::format("{}/{}", pointer, index++))) return true;
      skip_blanks();
      if (peek() == ',') ++at_;
    }
    ++at_;
    return false;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  /// The text between the quotes, escapes decoded.
  std::string string_token() {
    const std::size_t quote = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    const std::string_view token = text_.substr(quote, at_ - quote);
    if (token.find('\\') == std::string_view::npos) {
      return std::string(token.substr(1, token.size() < 2 ? 0 : token.size() - 2));
    }
    const auto decoded = nlohmann::json::parse(token, nullptr, false);
    return decoded.is_string() ? decoded.get<std::string>() : std::string(token);
  }

  std::string_view text_;
  Visitor visitor_;
  std::size_t at_ = 0;
};

bool leads_to(std::string_view parent, std::string_view pointer) {
  return pointer.starts_with(parent) &&
         (pointer.size() == parent.size() || pointer[parent.size()] == '/');
}

}  // namespace

std::size_t offset_of(std::string_view text, std::string_view pointer) {
  std::size_t best = 0;
  Walk walk(text, [&](const Visit& visit) {
    if (!visit.second_key && leads_to(visit.pointer, pointer)) best = visit.offset;
    return !visit.second_key && visit.pointer == pointer;
  });
  walk.value("");
  return best;
}

std::optional<std::size_t> exact_offset_of(std::string_view text, std::string_view pointer) {
  std::optional<std::size_t> found;
  Walk walk(text, [&](const Visit& visit) {
    const bool here = !visit.second_key && visit.pointer == pointer;
    if (here) found = visit.offset;
    return here;
  });
  walk.value("");
  return found;
}

std::optional<KeyPlace> duplicate_key(std::string_view text) {
  std::optional<KeyPlace> twice;
  Walk walk(text, [&](const Visit& visit) {
    if (visit.second_key) twice = KeyPlace{visit.offset, visit.pointer};
    return visit.second_key;
  });
  walk.value("");
  return twice;
}

std::optional<KeyPlace> overflowing_number(std::string_view text) {
  std::optional<KeyPlace> found;
  Walk walk(text, [&](const Visit& visit) {
    const std::string token(
        text.substr(visit.offset, text.find_first_of(",]} \t\r\n", visit.offset) - visit.offset));
    const bool number =
        !token.empty() && std::string_view("-0123456789").find(token[0]) != std::string_view::npos;
    if (!visit.second_key && number && !std::isfinite(std::strtod(token.c_str(), nullptr))) {
      found = KeyPlace{visit.offset, visit.pointer};
    }
    return found.has_value();
  });
  walk.value("");
  return found;
}

std::optional<std::size_t> nesting_fault(std::string_view text) {
  constexpr int deepest = 100;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '{' || c == '[')) {
      if (++depth > deepest) return i;
    } else if (!quoted && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return std::nullopt;
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  return fmt::format("{}:{}", line, before.size() - line_start + 1);
}

std::string syntax_fault(std::string_view text, std::size_t offset) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return "the file is empty";
  if (offset >= text.size())
    return "the JSON ends too early; a closing bracket or quote is missing";
  const std::string_view before = text.substr(0, offset);
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  const bool closing = text[offset] == '}' || text[offset] == ']';
  if (closing && last != std::string_view::npos && before[last] == ',') {
    return "a comma stands before the closing bracket";
  }
  if (text[offset] == '/') return "comments are not part of JSON; use \"notes\"";
  const auto byte = static_cast<unsigned char>(text[offset]);
  if (byte == '\n' || byte == '\r') return "a text has no closing quote on this line";
  if (byte < 0x20 || byte > 0x7e) {
    return fmt::format("JSON does not allow the byte {:#04x} here{}", byte,
                       byte < 0x20 ? "" : "; is the file saved as UTF-8?");
  }
  if (byte == '\'') return "JSON does not allow ' here; texts stand in double quotes";
  return fmt::format("JSON does not allow '{}' here", text[offset]);
}

}  // namespace gpucap::catalog
