#include <set>

#include "kernels/gemm_tiles.hpp"
#include "warp.hpp"

using namespace gpucap::measure::cuda;
using test::Fragment;
using test::SharedTile;

namespace {

/// One product, and the kernel's blocks and threads in loops.
template <class Tile, int PerWord>
class HostGemm {
 public:
  HostGemm(Number number, int m, int n, int k)
      : number_(number),
        m_(m),
        n_(n),
        k_(k),
        bytes_(format_of(number).bytes),
        a_(test::memory_of(aligned_matrix(m, k, bytes_), number, 1)),
        b_(test::memory_of(aligned_matrix(n, k, bytes_), number, 2)),
        pitch_(aligned_matrix(1, k, bytes_).pitch * bytes_),
        d_columns_(aligned_matrix(1, n, 2).pitch),
        d_(static_cast<std::size_t>(m * d_columns_)),
        writes_(d_.size()) {}

  void run() {
    const int down = Tile::down(m_), across = Tile::across(d_columns_);
    for (int block = 0; block < down * across; ++block)
      run_block(tile_of_block(block, down, across));
  }
  /// Every result is written once and is exact: sums of so few bits are exact in double precision.
  void check() const {
    const Drawn a{number_, 1}, b{number_, 2};
    for (int row = 0; row < m_; ++row) {
      for (int column = 0; column < d_columns_; ++column) {
        double sum = 0;
        for (int i = 0; i < k_ && column < n_; ++i) sum += a(row * k_ + i) * b(column * k_ + i);
        const auto at = static_cast<std::size_t>(row * d_columns_ + column);
        REQUIRE(writes_[at] == 1);
        REQUIRE(d_[at] == sum);
      }
    }
  }

 private:
  void copy_rows(SharedTile& stage, int base, int tile_rows, const std::vector<unsigned char>& from,
                 int first, int rows, int step) {
    const unsigned char zeros[16] = {};
    for (int thread = 0; thread < Tile::threads; ++thread) {
      for (int i = 0; i < Tile::copies(tile_rows); ++i) {
        const Place place = Tile::copied(thread, i);
        const int row = first + place.row;
        const std::int64_t byte = std::int64_t{step} * Tile::depth + place.column * 16;
        const bool valid = inside(row, rows, byte, pitch_);
        const std::int64_t at = row * pitch_ + byte;
        if (valid) REQUIRE(at + 16 <= static_cast<std::int64_t>(from.size()));
        stage.write_chunk(base + chunk_offset<Tile::chunks>(place.row, place.column),
                          valid ? &from[static_cast<std::size_t>(at)] : zeros);
      }
    }
  }
  void run_block(Place tile) {
    std::vector<test::Sums> sums(Tile::warps * Tile::row_fragments * Tile::column_fragments);
    for (int step = 0; step < Tile::steps(pitch_); ++step) {
      SharedTile stage(Tile::stage_bytes);
      copy_rows(stage, 0, Tile::rows, a_, tile.row * Tile::rows, m_, step);
      copy_rows(stage, Tile::a_bytes, Tile::columns, b_, tile.column * Tile::columns, n_, step);
      stage.require_complete();
      for (int warp = 0; warp < Tile::warps; ++warp) multiply_stage(sums, stage, warp);
    }
    for (int warp = 0; warp < Tile::warps; ++warp) store(sums, tile, warp);
  }
  static std::size_t index(int warp, int i, int j) {
    return static_cast<std::size_t>((warp * Tile::row_fragments + i) * Tile::column_fragments + j);
  }
  void multiply_stage(std::vector<test::Sums>& sums, const SharedTile& stage, int warp) {
    const Place place = Tile::warp_place(warp);
    for (int slice = 0; slice < Tile::slices; ++slice) {
      for (int j = 0; j < Tile::column_fragments; ++j) {
        const auto four = test::load_matrices<PerWord>(stage, number_, [&](int lane) {
          return Tile::b_source(place.column + 16 * (j / 2), slice, lane);
        });
        const auto b = test::pair<PerWord>(four, static_cast<std::size_t>(2 * (j % 2)));
        for (int i = 0; i < Tile::row_fragments; ++i) {
          const auto a = test::load_matrices<PerWord>(stage, number_, [&](int lane) {
            return Tile::a_source(place.row + 16 * i, slice, lane);
          });
          test::multiply<PerWord>(sums[index(warp, i, j)], a, b);
        }
      }
    }
  }
  void store(const std::vector<test::Sums>& sums, Place tile, int warp) {
    const Place first = Tile::warp_place(warp);
    for (int i = 0; i < Tile::row_fragments; ++i) {
      for (int j = 0; j < Tile::column_fragments; ++j) {
        for (int lane = 0; lane < 32; ++lane) {
          for (int half = 0; half < 2; ++half)
            store_pair(sums[index(warp, i, j)], lane, half,
                       tile.row * Tile::rows + first.row + 16 * i,
                       tile.column * Tile::columns + first.column + 8 * j);
        }
      }
    }
  }
  void store_pair(const test::Sums& sums, int lane, int half, int row, int column) {
    const Place place = accumulator_place(lane, 2 * half);
    const int r = row + place.row, c = column + place.column;
    if (r >= m_ || c >= d_columns_) return;
    const std::int64_t pair = (r * d_columns_ + c) / 2;
    REQUIRE((r * d_columns_ + c) % 2 == 0);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t at = static_cast<std::size_t>(2 * pair) + i;
      REQUIRE(at < d_.size());
      d_[at] = sums[static_cast<std::size_t>(lane)][2 * static_cast<std::size_t>(half) + i];
      ++writes_[at];
    }
  }

  Number number_;
  int m_, n_, k_, bytes_;
  std::vector<unsigned char> a_, b_;
  std::int64_t pitch_, d_columns_;
  std::vector<double> d_;
  std::vector<int> writes_;
};

template <class Tile, int PerWord>
void check_product(Number number, int m, int n, int k) {
  HostGemm<Tile, PerWord> gemm(number, m, n, k);
  gemm.run();
  gemm.check();
}

}  // namespace

TEST_CASE("small tiles of 16-bit numbers make the product, whatever its size") {
  check_product<SmallTile, 2>(Number::fp16, 1, 1, 1);
  check_product<SmallTile, 2>(Number::fp16, 64, 64, 32);
  check_product<SmallTile, 2>(Number::bf16, 65, 67, 71);
  check_product<SmallTile, 2>(Number::fp16, 3, 130, 200);
}

TEST_CASE("small tiles of bytes make the product, whatever its size") {
  check_product<SmallTile, 4>(Number::int8, 1, 3, 5);
  check_product<SmallTile, 4>(Number::int8, 67, 65, 131);
  check_product<SmallTile, 4>(Number::e4m3, 20, 70, 64);
}

TEST_CASE("large tiles make the product, whatever its size") {
  check_product<LargeTile, 2>(Number::fp16, 128, 128, 64);
  check_product<LargeTile, 2>(Number::bf16, 129, 137, 33);
  check_product<LargeTile, 4>(Number::int8, 130, 129, 100);
}

TEST_CASE("each tile is some block's, and only one's") {
  for (const int down : {1, 7, 8, 9, 21}) {
    for (const int across : {1, 2, 13}) {
      std::set<std::pair<int, int>> tiles;
      for (int block = 0; block < down * across; ++block) {
        const Place tile = tile_of_block(block, down, across);
        REQUIRE((tile.row >= 0 && tile.row < down && tile.column >= 0 && tile.column < across));
        tiles.insert({tile.row, tile.column});
      }
      CHECK(static_cast<int>(tiles.size()) == down * across);
    }
  }
}

TEST_CASE("large tiles are for products that fill the card twice with them") {
  // 4096 x 4096 is 32 x 32 = 1024 tiles of 128; 132 processors want 264.
  CHECK(wants_large_tile(4096, 4096, 132));
  CHECK_FALSE(wants_large_tile(1024, 4096, 132));  // 8 x 32 = 256
}
