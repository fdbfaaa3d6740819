#include "gpucap/cli/program.hpp"

#include "heap.hpp"

int main(int argc, char** argv) {
  gpucap::cli::use_large_pages();
  return gpucap::cli::run_program({argv + 1, argv + argc});
}
