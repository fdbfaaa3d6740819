#include "read_back.hpp"

#include "errors.hpp"
#include "reference.hpp"

namespace gpucap::measure::cuda {

namespace {

std::uint32_t read_bits(const void* array, std::int64_t index, int bytes) {
  std::uint32_t bits = 0;  // the low bytes come first
  check(cudaMemcpy(&bits, static_cast<const unsigned char*>(array) + index * bytes,
                   static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  return bits;
}

}  // namespace

double read_number(const void* array, std::int64_t index, Number number) {
  return decoded(number, read_bits(array, index, format_of(number).bytes));
}

std::int32_t read_int(const void* array, std::int64_t index) {
  return static_cast<std::int32_t>(read_bits(array, index, 4));
}

}  // namespace gpucap::measure::cuda
