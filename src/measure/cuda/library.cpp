#include "library.hpp"

#include <dlfcn.h>

namespace gpucap::measure::cuda {

std::optional<Library> Library::find(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return Library(std::shared_ptr<void>(handle, dlclose));
  }
  return std::nullopt;
}

void* Library::address(const char* symbol) const {
  return dlsym(handle_.get(), symbol);
}

}  // namespace gpucap::measure::cuda
