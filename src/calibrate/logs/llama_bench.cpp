#include "gpucap/core/file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>

#include "json_log.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::calibrate {
namespace {

constexpr std::string_view tool = "llama-bench -o json";
constexpr std::int64_t shown_only_above = 1024;  // tokens
constexpr double tolerance = 0.02;               // of rates and repetitions against their mean

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// How a log writes a format, and how options do.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> formats{
    {{"q4_k - medium", "q4_k_m"},
     {"q4_k_m", "q4_k_m"},
     {"q8_0", "q8_0"},
     {"bf16", "bf16"},
     {"f16", "fp16"},
     {"all f32", "fp32"}}};

/// Empty for a format that is not among those that are known here.
std::string format_of(const std::string& model_type, const std::string& file) {
  for (const std::string& said : {lower(model_type), lower(file)}) {
    for (const auto& [there, here] : formats) {
      if (said.find(there) != std::string::npos) return std::string(here);
    }
  }
  return "";
}

/// "models/Meta-Llama-3-8B-Instruct-Q4_K_M.gguf" without folder, ending and format.
std::string model_of(const std::string& path) {
  std::string name = path.substr(path.find_last_of("/\\") + 1);
  if (lower(name).ends_with(".gguf")) name.resize(name.size() - 5);
  for (const auto& [there, here] : formats) {
    const std::string ending = lower(name);
    for (const char* joint : {"-", "."}) {
      const std::string tail = joint + std::string(there);
      if (ending.ends_with(tail)) return name.substr(0, name.size() - tail.size());
    }
  }
  return name;
}

void check_rate(LogObject& row, double tokens, double seconds) {
  const auto rate = row.number("avg_ts");
  const double given = tokens / seconds;
  if (!rate || std::fabs(*rate / given - 1) <= tolerance) return;
  row.problem("avg_ts",
              fmt::format("is {:.5g} tokens per second, but {:.0f} in {:.5g} s are {:.5g}: {:.2g} "
                          "% apart",
                          *rate, tokens, seconds, given, 100 * std::fabs(*rate / given - 1)),
              "contradiction");
}

void check_repetitions(LogObject& row, double mean_ns) {
  const auto all = row.numbers("samples_ns");
  if (all.empty()) return;
  const double mean =
      std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  if (std::fabs(mean_ns / mean - 1) <= tolerance) return;
  row.problem("avg_ns",
              fmt::format("is {:.5g} ns, but the mean of samples_ns is {:.5g}", mean_ns, mean),
              "contradiction");
}

void check_backend(LogObject& row) {
  const std::string backends = row.text("backends");
  const bool on_card = backends.empty() || backends.find("CUDA") != std::string::npos ||
                       backends.find("ROCm") != std::string::npos;
  if (on_card) return;
  row.problem("backends", fmt::format("\"{}\": this test did not run on the GPU", backends),
              "wrong-device");
}

/// One test as a run of one request by one client.
class RowReader {
 public:
  RowReader(LogObject row, std::string file, std::string name)
      : row_(std::move(row)), file_(std::move(file)), name_(std::move(name)) {}

  /// Nothing for tests that mix prompt and answer or start within a prompt.
  std::optional<ServedRun> run() {
    prompt_ = row_.needed_count("n_prompt", tool);
    answer_ = row_.needed_count("n_gen", tool);
    depth_ = row_.count("n_depth").value_or(0);
    const double ns = row_.needed("avg_ns", tool);
    if (row_.has("avg_ns") && !(ns > 0)) {
      row_.problem("avg_ns", "must be above zero", "out-of-range");
      return std::nullopt;
    }
    const bool plain = (prompt_ > 0) != (answer_ > 1) && (prompt_ == 0 || depth_ == 0);
    if (!plain || ns == 0) return std::nullopt;
    check_backend(row_);
    check_rate(row_, static_cast<double>(prompt_ + answer_), 1e-9 * ns);
    check_repetitions(row_, ns);
    return filled(ns);
  }

 private:
  ServedRun filled(double ns) {
    ServedRun run;
    run.file = file_;
    run.name =
        fmt::format("{} {}{}{}", name_, prompt_ > 0 ? "pp" : "tg", prompt_ > 0 ? prompt_ : answer_,
                    depth_ > 0 ? fmt::format(" @ d{}", depth_) : "");
    run.model = model_of(row_.text("model_filename"));
    run.gpu = row_.text("gpu_info");
    run.weight_format = format_of(row_.text("model_type"), row_.text("model_filename"));
    run.parameters = row_.count("model_n_params");
    run.step_tokens = row_.count("n_ubatch");
    add_layers(run);
    const std::string time = row_.text("test_time");
    run.date = time.size() >= 10 ? time.substr(0, 10) : "";
    run.completed = 1;
    run.input_tokens = std::max<std::int64_t>(prompt_ + depth_, 1);
    run.output_tokens = std::max<std::int64_t>(answer_, 1);
    run.duration = 1e-9 * ns * unit::s;
    run.request_rate = std::numeric_limits<double>::infinity() * unit::per_s;
    run.clients = 1;
    run.decides = run.input_tokens + run.output_tokens <= shown_only_above + 1;
    if (prompt_ > 0) {
      run.figures = {{"ttft", "mean", 1e-9 * ns}};
    } else {
      run.figures = {{"tpot", "mean", 1e-9 * ns / static_cast<double>(answer_)}};
    }
    for (const char* key : {"", "n_gpu_layers", "gpu_info", "model_n_params", "model_type"}) {
      run.places[key] = row_.place(key);
    }
    run.places["model_id"] = row_.place("model_filename");
    run.places["ttft mean"] = run.places["tpot mean"] = row_.place("avg_ns");
    return run;
  }

  /// -1: all of them.
  void add_layers(ServedRun& run) {
    const nlohmann::json* layers = row_.raw("n_gpu_layers");
    if (layers == nullptr || !layers->is_number_integer()) return;
    const auto count = layers->get<std::int64_t>();
    if (count >= 0) run.layers_on_card = count;
  }

  LogObject row_;
  std::string file_, name_;
  std::int64_t prompt_ = 0, answer_ = 0, depth_ = 0;
};

}  // namespace

std::vector<ServedRun> read_llama_bench(const std::filesystem::path& file) {
  auto document = open_json_log(file, read_file(file));
  if (!document.root().is_array()) {
    throw InputError(Problem{file.string(), "1:1", "",
                             fmt::format("must be a list of tests, as {} writes it", tool),
                             "wrong-format"});
  }
  std::vector<ServedRun> runs;
  for (std::size_t i = 0; i < document.root().size(); ++i) {
    RowReader reader({document, fmt::format("/{}", i)}, file.string(), file.filename().string());
    if (auto run = reader.run()) runs.push_back(std::move(*run));
  }
  document.throw_if_problems();
  if (runs.empty()) {
    throw InputError(Problem{file.string(), "1:1", "",
                             "holds no test of a prompt (pp) or of an answer (tg) alone",
                             "empty-run"});
  }
  return runs;
}

}  // namespace gpucap::calibrate
