#include "gpucap/catalog/json_document.hpp"

#include "support/catch.hpp"

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
  CHECK(doc.position("/a\\\"b/1/c") == "1:21");
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
