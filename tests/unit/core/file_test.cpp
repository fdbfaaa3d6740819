#include "gpucap/core/file.hpp"

#include "gpucap/core/error.hpp"
#include "gpucap/core/sha256.hpp"

#include <filesystem>
#include <unistd.h>

#include "support/catch.hpp"

using namespace gpucap;

TEST_CASE("SHA-256 of abc is that of FIPS 180-2") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a text is hashed piece by piece as it is hashed whole") {
  // Pieces of 1 to 100 bytes lie across the hash's blocks of 64 in every way; 5,050 bytes in all.
  std::string text;
  while (text.size() < 5050) text += std::to_string(text.size());
  text.resize(5050);
  Sha256 hash;
  for (std::size_t at = 0, size = 1; size <= 100; at += size++) hash.add({&text[at], size});
  CHECK(hash.hex() == sha256_hex(text));
}

TEST_CASE("a file is read as it was written") {
  // 100,000 bytes are six blocks of 16 KiB and a part of the seventh.
  const auto file =
      std::filesystem::temp_directory_path() / ("gpucap-written-" + std::to_string(getpid()));
  const std::string text(100'000, 'x');
  write_file(file, text);
  CHECK(read_file(file) == text);
  std::filesystem::remove(file);
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
