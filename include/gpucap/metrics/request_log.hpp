#pragma once

#include "gpucap/record/sink.hpp"

#include <functional>
#include <utility>

namespace gpucap::metrics {

/// Hands each finished request on as it finishes (rows of requests.csv) and keeps nothing.
class RequestLog : public record::Sink {
 public:
  using Write = std::function<void(const record::RequestRow&)>;
  explicit RequestLog(Write write) : write_(std::move(write)) {}
  void finished(const record::RequestRow& row) override { write_(row); }

 private:
  Write write_;
};

}  // namespace gpucap::metrics
