#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpucap::models {

/// One convolution, or a fully connected layer as a convolution of a 1 x 1 image.
struct Convolution {
  std::string name;
  std::int64_t in = 0, out = 0;  ///< channels
  std::int64_t kernel_height = 1, kernel_width = 1;
  std::int64_t input_height = 1, input_width = 1;
  std::int64_t output_height = 1, output_width = 1;
  std::int64_t count = 1;  ///< layers of this shape
  bool norm = true;        ///< a batch norm follows: scale and shift for each output channel
  bool bias = false;
  bool activation = true;  ///< its output is rectified before anything else reads it
};

/// What stands between convolutions and holds no weights: pooling, the sum of two branches,
/// branches laid side by side. Sizes are those of the result, for pooling of its input as well.
struct Join {
  enum class Kind : std::uint8_t { max_pool, average_pool, sum, concatenation };
  std::string name;
  Kind kind = Kind::sum;
  std::int64_t channels = 0;
  std::int64_t input_height = 1, input_width = 1;
  std::int64_t output_height = 1, output_width = 1;
  std::int64_t count = 1;
  bool activation = false;
};

/// An image network as a list of its convolutions, in order, and of what joins them.
struct ConvNet {
  std::string id;
  std::int64_t image_height = 0, image_width = 0;
  std::vector<Convolution> layers;
  std::vector<Join> joins;
  std::int64_t published_parameters = 0;
  std::string source;
};

std::int64_t parameters(const ConvNet& net);

/// Multiplications and additions for one image, each counted: 2 x outputs x inputs per output.
double flops_per_image(const ConvNet& net);

/// Numbers that the convolutions put out for one image.
std::int64_t activations_per_image(const ConvNet& net);

/// Numbers of one layer of these, for one image.
std::int64_t inputs(const Convolution& layer);
std::int64_t outputs(const Convolution& layer);
std::int64_t inputs(const Join& join);
std::int64_t outputs(const Join& join);

/// Numbers of the largest input and output that one layer holds at once, for one image.
std::int64_t peak_activations_per_image(const ConvNet& net);

/// Multiply-adds per output number.
std::int64_t inputs_per_output(const Convolution& layer);

}  // namespace gpucap::models
