#include "gpucap/training/conv_net.hpp"

#include "gpucap/catalog/conv_nets.hpp"
#include "gpucap/catalog/rated_models.hpp"
#include "gpucap/catalog/software.hpp"

#include <stdexcept>

#include "support/catch.hpp"
#include "support/toy_training.hpp"

using namespace gpucap;
using namespace gpucap::training;

namespace {

using models::Join;

/// Two layers of 8 x 8 pixels: 3 -> 4 channels with norm, 4 -> 4 with bias alone; then their sum.
models::ConvNet small() {
  models::ConvNet net;
  net.id = "small";
  net.image_height = net.image_width = 8;
  models::Convolution first{"first", 3, 4, 3, 3, 8, 8, 8, 8};
  models::Convolution second{"second", 4, 4, 1, 1, 8, 8, 8, 8};
  second.norm = second.activation = false;
  second.bias = true;
  Join sum{"sum", Join::Kind::sum, 4, 8, 8, 8, 8};
  sum.activation = true;
  Join pool{"pool", Join::Kind::max_pool, 4, 8, 8, 4, 4};
  net.layers = {first, second};
  net.joins = {sum, pool};
  return net;
}

Question question(int cards = 1) {
  Question asked = toy::training_question(cards);
  asked.network = small();
  asked.settings.micro_batch = 10;
  asked.software.convolutions = Software::Convolutions{1, 2, 2, 0.1, 1, {"small"}};
  asked.node.gpu.boost_clock = 1 * unit::MHz;
  asked.settings.optimizer = Optimizer::sgd;
  asked.settings.weights = Weights::full;
  asked.settings.gradients = Dtype::fp32;
  return asked;
}

}  // namespace

TEST_CASE("published nets have their published parameters and multiply-adds") {
  const auto nets = catalog::load_conv_nets(GPUCAP_SOURCE_DIR);
  CHECK(models::parameters(nets.at("vgg-16")) == 138357544);
  CHECK(models::flops_per_image(nets.at("vgg-16")) == 2 * 15470264320.0);
  // With the auxiliary head: 3,326,696 parameters and 5,683,200 multiply-adds of it.
  CHECK(models::parameters(nets.at("inception-v3")) == 27161264);
  CHECK(models::flops_per_image(nets.at("inception-v3")) == 2 * (5713216096.0 + 5683200));
  CHECK(models::activations_per_image(nets.at("resnet-50")) == 11114984);
}

TEST_CASE("training on an image is three products per layer, two in the first") {
  const auto net = small();
  // First 2 x 27 x 256 = 13,824 FLOP, second 2 x 4 x 256 = 2,048.
  const ConvNetWork work = conv_net_work(net);
  CHECK(work.forward.flops.base() == 13824 + 2048);
  CHECK(work.backward.flops.base() == 13824 + 2 * 2048);
  CHECK(work.conv_outputs == 512);
}

TEST_CASE("each kernel's reads and writes are counted, by hand") {
  // Outputs of a layer: 256; inputs 192 and 256; pool 256 -> 64.
  // Forward: first 192 + 256 + (3 + 2) 256, second 256 + 256 + 2 x 256, sum (3 + 2) 256, pool 320.
  // Backward: first 448 + (5 + 3) 256, second 2 x 512 + 256, sum (3 + 3) 256, pool 320.
  const ConvNetWork work = conv_net_work(small());
  CHECK(work.forward.moved == 1728 + 1024 + 1280 + 320);
  CHECK(work.backward.moved == 2496 + 1280 + 1536 + 320);
}

TEST_CASE("a norm keeps its input, a rectifier its output, a maximum its place") {
  // Image 192; first layer 2 x 256, second none, sum 256, pool 64 and 64 indices of 8 bytes.
  const SavedPerImage saved = saved_per_image(small());
  CHECK(saved.numbers == 192 + 512 + 256 + 64);
  CHECK(saved.indices.base() == 512);
  // Second layer, met first on the way back: 2 x 256 + 256, nothing given back before it.
  CHECK(saved.temporary == 768);
}

TEST_CASE("ResNet-50 moves 0.47 GB and keeps 44 MB an image in 16 bits") {
  const auto net = catalog::load_conv_nets(GPUCAP_SOURCE_DIR).at("resnet-50");
  const ConvNetWork work = conv_net_work(net);
  CHECK(2e-9 * (work.forward.moved + work.backward.moved) == Approx(0.473).epsilon(0.002));
  const SavedPerImage saved = saved_per_image(net);
  CHECK(2e-6 * saved.numbers + saved.indices.in(unit::MB) == Approx(43.8).epsilon(0.002));
}

TEST_CASE("a step adds products, traffic and cycles of its images") {
  const Question asked = question();
  const ConvNetRates rates =
      conv_net_rates(asked.node.gpu, asked.calibration, asked.settings.arithmetic);
  const StepTime step = conv_net_step(asked, small());
  const Seconds products = (31744.0 + 2048 - 0) * unit::flop / rates.products;
  const Seconds traffic = 2 * (4352.0 + 5632) * unit::byte / asked.node.gpu.memory_bandwidth;
  const Seconds cycles = 2 * 512.0 / (1e6 * asked.node.gpu.sm_count) * unit::s;
  CHECK(step.compute.in(unit::us) ==
        Approx(10 * (products + traffic + cycles).in(unit::us)).epsilon(1e-9));
  CHECK(step.time.in(unit::us) ==
        Approx((step.forward + step.backward + step.optimizer).in(unit::us)));
  CHECK(step.samples == 10);
  CHECK(samples_per_second(step).in(unit::per_s) == Approx(10 / step.time.in(unit::s)));
}

TEST_CASE("accumulated micro-batches cost as often and share one update and one exchange") {
  Question asked = question(2);
  const StepTime once = conv_net_step(asked, small());
  asked.settings.grad_accum = 3;
  const StepTime thrice = conv_net_step(asked, small());
  CHECK(thrice.compute.in(unit::us) == Approx(3 * once.compute.in(unit::us)));
  CHECK(thrice.optimizer == once.optimizer);
  CHECK(once.communication > Seconds{});
  CHECK(thrice.communication == once.communication);
  CHECK(thrice.samples == 60);
}

TEST_CASE("a launch-bound step waits for the host in both passes") {
  // Four layers at 1 s each pass; the card is far below.
  Question asked = question();
  asked.software.time.launch_per_layer = 1 * unit::s;
  CHECK(conv_net_step(asked, small()).compute.in(unit::s) == Approx(8).epsilon(1e-3));
}

TEST_CASE("what a convolution net cannot be asked for is said") {
  Question asked = question();
  asked.settings.method = Method::lora;
  CHECK_THROWS_AS(conv_net_step(asked, small()), std::invalid_argument);
  asked = question();
  asked.software.convolutions.reset();
  CHECK(training_footprint(asked).reason.find("no figures for convolution nets") !=
        std::string::npos);
  asked = question();
  asked.settings.arithmetic = Dtype::fp8;
  CHECK(layout_problem(asked)->find("not in fp8") != std::string::npos);
}

TEST_CASE("memory of a convolution net: weights, gradients, states and what images keep") {
  Question asked = question();
  asked.settings.optimizer = Optimizer::sgd_momentum;
  asked.settings.arithmetic = Dtype::bf16;
  const Footprint f = training_footprint(asked);
  // 4 x (27 + 2) + 4 x (4 + 1) = 136 weights of 4 bytes, as many gradients and momenta.
  CHECK(f.weights.base() == 544);
  CHECK(f.gradients.base() == 544);
  CHECK(f.optimizer.base() == 544);
  // 10 images: 1024 kept and 768 passing numbers of 2 bytes, 512 of indices, 2 x 4 x 192 loaded.
  CHECK(f.activations.base() == Approx(10 * (2 * (1024 + 768) + 512 + 1536)));
  CHECK(f.checkpoint.base() == 2 * 544);
}

TEST_CASE("a recurrent net on another card lies between what may bound it") {
  const auto model = catalog::load_rated_models(GPUCAP_SOURCE_DIR).at("deepspeech2");
  CHECK(model.card == "a100-sxm-40gb");
  CHECK(measured_rate(model, 32, 1)->in(unit::per_s) == Approx(3.023));
  CHECK_FALSE(measured_rate(model, 32, 64));
  hardware::Gpu before = toy::gpu(), card = before;
  before.boost_clock = 1000 * unit::MHz;
  card.boost_clock = 2000 * unit::MHz;
  card.memory_bandwidth = before.memory_bandwidth * 0.5;
  const auto fits = toy::calibration();
  const RatedRatio ratio = recurrent_ratio(card, fits, before, fits);
  // Host 1, memory 0.5, clock 2, products 1: geometric mean 1.
  CHECK(ratio.low == Approx(0.5));
  CHECK(ratio.high == Approx(2));
  CHECK(ratio.middle == Approx(1).epsilon(0.01));
}
