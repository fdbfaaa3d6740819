#include "gpucap/cli/option_words.hpp"

#include <vector>

namespace gpucap::cli {

InputError in_words_of_options(const InputError& error, const OptionAt& option_at) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    if (problem.file.starts_with("--")) {
      problem.pointer = problem.file;
      problem.file.clear();
    }
    if (const auto option = option_at(problem.pointer)) problem.pointer = *option;
  }
  return InputError(std::move(problems));
}

}  // namespace gpucap::cli
