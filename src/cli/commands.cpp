#include "gpucap/cli/calibrate_commands.hpp"
#include "gpucap/cli/catalog_commands.hpp"
#include "gpucap/cli/command.hpp"
#include "gpucap/cli/scenario_commands.hpp"

namespace gpucap::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      run_command(), estimate_serving(), estimate_training(), memory_serving(), memory_training(),
      gpus_list(),   gpus_show(),        models_list(),       models_show(),    models_import(),
      hosts_list(),  hosts_show(),       engines_list(),      engines_show(),   offers_list(),
      offers_show(), trace_inspect(),    calibrate_command(), fit_command(),    validate_command()};
  return table;
}

}  // namespace gpucap::cli
