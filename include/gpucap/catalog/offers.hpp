#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/pricing/price_book.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gpucap::catalog {

/// The offers of one price file (`pricing/<provider>/<date>.json`, see pricing/README.md), derived
/// rows included. Provider and date come from the path: `undated.json` has none. GPU ids are
/// checked against `known_gpus`; an empty list checks nothing. Throws InputError with all problems.
std::vector<pricing::Offer> read_offers(JsonDocument& document, const std::string& provider,
                                        const std::string& date,
                                        const std::vector<std::string>& known_gpus);

/// Every `pricing/<provider>/<date>.json` below `data_dir`, read in the order of their paths.
/// Throws InputError with the problems of all files.
pricing::PriceBook load_price_book(const std::filesystem::path& data_dir,
                                   const std::vector<std::string>& known_gpus);

}  // namespace gpucap::catalog
