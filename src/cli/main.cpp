#include "gpucap/cli/program.hpp"

int main(int argc, char** argv) {
  return gpucap::cli::run_program({argv + 1, argv + argc});
}
