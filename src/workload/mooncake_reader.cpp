#include "gpucap/core/error.hpp"

#include <optional>
#include <string>
#include <utility>

#include "trace_row.hpp"
#include <fmt/format.h>
#include <simdjson.h>

namespace gpucap::workload {
namespace {

namespace json = simdjson::ondemand;

class MooncakeReader final : public RowReader {
 public:
  MooncakeReader(LineReader lines, std::int64_t block_tokens)
      : lines_(std::move(lines)), block_tokens_(block_tokens) {}

  bool next(TraceRow& row) override {
    if (!lines_.next()) return false;
    // The parser reads beyond the end of its input, within this reserve.
    static_assert(LineReader::slack >= simdjson::SIMDJSON_PADDING);
    const std::string_view text = lines_.line();
    json::document document;
    json::object object;
    if (parser_.iterate(text.data(), text.size(), text.size() + LineReader::slack).get(document) ||
        document.get_object().get(object)) {
      fail(1, "", "the line is not a JSON object", "bad-json");
    }
    read_row(object, row);
    return true;
  }

  [[nodiscard]] std::int64_t block_tokens() const override { return block_tokens_; }
  [[nodiscard]] const LineReader& lines() const override { return lines_; }
  [[nodiscard]] std::string_view arrival_column() const override { return "timestamp"; }

 private:
  [[noreturn]] void fail(std::int64_t column, std::string_view key, std::string message,
                         std::string code) const {
    throw InputError(
        lines_.problem({lines_.number(), column}, key, std::move(message), std::move(code)));
  }

  [[nodiscard]] std::int64_t column_of(std::string_view raw) const {
    return raw.data() - lines_.line().data() + 1;
  }

  /// Takes the keys as they come and skips unknown ones: other writers add their own.
  void read_row(json::object& object, TraceRow& row) {
    bool seen[3] = {};
    std::int64_t blocks_column = 1;
    row.blocks.clear();
    for (auto member : object) {
      json::field field;
      std::string_view key;
      if (std::move(member).get(field) || field.unescaped_key().get(key)) fail_broken();
      json::value value = field.value();
      const std::int64_t column = column_of(value.raw_json_token());
      if (key == "timestamp") {
        row.arrival = arrival(value, column);
        row.arrival_place = {lines_.number(), column};
        seen[0] = true;
      } else if (key == "input_length") {
        row.prompt_tokens = tokens(value, column, "input_length");
        seen[1] = true;
      } else if (key == "output_length") {
        row.output_tokens = tokens(value, column, "output_length");
        seen[2] = true;
      } else if (key == "hash_ids") {
        blocks_column = column;
        read_blocks(value, column, row);
      }
    }
    finish(seen, blocks_column, row);
  }

  void finish(const bool (&seen)[3], std::int64_t blocks_column, const TraceRow& row) const {
    constexpr std::string_view keys[] = {"timestamp", "input_length", "output_length"};
    for (int i = 0; i < 3; ++i) {
      if (!seen[i]) fail(1, keys[i], "key is missing", "missing-key");
    }
    if (const auto bad = bad_block_count(static_cast<std::int64_t>(row.blocks.size()),
                                         row.prompt_tokens, block_tokens_)) {
      fail(blocks_column, "hash_ids", bad->message, bad->code);
    }
  }

  [[noreturn]] void fail_broken() const {
    fail(static_cast<std::int64_t>(lines_.line().size()) + 1, "",
         "the JSON object is malformed; is the line cut short?", "bad-json");
  }

  SimTime arrival(json::value& value, std::int64_t column) const {
    double ms = 0;
    if (value.get_double().get(ms)) {
      fail(column, "timestamp", "is not a number of milliseconds", "not-a-number");
    }
    const auto at = checked_arrival(ms * unit::ms);
    if (!at) fail(column, "timestamp", at.failure().message, at.failure().code);
    return *at;
  }

  std::int64_t tokens(json::value& value, std::int64_t column, std::string_view key) const {
    std::int64_t count = 0;
    if (value.get_int64().get(count)) fail(column, key, "is not a whole number", "not-a-count");
    const auto checked = checked_tokens(count);
    if (!checked) fail(column, key, checked.failure().message, checked.failure().code);
    return *checked;
  }

  void read_blocks(json::value& value, std::int64_t column, TraceRow& row) const {
    json::array ids;
    if (value.get_array().get(ids)) fail(column, "hash_ids", "is not an array", "wrong-type");
    for (auto element : ids) {
      std::uint64_t id = 0;
      if (element.get_uint64().get(id)) {
        fail(column, "hash_ids",
             fmt::format("entry {} is not a whole number of at least 0", row.blocks.size()),
             "not-a-count");
      }
      row.blocks.push_back(id);
    }
  }

  LineReader lines_;
  std::int64_t block_tokens_;
  json::parser parser_;
};

}  // namespace

std::unique_ptr<RowReader> read_mooncake(LineReader lines, std::int64_t block_tokens) {
  return std::make_unique<MooncakeReader>(std::move(lines), block_tokens);
}

}  // namespace gpucap::workload
