#pragma once

#include <sstream>
#include <string>

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>

namespace gpucap::workload {

/// The text as a compressor of Boost.Iostreams writes it.
template <class Compressor>
std::string compressed(const std::string& text, Compressor compressor) {
  std::istringstream in(text);
  std::ostringstream out;
  boost::iostreams::filtering_istreambuf chain;
  chain.push(compressor);
  chain.push(in);
  boost::iostreams::copy(chain, out);
  return out.str();
}

}  // namespace gpucap::workload
