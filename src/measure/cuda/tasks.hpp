#pragma once

#include "gpucap/measure/device.hpp"

#include <memory>
#include <string>
#include <vector>

#include "card.hpp"

namespace gpucap::measure::cuda {

class CublasLt;

using Names = std::vector<std::string>;
using TaskOwner = std::unique_ptr<Task>;

// For each kind of work: in which ways the card can do it, and the operands in place for one way.
// The card is the current device.

Names implementations(const Card& card, const Stream& work);
TaskOwner prepare(const Card& card, const Stream& work, std::uint64_t seed);

/// `lt`: nullptr where the library is absent.
Names implementations(const Card& card, const CublasLt* lt, const Product& work);
TaskOwner prepare(const Card& card, const CublasLt* lt, const Product& work,
                  const std::string& implementation, std::uint64_t seed);

Names implementations(const Card& card, const Attention& work);
TaskOwner prepare(const Card& card, const Attention& work, std::uint64_t seed);

Names implementations(const Card& card, const Pass& work);
TaskOwner prepare(const Card& card, const Pass& work, std::uint64_t seed);

Names implementations(const Card& card, const Launch& work);
TaskOwner prepare(const Card& card, const Launch& work, std::uint64_t seed);

Names implementations(const Card& card, const Transfer& work);
TaskOwner prepare(const Card& card, const Transfer& work, std::uint64_t seed);

Names implementations(const Card& card, const AllReduce& work);
TaskOwner prepare(const Card& card, const AllReduce& work, std::uint64_t seed);

/// Whether card `to` can reach the memory of card `from`.
bool reaches(int to, int from);
/// Lets it do so.
void open_access(int to, int from);

/// Whole chunks of 16 bytes that hold `bytes`.
std::int64_t chunks_of(Bytes bytes);

}  // namespace gpucap::measure::cuda
