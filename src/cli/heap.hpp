#pragma once

namespace gpucap::cli {

/// Asks for large pages under the first 16 MiB of the heap, which all that a usual run needs fits
/// into: the first touch of a small page costs some 5 us in a virtual machine, and a run of a tenth
/// of a second would touch a thousand of them. Where the system has no such pages nothing changes.
void use_large_pages();

}  // namespace gpucap::cli
