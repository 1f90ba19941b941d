// Products of a matrix and a vector, or a few: rows become lanes, squares are turned in registers. The sums are those
// of the rule (ir/MEANING.md), computed here one by one.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "reel/reel.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"

namespace reel {
namespace {

using codegen::PlanFunctions;
using Tensors = std::vector<Tensor>;

struct Case {
  std::string name;
  int64_t batch, rows, depth, columns;
  bool transposed = false;  // rows are neighbours in memory
};

// Registers have 4 to 16 floats: depths and rows are whole squares, one more, one less, and less than one.
const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {"whole_squares", 1, 64, 64, 1},
      {"narrow_panel", 1, 1000, 32, 1},
      {"two_blocks_of_k", 1, 96, 512, 1},
      {"last_block_of_one", 1, 40, 257, 1},
      {"last_block_of_a_square_and_one", 1, 70, 265, 1},
      {"last_line_in_part", 1, 100, 316, 1},
      {"batch_beyond_l1", 9, 40, 64, 1},
      {"batch_beyond_l2", 70, 64, 64, 1},
      {"one_row_more", 1, 33, 40, 1},
      {"one_row_less", 1, 31, 23, 1},
      {"fewer_rows_than_lanes", 1, 9, 300, 1},
      {"one_square", 1, 8, 8, 1},
      {"shallow", 1, 100, 7, 1},
      {"two_columns", 1, 50, 100, 2},
      {"three_columns", 1, 130, 515, 3},
      {"four_columns", 1, 64, 65, 4},
      {"batch", 5, 24, 33, 1},
      {"batch_of_two_columns", 3, 40, 80, 2},
      {"vector_by_matrix", 1, 77, 300, 1, true},
      {"vector_by_matrix_of_few_columns", 1, 32, 1000, 1, true},
      {"three_vectors_by_matrix", 1, 90, 70, 3, true},
      {"batch_of_vectors_by_matrices", 4, 19, 30, 1, true},
  };
  return *cases;
}

// fma over k ascending, in blocks of 256, whose sums are added in order.
template <typename T>
std::vector<T> Expected(const Case& c, const std::vector<T>& x, const std::vector<T>& w) {
  std::vector<T> y;
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t i = 0; i < c.rows; ++i) {
      for (int64_t j = 0; j < c.columns; ++j) {
        T sum = 0;
        for (int64_t first = 0; first < c.depth; first += 256) {
          T block = 0;
          for (int64_t k = first; k < std::min(c.depth, first + 256); ++k) {
            const int64_t at = c.transposed ? k * c.rows + i : i * c.depth + k;
            block = std::fma(x[static_cast<size_t>(b * c.rows * c.depth + at)],
                             w[static_cast<size_t>((b * c.depth + k) * c.columns + j)], block);
          }
          sum = first == 0 ? block : sum + block;
        }
        y.push_back(sum);
      }
    }
  }
  return y;
}

class VectorProducts : public testing::TestWithParam<Case> {};

TEST_P(VectorProducts, FollowTheRule) {
  const Case& c = GetParam();
  const auto check = [&c]<typename T>(T, DType dtype) {
    Generator generator(11);
    const Shape shape = c.transposed ? Shape({c.batch, c.depth, c.rows}) : Shape({c.batch, c.rows, c.depth});
    const Tensor x = RandomNormal(shape, {.dtype = dtype, .generator = generator});
    const Tensor w = RandomNormal({c.batch, c.depth, c.columns}, {.dtype = dtype, .generator = generator});
    const auto f = [&c](const Tensor& a, const Tensor& b) {
      const Tensor y = MatMul(a, b, {.transpose_a = c.transposed});
      return Tensors{y, Relu(y) + 1.0};
    };
    const Function traced = Trace(f, {Spec(x), Spec(w)});
    ExpectSameBits(traced, {x, w}, f(x, w));
    ExpectSameBitsWithoutFma(traced, {x, w});
    const Executable run = Compile(traced, {.cpu = "x86-64-v3"});
    EXPECT_EQ(run("main", x, w).tensors()[0].ToVector<T>(), Expected(c, x.ToVector<T>(), w.ToVector<T>()));
  };
  check(float{}, kFloat32);
  check(double{}, kFloat64);
}

INSTANTIATE_TEST_SUITE_P(All, VectorProducts, testing::ValuesIn(Cases()), [](const auto& p) { return p.param.name; });

std::string Plan(const std::string& x, int k_axis, const std::string& w, const std::string& y) {
  return ToString(PlanFunctions("func @f(%x: f32" + x + ", %w: f32" + w + ") -> (f32" + y +
                                ") {\n  %0 = contract %x, " + "%w {a_batch=[], a_contract=[" + std::to_string(k_axis) +
                                "], b_batch=[], b_contract=[0]} : f32" + y + "\n  return %0\n}"));
}

// Rows that are neighbours are lanes, whatever the depth; others are turned if a square is filled.
TEST(VectorProducts, HaveRowsAsLanes) {
  const std::string apart = Plan("[1000,32]", 1, "[32]", "[1000]"), neighbours = Plan("[256,40]", 0, "[256]", "[40]"),
                    shallow = Plan("[1000,5]", 1, "[5]", "[1000]"), many = Plan("[1000,32]", 1, "[32,9]", "[1000,9]");
  EXPECT_NE(apart.find("transpose square"), std::string::npos) << apart;
  EXPECT_EQ(neighbours.find("transpose"), std::string::npos) << neighbours;
  EXPECT_EQ(neighbours.find("local pack"), std::string::npos) << neighbours;
  EXPECT_NE(neighbours.find("x[10240*kb + 40*k + j"), std::string::npos) << neighbours;
  EXPECT_EQ(shallow.find("transpose"), std::string::npos) << shallow;
  EXPECT_EQ(many.find("transpose"), std::string::npos) << many;
}

// Of what L1 does not hold, lines are asked for before they are turned.
TEST(VectorProducts, AskForLinesOfFarRows) {
  const auto asks = [](const std::string& plan) { return plan.find("prefetch x[") != std::string::npos; };
  EXPECT_TRUE(asks(Plan("[1000,64]", 1, "[64]", "[1000]")));
  EXPECT_FALSE(asks(Plan("[100,64]", 1, "[64]", "[100]")));
}

// One output channel: places are lanes.
TEST(VectorProducts, FiltersOfOneChannelHavePlacesAsLanes) {
  Generator generator(12);
  const Tensor x = RandomNormal({2, 700, 1}, {.generator = generator}),
               w = RandomNormal({31, 1, 1}, {.generator = generator});
  const auto f = [](const Tensor& a, const Tensor& b) { return Tensors{Conv1D(a, b)}; };
  const Tensor y = f(x, w)[0];
  ExpectSameBits(Trace(f, {Spec(x), Spec(w)}), {x, w}, {y});
  const std::vector<float> got = y.ToVector<float>(), from = x.ToVector<float>(), by = w.ToVector<float>();
  for (const size_t at : {size_t{0}, size_t{1}, size_t{669}, size_t{700}}) {
    const size_t image = at / 670, place = at % 670;
    double sum = 0;
    for (size_t k = 0; k < 31; ++k) sum += double{from[image * 700 + place + k]} * double{by[k]};
    EXPECT_NEAR(got[at], sum, 1e-4) << at;
  }
}

// A filter for each channel, channels first: places are lanes, also every second one, and of rows that fill no
// register.
TEST(VectorProducts, FiltersOfEachChannelHavePlacesAsLanes) {
  Generator generator(13);
  constexpr int64_t kChannels = 3;
  const Tensor w = RandomNormal({kChannels, 1, 3, 3}, {.generator = generator});
  for (const auto& [size, stride] :
       std::vector<std::pair<int64_t, int64_t>>{{6, 1}, {9, 1}, {15, 2}, {71, 2}, {40, 3}}) {
    const Tensor x = RandomNormal({2, kChannels, size, size}, {.generator = generator});
    const ConvOptions options{.strides = {stride, stride}, .groups = kChannels, .format = kChannelsFirst};
    const auto f = [&options](const Tensor& a, const Tensor& b) { return Tensors{Conv2D(a, b, options)}; };
    const Tensor y = f(x, w)[0];
    const Function traced = Trace(f, {Spec(x), Spec(w)});
    ExpectSameBits(traced, {x, w}, {y});
    ExpectSameBitsWithoutFma(traced, {x, w});
    const std::vector<float> from = x.ToVector<float>(), by = w.ToVector<float>();
    std::vector<float> want;
    const int64_t places = (size - 3) / stride + 1;
    for (int64_t at = 0; at < 2 * kChannels * places * places; ++at) {
      const int64_t plane = at / (places * places), row = at / places % places, column = at % places;
      float sum = 0;
      for (int64_t k = 0; k < 9; ++k) {
        const int64_t place = (plane * size + row * stride + k / 3) * size + column * stride + k % 3;
        sum = std::fma(from[static_cast<size_t>(place)], by[static_cast<size_t>(plane % kChannels * 9 + k)], sum);
      }
      want.push_back(sum);
    }
    EXPECT_EQ(Compile(traced, {.cpu = "x86-64-v3"})("main", x, w).tensors()[0].ToVector<float>(), want) << size;
  }
}

}  // namespace
}  // namespace reel
