#include "gpucap/catalog/json_document.hpp"

#include <algorithm>

#include "options_reader.hpp"
#include "source_rules.hpp"

namespace gpucap::validate {
namespace {

using catalog::ObjectReader;

Names read_names(ObjectReader& root, std::string_view key) {
  Names names;
  for (ObjectReader entry : root.objects(key)) {
    const std::string name = entry.required("name", entry.text("name"));
    Name meaning;
    meaning.id = entry.required("id", entry.text("id"));
    meaning.remark = entry.text("remark").value_or("");
    entry.finish();
    if (!names.emplace(name, meaning).second) {
      entry.problem("name", "stands twice in this list", "double-name");
    }
  }
  return names;
}

SourceRule read_rule(ObjectReader object) {
  SourceRule rule;
  auto when = object.object("when");
  if (when) {
    for (const std::string& column : when->keys()) {
      rule.when[column] = when->text(column).value_or("");
    }
  } else {
    object.problem("when", "is missing", "missing-key");
  }
  rule.skip = object.text("skip");
  rule.calibration = object.flag("calibration").value_or(false);
  rule.only = object.texts("only");
  rule.options = read_options(object, "options");
  rule.variant = object.text("variant");
  rule.remark = object.text("remark").value_or("");
  object.finish();
  return rule;
}

using Words = std::vector<std::pair<std::string, std::string>>;
const Words serving_readers{{"bench", "bench"},
                            {"stages", "stages"},
                            {"iterations", "iterations"},
                            {"llama-bench", "llama-bench"}};
const Words operator_readers{{"gemm", "gemm"},     {"attention", "attention"},
                             {"mixed", "mixed"},   {"experts", "experts"},
                             {"layers", "layers"}, {"collectives", "collectives"}};

Source read_source(ObjectReader object, const Words& readers) {
  Source source;
  source.name = object.required("name", object.text("name"));
  source.file = object.required("file", object.text("file"));
  source.reader =
      object.required("reader", object.choice<std::string>("reader", "reader", readers));
  source.options = read_options(object, "options");
  source.draw_max = object.number("draw_max");
  for (ObjectReader rule : object.objects("rules")) source.rules.push_back(read_rule(rule));
  object.required("source", object.text("source"));
  object.finish();
  return source;
}

}  // namespace

SourceBook load_sources(const std::filesystem::path& data_dir) {
  auto document = catalog::JsonDocument::read(
      (data_dir / "calibration" / "validation" / "sources.json").string());
  ObjectReader root(document);
  SourceBook book;
  book.gpus = read_names(root, "gpus");
  book.models = read_names(root, "models");
  book.engines = read_names(root, "engines");
  book.weight_dtypes = read_names(root, "weight_dtypes");
  book.kv_dtypes = read_names(root, "kv_dtypes");
  book.hosts = read_names(root, "hosts");
  book.implementations = read_names(root, "implementations");
  for (ObjectReader source : root.objects("sources")) {
    book.sources.push_back(read_source(source, serving_readers));
  }
  for (ObjectReader source : root.objects("operators")) {
    book.operators.push_back(read_source(source, operator_readers));
  }
  root.finish();
  document.throw_if_problems();
  return book;
}

}  // namespace gpucap::validate
