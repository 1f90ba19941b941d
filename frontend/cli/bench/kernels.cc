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

// A convolution of x by w, as options say; products: multiplications of one step.
Workload MakeFilter(const Inputs& in, const Shape& x, const Shape& w, double products, const ConvOptions& options,
                    bool depthwise = false) {
  Workload out{.kind = Workload::Kind::kOp};
  out.inputs = {in.Normal("params.x", x), in.Normal("params.w", w, {.stddev = 0.05})};
  out.flops = 2 * products;
  out.bytes = 4 * static_cast<double>(2 * x.size() + w.size());
  out.step = [options, depthwise](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    return {depthwise ? DepthwiseConv2D(in[0], in[1], options) : Conv(in[0], in[1], options)};
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
  const ConvOptions same{.padding = kSame}, channels_first{.padding = kSame, .format = kChannelsFirst};
  out.push_back({"filter_501", "filter", [](const Inputs& in) {
                   return MakeFilter(in, {1, (1 << 16) + 500, 1}, {501, 1, 1}, 501.0 * (1 << 16), {});
                 }});
  out.push_back({"filter_2x2", "filter", [same](const Inputs& in) {
                   return MakeFilter(in, {8, 2, 2, 512}, {3, 3, 512, 512}, 8.0 * 4 * 9 * 512 * 512, same);
                 }});
  out.push_back({"filter_chw", "filter", [channels_first](const Inputs& in) {
                   return MakeFilter(in, {8, 64, 56, 56}, {64, 1, 3, 3}, 8.0 * 64 * 56 * 56 * 9, channels_first, true);
                 }});
  return out;
}

}  // namespace reel::cli
