// Hand-built kernels through the JIT against plain C++, bit for bit, on every target this machine
// has.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/philox.h"
#include "tests/codegen/kernel_util.h"

namespace reel::codegen {
namespace {

std::vector<float> Numbers(int64_t n, uint32_t seed) {
  std::vector<float> out;
  for (int64_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    out.push_back(static_cast<float>(static_cast<int32_t>(seed)) / (1 << 28));
  }
  return out;
}

/// Bits of every element, for == that tells -0 from 0.
template <typename T>
std::vector<uint64_t> Bits(const std::vector<T>& values) {
  std::vector<uint64_t> out;
  for (const T& value : values) out.push_back(BitsOf(value));
  return out;
}

/// acc + a * b as the target rounds it.
float MultiplyAdd(const Target& target, float a, float b, float acc) {
  return target.has_fma ? std::fma(a, b, acc) : acc + a * b;
}

TEST(Lower, ElementwiseWithTails) {
  for (const Target& target : HostTargets()) {
    for (int64_t n : {1, 7, 64, 100, 130}) {
      for (int64_t width : {1, 4, 16, 64}) {
        Kernel k;
        k.name = "map";
        const AxisId i = k.AddAxis("i");
        const BufferId x = k.AddBuffer("x", kFloat32, false), s = k.AddBuffer("s", kFloat32, false);
        const BufferId y = k.AddBuffer("y", kFloat32, true), z = k.AddBuffer("z", kBool, true);
        const ExprId a = Load(k, x, At({{i, 1}})), b = Load(k, s, At({}));
        const ExprId product = Apply(k, ir::Op::kMul, kFloat32, {a, b});
        const ExprId sum = Apply(k, ir::Op::kAdd, kFloat32, {product, a});
        const ExprId less = Apply(k, ir::Op::kLess, kBool, {sum, b});
        k.body = Block(
            For(i, LoopKind::kVector, n, width, Block(Store(y, At({{i, 1}}), sum), Store(z, At({{i, 1}}), less))));
        const auto in = Numbers(n, 1);
        const float scale = 0.3f;
        std::vector<float> out(static_cast<size_t>(n) + 1, -1), want = out;
        std::vector<uint8_t> flag(static_cast<size_t>(n) + 1, 9), want_flag = flag;
        for (size_t e = 0; e < in.size(); ++e) {
          want[e] = in[e] * scale + in[e];
          want_flag[e] = want[e] < scale;
        }
        RunKernel(k, target, {in.data(), &scale}, {out.data(), flag.data()});
        EXPECT_EQ(Bits(out), Bits(want)) << target.name << " n=" << n << " width=" << width;
        EXPECT_EQ(flag, want_flag) << target.name << " n=" << n << " width=" << width;
      }
    }
  }
}

/// 64 interleaved partials, then a tree: the rule of reduce_sum for a row.
float RowSum(const float* x, int64_t n) {
  float p[64];
  for (float& v : p) v = -0.0f;
  for (int64_t i = 0; i < n; ++i) p[i % 64] += x[i];
  for (int s = 32; s >= 1; s /= 2) {
    for (int j = 0; j < s; ++j) p[j] += p[j + s];
  }
  return p[0];
}

TEST(Lower, RowReduceWithTree) {
  constexpr int64_t kRows = 5;
  for (const Target& target : HostTargets()) {
    for (int64_t n : {1, 64, 200, 777}) {
      for (int64_t width : {1, 16, 64}) {
        Kernel k;
        k.name = "row_sum";
        const AxisId r = k.AddAxis("r"), i = k.AddAxis("i"), j = k.AddAxis("j");
        const BufferId x = k.AddBuffer("x", kFloat32, false), y = k.AddBuffer("y", kFloat32, true);
        const LocalId p = k.AddLocal("p", kFloat32, 64);
        const ExprId v = Load(k, x, At({{r, n}, {i, 64}, {j, 1}}));
        Stmt inner = Clip(For(j, LoopKind::kVector, 64, width, Block(Accumulate(p, At({{j, 1}}), Combine::kSum, v))),
                          At({{i, 64}}), n);
        k.body =
            Block(For(r, LoopKind::kParallel, kRows, 1,
                      Block(Declare(p, -0.0f), For(i, LoopKind::kSerial, (n + 63) / 64, 1, Block(std::move(inner))),
                            Tree(p, Combine::kSum), Store(y, At({{r, 1}}), ReadLocal(k, p, At({}))))));
        const auto in = Numbers(kRows * n, 2);
        std::vector<float> out(kRows), want;
        for (int64_t row = 0; row < kRows; ++row) want.push_back(RowSum(&in[static_cast<size_t>(row * n)], n));
        RunKernel(k, target, {in.data()}, {out.data()});
        EXPECT_EQ(Bits(out), Bits(want)) << target.name << " n=" << n << " width=" << width;
      }
    }
  }
}

TEST(Lower, ColumnReduceKeepsPartialsPerLane) {
  constexpr int64_t kRows = 200;
  for (const Target& target : HostTargets()) {
    for (int64_t n : {3, 16, 45}) {
      Kernel k;
      k.name = "column_sum";
      const AxisId j = k.AddAxis("j"), i = k.AddAxis("i"), q = k.AddAxis("q");
      const BufferId x = k.AddBuffer("x", kFloat32, false), y = k.AddBuffer("y", kFloat32, true);
      const LocalId p = k.AddLocal("p", kFloat32, 64);
      const ExprId v = Load(k, x, At({{i, 64 * n}, {q, n}, {j, 1}}));
      Stmt rows = Clip(For(q, LoopKind::kSerial, 64, 1, Block(Accumulate(p, At({{q, 1}}), Combine::kSum, v))),
                       At({{i, 64}}), kRows);
      k.body =
          Block(For(j, LoopKind::kVector, n, 16,
                    Block(Declare(p, -0.0f), For(i, LoopKind::kSerial, (kRows + 63) / 64, 1, Block(std::move(rows))),
                          Tree(p, Combine::kSum), Store(y, At({{j, 1}}), ReadLocal(k, p, At({}))))));
      const auto in = Numbers(kRows * n, 3);
      std::vector<float> out(static_cast<size_t>(n)), want, column;
      for (int64_t c = 0; c < n; ++c) {
        column.clear();
        for (int64_t row = 0; row < kRows; ++row) column.push_back(in[static_cast<size_t>(row * n + c)]);
        want.push_back(RowSum(column.data(), kRows));
      }
      RunKernel(k, target, {in.data()}, {out.data()});
      EXPECT_EQ(Bits(out), Bits(want)) << target.name << " n=" << n;
    }
  }
}

TEST(Lower, MatMulTile) {
  for (const Target& target : HostTargets()) {
    for (const auto& [m, n, depth] : {std::array<int64_t, 3>{6, 64, 37}, {12, 128, 20}, {8, 100, 9}, {7, 10, 300}}) {
      Kernel k;
      k.name = "matmul";
      const AxisId m0 = k.AddAxis("m0"), n0 = k.AddAxis("n0"), kk = k.AddAxis("k");
      const AxisId r = k.AddAxis("r"), j = k.AddAxis("j");
      const BufferId a = k.AddBuffer("a", kFloat32, false), b = k.AddBuffer("b", kFloat32, false);
      const BufferId y = k.AddBuffer("y", kFloat32, true);
      const LocalId acc = k.AddLocal("acc", kFloat32, 6 * 64);
      const Affine at = At({{r, 64}, {j, 1}});
      const ExprId x = Load(k, a, At({{m0, 6 * depth}, {r, depth}, {kk, 1}}));
      const ExprId w = Load(k, b, At({{kk, n}, {n0, 64}, {j, 1}}));
      auto tile = [&](Stmt body) {
        Stmt lanes = Clip(For(j, LoopKind::kVector, 64, 64, Block(std::move(body))), At({{n0, 64}}), n);
        return Clip(For(r, LoopKind::kUnrolled, 6, 1, Block(std::move(lanes))), At({{m0, 6}}), m);
      };
      Stmt product = For(kk, LoopKind::kSerial, depth, 1, Block(tile(Accumulate(acc, at, Combine::kFma, x, w))));
      Stmt store = tile(Store(y, At({{m0, 6 * n}, {r, n}, {n0, 64}, {j, 1}}), ReadLocal(k, acc, at)));
      k.body = Block(For(m0, LoopKind::kParallel, (m + 5) / 6, 1,
                         Block(For(n0, LoopKind::kSerial, (n + 63) / 64, 1,
                                   Block(Declare(acc, 0.0f), std::move(product), std::move(store))))));
      const auto left = Numbers(m * depth, 4), right = Numbers(depth * n, 5);
      std::vector<float> out(static_cast<size_t>(m * n), 7), want;
      for (int64_t row = 0; row < m; ++row) {
        for (int64_t c = 0; c < n; ++c) {
          float sum = 0;
          for (int64_t d = 0; d < depth; ++d) {
            sum = MultiplyAdd(target, left[static_cast<size_t>(row * depth + d)], right[static_cast<size_t>(d * n + c)],
                              sum);
          }
          want.push_back(sum);
        }
      }
      RunKernel(k, target, {left.data(), right.data()}, {out.data()});
      EXPECT_EQ(Bits(out), Bits(want)) << target.name << " " << m << "x" << n << "x" << depth;
    }
  }
}

TEST(Lower, GatherReadsZeroOutOfRange) {
  constexpr int64_t kRows = 6, kColumns = 21;
  const std::vector<int64_t> at = {3, -1, 0, 6, 5, int64_t{1} << 60, 2};
  const auto in = Numbers(kRows * kColumns, 6);
  for (const Target& target : HostTargets()) {
    for (bool rows_in_lanes : {false, true}) {
      Kernel k;
      k.name = "gather";
      const AxisId i = k.AddAxis("i"), j = k.AddAxis("j");
      const BufferId x = k.AddBuffer("x", kFloat32, false), index = k.AddBuffer("at", kInt64, false);
      const BufferId y = k.AddBuffer("y", kFloat32, true);
      const ExprId row = Load(k, index, At({{i, 1}}));
      const ExprId low = Apply(k, ir::Op::kGreaterEqual, kBool, {row, Const<int64_t>(k, 0)});
      const ExprId high = Apply(k, ir::Op::kLess, kBool, {row, Const(k, kRows)});
      const ExprId guard = Apply(k, ir::Op::kAnd, kBool, {low, high});
      const ExprId value = Load(k, x, At({{j, 1}}), guard, row, kColumns);
      Stmt store = Store(y, At({{i, kColumns}, {j, 1}}), value);
      const auto n = static_cast<int64_t>(at.size());
      k.body = rows_in_lanes ? Block(For(j, LoopKind::kSerial, kColumns, 1,
                                         Block(For(i, LoopKind::kVector, n, 4, Block(std::move(store))))))
                             : Block(For(i, LoopKind::kSerial, n, 1,
                                         Block(For(j, LoopKind::kVector, kColumns, 16, Block(std::move(store))))));
      std::vector<float> out(static_cast<size_t>(n * kColumns), 7), want;
      for (int64_t r : at) {
        for (int64_t c = 0; c < kColumns; ++c) {
          want.push_back(r >= 0 && r < kRows ? in[static_cast<size_t>(r * kColumns + c)] : 0);
        }
      }
      RunKernel(k, target, {in.data(), at.data()}, {out.data()});
      EXPECT_EQ(Bits(out), Bits(want)) << target.name << " " << rows_in_lanes;
    }
  }
}

TEST(Lower, PadByGuardAndReverseByNegativeStride) {
  const auto in = Numbers(50, 7);
  for (const Target& target : HostTargets()) {
    Kernel k;
    k.name = "pad";
    const AxisId i = k.AddAxis("i");
    const BufferId x = k.AddBuffer("x", kFloat32, false);
    const BufferId y = k.AddBuffer("y", kFloat32, true), z = k.AddBuffer("z", kFloat32, true);
    const ExprId from = Position(k, kInt64, At({{i, 1}}, -3));
    const ExprId guard = Apply(k, ir::Op::kAnd, kBool,
                               {Apply(k, ir::Op::kGreaterEqual, kBool, {from, Const<int64_t>(k, 0)}),
                                Apply(k, ir::Op::kLess, kBool, {from, Const<int64_t>(k, 50)})});
    const ExprId padded =
        Apply(k, ir::Op::kSelect, kFloat32, {guard, Load(k, x, At({{i, 1}}, -3), guard), Const(k, 1.5f)});
    const ExprId reversed = Load(k, x, At({{i, -1}}, 52), guard);
    k.body = Block(For(i, LoopKind::kVector, 57, 16,
                       Block(Store(y, At({{i, 1}}), padded), Store(z, At({{i, 2}}), reversed, guard))));
    std::vector<float> out(57), out2(114, 7), want, want2 = out2;
    for (size_t e = 0; e < 57; ++e) {
      const bool inside = e >= 3 && e < 53;
      want.push_back(inside ? in[e - 3] : 1.5f);
      if (inside) want2[2 * e] = in[52 - e];
    }
    RunKernel(k, target, {in.data()}, {out.data(), out2.data()});
    EXPECT_EQ(Bits(out), Bits(want)) << target.name;
    EXPECT_EQ(Bits(out2), Bits(want2)) << target.name;
  }
}

TEST(Lower, StoresOfABlockAreOneAssignment) {
  // swap two buffers in place, then read what was written
  for (const Target& target : HostTargets()) {
    Kernel k;
    k.name = "swap";
    const AxisId i = k.AddAxis("i");
    const BufferId x = k.AddBuffer("x", kFloat32, true), y = k.AddBuffer("y", kFloat32, true);
    const ExprId a = Load(k, x, At({{i, 1}})), b = Load(k, y, At({{i, 1}}));
    const AxisId j = k.AddAxis("j");
    const ExprId first = Load(k, x, At({}));
    const ExprId last = Apply(k, ir::Op::kAdd, kFloat32, {Load(k, y, At({{j, 1}})), first});
    k.body = Block(For(i, LoopKind::kVector, 77, 16, Block(Store(x, At({{i, 1}}), b), Store(y, At({{i, 1}}), a))),
                   For(j, LoopKind::kVector, 77, 16, Block(Store(y, At({{j, 1}}), last))));
    auto p = Numbers(77, 8), q = Numbers(77, 9), want_p = q, want_q = p;
    for (float& v : want_q) v += want_p[0];
    RunKernel(k, target, {}, {p.data(), q.data()});
    EXPECT_EQ(Bits(p), Bits(want_p)) << target.name;
    EXPECT_EQ(Bits(q), Bits(want_q)) << target.name;
  }
}

TEST(Lower, AReadOfAWrittenLocalIsNotHoisted) {
  // y[i] = running sum of x, and the total is used as a loop invariant afterwards
  for (const Target& target : HostTargets()) {
    Kernel k;
    k.name = "scan";
    const AxisId i = k.AddAxis("i"), j = k.AddAxis("j");
    const BufferId x = k.AddBuffer("x", kFloat32, false), y = k.AddBuffer("y", kFloat32, true);
    const LocalId total = k.AddLocal("total", kFloat32, 1);
    const ExprId v = Load(k, x, At({{i, 1}})), sum = ReadLocal(k, total, At({}));
    const ExprId scaled = Apply(k, ir::Op::kSqrt, kFloat32, {Apply(k, ir::Op::kAbs, kFloat32, {sum})});
    k.body = Block(Declare(total, 0.0f),
                   For(i, LoopKind::kSerial, 20, 1,
                       Block(Accumulate(total, At({}), Combine::kSum, v), Store(y, At({{i, 1}}), scaled))),
                   For(j, LoopKind::kVector, 20, 16, Block(Store(y, At({{j, 1}}, 20), scaled))));
    const auto in = Numbers(20, 10);
    std::vector<float> out(40), want(40);
    float running = 0;
    for (size_t e = 0; e < 20; ++e) want[e] = std::sqrt(std::fabs(running += in[e]));
    for (size_t e = 20; e < 40; ++e) want[e] = want[19];
    RunKernel(k, target, {in.data()}, {out.data()});
    EXPECT_EQ(Bits(out), Bits(want)) << target.name;
  }
}

TEST(Lower, LanesThatMeetInOneElementAddInOrder) {
  for (const Target& target : HostTargets()) {
    Kernel k;
    k.name = "dot";
    const AxisId i = k.AddAxis("i");
    const BufferId x = k.AddBuffer("x", kFloat32, false), y = k.AddBuffer("y", kFloat32, true);
    const LocalId total = k.AddLocal("total", kFloat32, 1);
    k.body = Block(
        Declare(total, 0.0f),
        For(i, LoopKind::kVector, 45, 16, Block(Accumulate(total, At({}), Combine::kSum, Load(k, x, At({{i, 1}}))))),
        Store(y, At({}), ReadLocal(k, total, At({}))));
    const auto in = Numbers(45, 11);
    float out = 0, want = 0;
    for (float v : in) want += v;
    RunKernel(k, target, {in.data()}, {&out});
    EXPECT_EQ(BitsOf(out), BitsOf(want)) << target.name;
  }
}

TEST(Lower, IntegerOps) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min(), kMax = std::numeric_limits<int32_t>::max();
  const std::vector<int32_t> edge = {kMin, -7, -1, 0, 1, 7, 31, 32, kMax};
  std::vector<int32_t> a, b, want_div, want_shift, want_sign;
  for (int32_t x : edge) {
    for (int32_t y : edge) {
      a.push_back(x), b.push_back(y);
      want_div.push_back(y == 0 ? 0 : y == -1 ? static_cast<int32_t>(0u - static_cast<uint32_t>(x)) : x / y);
      want_shift.push_back(y < 0 || y > 31 ? 0 : static_cast<int32_t>(static_cast<uint32_t>(x) >> y));
      want_sign.push_back((x > 0) - (x < 0));
    }
  }
  const auto n = static_cast<int64_t>(a.size());
  for (const Target& target : HostTargets()) {
    Kernel k;
    k.name = "ints";
    const AxisId i = k.AddAxis("i");
    const BufferId x = k.AddBuffer("x", kInt32, false), y = k.AddBuffer("y", kInt32, false);
    const ExprId u = Load(k, x, At({{i, 1}})), v = Load(k, y, At({{i, 1}}));
    std::vector<Stmt> body;
    for (ir::Op op : {ir::Op::kDiv, ir::Op::kShiftRight}) {
      body.push_back(Store(k.AddBuffer("z", kInt32, true), At({{i, 1}}), Apply(k, op, kInt32, {u, v})));
    }
    body.push_back(Store(k.AddBuffer("s", kInt32, true), At({{i, 1}}), Apply(k, ir::Op::kSign, kInt32, {u})));
    k.body = Block(For(i, LoopKind::kVector, n, 16, std::move(body)));
    std::vector<int32_t> div(a.size()), shift(a.size()), sign(a.size());
    RunKernel(k, target, {a.data(), b.data()}, {div.data(), shift.data(), sign.data()});
    EXPECT_EQ(div, want_div) << target.name;
    EXPECT_EQ(shift, want_shift) << target.name;
    EXPECT_EQ(sign, want_sign) << target.name;
  }
}

TEST(Lower, CastsSaturate) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> in = {0, -0.0f, 1.9f, -1.9f, 3e9f, -3e9f, inf, -inf, std::nanf(""), 5e18f, 1e19f};
  const auto n = static_cast<int64_t>(in.size());
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min(), kHigh = std::numeric_limits<int64_t>::max();
  const std::vector<int32_t> want32 = {0,         0,         1, -1,        INT32_MAX, INT32_MIN,
                                       INT32_MAX, INT32_MIN, 0, INT32_MAX, INT32_MAX};
  const std::vector<int64_t> want64 = {0,    0, 1, -1, 3000000000, -3000000000, kHigh, kLow, 0, 4999999990253223936,
                                       kHigh};
  const std::vector<uint8_t> want_bool = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  for (const Target& target : HostTargets()) {
    for (int64_t width : {1, 16}) {
      Kernel k;
      k.name = "casts";
      const AxisId i = k.AddAxis("i");
      const ExprId x = Load(k, k.AddBuffer("x", kFloat32, false), At({{i, 1}}));
      std::vector<Stmt> body;
      for (DType to : {kInt32, kInt64, kBool}) {
        body.push_back(Store(k.AddBuffer("y", to, true), At({{i, 1}}), Apply(k, ir::Op::kCast, to, {x})));
      }
      k.body = Block(For(i, LoopKind::kVector, n, width, std::move(body)));
      std::vector<int32_t> out32(in.size());
      std::vector<int64_t> out64(in.size());
      std::vector<uint8_t> out_bool(in.size());
      RunKernel(k, target, {in.data()}, {out32.data(), out64.data(), out_bool.data()});
      EXPECT_EQ(out32, want32) << target.name;
      EXPECT_EQ(out64, want64) << target.name;
      EXPECT_EQ(out_bool, want_bool) << target.name;
    }
  }
}

TEST(Lower, RandomWordsArePhilox) {
  const int64_t key = 0x123456789ABCDEF, counter = -2;
  std::vector<uint32_t> want(37);
  runtime::RandomBits(key, counter, 0, want);
  for (const Target& target : HostTargets()) {
    Kernel k;
    k.name = "random";
    const AxisId i = k.AddAxis("i");
    const BufferId state = k.AddBuffer("state", kInt64, false), y = k.AddBuffer("y", kInt32, true);
    const ExprId key_word = Load(k, state, At({})), counter_word = Load(k, state, At({}, 1));
    const ExprId element = Position(k, kInt64, At({{i, 1}}));
    NewExpr(k, Expr::Kind::kRandom, kInt32).operands = {key_word, counter_word, element};
    k.body = Block(For(i, LoopKind::kVector, 37, 16, Block(Store(y, At({{i, 1}}), LastExpr(k)))));
    const int64_t words[2] = {key, counter};
    std::vector<uint32_t> out(37);
    RunKernel(k, target, {words}, {out.data()});
    EXPECT_EQ(out, want) << target.name;
  }
}

TEST(Lower, UnrolledBoolAndEmptyLoops) {
  for (const Target& target : HostTargets()) {
    for (int opt_level : {0, 2}) {
      Kernel k;
      k.name = "any";
      const AxisId r = k.AddAxis("r"), i = k.AddAxis("i"), e = k.AddAxis("e");
      const BufferId x = k.AddBuffer("x", kBool, false), y = k.AddBuffer("y", kBool, true);
      const LocalId any = k.AddLocal("any", kBool, 16);
      const ExprId v = Load(k, x, At({{r, 16}, {i, 1}}));
      k.body =
          Block(For(e, LoopKind::kSerial, 0, 1, Block(Store(y, At({}), v))),
                For(r, LoopKind::kUnrolled, 3, 1,
                    Block(Declare(any, false),
                          For(i, LoopKind::kVector, 16, 16, Block(Accumulate(any, At({{i, 1}}), Combine::kMax, v))),
                          Tree(any, Combine::kMax), Store(y, At({{r, 1}}), ReadLocal(k, any, At({}))))));
      std::vector<uint8_t> in(48, 0), out(3, 9);
      in[16 + 7] = 1;
      RunKernel(k, target, {in.data()}, {out.data()}, opt_level);
      EXPECT_EQ(out, (std::vector<uint8_t>{0, 1, 0})) << target.name;
    }
  }
}

TEST(Lower, ErrorsNameTheKernel) {
  Kernel k;
  k.name = "huge";
  const LocalId local = k.AddLocal("big", kFloat64, 1 << 20);
  k.body = Block(Declare(local, 0.0));
  auto module = JitCompile(OneKernel(k), HostTargets().front(), {});
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(module.status().message().find("huge"), std::string::npos);

  Kernel complex;  // complex numbers are split before they come here
  complex.name = "complex";
  const BufferId x = complex.AddBuffer("x", kComplex64, false), y = complex.AddBuffer("y", kComplex64, true);
  complex.body = Block(Store(y, At({}), Load(complex, x, At({}))));
  module = JitCompile(OneKernel(complex), HostTargets().front(), {});
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace reel::codegen
