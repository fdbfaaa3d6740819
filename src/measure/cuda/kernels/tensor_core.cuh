#pragma once

#include <cstdint>

// The few instructions that C++ has no word for. Where an architecture lacks one, what it has
// instead; where it has nothing, the kernel stops: the host offers no such work there.

namespace gpucap::measure::cuda {

#if defined(__CUDA_ARCH__)
#define GPUCAP_ARCH __CUDA_ARCH__
#else
#define GPUCAP_ARCH 0
#endif

/// How many copies of a loop may be under way: without cp.async each holds registers.
constexpr int copies_at_once = GPUCAP_ARCH >= 800 ? 16 : 2;

/// mma.sync with e4m3 came with CUDA 12.4.
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 4)
#define GPUCAP_HAS_E4M3 1
#else
#define GPUCAP_HAS_E4M3 0
#endif

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Brings 16 bytes from global to shared memory, or zeros; asynchronously from sm_80 on.
__device__ inline void copy_chunk(void* shared, const void* global, bool valid) {
#if GPUCAP_ARCH >= 800
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)),
               "l"(__cvta_generic_to_global(global)), "r"(bytes)
               : "memory");
#else
  uint4 value = make_uint4(0, 0, 0, 0);
  if (valid) value = *static_cast<const uint4*>(global);
  *static_cast<uint4*>(shared) = value;
#endif
}

/// Ends a group of copies, which may be empty.
__device__ inline void end_copies() {
#if GPUCAP_ARCH >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most `Groups` groups of this thread are under way.
template <int Groups>
__device__ inline void await_copies() {
#if GPUCAP_ARCH >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

__device__ inline void load_matrices(std::uint32_t (&r)[4], const void* shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(shared))
               : "memory");
}

__device__ inline void load_matrices_transposed(std::uint32_t (&r)[4], const void* shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(shared))
               : "memory");
}

/// 2^x; exp2f would spend as much again on results below 2^-126, which are zero here.
__device__ inline float power_of_two(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// c += a b over 16 FP16 numbers.
__device__ inline void mma_fp16(float (&c)[4], const std::uint32_t (&a)[4],
                                const std::uint32_t* b) {
#if GPUCAP_ARCH >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  for (int half = 0; half < 2; ++half) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
  }
#endif
}

/// The same with FP16 sums, two to a word.
__device__ inline void mma_fp16(std::uint32_t (&c)[2], const std::uint32_t (&a)[4],
                                const std::uint32_t* b) {
#if GPUCAP_ARCH >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
      : "+r"(c[0]), "+r"(c[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  for (int half = 0; half < 2; ++half) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
                 : "+r"(c[0]), "+r"(c[1])
                 : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
  }
#endif
}

__device__ inline void mma_bf16(float (&c)[4], const std::uint32_t (&a)[4],
                                const std::uint32_t* b) {
#if GPUCAP_ARCH >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  (void)c, (void)a, (void)b;
  __trap();
#endif
}

/// c += a b over 32 signed bytes.
__device__ inline void mma_int8(int (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t* b) {
#if GPUCAP_ARCH >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  for (int half = 0; half < 4; ++half) {
    const int top = half % 2;
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+r"(c[2 * top]), "+r"(c[2 * top + 1])
                 : "r"(a[half]), "r"(b[half / 2]));
  }
#endif
}

__device__ inline void mma_e4m3(float (&c)[4], const std::uint32_t (&a)[4],
                                const std::uint32_t* b) {
#if GPUCAP_ARCH >= 890 && GPUCAP_HAS_E4M3
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  (void)c, (void)a, (void)b;
  __trap();
#endif
}

}  // namespace gpucap::measure::cuda
