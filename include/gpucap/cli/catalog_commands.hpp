#pragma once

#include "gpucap/cli/command.hpp"

namespace gpucap::cli {

// What is known: cards, hosts, engines, models and offers, each as a list and one by one.
Command gpus_list();
Command gpus_show();
Command models_list();
Command models_show();
Command models_import();
Command hosts_list();
Command hosts_show();
Command engines_list();
Command engines_show();
Command offers_list();
Command offers_show();

/// What a trace file asks for.
Command trace_inspect();

}  // namespace gpucap::cli
