#include "gpucap/catalog/data_dir.hpp"

#include "gpucap/core/error.hpp"

#include <filesystem>
#include <unistd.h>

#include "support/catch.hpp"

using namespace gpucap;
namespace fs = std::filesystem;

namespace {

/// A folder with calibration/ and bin/ in it, removed at the end.
struct Tree {
  fs::path root = fs::temp_directory_path() / ("gpucap-data-dir-" + std::to_string(getpid()));
  Tree() {
    fs::create_directories(root / "calibration");
    fs::create_directories(root / "build" / "bin");
  }
  ~Tree() { fs::remove_all(root); }
};

}  // namespace

TEST_CASE("the environment wins, then a folder above the program, then the source tree") {
  const Tree tree;
  const fs::path program = tree.root / "build" / "bin" / "gpucap";
  const fs::path source = GPUCAP_SOURCE_DIR;
  CHECK(catalog::find_data_directory(tree.root.string(), source, program) == tree.root);
  CHECK(catalog::find_data_directory(std::nullopt, source, program) == tree.root);
  CHECK(catalog::find_data_directory("", source, program) == tree.root);
  CHECK(catalog::find_data_directory(std::nullopt, source, "/no/such/program") == source);
}

TEST_CASE("a folder without data is refused, not passed over") {
  const Tree tree;
  const std::string empty = (tree.root / "build").string();
  CHECK_THROWS_AS(catalog::find_data_directory(empty, tree.root, "/bin/gpucap"), InputError);
  CHECK_THROWS_AS(catalog::find_data_directory(std::nullopt, "/no/such/tree", "/bin/gpucap"),
                  InputError);
}
