#include "training_rows.hpp"

#include "gpucap/catalog/software.hpp"

#include <fstream>

#include "support/catch.hpp"
#include "support/estimate.hpp"

namespace gpucap::test {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

const catalog::SoftwareBook& software_book() {
  static const auto book = catalog::load_software(GPUCAP_SOURCE_DIR);
  return book;
}

}  // namespace

std::vector<std::map<std::string, std::string>> csv_rows(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto names = cells_of(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(file, line)) {
    const auto cells = cells_of(line);
    REQUIRE(cells.size() == names.size());
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = cells[i];
  }
  return rows;
}

training::Question job(models::Transformer model, const std::string& gpu, int cards, int zero,
                       const std::string& software) {
  const auto* card = library().gpus().find(gpu);
  const auto* profile = software_book().find(software);
  INFO(gpu << " " << software);
  REQUIRE(card != nullptr);
  REQUIRE(profile != nullptr);
  training::Question question;
  question.network = std::move(model);
  question.node = {*card, cards, {}};
  question.node.host.max_gpus = 1024;
  question.layout.data = cards;
  question.layout.zero = zero;
  question.software = *profile;
  return question;
}

training::Question job(const std::string& model, const std::string& gpu, int cards, int zero,
                       const std::string& software) {
  return job(library().models().find(model), gpu, cards, zero, software);
}

models::Transformer mpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                        std::int64_t positions) {
  models::Transformer model;
  model.id = "mpt";
  model.layers = layers;
  model.hidden = hidden;
  model.ffn = 4 * hidden;
  model.heads = model.kv_heads = heads;
  model.head_dim = hidden / heads;
  model.vocab = 50368;
  model.max_positions = positions;
  model.tied_embeddings = model.learned_positions = true;
  model.gated_mlp = false;
  return model;
}

}  // namespace gpucap::test
