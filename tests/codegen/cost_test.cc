// What kernels cost, read off their loop trees: exact for what can be counted by hand.
#include "codegen/loop/cost.h"

#include <gtest/gtest.h>

#include "ir/cost.h"
#include "tests/codegen/program_util.h"

namespace reel::codegen {
namespace {

// Of all kernels of a program, each once.
KernelCost Cost(const std::string& body, const PlanOptions& options = {}) {
  const Program program = PlanFunctions(body, options);
  KernelCost sum;
  for (const Kernel& kernel : program.kernels) {
    const KernelCost cost = CostOf(kernel);
    sum.flops += cost.flops;
    sum.bytes_read += cost.bytes_read;
    sum.bytes_written += cost.bytes_written;
    if (SizeOf(cost.dtype) > SizeOf(sum.dtype)) sum.dtype = cost.dtype;
  }
  return sum;
}

struct Dims {
  int64_t m, n, k;
};

// Tiles, panels and blocks that do not fit the shape, packed operands, several chunks: the product is what it is.
TEST(Cost, ProductsAreExact) {
  for (const auto& [m, n, k] : {Dims{1, 1, 1},
                                {6, 64, 256},
                                {7, 65, 257},
                                {128, 10, 784},
                                {33, 130, 300},
                                {5, 3, 1000},
                                {512, 512, 64},
                                {1, 100, 100}}) {
    for (const std::string dtype : {"f32", "f64"}) {
      const std::string x = StrCat(dtype, "[", m, ",", k, "]"), w = StrCat(dtype, "[", k, ",", n, "]");
      const std::string y = StrCat(dtype, "[", m, ",", n, "]");
      const KernelCost cost =
          Cost(StrCat("func @f(%x: ", x, ", %w: ", w, ") -> (", y, ") {\n  %0 = contract %x, %w ",
                      "{a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : ", y, "\n  return %0\n}"));
      const int64_t size = dtype == "f32" ? 4 : 8;
      EXPECT_EQ(cost.flops, 2 * m * n * k) << y << " " << k;
      EXPECT_EQ(cost.bytes_read, size * (m * k + k * n)) << y << " " << k;
      EXPECT_EQ(cost.bytes_written, size * m * n) << y << " " << k;
      EXPECT_EQ(cost.dtype, dtype == "f32" ? kFloat32 : kFloat64);
    }
  }
}

// A column is computed as a row of lanes, in the result's own memory.
TEST(Cost, ColumnsAreRowsOfLanes) {
  const KernelCost cost = Cost(R"(func @f(%x: f32[100,100], %w: f32[100,1]) -> (f32[100,1]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[100,1]
  return %0
})");
  EXPECT_EQ(cost.flops, 2 * 100 * 100);
  EXPECT_EQ(cost.bytes_read, 4 * (100 * 100 + 100));
  EXPECT_EQ(cost.bytes_written, 4 * 100);
}

TEST(Cost, EpiloguesAddWhatTheyCompute) {
  const KernelCost cost = Cost(R"(func @f(%x: f32[33,40], %w: f32[40,50], %b: f32[50]) -> (f32[33,50]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[33,50]
  %1 = broadcast %b {axes=[1], shape=[33,50]} : f32[33,50]
  %2 = add %0, %1 : f32[33,50]
  %3 = tanh %2 : f32[33,50]
  return %3
})");
  EXPECT_EQ(cost.flops, 33 * 50 * (2 * 40 + 1 + ir::FlopsOf(ir::Op::kTanh)));
  EXPECT_EQ(cost.bytes_read, 4 * (33 * 40 + 40 * 50 + 50));
  EXPECT_EQ(cost.bytes_written, 4 * 33 * 50);
}

TEST(Cost, MapsAndReductions) {
  for (const int64_t n : {2, 7, 64, 1000, 100000}) {
    const std::string type = StrCat("f32[", n, "]");
    const KernelCost map = Cost(StrCat("func @f(%x: ", type, ") -> (", type, ") {\n  %0 = exp %x : ", type,
                                       "\n  %1 = mul %0, %x : ", type, "\n  return %1\n}"));
    EXPECT_EQ(map.flops, n * (ir::FlopsOf(ir::Op::kExp) + 1)) << n;
    EXPECT_EQ(map.bytes_read, 4 * n) << n;
    EXPECT_EQ(map.bytes_written, 4 * n) << n;
    const KernelCost sum = Cost(
        StrCat("func @f(%x: ", type, ") -> (f32[]) {\n  %0 = reduce_sum %x {axes=[0]} : f32[]", "\n  return %0\n}"));
    EXPECT_EQ(sum.flops, n) << n;
    EXPECT_EQ(sum.bytes_read, 4 * n) << n;
    EXPECT_EQ(sum.bytes_written, 4) << n;
  }
}

// Two passes over each row read it once; what waits in the result's row is not read from memory.
TEST(Cost, RowsAreReadOnce) {
  const KernelCost cost = Cost(SoftmaxText(500, 96));
  EXPECT_EQ(cost.flops, 500 * 96 * (1 + 1 + ir::FlopsOf(ir::Op::kExp) + 1 + 1));
  EXPECT_EQ(cost.bytes_read, 4 * 500 * 96);
  EXPECT_EQ(cost.bytes_written, 4 * 500 * 96);
}

// Only what is touched: a slice of x, gathered rows of a table, the rows that a scatter changes.
TEST(Cost, PartsOfBuffers) {
  const KernelCost slice = Cost(R"(func @f(%x: f32[1000]) -> (f32[10]) {
  %0 = slice %x {limits=[30], starts=[20], strides=[1]} : f32[10]
  %1 = neg %0 : f32[10]
  return %1
})");
  EXPECT_EQ(slice.bytes_read, 4 * 10);
  const KernelCost gather = Cost(R"(func @f(%x: f32[1000,16], %i: i32[5]) -> (f32[5,16]) {
  %0 = gather %x, %i {axis=0} : f32[5,16]
  return %0
})");
  EXPECT_EQ(gather.bytes_read, 4 * (5 * 16 + 5));
  EXPECT_EQ(gather.bytes_written, 4 * 5 * 16);
  EXPECT_EQ(gather.flops, 0);
}

// At level 0 each op is a kernel, and what they share goes through memory.
TEST(Cost, WithoutFusion) {
  const KernelCost cost = Cost(R"(func @f(%x: f64[100]) -> (f64[100]) {
  %0 = add %x, %x : f64[100]
  %1 = mul %0, %x : f64[100]
  return %1
})",
                               {.fuse = false, .vectorize = false});
  EXPECT_EQ(cost.flops, 200);
  EXPECT_EQ(cost.bytes_read, 8 * (100 + 200));
  EXPECT_EQ(cost.bytes_written, 8 * 200);
}

}  // namespace
}  // namespace reel::codegen
