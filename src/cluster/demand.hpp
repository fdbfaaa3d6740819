#pragma once

#include "gpucap/cluster/nodes.hpp"
#include "gpucap/cluster/sink.hpp"
#include "gpucap/cluster/stay.hpp"
#include "gpucap/cluster/wait_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace gpucap::cluster {

/// What a stay of a job of this kind on so many thousandths of a group's GPUs looks like, without
/// its work and without what it owes when it starts.
StayTerms terms_of(const JobKind& kind, const NodeGroup& group, std::size_t group_number,
                   std::int64_t own_thousandths, std::int64_t thousandths);

/// All jobs of one kind and number of GPUs: to the scheduler they differ in rank and length only.
struct Demand {
  std::shared_ptr<const JobKind> kind;
  std::int64_t thousandths = 0;
  std::vector<std::size_t> groups;  ///< that can run it, fastest first
  std::uint64_t group_bits = 0;     ///< the same as a set
  std::vector<StayTerms> terms;     ///< by group
  std::optional<Refusal> refusal;   ///< when no group can

  WaitTree waiting;

  /// Run time in a group of what would take `recorded` on the recorded GPU.
  [[nodiscard]] SimTime run_time(std::size_t group, SimTime recorded) const {
    StayTerms some = terms[group];
    some.work = recorded;
    return length(some);
  }
  [[nodiscard]] bool elastic() const { return kind->scaling && kind->checkpoint; }
};

/// Demands by the order in which they were met first.
class Demands {
 public:
  explicit Demands(const std::vector<NodeGroup>& groups) : groups_(groups) {}

  /// Throws std::invalid_argument for a kind that does not make sense.
  std::size_t of(const Job& job);
  [[nodiscard]] std::size_t size() const { return demands_.size(); }
  Demand& operator[](std::size_t demand) { return demands_[demand]; }
  const Demand& operator[](std::size_t demand) const { return demands_[demand]; }

 private:
  [[nodiscard]] Demand made_for(const Job& job, std::int64_t thousandths) const;

  const std::vector<NodeGroup>& groups_;
  std::vector<Demand> demands_;
  /// Looked up only, never walked through: the order of addresses decides nothing.
  std::map<std::pair<const JobKind*, std::int64_t>, std::size_t> numbers_;
};

}  // namespace gpucap::cluster
