#pragma once

#include "gpucap/training/question.hpp"

#include "support/toy.hpp"

namespace toy {

/// `machines` of four toy cards each on one socket, peers through PCIe 3 x16 (15.754 GB/s one way),
/// one NIC of 2 GB/s; links carry all of their nominal rate, nothing costs time to start.
inline hardware::Host training_host(int machines = 1) {
  hardware::Host host;
  host.id = "toy-host";
  host.layout.machines = machines;
  host.layout.gpus_per_socket = 4;
  host.layout.pcie = {3, 16};
  host.layout.peers = hardware::PeerReach::everywhere;
  host.layout.host_memory = 10 * unit::GB_per_s;
  host.layout.nics = 1;
  host.layout.nic = 2 * unit::GB_per_s;
  host.max_gpus = 4;
  host.topology = build_topology(host.layout);
  return host;
}

/// The toy model on `cards` toy cards, one sequence of 64 tokens; data-parallel, plain software.
inline training::Question training_question(int cards = 1) {
  training::Question question;
  question.network = model();
  question.node = {gpu(), cards, training_host()};
  question.layout.data = cards;
  question.settings.seq_len = 64;
  question.calibration = calibration();
  question.calibration.links = hardware::LinkRates::nominal();
  return question;
}

}  // namespace toy
