#include "gpucap/training/limits.hpp"

#include "gpucap/training/memory.hpp"

#include "support/catch.hpp"
#include "training_jobs.hpp"

using namespace gpucap;
using namespace gpucap::test;
using training::training_footprint;

namespace {

training::Question lora_job() {
  auto question = training_job(transformer(llama_31_8b));
  question.settings.method = training::Method::lora;
  question.settings.seq_len = 512;
  return question;
}

bool fits_with(training::Question question, std::int64_t micro_batch, std::int64_t seq_len) {
  question.settings.micro_batch = micro_batch;
  question.settings.seq_len = seq_len;
  return training_footprint(question).feasible;
}

}  // namespace

TEST_CASE("the largest micro-batch fits and the next one does not") {
  const auto question = lora_job();
  const auto most = training::largest_micro_batch(question);
  CHECK(most > 1);
  CHECK(fits_with(question, most, 512));
  CHECK_FALSE(fits_with(question, most + 1, 512));
}

TEST_CASE("the longest sequence fits and the next one does not, unless positions end first") {
  auto question = lora_job();
  question.settings.micro_batch = 16;
  const auto most = training::largest_seq_len(question);
  const auto& model = std::get<models::Transformer>(question.network);
  CHECK(fits_with(question, 16, most));
  CHECK((most == model.max_positions || !fits_with(question, 16, most + 1)));
}

TEST_CASE("where not even one sample fits the largest sizes are zero") {
  auto question = lora_job();
  question.node.gpu.memory_visible = 8 * unit::GiB;  // below the 15 GiB of the weights
  CHECK(training::largest_micro_batch(question) == 0);
  CHECK(training::largest_seq_len(question) == 0);
}
