#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/training/question.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gpucap::test {

/// Rows of a CSV file whose cells may be quoted, by column name.
std::vector<std::map<std::string, std::string>> csv_rows(const std::filesystem::path& path);

/// A shipped model or one made by the test on `cards` equal cards, data-parallel with ZeRO stage
/// `zero`, with a shipped class of software. All cards stand in one machine: memory does not
/// look at links.
training::Question job(models::Transformer model, const std::string& gpu, int cards, int zero,
                       const std::string& software);
training::Question job(const std::string& model, const std::string& gpu, int cards, int zero,
                       const std::string& software);

/// MPT of MosaicML: no biases, a trained position table, tied head, MLP of 4 h without a gate.
models::Transformer mpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                        std::int64_t positions);

}  // namespace gpucap::test
