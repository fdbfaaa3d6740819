#include "gpucap/report/files.hpp"

#include "gpucap/core/error.hpp"
#include "gpucap/core/file.hpp"

#include <filesystem>
#include <fstream>

#include "support/catch.hpp"
#include "support/outcomes.hpp"

using namespace gpucap;
namespace fs = std::filesystem;

namespace {
/// A fresh path below the working folder of the tests.
fs::path fresh(const std::string& name) {
  const fs::path path = fs::current_path() / ("report_files_" + name);
  fs::remove_all(path);
  return path;
}
}  // namespace

TEST_CASE("the files of a run appear together") {
  const fs::path folder = fresh("whole") / "nested";
  const report::RunReport run{"s", {}, {{"", {test::candidate("a", 1)}}}};
  {
    report::OutputFolder out(folder);
    report::add_run_files(out, run, {}, {});
    CHECK_FALSE(fs::exists(folder / "summary.csv"));
    std::ofstream(out.aside("requests.csv")) << "id\r\n";
    CHECK(out.commit() == std::vector<std::string>{"summary.csv", "summary.json", "timeline.csv",
                                                   "costs.csv", "requests.csv"});
  }
  CHECK(read_file(folder / "summary.csv").starts_with("load,candidate,"));
  CHECK(read_file(folder / "requests.csv") == "id\r\n");
  CHECK(std::distance(fs::directory_iterator(folder), {}) == 5);
  fs::remove_all(folder.parent_path());
}

TEST_CASE("a run that fails leaves no file and no folder behind") {
  const fs::path top = fresh("failed"), folder = top / "deep" / "er";
  {
    report::OutputFolder out(folder);
    out.add("summary.csv", "x");
  }
  CHECK_FALSE(fs::exists(top));
}

TEST_CASE("a folder that existed and its files stay when a run fails") {
  const fs::path folder = fresh("kept");
  fs::create_directories(folder);
  write_file(folder / "summary.csv", "old");
  {
    report::OutputFolder out(folder);
    out.add("summary.csv", "new");
  }
  CHECK(read_file(folder / "summary.csv") == "old");
  CHECK(std::distance(fs::directory_iterator(folder), {}) == 1);
  fs::remove_all(folder);
}

TEST_CASE("a path that is a file cannot be the folder") {
  const fs::path path = fresh("file");
  write_file(path, "x");
  CHECK_THROWS_AS(report::OutputFolder(path), InputError);
  fs::remove(path);
}
