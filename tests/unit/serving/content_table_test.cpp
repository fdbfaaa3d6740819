#include "gpucap/serving/content_table.hpp"

#include "gpucap/core/random.hpp"

#include <map>

#include "support/catch.hpp"

using gpucap::serving::ContentTable;

TEST_CASE("random insertions and erasures leave what a map holds") {
  gpucap::RandomStream random(3, "table");
  ContentTable table;
  std::map<ContentTable::Hash, ContentTable::Content> plain;
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    // Few different hashes, in clusters that run into each other and around the end of the table.
    const auto hash = static_cast<ContentTable::Hash>(random.uniform_int(1, 40) * 1024 -
                                                      random.uniform_int(0, 20));
    const auto known = plain.find(hash);
    const ContentTable::Content* const found = table.find(hash);
    REQUIRE((found != nullptr) == (known != plain.end()));
    if (found == nullptr) {
      table.insert(hash, i);
      plain.emplace(hash, i);
    } else {
      REQUIRE(*found == known->second);
      table.erase(hash);
      plain.erase(known);
    }
  }
  for (const auto& [hash, content] : plain) CHECK(*table.find(hash) == content);
}
