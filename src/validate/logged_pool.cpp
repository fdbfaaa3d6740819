#include "gpucap/validate/logged_pool.hpp"

#include "gpucap/catalog/json_document.hpp"

#include "options_reader.hpp"

namespace gpucap::validate {
namespace {

using catalog::ObjectReader;

LoggedPool read_pool(ObjectReader object) {
  LoggedPool pool;
  pool.id = object.required("id", object.text("id"));
  pool.source = object.required("source", object.text("source"));
  pool.options = read_options(object, "options");
  if (!object.has("options")) object.problem("options", "is missing", "missing-key");
  pool.visible_memory = object.quantity("visible_memory", parse_bytes);
  pool.fits = object.flag("fits").value_or(true);
  pool.kv_cache_tokens = object.count("kv_cache_tokens");
  pool.kv_cache = object.quantity("kv_cache", parse_bytes);
  pool.fitted = object.flag("fitted").value_or(false);
  pool.remark = object.text("remark").value_or("");
  object.finish();
  return pool;
}

}  // namespace

std::vector<LoggedPool> logged_pools(const std::filesystem::path& data_dir) {
  auto document = catalog::JsonDocument::read(
      (data_dir / "calibration" / "validation" / "kv-pools.json").string());
  ObjectReader root(document);
  std::vector<LoggedPool> pools;
  for (ObjectReader object : root.objects("pools")) pools.push_back(read_pool(object));
  root.finish();
  document.throw_if_problems();
  return pools;
}

}  // namespace gpucap::validate
