#include "gpucap/core/version.hpp"

namespace gpucap {

std::string version() {
  return GPUCAP_VERSION;
}

}  // namespace gpucap
