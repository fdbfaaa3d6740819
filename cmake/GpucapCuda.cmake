# Sets GPUCAP_WITH_CUDA and, with it, GPUCAP_CUDA_ARCHITECTURES, and enables the language. Included by
# the top folder: programs anywhere link what nvcc compiled.
set(GPUCAP_CUDA AUTO CACHE STRING "CUDA kernels of `gpucap calibrate`: AUTO (where nvcc is), ON, OFF")
set_property(CACHE GPUCAP_CUDA PROPERTY STRINGS AUTO ON OFF)

set(GPUCAP_WITH_CUDA OFF)
if(GPUCAP_CUDA STREQUAL "AUTO")
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    message(STATUS "gpucap: no nvcc, so no CUDA kernels")
    return()
  endif()
elseif(NOT GPUCAP_CUDA)
  return()
endif()

# CMake wants to be told architectures before it tries the compiler; each target names its own.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75)
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

set(wanted 75 80 86 89 90 100 120)
execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch
                OUTPUT_VARIABLE listed RESULT_VARIABLE failed ERROR_QUIET)
set(known "")
foreach(architecture IN LISTS wanted)
  if(NOT failed AND listed MATCHES "compute_${architecture}(\n|$)")
    list(APPEND known ${architecture})
  endif()
endforeach()
if(NOT known)
  message(STATUS "gpucap: nvcc ${CMAKE_CUDA_COMPILER_VERSION} knows none of ${wanted}, so no CUDA kernels")
  return()
endif()
set(GPUCAP_CUDA_ARCHITECTURES "${known}" CACHE STRING "Compute capabilities that kernels are built for")

set(GPUCAP_WITH_CUDA ON)
message(STATUS "gpucap: CUDA kernels by nvcc ${CMAKE_CUDA_COMPILER_VERSION} for ${GPUCAP_CUDA_ARCHITECTURES}")
