#include "readers.hpp"
#include <fmt/format.h>

namespace gpucap::validate {
namespace {

const Name& known(const Names& names, const std::string& name, const char* kind, ServingCase& one) {
  const auto found = names.find(name);
  if (found == names.end()) {
    throw CannotExpress{
        fmt::format("{} \"{}\" is not among those that are known here", kind, name)};
  }
  const std::string& remark = found->second.remark;
  if (!remark.empty()) one.remarks.push_back(fmt::format("{}: {}", name, remark));
  return found->second;
}

}  // namespace

ServingCase RowReader::started(const std::string& id, const Setup& setup) const {
  ServingCase one;
  one.source = source.name;
  one.id = id;
  const auto add = [&](const char* option, const Names& names, const std::string& name,
                       const char* kind) {
    const Name& meaning = known(names, name, kind, one);
    if (meaning.id != "auto") one.options.emplace_back(option, meaning.id);
  };
  add("model", book.models, setup.model, "model");
  add("gpu", book.gpus, setup.gpu, "card");
  add("engine", book.engines, setup.engine, "engine");
  add("weight-dtype", book.weight_dtypes, setup.weight_dtype, "weight format");
  add("kv-dtype", book.kv_dtypes, setup.kv_dtype.empty() ? "auto" : setup.kv_dtype, "KV format");
  if (!setup.tensor_parallel.empty() && setup.tensor_parallel != "1") {
    one.options.emplace_back("tensor-parallel", setup.tensor_parallel);
  }
  return one;
}

std::string number_text(double value) {
  return fmt::format("{}", value);
}

std::string drawn(double mean, std::optional<double> max) {
  const bool whole = mean == static_cast<double>(static_cast<std::int64_t>(mean));
  if (!max) return whole ? fmt::format("{}", static_cast<std::int64_t>(mean)) : number_text(mean);
  return fmt::format("exponential:mean={},max={}", mean, *max);
}

}  // namespace gpucap::validate
