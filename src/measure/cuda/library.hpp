#pragma once

#include <initializer_list>
#include <memory>
#include <optional>

namespace gpucap::measure::cuda {

/// A shared library of the system that may be absent. It stays loaded as long as a copy lives.
class Library {
 public:
  /// The first of `names` that the loader finds.
  static std::optional<Library> find(std::initializer_list<const char*> names);

  /// Sets `function` to the symbol, to nullptr where there is none.
  template <class Function>
  void bind(Function*& function, const char* symbol) const {
    function = reinterpret_cast<Function*>(address(symbol));
  }

 private:
  explicit Library(std::shared_ptr<void> handle) : handle_(std::move(handle)) {}
  [[nodiscard]] void* address(const char* symbol) const;

  std::shared_ptr<void> handle_;
};

}  // namespace gpucap::measure::cuda
