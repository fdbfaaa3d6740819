#include "gpucap/core/error.hpp"

#include <utility>

namespace gpucap {

std::string Problem::line() const {
  std::string text;
  if (!file.empty()) text += file + (position.empty() ? "" : ":" + position) + ": ";
  if (!pointer.empty()) text += pointer + ": ";
  text += message;
  if (!code.empty()) text += " [" + code + "]";
  return text;
}

InputError::InputError(std::vector<Problem> problems) : problems_(std::move(problems)) {
  for (const Problem& problem : problems_) text_ += (text_.empty() ? "" : "\n") + problem.line();
}

InputError::InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}

}  // namespace gpucap
