#include "gpucap/catalog/json_document.hpp"

#include "support/catch.hpp"
#include <nlohmann/json.hpp>

using namespace gpucap;
using catalog::JsonDocument;
using catalog::ObjectReader;

namespace {
std::string fault_of(const std::string& text) {
  try {
    JsonDocument("f.json", text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}
}  // namespace

TEST_CASE("a position is that of the value, also behind escapes and nesting") {
  JsonDocument doc("f.json", "{ \"a\\\"b\": [1, {\"c\": true}],\n  \"d/e\": 2 }");
  CHECK(doc.position("/a\"b/1/c") == "1:21");
  CHECK(doc.position("/d~1e") == "2:10");
  CHECK(doc.position("/not/there") == "1:1");
}

TEST_CASE("truncated, empty, commented and doubled JSON each say what is wrong and where") {
  CHECK(
      fault_of("{\"a\": [1, 2") ==
      "f.json:1:12: the JSON ends too early; a closing bracket or quote is missing [json-syntax]");
  CHECK(fault_of(" ") == "f.json:1:2: the file is empty [json-syntax]");
  CHECK(fault_of("{\"a\": 1,}") ==
        "f.json:1:9: a comma stands before the closing bracket [json-syntax]");
  CHECK(fault_of("{\n// x\n}") ==
        "f.json:2:1: comments are not part of JSON; use \"notes\" [json-syntax]");
  CHECK(fault_of("{\"a\": 1, \"b\": 2, \"a\": 3}") ==
        "f.json:1:18: /a: the key stands twice in this object [duplicate-key]");
  CHECK(fault_of("{\"a\": NaN}") != "none");
}

TEST_CASE("all problems of an object are reported in file order") {
  JsonDocument doc("f.json", R"({"rate": "3", "coutn": 2, "size": "80 G", "who": 5})");
  ObjectReader reader(doc);
  CHECK_FALSE(reader.count("count").has_value());
  CHECK_FALSE(reader.text("who").has_value());
  CHECK_FALSE(reader.quantity("size", parse_bytes).has_value());
  CHECK_FALSE(reader.quantity("rate", parse_rate).has_value());
  reader.finish();
  try {
    doc.throw_if_problems();
    FAIL("must throw");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 4);
    CHECK(error.problems()[0].line() ==
          "f.json:1:10: /rate: \"3\" has no unit; write for example \"3/s\" [missing-unit]");
    CHECK(error.problems()[1].line() ==
          "f.json:1:24: /coutn: unknown key \"coutn\"; did you mean \"count\"? [unknown-key]");
    CHECK(error.problems()[3].code == "wrong-type");
  }
}

TEST_CASE("a word outside a closed set names the nearest; a missing key is named") {
  JsonDocument doc("f.json", R"({"kind": "poison", "notes": ["free text"]})");
  ObjectReader reader(doc);
  const auto kind = reader.choice<int>("kind", "kind", {{"poisson", 1}, {"gamma", 2}});
  CHECK_FALSE(kind.has_value());
  reader.required("seed", reader.count("seed"));
  reader.finish();
  REQUIRE(doc.problems().size() == 2);
  CHECK(doc.problems()[0].message == "unknown kind \"poison\"; did you mean \"poisson\"?");
  CHECK(doc.problems()[1].message == "\"seed\" is missing");
}

TEST_CASE("a whole number may be written 1e3 but not 1.5") {
  JsonDocument doc("f.json", R"({"a": 1e3, "b": 1.5})");
  ObjectReader reader(doc);
  CHECK(reader.count("a") == 1000);
  CHECK_FALSE(reader.count("b").has_value());
}

TEST_CASE("numbers beyond a double and absurd nesting are faults with a place") {
  CHECK(fault_of("{\"a\": [1, -1e400]}").starts_with("f.json:1:11: /a/1: the number is larger"));
  CHECK(fault_of(std::string(100, '[') + std::string(100, ']')) == "none");
  CHECK(fault_of(std::string(101, '[') + std::string(101, ']')) ==
        "f.json:1:101: lists and objects are nested too deep [json-syntax]");
  CHECK(fault_of("{\"a\": \"[[[\\\"[\"}") == "none");
}

TEST_CASE("a key is the same key however it is escaped") {
  CHECK(fault_of(R"({"a": 1, "\u0061": 2})").starts_with("f.json:1:10: /a: the key stands twice"));
}

TEST_CASE("numbers and texts are those of the plain parser, to the bit and with their signs") {
  // Whole numbers at the ends of 64 bits and beyond, doubles that need every digit, escapes.
  for (const std::string text :
       {"[0, 7, -7, 9223372036854775808, 18446744073709551615, -9223372036854775808]",
        "[18446744073709551616, 123456789012345678901234567890]",
        "[0.1, 1e-320, 1.7976931348623157e308, 2.2250738585072011e-308, -0.0, 1E2]",
        R"(["\"\\\n", "é", true, false, null, {"b": {}, "a": []}])", R"(["\u00e9\ud83d\ude00"])"}) {
    const JsonDocument document("x.json", text);
    const auto plain = nlohmann::json::parse(text);
    CHECK(document.root() == plain);
    CHECK(document.root().dump() == plain.dump());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      CHECK(document.root()[i].is_number_unsigned() == plain[i].is_number_unsigned());
    }
  }
}

TEST_CASE("a byte order mark is skipped and counts for no column") {
  JsonDocument doc("f.json", "\xEF\xBB\xBF{\"a\": 1}");
  CHECK(doc.position("/a") == "1:7");
}

TEST_CASE("a number where a quantity is wanted lacks its unit") {
  JsonDocument doc("f.json", R"({"rate": 3})");
  CHECK_FALSE(ObjectReader(doc).quantity("rate", parse_rate).has_value());
  REQUIRE(doc.problems().size() == 1);
  CHECK(doc.problems()[0].message == "\"3\" has no unit; write for example \"3/s\"");
}

TEST_CASE("a value of the wrong type is shown") {
  JsonDocument doc("f.json", R"({"a": "7", "b": 1.5, "c": [], "d": 99999999999999999999})");
  ObjectReader reader(doc);
  for (const char* key : {"a", "b", "c", "d"}) CHECK_FALSE(reader.count(key).has_value());
  REQUIRE(doc.problems().size() == 4);
  CHECK(doc.problems()[0].message == "must be a whole number, not the text \"7\"");
  CHECK(doc.problems()[1].message == "must be a whole number, not 1.5");
  CHECK(doc.problems()[2].message == "must be a whole number, not a list");
  CHECK(doc.problems()[3].code == "wrong-type");
}

TEST_CASE("a value that was merged in is told by the file that states it, the last one first") {
  JsonDocument top("top.json", R"({"a": 1})");
  JsonDocument middle("middle.json", R"({"b": 1})");
  middle.merge_over(JsonDocument("bottom.json", R"({"b": 2, "c": 2})"));
  top.merge_over(std::move(middle));
  top.merge_over(JsonDocument("first.json", R"({"b": 3, "d": 3})"));
  CHECK(top.file_of("/a") == "top.json");
  CHECK(top.file_of("/b") == "middle.json");
  CHECK(top.file_of("/c") == "bottom.json");
  CHECK(top.file_of("/d") == "first.json");
}
