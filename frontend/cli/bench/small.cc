#include "frontend/cli/bench/family.h"
#include "ir/strings.h"

namespace reel::cli {
namespace {

// a + b of n elements, an eager call.
Workload MakeAdd(const Inputs& in, int64_t n) {
  Workload out{.kind = Workload::Kind::kOp};
  out.flops = static_cast<double>(n);
  out.bytes = 12 * static_cast<double>(n);
  out.eager = [](const std::vector<Tensor>& in) { return in[0] + in[1]; };
  out.inputs = {in.Normal("params.a", {n}), in.Normal("params.b", {n})};
  return out;
}

// a b, a of shape a and b of shape b, whose last axis is n; matrices or vectors.
Workload MakeMatMul(const Inputs& in, const Shape& a, const Shape& b, DType dtype) {
  Workload out{.kind = Workload::Kind::kOp, .dtype = dtype};
  const DType given = dtype == kFloat64 ? kFloat64 : kFloat32;
  out.inputs = {Cast(in.Normal("params.a", a, {.dtype = given}), dtype),
                Cast(in.Normal("params.b", b, {.dtype = given}), dtype)};
  const auto a_size = static_cast<double>(a.size()), b_size = static_cast<double>(b.size());
  const auto k = static_cast<double>(a.dim(a.rank() - 1));
  const auto n = b.rank() == 1 ? 1 : static_cast<double>(b.dim(b.rank() - 1));
  out.flops = 2 * a_size * n;
  out.bytes = static_cast<double>(SizeOf(dtype)) * (a_size + b_size + a_size / k * n);
  const bool vectors = a.rank() == 1 || b.rank() == 1;
  out.step = [vectors](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    return {vectors ? Dot(in[0], in[1]) : MatMul(in[0], in[1])};
  };
  return out;
}

// 500 times x = 1.0001 x + y, unrolled; loss = sum x.
Workload MakeChain1000(const Inputs& in) {
  Workload out{.kind = Workload::Kind::kGrad};
  out.flops = 64 * 1000 * 3;
  out.bytes = 4 * 64 * 4;
  out.inputs = {in.Normal("params.x", {64}), in.Normal("params.y", {64})};
  out.step = GradientStep(
      [](const std::vector<Tensor>& in) {
        Tensor x = in[0];
        for (int i = 0; i < 500; ++i) x = x * 1.0001f + in[1];
        return ReduceSum(x);
      },
      2);
  return out;
}

// x + 1 of 8 elements: what a call costs.
Workload MakeCall(const Inputs& in) {
  Workload out{.kind = Workload::Kind::kOp};
  out.flops = 8;
  out.bytes = 64;
  out.step = [](const std::vector<Tensor>& in) -> std::vector<Tensor> { return {in[0] + 1.f}; };
  out.inputs = {in.Normal("params.x", {8})};
  return out;
}

}  // namespace

std::vector<Entry> SmallWorkloads() {
  std::vector<Entry> out;
  for (const int64_t n : {2, 64, 1024})
    out.push_back({StrCat("add_", n), "add", [n](const Inputs& in) { return MakeAdd(in, n); }});
  std::string group = "matmul";
  const auto matmul = [&](const std::string& name, const Shape& a, const Shape& b, DType dtype = kFloat32) {
    out.push_back({name, group, [a, b, dtype](const Inputs& in) { return MakeMatMul(in, a, b, dtype); }});
  };
  matmul("matmul_2", {2, 2}, {2, 2});
  matmul("matmul_100x784", {100, 784}, {784, 100});
  for (const int64_t n : {64, 256, 1024}) matmul(StrCat("matmul_", n), {n, n}, {n, n});
  matmul("matmul_1024_bf16", {1024, 1024}, {1024, 1024}, kBFloat16);
  matmul("bmm_64x64", {64, 64, 64}, {64, 64, 64});
  group = "matvec";
  matmul("matvec_1000x32", {1000, 32}, {32});
  matmul("matvec_1000", {1000, 1000}, {1000});
  matmul("matvec_1000_f64", {1000, 1000}, {1000}, kFloat64);
  matmul("vecmat_1000", {1000}, {1000, 1000});
  matmul("vecmat_1000x32", {1000}, {1000, 32});
  matmul("matvec_64x64x64", {64, 64, 64}, {64, 64, 1});
  out.push_back({"chain1000", "", MakeChain1000});
  out.push_back({"call_overhead", "", MakeCall});
  return out;
}

}  // namespace reel::cli
