#pragma once

#include "gpucap/hardware/collective.hpp"
#include "gpucap/models/transformer.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpucap::perf {

/// How a fit does on points that it has not seen. Errors are shares of the measured time.
struct FitQuality {
  std::int64_t points = 0;  ///< fitted on
  std::int64_t held_out_points = 0;
  double median_error = 0;  ///< nearest rank, held-out points
  double p95_error = 0;
  double bias = 0;    ///< mean of ln(predicted / measured), held-out points
  double spread = 0;  ///< standard deviation of that mean from one held-out shape to the next
  /// By coefficient, in the unit at the end of its name; clustered by shape, so that many sizes of
  /// one shape do not pass for independent evidence.
  std::map<std::string, double> standard_errors;
  std::vector<std::string> parameters;  ///< the coefficients in the order of `correlation`
  std::vector<double> correlation;      ///< below the diagonal, row by row
};

/// Where a set of fitted numbers comes from and how far it can be trusted.
struct FitOrigin {
  std::string file;       ///< calibration file, relative to the data folder
  std::string source;     ///< what was measured, by whom
  std::string card;       ///< GPU id on which it was measured; another than asked = transferred
  bool measured = false;  ///< on this very card
  std::string reason;     ///< why another card stands in; empty on this very card
  std::optional<FitQuality> quality;  ///< on the card that it was measured on
  double transfer_spread = 0;  ///< deviation of the log error that standing in for a card adds
  double factor = 1;  ///< on what the part predicts; other than 1 in Monte Carlo draws only
};

/// What the tiles of a library product cost: a tile of tm x tn takes
/// 2 tm tn (k + fill_k) (1 + edge_loss (1/tm + 1/tn - 3/256)) FLOP of one SM's share of ec P.
struct GemmTiles {
  double edge_loss = 0;  ///< rows; small tiles load more per FLOP. 0 at the largest, 256 x 128
  double fill_k = 0;     ///< steps of k worth the start and the end of a tile
};

/// t = t0 + max(M + exposed_arithmetic C, C + exposed_traffic M), the least over tile sizes and
/// split-K; C by whole waves of tiles, M = bytes / (eb B); docs/models/gemm.md
struct GemmFit {
  double ec = 0;  ///< share of the peak at which the largest tile issues
  double eb = 0;
  double exposed_arithmetic = 0;  ///< share of C that reading does not hide
  double exposed_traffic = 0;     ///< share of M that arithmetic does not hide
  Seconds t0;
  std::optional<GemmTiles> tiles;  ///< absent: C = F / (ec P), no rounding to waves
};

/// t = t0 + ((F / (ec P))^p + (bytes / (eb B))^p)^(1/p): a roofline with a rounded corner.
struct RooflineFit {
  double ec = 0, eb = 0, p = 0;
  Seconds t0;
};

/// Products with weights of one quantised format: a roofline at the format's own peak and bytes,
/// and a kernel that narrows the activations first; docs/models/quantization.md
struct FormatFit {
  RooflineFit product;
  double quantise_bytes = 0;  ///< moved per activation by that kernel, at the nominal bandwidth
  FitOrigin origin;
  double interval = 0;  ///< relative, either way; 95 of 100 unseen launches lie within
  std::string caveat;   ///< what the measured kernels are not; empty when they are the engine's
};

/// The fused layer of routed experts, products, activation and weighted sum in all: a roofline over
/// the rows that the experts' tiles hold; docs/models/mixture-of-experts.md
struct ExpertFit {
  RooflineFit product;
  double block_rows = 0;  ///< rows of a tile; each touched expert fills whole ones; 0: no padding
  FitOrigin origin;
  double interval = 0;  ///< relative, either way
};

/// t = t0 + max(A, S) + exposed min(A, S) + bytes / (eb B), A all tiles of query rows spread over
/// the SMs, S the longest of them alone on one; docs/models/attention.md
struct PrefillAttentionFit {
  double ec = 0, eb = 0;
  Seconds t0;
  double small_head_factor = 1;  ///< on ec where head_dim <= 64
  std::int64_t row_tile = 1;     ///< query rows are padded to whole tiles of so many
  bool packs_group = false;      ///< rows of a tile: the query heads of one KV head together
  double query_offset = 0;       ///< KV tokens that each query row costs beyond its own
  double serial = 0;             ///< S over the time of the longest tile at one SM's share of ec P
  double exposed = 0;            ///< share of the shorter of A and S that stays visible
};

/// t = t0 + a batch kv_heads + h batch heads + c kv_max / 64 + KV bytes / (eb B)
struct DecodeAttentionFit {
  double eb = 0;
  Seconds t0;
  Seconds per_sequence_head;        ///< a
  Seconds per_sequence_query_head;  ///< h
  Seconds per_64_kv;                ///< c
  double skew = 0;  ///< alpha: bytes = sum + alpha (n max - sum) once KV is not split
  double unsplit_share_of_sms = 1;  ///< KV is not split from batch x kv_heads >= this x SMs
};

/// Chunks and decodes in one launch of a variable-length kernel.
struct MixedAttentionFit {
  double prefill_rate = 0;  ///< rp
  double decode_rate = 0;   ///< rd
  Seconds per_sequence;     ///< a
  double query_offset = 0;  ///< r0, in KV tokens
  Seconds t0;
  double eb = 0;  ///< of the chunks' KV
  Seconds chain;  ///< serial bound per 64 KV
  std::optional<Bytes>
      spill_threshold;         ///< decode KV bytes per layer beyond which every query head reads
  double chain_exponent = 1;   ///< of the p-norm of arithmetic and serial bound
  double memory_exponent = 1;  ///< of the p-norm of arithmetic and KV traffic
};

/// One streaming kernel of a decoder layer: how often it passes over a token's vector.
struct ElementwiseKernel {
  enum class Width { hidden, ffn, query_and_key, key_and_value };
  std::string name;
  double passes = 0;  ///< vectors read and written per token
  Width width = Width::hidden;
  double per_layer = 1;
};

/// t = (t0^3 + (passes tokens width bytes / B)^3)^(1/3) for each kernel
struct ElementwiseFit {
  Seconds t0;
  std::vector<ElementwiseKernel> kernels;
};

/// Sampler after the output head: t = base + per_sequence n + per_sequence_beyond max(0, n - many)
struct SamplerFit {
  Seconds base;
  Seconds per_sequence;
  std::int64_t many = 0;
  Seconds per_sequence_beyond;
};

/// t = (alpha^q + (S / busbw)^q)^(1/q), S = hardware::sent_share x payload. Libraries change their
/// protocol with the size, so smaller payloads may have coefficients of their own.
struct CollectiveFit {
  hardware::Collective collective = hardware::Collective::all_reduce;
  std::string host;  ///< host id that it was measured on
  int ranks = 2;
  Seconds alpha;  ///< of the largest payloads, and all where nothing is stated below
  Bandwidth busbw;
  double q = 1;
  struct Piece {
    Bytes below;  ///< payloads up to here, this one not included
    Seconds alpha;
    Bandwidth busbw;
    double q = 1;
  };
  std::vector<Piece> smaller;  ///< by rising limit
  std::string implementation;  ///< "vllm-0.19", "nccl-2.27.3"; "links" when nothing was measured
  double interval = 0;         ///< relative, either way, of a derived set; 0 = none stated
  FitOrigin origin;
};

/// What the power cap leaves of the dense peak in work that lasts; docs/models/sustained-rate.md
struct SustainedRate {
  double share = 1;
  FitOrigin origin;
};

/// All fitted numbers for one card. Each part tells its own origin.
struct Calibration {
  SustainedRate sustained;
  GemmFit gemm;
  FitOrigin gemm_origin;
  /// By kernels; where one is missing, `gemm` with the format's peak and bytes stands in.
  std::map<models::ProductKernels, FormatFit> formats;
  std::optional<ExpertFit> experts;  ///< absent: two products by `gemm`
  PrefillAttentionFit prefill;
  FitOrigin prefill_origin;
  DecodeAttentionFit decode;
  FitOrigin decode_origin;
  std::optional<MixedAttentionFit> mixed;
  FitOrigin mixed_origin;
  ElementwiseFit elementwise;
  FitOrigin elementwise_origin;
  SamplerFit sampler;
  FitOrigin sampler_origin;
  /// Deviation of the log of times between laboratories, the same for all parts of a card.
  double between_labs = 0;
  std::vector<CollectiveFit> collectives;  ///< measured, on every host
  hardware::LinkRates links;               ///< what stands in where nothing was measured
  std::string links_file;                  ///< calibration file of `links`

  /// Shares of TDP; P = floor + compute u_c + memory u_m, at most TDP. docs/models/power.md
  struct Power {
    double active_floor = 0;  ///< share of TDP while a step runs
    double compute = 0;
    double memory = 0;
    FitOrigin origin;
    bool assumed = true;
  };
  Power power;
};

/// The parts that give times, each under the name that people read: "matrix products". Mixed
/// attention only where it is fitted.
std::vector<std::pair<std::string, const FitOrigin*>> parts_of(const Calibration& calibration);
std::vector<std::pair<std::string, FitOrigin*>> parts_of(Calibration& calibration);

}  // namespace gpucap::perf
