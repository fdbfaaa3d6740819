# Two interface targets: what the code needs, and what we want to be warned about.
add_library(gpucap_options INTERFACE)
target_compile_features(gpucap_options INTERFACE cxx_std_20)
target_include_directories(gpucap_options INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
set(CMAKE_CXX_EXTENSIONS OFF)

add_library(gpucap_warnings INTERFACE)
target_compile_options(gpucap_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-align -Woverloaded-virtual -Wdouble-promotion -Wformat=2)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in `"literal" + std::string` that are not there (GCC bug 105651).
  target_compile_options(gpucap_warnings INTERFACE -Wno-restrict)
endif()
option(GPUCAP_WERROR "Treat warnings as errors" OFF)
if(GPUCAP_WERROR)
  target_compile_options(gpucap_warnings INTERFACE -Werror)
endif()

# Same inputs, same bytes: no fused multiply-add that one machine has and another lacks.
target_compile_options(gpucap_options INTERFACE -ffp-contract=off)

set(GPUCAP_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")
if(GPUCAP_SANITIZE)
  target_compile_options(gpucap_options INTERFACE -fsanitize=${GPUCAP_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(gpucap_options INTERFACE -fsanitize=${GPUCAP_SANITIZE})
endif()
