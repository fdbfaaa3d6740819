#pragma once
// Catch2 is version 2 on Debian 12 and version 3 on Ubuntu 24.04.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
