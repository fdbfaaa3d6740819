#include "gpucap/core/nearest_name.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace gpucap;

TEST_CASE("two swapped digits are one edit") {
  CHECK(edit_distance("rtx-4900", "rtx-4090") == 1);
}

TEST_CASE("one clear neighbour is proposed, also for a part of the name") {
  const std::vector<std::string> known{"rtx-4090", "rtx-5090", "l40s", "a100-pcie-80gb"};
  CHECK(nearest_name("rtx-4900", known) == "rtx-4090");
  CHECK(nearest_name("4090", known) == "rtx-4090");
  CHECK(unknown_name("GPU", "rtx-4900", known) ==
        "unknown GPU \"rtx-4900\"; did you mean \"rtx-4090\"?");
}

TEST_CASE("two equally near names are both listed, none is chosen") {
  const std::vector<std::string> known{"ab1", "ab2"};
  CHECK_FALSE(nearest_name("ab3", known).has_value());
  CHECK(unknown_name("key", "ab3", known) == "unknown key \"ab3\"; known: ab1, ab2");
}
