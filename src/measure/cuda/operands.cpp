#include "operands.hpp"

#include <algorithm>

#include "errors.hpp"
#include "kernels/kernels.hpp"

namespace gpucap::measure::cuda {

std::int64_t copies_to_outrun(std::int64_t l2, std::int64_t bytes) {
  if (bytes >= 16 * l2) return 1;
  return 1 + ceil_div(2 * l2, std::max<std::int64_t>(bytes, 1));
}

OperandSets::OperandSets(const Card& card, const std::vector<std::int64_t>& bytes) {
  for (const std::int64_t one : bytes) {
    offsets_.push_back(stride_);
    stride_ += round_up<std::int64_t>(one, 256);
  }
  count_ = copies_to_outrun(card.l2, stride_);
  memory_ = device_memory(static_cast<std::size_t>(count_ * stride_));
  check(cudaMemset(memory_.get(), 0, static_cast<std::size_t>(stride_)), "cudaMemset");
}

void OperandSets::fill(std::size_t operand, Number number, const Matrix& matrix,
                       std::uint64_t seed) {
  check(cuda::fill(number, (*this)[0][operand], matrix, seed, nullptr), "fill");
}

void OperandSets::upload(std::size_t operand, const void* from, std::size_t bytes) {
  check(cudaMemcpy((*this)[0][operand], from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

void OperandSets::spread() {
  auto* base = static_cast<unsigned char*>(memory_.get());
  for (std::int64_t done = 1; done < count_; done *= 2) {
    const std::int64_t more = std::min(done, count_ - done);
    check(cudaMemcpy(base + done * stride_, base, static_cast<std::size_t>(more * stride_),
                     cudaMemcpyDeviceToDevice),
          "cudaMemcpy");
  }
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

}  // namespace gpucap::measure::cuda
