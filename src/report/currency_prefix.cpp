#include "currency_prefix.hpp"

#include <cctype>

namespace gpucap::report {

std::string cost_prefix(std::optional<Currency> currency) {
  std::string prefix = "cost_";
  for (const char letter : currency ? currency->code() + "_" : "") {
    prefix += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return prefix;
}

}  // namespace gpucap::report
