#include "frontend/cli/bench/family.h"
#include "ir/strings.h"

namespace reel::cli {
namespace {

// One operation on single rows of standard normal numbers.
Workload MakeOp(const Inputs& in, const Shape& shape, double flops, Workload::Step step) {
  Workload out{.kind = Workload::Kind::kOp};
  out.inputs = {in.Normal("params.x", shape)};
  out.flops = flops;
  out.bytes = 4 * static_cast<double>(shape.size());
  out.step = std::move(step);
  return out;
}

// The 16 largest of each row.
Workload MakeTopK(const Inputs& in, const Shape& shape) {
  return MakeOp(in, shape, static_cast<double>(shape.size()),
                [](const std::vector<Tensor>& in) -> std::vector<Tensor> { return {TopK(in[0], 16).values}; });
}

// Ascending.
Workload MakeSort(const Inputs& in, int64_t n) {
  return MakeOp(in, {n}, static_cast<double>(n),
                [](const std::vector<Tensor>& in) -> std::vector<Tensor> { return {Sort(in[0])}; });
}

// Eight images of side x side, doubled by a transposed convolution 4x4 of stride 2.
Workload MakeUpsampling(const Inputs& in, int64_t side, int64_t from, int64_t to) {
  constexpr int64_t kBatch = 8, kTaps = 4;
  Workload out{.kind = Workload::Kind::kOp};
  out.inputs = {in.Normal("params.x", {kBatch, side, side, from}),
                in.Normal("params.w", {kTaps, kTaps, to, from}, {.stddev = 0.05})};
  const auto pixels = static_cast<double>(kBatch * side * side);
  out.flops = 2 * pixels * static_cast<double>(kTaps * kTaps * from * to);
  out.bytes = 4 * (pixels * static_cast<double>(from + 4 * to) + static_cast<double>(kTaps * kTaps * from * to));
  out.step = [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    return {ConvTranspose2D(in[0], in[1], {.strides = {2, 2}, .padding = kSame})};
  };
  return out;
}

}  // namespace

std::vector<Entry> KernelWorkloads() {
  std::vector<Entry> out;
  out.push_back({"top_k_1m", "sort", [](const Inputs& in) { return MakeTopK(in, {1 << 20}); }});
  out.push_back({"top_k_rows", "sort", [](const Inputs& in) { return MakeTopK(in, {256, 1024}); }});
  out.push_back({"sort_256k", "sort", [](const Inputs& in) { return MakeSort(in, 1 << 18); }});
  out.push_back({"upsample_16", "upsample", [](const Inputs& in) { return MakeUpsampling(in, 16, 128, 64); }});
  out.push_back({"upsample_32", "upsample", [](const Inputs& in) { return MakeUpsampling(in, 32, 64, 3); }});
  return out;
}

}  // namespace reel::cli
