#include <chrono>

#include "errors.hpp"
#include "kernels/kernels.hpp"
#include "resources.hpp"
#include "tasks.hpp"

namespace gpucap::measure::cuda {

namespace {

/// Empty kernels, timed by the host's clock from the first launch until the last one has ended:
/// what launches cost a program is the host's time.
class LaunchTask : public Task {
 public:
  LaunchTask(const Card& card, const Launch& work)
      : card_(card.index), kernels_(work.kernels), stream_(make_stream()) {
    if (work.graph) graph_ = captured();
  }
  Seconds run(Cache, int repeats) override {
    use_device(card_);
    check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) launch();
    check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return took.count() * unit::s / repeats;
  }
  double error() override { return 0; }
  [[nodiscard]] double tolerance() const override { return 0; }

 private:
  void launch() {
    if (graph_) {
      check(cudaGraphLaunch(graph_.get(), stream_.get()), "cudaGraphLaunch");
    } else {
      launch_each();
    }
  }
  void launch_each() {
    for (int i = 0; i < kernels_; ++i) check(launch_empty(stream_.get()), "launch_empty");
  }
  GraphOwner captured() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
    launch_each();
    check(cudaStreamEndCapture(stream_.get(), &graph), "cudaStreamEndCapture");
    const cudaError_t result = cudaGraphInstantiateWithFlags(&executable, graph, 0);
    cudaGraphDestroy(graph);
    check(result, "cudaGraphInstantiate");
    return GraphOwner(executable);
  }

  int card_, kernels_;
  StreamOwner stream_;
  GraphOwner graph_;
};

}  // namespace

Names implementations(const Card&, const Launch& work) {
  return work.kernels > 0 ? Names{"runtime"} : Names{};
}

TaskOwner prepare(const Card& card, const Launch& work, std::uint64_t) {
  return std::make_unique<LaunchTask>(card, work);
}

}  // namespace gpucap::measure::cuda
