#include "gpucap/cli/catalog_commands.hpp"
#include "gpucap/cli/command.hpp"

namespace gpucap::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {gpus_list(),  gpus_show(),   hosts_list(),
                                             hosts_show(), offers_list(), offers_show()};
  return table;
}

}  // namespace gpucap::cli
