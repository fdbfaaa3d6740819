#pragma once

#include <exception>
#include <string>
#include <vector>

namespace gpucap {

/// One thing that is wrong with the input, in one line for the user.
struct Problem {
  std::string file;      ///< as the user named it; empty for the command line
  std::string position;  ///< "line:column", empty when there is none
  std::string pointer;   ///< JSON pointer, option or column name; empty when there is none
  std::string message;   ///< fact and cure, no final full stop
  std::string code;      ///< stable word such as "unknown-name"

  /// "rag.json:14:24: /candidates/0/node/gpu: unknown GPU ... [unknown-name]"
  [[nodiscard]] std::string line() const;
};

/// Bad input: every problem found, never only the first. Libraries throw it, only cli prints it.
class InputError : public std::exception {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(Problem problem);
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::vector<Problem> problems_;
  std::string text_;
};

}  // namespace gpucap
