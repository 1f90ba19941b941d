// Resizing against values that PyTorch printed.

#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::ElementsAre;

constexpr ResizeMethod kNearest = ResizeMethod::kNearest;
constexpr ResizeCoordinates kAlignCorners = ResizeCoordinates::kAlignCorners,
                            kAsymmetric = ResizeCoordinates::kAsymmetric;
const Tensor kImage = Wave({1, 2, 3, 2}, 0.3);

#define RESIZE(name, x, call, ...)                                                          \
  CompositionCase {                                                                         \
    name, [](const TensorVector& in) { return call; }, {x}, std::vector<double> __VA_ARGS__ \
  }

class Resizes : public testing::TestWithParam<CompositionCase> {};

TEST_P(Resizes, Table) { CheckComposition(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, Resizes,
    testing::Values(
        RESIZE("Bilinear", kImage, Resize(in[0], {3, 4}),
               {0.5910404133227,  1.818594853651,   -0.4406550211396, -0.2839825393257, -0.1155683960412,
                -0.5272677147762, 1.457938080252,   1.169834385784,   -0.5841755533103, 0.5510681445889,
                0.05729126781268, -0.2089812178145, 0.1748050786989,  -0.1400838710773, -0.2708053909471,
                0.7347944025547,  -1.759391519943,  -0.7164585644737, 0.555237556765,   -0.1339798963033,
                0.465178553439,   0.2470999726215,  -1.999548862146,  0.2997544193259}),
        RESIZE("BilinearSmaller", kImage, Resize(in[0], {1, 2}),
               {-0.3275888248611, 0.2470483996275, -0.09256120308873, 0.3848430931019}),
        RESIZE("BilinearCorners", kImage, Resize(in[0], {3, 4}, {.coordinates = kAlignCorners}),
               {0.5910404133227,  1.818594853651,   -0.5094347167704, -0.4241543655242, -0.2204688277941,
                -0.6404078548135, 1.457938080252,   1.169834385784,   -0.5841755533103, 0.5510681445889,
                0.1000557225542,  -0.2596511753081, 0.2045124433419,  -0.1984090893195, -0.2708053909471,
                0.7347944025547,  -1.759391519943,  -0.7164585644737, 0.7095461618789,  -0.09514798509196,
                0.629493714478,   0.2435896761746,  -1.999548862146,  0.2997544193259}),
        RESIZE("Nearest", kImage, Resize(in[0], {3, 4}, {.method = kNearest, .coordinates = kAsymmetric}),
               {0.5910404133227, 1.818594853651,   0.5910404133227, 1.818594853651,  -1.059672281817, -1.545528975112,
                1.457938080252,  1.169834385784,   0.5910404133227, 1.818594853651,  0.5910404133227, 1.818594853651,
                -1.059672281817, -1.545528975112,  1.457938080252,  1.169834385784,  -1.759391519943, -0.7164585644737,
                -1.759391519943, -0.7164585644737, 1.94401500279,   0.2155073045989, -1.999548862146, 0.2997544193259}),
        RESIZE("NearestHalfPixel", kImage, Resize(in[0], {3, 2}, {.method = kNearest}),
               {0.5910404133227, 1.818594853651, 1.457938080252, 1.169834385784, -1.759391519943, -0.7164585644737,
                -1.999548862146, 0.2997544193259, -1.759391519943, -0.7164585644737, -1.999548862146, 0.2997544193259}),
        RESIZE("OneAxis", Wave({1, 2, 3}, 0.3), Resize(in[0], {5}, {.axes = {2}}),
               {0.5910404133227, 1.082062189454, 1.818594853651, 0.09163457237035, -1.059672281817, -1.545528975112,
                -0.3441421529665, 1.457938080252, 1.285075863571, 1.169834385784}),
        RESIZE("ThreeAxes", Wave({1, 1, 2, 2, 2}, 0.3), Resize(in[0], {2, 3, 1}, {.axes = {2, 3, 4}}),
               {1.204817633487, -0.04889149748873, -1.302600628464, 1.313886233018, 0.03798059540457,
                -1.237925042208})),
    CaseName);

TEST(Resize, EdgesAndMistakes) {
  const Tensor x({{1.f, 2.f}});
  EXPECT_THAT(Values(Resize(x, {1, 2}, {.axes = {0, 1}})), ElementsAre(1, 2));
  EXPECT_THAT(Values(Resize(x, {1}, {.coordinates = kAlignCorners, .axes = {1}})), ElementsAre(1));
  EXPECT_THAT(Values(Resize(Tensor({3, 5}), {3}, {.method = kNearest, .axes = {0}})), ElementsAre(3, 5, 5));
  // Element i of n comes from floor(i m / n), or floor((i + 1/2) m / n), also where that is exact.
  for (const int64_t n : {49, 98}) {
    const Tensor at({0, 1});
    const std::vector<double> edge =
        Values(Resize(at, {n}, {.method = kNearest, .coordinates = kAsymmetric, .axes = {0}}));
    const std::vector<double> centre = Values(Resize(at, {n}, {.method = kNearest, .axes = {0}}));
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(edge[static_cast<size_t>(i)], static_cast<double>(2 * i / n)) << i << " of " << n;
      EXPECT_EQ(centre[static_cast<size_t>(i)], static_cast<double>((2 * i + 1) / n)) << i << " of " << n;
    }
  }
  EXPECT_EQ(Resize(Zeros({0, 2, 2, 1}), {4, 4}).shape(), Shape({0, 4, 4, 1}));
  ExpectError(ErrorCode::kInvalidArgument, "resize: 1 sizes for 2 axes", [] { Resize(kImage, {3}); });
  ExpectError(ErrorCode::kInvalidArgument, "axis 1 of f32[1,0,2,1] cannot have 3 elements",
              [] { Resize(Zeros({1, 0, 2, 1}), {3, 3}); });
  ExpectError(ErrorCode::kInvalidArgument, "linear interpolation needs floats, got i32[2]",
              [] { Resize(Tensor({1, 2}), {3}, {.axes = {0}}); });
}

}  // namespace
}  // namespace reel
