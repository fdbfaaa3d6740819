#include "gpucap/core/file.hpp"

#include "gpucap/core/error.hpp"

#include <filesystem>

#include "support/catch.hpp"

using namespace gpucap;

TEST_CASE("SHA-256 of abc is that of FIPS 180-2") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a file is hashed block by block as its text is hashed whole") {
  // 100,000 bytes are six blocks of 16 KiB and a part of the seventh.
  const auto file = std::filesystem::temp_directory_path() / "gpucap-hashed";
  std::string text;
  while (text.size() < 100'000) text += std::to_string(text.size());
  write_file(file, text);
  CHECK(read_file(file) == text);
  CHECK(sha256_of_file(file) == sha256_hex(text));
  std::filesystem::remove(file);
  CHECK_THROWS_AS(sha256_of_file(file), InputError);
}

TEST_CASE("a missing file is one located problem") {
  try {
    read_file("no/such/file.json");
    FAIL("must throw");
  } catch (const InputError& error) {
    CHECK(error.problems().size() == 1);
    CHECK(std::string(error.what()) == "no/such/file.json: there is no such file [missing-file]");
  }
}
