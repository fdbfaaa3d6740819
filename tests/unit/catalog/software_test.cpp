#include "gpucap/catalog/software.hpp"

#include <fstream>
#include <sstream>

#include "support/catch.hpp"

using namespace gpucap;
using catalog::JsonDocument;

namespace {

std::string shipped(const std::string& id) {
  std::ifstream file(std::string(GPUCAP_SOURCE_DIR "/calibration/software/") + id + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string fault_of(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  try {
    catalog::read_software(JsonDocument("s.json", text.replace(at, from.size(), to)));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("each class of training software stands under its file name and says where it is from") {
  const auto book = catalog::load_software(GPUCAP_SOURCE_DIR);
  std::vector<std::string> ids;
  for (const auto& software : book.all()) {
    ids.push_back(software.id);
    CHECK_FALSE(software.source.empty());
    CHECK(software.sources.contains("memory.bytes_per_logit"));
    CHECK(software.sources.contains("time.products"));
    CHECK(catalog::load_software(GPUCAP_SOURCE_DIR, software.id)->name == software.name);
  }
  for (const char* id : {"framework", "huggingface", "huggingface-deepspeed", "tuned"}) {
    CHECK(book.find(id) != nullptr);
  }
  CHECK(book.find("tune") == nullptr);
  CHECK(book.unknown("tune") == "unknown training software \"tune\"; did you mean \"tuned\"?");
  CHECK_FALSE(catalog::load_software(GPUCAP_SOURCE_DIR, "tune"));
}

TEST_CASE("fields are read as they stand, intervals in the unit of the field") {
  const auto hf = *catalog::load_software(GPUCAP_SOURCE_DIR, "huggingface-deepspeed");
  CHECK_FALSE(hf.memory.fused_activations);
  CHECK(hf.memory.bytes_per_logit == 8);
  CHECK(hf.memory.shard_buffer.in(unit::GB) == Approx(1));
  const auto range = hf.intervals.at("memory.shard_buffer");
  CHECK(range.first <= hf.memory.shard_buffer.base());
  CHECK(hf.memory.shard_buffer.base() <= range.second);
}

TEST_CASE("a figure of a software without a source is refused, and so is a field unknown to it") {
  const auto text = shipped("tuned");
  CHECK(fault_of(text, "\"of\": [\"adapter_bytes\"]", "\"of\": []")
            .find("no entry of \"sources\" names \"adapter_bytes\"") != std::string::npos);
  CHECK(fault_of(text, "\"adapter_bytes\": 8,", "\"adapter_byte\": 8,").find("did you mean") !=
        std::string::npos);
  CHECK(fault_of(text, "\"time\": {", "\"times\": {").find("the section \"time\" is missing") !=
        std::string::npos);
}
