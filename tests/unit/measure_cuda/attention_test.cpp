#include <cmath>
#include <limits>
#include <numbers>

#include "attention_reference.hpp"
#include "kernels/attention_tiles.hpp"
#include "warp.hpp"

using namespace gpucap::measure::cuda;
using gpucap::measure::Attention;
using test::Fragment;
using test::lanes;
using test::SharedTile;

namespace {

/// AttentionRows of the kernels, with doubles for registers and loops for lanes.
template <int D>
class HostRows {
 public:
  using Tile = HeadTile<D>;
  using Scores = std::vector<test::Sums>;

  HostRows() : q_(Tile::slices), out_(D / 8), highest_(lanes), total_(lanes) {
    for (auto& pair : highest_) pair.fill(-std::numeric_limits<double>::infinity());
  }
  /// `number(row, i)`: number i of query row `row`.
  template <class NumberOf>
  void load(NumberOf number) {
    for (int slice = 0; slice < Tile::slices; ++slice) {
      for (int lane = 0; lane < lanes; ++lane) {
        for (int r = 0; r < 4; ++r) {
          const Place place = left_word(lane, r);
          const int word = 8 * slice + place.column;
          q_[size(slice)][size(lane)][size(r)] = {number(place.row, 2 * word),
                                                  number(place.row, 2 * word + 1)};
        }
      }
    }
  }
  /// One tile of `keys` keys; `last(row)` is the last one that a row sees.
  template <class Last>
  void absorb(const SharedTile& k, const SharedTile& v, int v_base, int keys, int first, Last last,
              double scale) {
    Scores s(size(keys / 8));
    for (int slice = 0; slice < Tile::slices; ++slice) {
      for (int j = 0; j < keys / 16; ++j) {
        const auto b = test::load_matrices<2>(
            k, Number::fp16, [&](int lane) { return Tile::key_source(16 * j, slice, lane); });
        test::multiply<2>(s[size(2 * j)], q_[size(slice)], test::pair<2>(b, 0));
        test::multiply<2>(s[size(2 * j + 1)], q_[size(slice)], test::pair<2>(b, 2));
      }
    }
    hide(s, first, last);
    for (std::size_t half = 0; half < 2; ++half) weigh(s, half, scale);
    add(s, v, v_base, keys);
  }
  /// `write(row, column, value, total, highest)` for each number of the output.
  template <class Write>
  void store(Write write) const {
    for (int lane = 0; lane < lanes; ++lane) {
      for (int n = 0; n < D / 8; ++n) {
        for (int i = 0; i < 4; ++i) {
          const Place place = accumulator_place(lane, i);
          const auto half = size(i / 2);
          const double total = quad_sum(lane, half);
          write(place.row, 8 * n + place.column, out_[size(n)][size(lane)][size(i)] / total, total,
                highest_[size(lane)][half]);
        }
      }
    }
  }

 private:
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }

  template <class Last>
  static void hide(Scores& s, int first, Last last) {
    for (int n = 0; n < static_cast<int>(s.size()); ++n) {
      for (int lane = 0; lane < lanes; ++lane) {
        for (int i = 0; i < 4; ++i) {
          const Place place = accumulator_place(lane, i);
          if (first + 8 * n + place.column > last(place.row)) {
            s[size(n)][size(lane)][size(i)] = -std::numeric_limits<double>::infinity();
          }
        }
      }
    }
  }
  [[nodiscard]] double quad_sum(int lane, std::size_t half) const {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += total_[size(lane / 4 * 4 + i)][half];
    return sum;
  }
  void weigh(Scores& s, std::size_t half, double scale) {
    std::array<double, lanes> top{};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      top[lane] = highest_[lane][half];
      for (const auto& one : s) {
        top[lane] = std::max({top[lane], one[lane][2 * half], one[lane][2 * half + 1]});
      }
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      double highest = top[lane / 4 * 4];
      for (std::size_t i = 1; i < 4; ++i) highest = std::max(highest, top[lane / 4 * 4 + i]);
      REQUIRE(std::isfinite(highest));
      rescale(s, lane, half, highest, scale);
    }
  }
  void rescale(Scores& s, std::size_t lane, std::size_t half, double highest, double scale) {
    const double kept = std::exp2((highest_[lane][half] - highest) * scale);
    highest_[lane][half] = highest;
    total_[lane][half] *= kept;
    for (auto& one : out_) {
      one[lane][2 * half] *= kept;
      one[lane][2 * half + 1] *= kept;
    }
    for (auto& one : s) {
      for (std::size_t i = 2 * half; i < 2 * half + 2; ++i) {
        one[lane][i] = std::exp2((one[lane][i] - highest) * scale);
        total_[lane][half] += one[lane][i];
      }
    }
  }
  void add(const Scores& s, const SharedTile& v, int v_base, int keys) {
    for (int j = 0; j < keys / 16; ++j) {
      Fragment<2, 4> a{};
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const auto& low = s[size(2 * j)][lane];
        const auto& high = s[size(2 * j + 1)][lane];
        a[lane] = {{{low[0], low[1]}, {low[2], low[3]}, {high[0], high[1]}, {high[2], high[3]}}};
      }
      for (int slice = 0; slice < Tile::slices; ++slice) {
        const auto b = test::load_transposed(v, Number::fp16, [&](int lane) {
          return v_base + Tile::value_source(16 * j, slice, lane);
        });
        test::multiply<2>(out_[size(2 * slice)], a, test::pair<2>(b, 0));
        test::multiply<2>(out_[size(2 * slice + 1)], a, test::pair<2>(b, 2));
      }
    }
  }

  std::vector<Fragment<2, 4>> q_;
  std::vector<test::Sums> out_;
  std::vector<std::array<double, 2>> highest_, total_;
};

/// Operands in memory and what comes out of the emulated kernel.
struct Case {
  Attention work;
  std::vector<int> table;
  AttentionReference reference{work, 11, table};
  std::vector<unsigned char> k = rows(reference.kv_rows(), reference.k);
  std::vector<unsigned char> v = rows(reference.kv_rows(), reference.v);
  std::vector<double> out = std::vector<double>(
      static_cast<std::size_t>(work.batch * work.q * work.heads * work.head_dim));
  std::vector<int> writes = std::vector<int>(out.size());

  [[nodiscard]] std::vector<unsigned char> rows(std::int64_t count, const Drawn& drawn) const {
    return test::memory_of({count, work.head_dim, work.head_dim}, drawn.number, drawn.seed);
  }
  void write(std::int64_t row, int column, double value) {
    const auto at = static_cast<std::size_t>(row * work.head_dim + column);
    REQUIRE(at < out.size());
    out[at] = value;
    ++writes[at];
  }
  void check() const {
    for (std::size_t row = 0; row < out.size() / static_cast<std::size_t>(work.head_dim); ++row) {
      const std::vector<double> expected = reference.row(static_cast<std::int64_t>(row));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        REQUIRE(writes[row * expected.size() + i] == 1);
        REQUIRE(out[row * expected.size() + i] == Approx(expected[i]).margin(1e-12));
      }
    }
  }
  [[nodiscard]] double scale() const {
    return std::numbers::log2e / std::sqrt(static_cast<double>(work.head_dim));
  }
};

int as_int(std::int64_t value) {
  return static_cast<int>(value);
}

template <int D, int Keys>
SharedTile prefill_tile(const Case& c, const std::vector<unsigned char>& from, int batch,
                        int kv_head, int first) {
  using Tile = HeadTile<D>;
  SharedTile shared(Keys * Tile::row_bytes);
  const unsigned char zeros[16] = {};
  for (int thread = 0; thread < PrefillTile::threads; ++thread) {
    for (int i = 0; i < Keys * Tile::chunks / PrefillTile::threads; ++i) {
      const Place place = Tile::copied(thread + i * PrefillTile::threads);
      const int key = first + place.row;
      const std::int64_t row = head_row(batch, key, kv_head, c.work.kv, as_int(c.work.kv_heads));
      const auto byte = static_cast<std::size_t>(row * Tile::row_bytes + place.column * 16);
      shared.write_chunk(chunk_offset<Tile::chunks>(place.row, place.column),
                         key < c.work.kv ? &from.at(byte) : zeros);
    }
  }
  shared.require_complete();
  return shared;
}

template <int D, int Keys>
void prefill_warp(Case& c, int batch, int head, int first, int warp) {
  const int q = as_int(c.work.q), kv = as_int(c.work.kv), first_of_warp = first + 16 * warp;
  const int kv_head = head / as_int(c.work.heads / c.work.kv_heads);
  HostRows<D> rows;
  rows.load([&](int row, int i) {
    const int query = first_of_warp + row;
    return query < q ? c.reference.q(head_row(batch, query, head, q, as_int(c.work.heads)) * D + i)
                     : 0.0;
  });
  const int tiles = PrefillTile::key_tiles(first, Keys, q, kv);
  for (int tile = 0; tile < tiles; ++tile) {
    const SharedTile k = prefill_tile<D, Keys>(c, c.k, batch, kv_head, tile * Keys);
    const SharedTile v = prefill_tile<D, Keys>(c, c.v, batch, kv_head, tile * Keys);
    const bool all = PrefillTile::all_visible(first, tile, Keys, q, kv);
    rows.absorb(
        k, v, 0, Keys, tile * Keys,
        [&](int row) {
          return all ? std::numeric_limits<int>::max()
                     : PrefillTile::last_key(first_of_warp + row, q, kv);
        },
        c.scale());
  }
  rows.store([&](int row, int column, double value, double, double) {
    if (first_of_warp + row >= q) return;
    c.write(head_row(batch, first_of_warp + row, head, q, as_int(c.work.heads)), column, value);
  });
}

template <int D, int Keys = 64>
void check_prefill(const Attention& work) {
  Case c{work, {}};
  for (int batch = 0; batch < work.batch; ++batch) {
    for (int head = 0; head < work.heads; ++head) {
      for (int block = 0; block < ceil_div(as_int(work.q), PrefillTile::queries); ++block) {
        const int first = PrefillTile::first_query(block, as_int(work.q));
        for (int warp = 0; warp < PrefillTile::warps; ++warp) {
          prefill_warp<D, Keys>(c, batch, head, first, warp);
        }
      }
    }
  }
  c.check();
}

/// One cache block, keys then values, as a warp brings it in.
template <int D>
SharedTile decode_tile(const Case& c, int batch, int kv_head, int index) {
  using Tile = HeadTile<D>;
  SharedTile shared(2 * PagedCache::block_tokens * Tile::row_bytes);
  const int blocks = PagedCache::blocks(as_int(c.work.kv));
  const int block = c.table.at(static_cast<std::size_t>(batch * blocks + index));
  for (int lane = 0; lane < lanes; ++lane) {
    for (int i = 0; i < PagedCache::block_tokens * Tile::chunks / 32; ++i) {
      const Place place = Tile::copied(lane + 32 * i);
      const std::int64_t row = PagedCache::row(block, place.row, kv_head, as_int(c.work.kv_heads));
      const auto byte = static_cast<std::size_t>(row * Tile::row_bytes + place.column * 16);
      const int to = chunk_offset<Tile::chunks>(place.row, place.column);
      shared.write_chunk(to, &c.k.at(byte));
      shared.write_chunk(to + PagedCache::block_tokens * Tile::row_bytes, &c.v.at(byte));
    }
  }
  shared.require_complete();
  return shared;
}

/// What the splits leave for the merge.
struct Partials {
  explicit Partials(const Attention& work, int split_count)
      : splits(split_count),
        out(static_cast<std::size_t>(work.batch * work.heads * splits * work.head_dim)),
        weight(static_cast<std::size_t>(work.batch * work.heads * splits)) {}
  int splits;
  std::vector<double> out, weight;
};

template <int D>
void decode_warp(const Case& c, Partials& partials, int batch, int kv_head, int first_row,
                 int split) {
  const int heads = as_int(c.work.heads), group = heads / as_int(c.work.kv_heads);
  const auto head_of = [&](int row) {
    return first_row + row < group ? kv_head * group + first_row + row : heads;
  };
  HostRows<D> rows;
  rows.load([&](int row, int i) {
    const int head = head_of(row);
    return head < heads ? c.reference.q(head_row(batch, 0, head, 1, heads) * D + i) : 0.0;
  });
  const Range blocks =
      DecodeTile::blocks_of(split, PagedCache::blocks(as_int(c.work.kv)), partials.splits);
  REQUIRE(blocks.begin < blocks.end);
  for (int block = blocks.begin; block < blocks.end; ++block) {
    const SharedTile tile = decode_tile<D>(c, batch, kv_head, block);
    rows.absorb(
        tile, tile, PagedCache::block_tokens * 2 * D, PagedCache::block_tokens,
        block * PagedCache::block_tokens, [&](int) { return as_int(c.work.kv) - 1; }, c.scale());
  }
  rows.store([&](int row, int column, double value, double total, double highest) {
    const int head = head_of(row);
    if (head == heads) return;
    const auto at =
        static_cast<std::size_t>(partial_row(batch, head, split, heads, partials.splits));
    partials.out.at(at * D + static_cast<std::size_t>(column)) = value;
    partials.weight.at(at) = highest * c.scale() + std::log2(total);
  });
}

template <int D>
void merge(Case& c, const Partials& partials) {
  for (int head = 0; head < c.work.batch * c.work.heads; ++head) {
    const auto first = static_cast<std::size_t>(head * partials.splits);
    double highest = -std::numeric_limits<double>::infinity();
    for (int split = 0; split < partials.splits; ++split) {
      highest = std::max(highest, partials.weight.at(first + static_cast<std::size_t>(split)));
    }
    for (int i = 0; i < D; ++i) {
      double sum = 0, total = 0;
      for (std::size_t split = first; split < first + static_cast<std::size_t>(partials.splits);
           ++split) {
        const double share = std::exp2(partials.weight.at(split) - highest);
        sum += share * partials.out.at(split * D + static_cast<std::size_t>(i));
        total += share;
      }
      c.write(head, i, sum / total);
    }
  }
}

template <int D>
void check_decode(const Attention& work, int wanted_warps) {
  const int blocks = PagedCache::blocks(as_int(work.kv));
  const int row_tiles = DecodeTile::row_tiles(as_int(work.heads), as_int(work.kv_heads));
  Case c{work, shuffled_blocks(as_int(work.batch) * blocks, 5)};
  Partials partials(
      work, DecodeTile::splits(blocks, work.batch * work.kv_heads * row_tiles, wanted_warps));
  for (int batch = 0; batch < work.batch; ++batch) {
    for (int kv_head = 0; kv_head < work.kv_heads; ++kv_head) {
      for (int tile = 0; tile < row_tiles; ++tile) {
        for (int split = 0; split < partials.splits; ++split) {
          decode_warp<D>(c, partials, batch, kv_head, tile * DecodeTile::rows, split);
        }
      }
    }
  }
  merge<D>(c, partials);
  c.check();
}

Attention attention(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim,
                    std::int64_t batch, std::int64_t q, std::int64_t kv) {
  return {heads, kv_heads, head_dim, batch, q, kv};
}

}  // namespace

TEST_CASE("a query that sees one key gets its value") {
  const AttentionReference reference(attention(2, 1, 64, 1, 3, 3), 4, {});
  const std::vector<double> row = reference.row(1);  // query 0, head 1
  for (std::size_t i = 0; i < 64; ++i)
    CHECK(row[i] == Approx(reference.v(static_cast<std::int64_t>(i))));
}

TEST_CASE("a query that sees two keys weighs them by the exponential of their scores") {
  const AttentionReference r(attention(1, 1, 64, 1, 1, 2), 4, {});
  double score[2] = {};
  for (std::int64_t i = 0; i < 64; ++i) {
    score[0] += r.q(i) * r.k(i) / 8;  // sqrt(64)
    score[1] += r.q(i) * r.k(64 + i) / 8;
  }
  const double share = 1 / (1 + std::exp(score[1] - score[0]));
  CHECK(r.row(0)[5] == Approx(share * r.v(5) + (1 - share) * r.v(69)));
}

TEST_CASE("a cache whose blocks lie in order is no cache at all") {
  const Attention work = attention(4, 2, 64, 2, 1, 32);
  const AttentionReference plain(work, 4, {}), paged(work, 4, {0, 1, 2, 3});
  CHECK(plain.kv_rows() == paged.kv_rows());
  CHECK(plain.row(6) == paged.row(6));
}

TEST_CASE("prompt attention meets its reference, whatever its lengths") {
  check_prefill<64>(attention(2, 1, 64, 1, 1, 1));
  check_prefill<64>(attention(2, 2, 64, 2, 65, 65));
  check_prefill<64>(attention(1, 1, 64, 1, 7, 150));  // the end of a prompt
  check_prefill<128>(attention(2, 1, 128, 1, 130, 130));
  check_prefill<128>(attention(1, 1, 128, 1, 64, 127));
  check_prefill<128, 32>(attention(2, 1, 128, 1, 70, 101));  // Turing's tiles
}

TEST_CASE("decode attention meets its reference over a shuffled cache") {
  check_decode<64>(attention(1, 1, 64, 1, 1, 1), 8);
  check_decode<64>(attention(4, 2, 64, 3, 1, 33), 1);      // one split
  check_decode<128>(attention(8, 1, 128, 2, 1, 100), 6);   // 7 blocks in 3 splits
  check_decode<128>(attention(20, 1, 128, 1, 1, 47), 64);  // 20 rows: two tiles
}

TEST_CASE("splits share out all blocks, and none is empty") {
  for (const int blocks : {1, 2, 7, 16, 4096}) {
    for (const std::int64_t others : {1, 3, 64}) {
      for (const std::int64_t wanted : {1, 16, 2112}) {
        const int splits = DecodeTile::splits(blocks, others, wanted);
        int next = 0;
        for (int split = 0; split < splits; ++split) {
          const Range range = DecodeTile::blocks_of(split, blocks, splits);
          REQUIRE(range.begin == next);
          REQUIRE(range.end > range.begin);
          next = range.end;
        }
        REQUIRE(next == blocks);
      }
    }
  }
}

TEST_CASE("queries need no tile of keys behind their last one") {
  // 130 new tokens of 200: query 0 sees keys to 70, the tile of queries 64-127 keys to 197.
  CHECK(PrefillTile::last_key(0, 130, 200) == 70);
  CHECK(PrefillTile::key_tiles(0, 64, 130, 200) == 3);   // queries to 63, keys to 133
  CHECK(PrefillTile::key_tiles(64, 64, 130, 200) == 4);  // keys to 197
  CHECK(PrefillTile::key_tiles(128, 64, 130, 200) == 4);
  CHECK(PrefillTile::all_visible(0, 0, 64, 130, 200));
  CHECK_FALSE(PrefillTile::all_visible(0, 1, 64, 130, 200));
  CHECK(PrefillTile::first_query(0, 130) == 128);  // the longest rows first
  CHECK(PrefillTile::first_query(2, 130) == 0);
}
