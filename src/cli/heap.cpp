#include "heap.hpp"

#include <cstdint>
#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace gpucap::cli {

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)

namespace {

constexpr std::uintptr_t large_page = std::uintptr_t{2} << 20;
constexpr int room = 16 << 20;
// The largest that glibc takes, and the one that its own rule ends at: blocks of their own would
// come in small pages.
constexpr int own_mapping = 32 << 20;

/// Makes the heap reach `room` beyond what it holds now, and says where it ends.
std::uintptr_t grow_heap() {
  mallopt(M_TOP_PAD, room);
  mallopt(M_MMAP_THRESHOLD, own_mapping);
  mallopt(M_TRIM_THRESHOLD, 2 * own_mapping);
  constexpr std::size_t more_than_left = std::size_t{256} << 10;
  void* volatile block = std::malloc(more_than_left);  // volatile: else the pair is optimised away
  std::free(block);
  return reinterpret_cast<std::uintptr_t>(sbrk(0));
}

}  // namespace

void use_large_pages() {
  const std::uintptr_t end = grow_heap() / large_page * large_page;
  const std::uintptr_t begin = end - (room - large_page);
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

#else

void use_large_pages() {}

#endif

}  // namespace gpucap::cli
