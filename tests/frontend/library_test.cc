// Eager ops from the library of kernels and as copies: the bits of compiled code, at shapes where
// blocks, rows and threads end.

#include <cstring>
#include <thread>

#include "codegen/library/specs.h"
#include "frontend/eager/kernel_library.h"
#include "ir/hash_map.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using Unary = std::function<Tensor(const Tensor&)>;

// Eager and compiled results are the same bytes.
void ExpectCompiledBits(const Unary& f, const Tensor& x) {
  const Tensor eager = f(x);
  const Function traced = Trace([&](const Tensor& t) { return f(t); }, {Spec(x)});
  const Tensor compiled = Compile(traced)(traced.name(), x);
  ASSERT_EQ(eager.type(), compiled.type());
  EXPECT_EQ(std::memcmp(eager.raw_data(), compiled.raw_data(), static_cast<size_t>(eager.type().bytes())), 0)
      << x.type().ToString() << " -> " << eager.type().ToString();
}

Tensor Numbers(const Shape& shape, DType dtype) {
  const Tensor x = RandomNormal(shape, {.generator = Generator(7)});
  return IsFloat(dtype) ? Cast(x, dtype) : Cast(x * 100.f, dtype);
}

constexpr DType kDTypes[] = {kFloat16, kBFloat16, kFloat32, kFloat64, kInt8, kInt32, kUInt16};

// Every elementwise op and reduction of real numbers is in the library, on every CPU level.
TEST(Library, IsWhole) {
  for (const std::string_view name : codegen::TargetNames()) {
    HashSet<std::pair<ir::Op, DType>> have;
    for (const codegen::LibrarySpec& s : codegen::LibrarySpecs(*codegen::FindTarget(name))) {
      const auto op = static_cast<ir::Op>(s.entry.op);
      have.insert({op, static_cast<DType>(s.entry.operand[ir::Info(op).operands - 1])});
    }
    for (const ir::Op op : ir::AllOps()) {
      const bool copied = op == ir::Op::kIdentity || op == ir::Op::kStopGradient || ir::IsCheck(op);
      const ir::DTypeSet set = ir::Info(op).dtypes;
      if (copied || !ir::Info(op).Has(ir::kElementwise) || set == ir::DTypeSet::kComplex) continue;
      for (const DType d : kDTypes) {
        if (op != ir::Op::kComplex && ir::Contains(set, d)) {
          EXPECT_TRUE(have.contains({op, d})) << ir::Name(op) << " " << Name(d) << " " << name;
        }
      }
    }
  }
}

TEST(Library, ElementwiseAtAllLengths) {
  for (const DType d : kDTypes) {
    for (const int64_t n : {0, 1, 3, 15, 16, 17, 31, 33, 64, 127, 1021, 65536, 65537, 200001}) {
      const Tensor x = Numbers({n}, d);
      ExpectCompiledBits([](const Tensor& t) { return t + t * t; }, x);
      ExpectCompiledBits([](const Tensor& t) { return Cast(t, kFloat32); }, x);
      ExpectCompiledBits([](const Tensor& t) { return Where(Greater(t, 0), t, t - t); }, x);
    }
  }
}

TEST(Library, ReductionsOfRowsAndColumns) {
  const Shape shapes[] = {{1},          {5},         {64},      {65},      {4096},     {4097},     {300000},
                          {100, 7},     {64, 16},    {70, 17},  {3, 5000}, {500, 200}, {9000, 20}, {2, 4, 33},
                          {3, 70, 130}, {130, 3, 9}, {1, 1, 8}, {7, 1},    {80, 1}};
  for (const DType d : kDTypes) {
    for (const Shape& shape : shapes) {
      const Tensor x = Numbers(shape, d);
      for (int64_t axis = 0; axis < shape.rank(); ++axis) {
        ExpectCompiledBits([&](const Tensor& t) { return ReduceSum(t, axis); }, x);
        ExpectCompiledBits([&](const Tensor& t) { return ReduceMax(t, axis); }, x);
        ExpectCompiledBits([&](const Tensor& t) { return ReduceProd(t, axis); }, x);
      }
      ExpectCompiledBits([](const Tensor& t) { return ReduceMin(t); }, x);
      ExpectCompiledBits([](const Tensor& t) { return ReduceSum(t); }, x);
    }
  }
}

TEST(Library, Copies) {
  for (const DType d : {kBool, kInt8, kBFloat16, kFloat32, kFloat64, kComplex64, kComplex128}) {
    const Tensor base = Numbers({6, 35, 50}, IsComplex(d) || d == kBool ? kFloat32 : d);
    const Tensor x = d == kBool ? Greater(base, 0) : IsComplex(d) ? Cast(Complex(base, base), d) : base;
    ExpectCompiledBits([](const Tensor& t) { return Transpose(t, {2, 0, 1}); }, x);
    ExpectCompiledBits([](const Tensor& t) { return Transpose(t, {0, 2, 1}); }, x);
    ExpectCompiledBits([](const Tensor& t) { return Flip(t, {0, 2}); }, x);
    ExpectCompiledBits([](const Tensor& t) { return BroadcastTo(ExpandDims(t, 1), {6, 4, 35, 50}); }, x);
    ExpectCompiledBits([](const Tensor& t) { return BroadcastTo(t, {3, 6, 35, 50}); }, x);
    ExpectCompiledBits([](const Tensor& t) { return Concat({t, t, t}, 1); }, x);
    ExpectCompiledBits([](const Tensor& t) { return Pad(t, {1, 0, 4}, {2, 3, 0}); }, x);
    ExpectCompiledBits([](const Tensor& t) { return Slice(t, {1, 2, 3}, {6, 30, 50}, {2, 3, 5}); }, x);
  }
}

const internal::TensorData& DataOf(const Tensor& x) { return *x.internal_data(); }

TEST(Library, NumbersAreRepeatedWithoutMemory) {
  using internal::kRepeatsFrom;
  for (const DType d : kDTypes) {
    for (const int64_t n : {kRepeatsFrom - 1, kRepeatsFrom, kRepeatsFrom + 2049, int64_t{200001}}) {
      const Tensor x = Numbers({n}, d);
      ExpectCompiledBits([](const Tensor& t) { return (t + 3) * t - 5; }, x);
      ExpectCompiledBits([&](const Tensor& t) { return Where(Greater(t, 1), 7, t * 2); }, x);
      ExpectCompiledBits([&](const Tensor& t) { return Maximum(Full({n}, 2, d), Full({n}, 3, d)) + t; }, x);
    }
  }
  const Tensor two = Full({4, 5000}, 2), five = two + 3.f;
  EXPECT_TRUE(DataOf(two).is_number());
  EXPECT_FALSE(DataOf(five).is_number());
  EXPECT_EQ(five.data<float>()[19999], 5);
  EXPECT_EQ(ReduceSum(two).item<float>(), 40000);  // a reduction reads memory
  EXPECT_FALSE(DataOf(two).is_number());
  EXPECT_EQ((two + 3.f).data<float>()[19999], 5);
  EXPECT_EQ(Reshape(Full({4, 5000}, 2), {20000}).data<float>()[19999], 2);
}

TEST(Library, NumbersAsVariablesResultsAndTangents) {
  const Variable w(Full({10000}, 2));
  w.Assign(Full({10000}, 3));
  EXPECT_EQ(ReduceSum(w.value()).item<float>(), 30000);
  const Executable run = Compile(Trace([](const Tensor& x) { return x + x; }, {Spec(kFloat32, {10000})}));
  std::vector<Tensor> out = {Full({10000}, 2)};  // may be written in place
  for (int i = 0; i < 2; ++i) run.Run("main", std::vector<Tensor>{w.value()}, out);
  EXPECT_EQ((out[0] + 1.f).data<float>()[9999], 7);
  const Tensor x = Full({10000}, 3);
  ForwardAccumulator forward({x}, {Full({10000}, 0.5)});
  EXPECT_EQ(forward.Jvp(x * x)->data<float>()[9999], 3);
}

TEST(Library, NoMemoryForANumberIsSaidAtOnce) {
  ExpectError(ErrorCode::kResourceExhausted, "no memory for f32[35184372088832]", [] { Full({int64_t{1} << 45}, 2); });
}

TEST(Library, ThreadsThatReadANumberAtOnce) {
  for (int round = 0; round < 20; ++round) {
    const Tensor x = Full({100000}, 3);
    std::vector<std::thread> threads;
    std::vector<float> sums(4);
    for (size_t i = 0; i < sums.size(); ++i) {
      threads.emplace_back([&, i] { sums[i] = i % 2 ? ReduceSum(x).item<float>() : (x + 1.f).data<float>()[99999]; });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_THAT(sums, testing::ElementsAre(4, 300000, 4, 300000));
  }
}

}  // namespace
}  // namespace reel
