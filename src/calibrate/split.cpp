#include "gpucap/calibrate/split.hpp"

#include <iterator>
#include <map>
#include <set>

namespace gpucap::calibrate {
namespace {

constexpr std::size_t enough_shapes = 10;
constexpr std::size_t one_in = 5;

}  // namespace

Split split(const std::vector<SplitKey>& keys) {
  std::set<std::vector<std::int64_t>> shapes;
  for (const SplitKey& key : keys) shapes.insert(key.shape);
  const bool by_shape = shapes.size() >= enough_shapes;
  const auto group_of = [&](const SplitKey& key) {
    return by_shape ? key.shape : std::vector<std::int64_t>{key.size};
  };
  std::map<std::vector<std::int64_t>, std::size_t> index;
  for (const SplitKey& key : keys) index[group_of(key)] = 0;
  std::size_t next = 0;
  for (auto& [group, number] : index) number = next++;
  Split result;
  result.groups = index.size();
  for (const SplitKey& key : keys) {
    const std::size_t group = index.at(group_of(key));
    result.group.push_back(group);
    result.held_out.push_back(group % one_in == one_in - 1);
  }
  return result;
}

}  // namespace gpucap::calibrate
