#include "gpucap/cluster/wait_tree.hpp"

#include "gpucap/core/random.hpp"

#include <map>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::cluster;

TEST_CASE("a tree of waiting jobs answers like a sorted list, whatever was put in and taken out") {
  RandomStream random(5, "tree");
  WaitTree tree;
  std::map<Rank, std::int64_t> list;
  for (std::uint64_t arrival = 0; arrival < 4000; ++arrival) {
    const Rank rank{random.uniform_int(0, 9), arrival};
    const std::int64_t estimate = random.uniform_int(0, 1000);
    tree.insert({rank, estimate, static_cast<std::uint32_t>(arrival)});
    list.emplace(rank, estimate);
    if (random.uniform() < 0.45) {
      const auto gone = list.lower_bound({random.uniform_int(0, 9), 0});
      if (gone != list.end()) {
        tree.erase(gone->first);
        list.erase(gone);
      }
    }
    REQUIRE(tree.size() == list.size());
    if (list.empty()) continue;
    REQUIRE(tree.first().rank == list.begin()->first);
    const Rank from{random.uniform_int(0, 9),
                    static_cast<std::uint64_t>(random.uniform_int(0, 4000))};
    const std::int64_t most = random.uniform_int(0, 300);
    auto expected = list.upper_bound(from);
    while (expected != list.end() && expected->second > most) ++expected;
    const auto found = tree.next(from, [&](std::int64_t estimate) { return estimate <= most; });
    REQUIRE(found.has_value() == (expected != list.end()));
    if (found) REQUIRE(found->rank == expected->first);
  }
}
