// Optimizers against five steps that PyTorch or Optax made of the same regression; schedules,
// clipping, averages and loss scaling; compiled steps against eager ones, bit for bit.

#include <limits>

#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::ElementsAre;

// Two variables and a batch, the same in every program.
struct Regression {
  explicit Regression(DType dtype = kFloat64)
      : kernel(Cast(Wave({2, 3}, 0.5, 1), dtype), {.name = "kernel"}),
        bias(Cast(Wave({3}, 1.3, 1), dtype), {.name = "bias"}),
        x(Cast(Wave({4, 2}, 0.3, 1), dtype)),
        y(Cast(Wave({4, 3}, 0.9, 1), dtype)) {}

  GradientList Gradients() const {
    GradientTape tape;
    const Tensor loss = MeanSquaredError(MatMul(x, kernel) + bias, y);
    return tape.Gradient(loss, {kernel, bias});
  }
  std::vector<double> State() const { return Values(Concat({Reshape(kernel.value(), {-1}), bias.value()})); }

  Variable kernel, bias;
  Tensor x, y;
};

using MakeOptimizer = std::function<std::shared_ptr<Optimizer>()>;

struct OptimizerCase {
  const char* name;
  MakeOptimizer make;
  std::vector<double> want;  // kernel, then bias, after 5 steps
};

void PrintTo(const OptimizerCase& c, std::ostream* stream) { *stream << c.name; }

template <typename O, typename Options>
OptimizerCase Of(const char* name, const Options& options, std::vector<double> want) {
  return {name, [options] { return std::make_shared<O>(options); }, std::move(want)};
}

class Optimizers : public testing::TestWithParam<OptimizerCase> {};

TEST_P(Optimizers, FiveSteps) {
  const Regression r;
  const auto optimizer = GetParam().make();
  for (int i = 0; i < 5; ++i) optimizer->Apply(r.Gradients());
  const std::vector<double> got = r.State();
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], GetParam().want[i], 1e-6) << i;
}

TEST_P(Optimizers, CompiledStepsAreTheEagerOnes) {
  const Regression r(kFloat32);
  const auto optimizer = GetParam().make();
  optimizer->Apply(r.Gradients());  // slots exist
  const Function step =
      Trace([&](const Tensor& finite) { optimizer->ApplyIf(finite, r.Gradients()); }, {Spec(kBool, Shape(), "finite")});
  const Executable run = Compile(step);
  run.LoadFrom(step.variables());
  std::vector<Tensor> none;
  for (const bool finite : {true, false, true}) {
    optimizer->ApplyIf(finite, r.Gradients());
    run.Run("main", std::vector<Tensor>{Tensor(finite)}, none);
  }
  for (const Variable& v : step.variables()) EXPECT_TRUE(SameBits(run.variable(v.name()), v.value())) << v.name();
}

// Where f16 has no epsilon of 1e-8 and bf16 no beta of 0.999: halves are stepped in f32, so a
// variable follows one of f32 to within its own rounding, and a gradient of 0 gives no NaN.
TEST_P(Optimizers, HalvesAreSteppedInSingle) {
  for (const DType dtype : {kFloat16, kBFloat16}) {
    const double rounding = dtype == kFloat16 ? 4e-3 : 3e-2;
    const Regression r;
    const Variable half(Cast(r.kernel.value(), dtype), {.name = "half"});
    const Variable single(Cast(half, kFloat32), {.name = "single"});
    const Variable still(Zeros({2}, dtype), {.name = "still"});
    const auto narrow = GetParam().make(), wide = GetParam().make();
    for (int i = 0; i < 5; ++i) {
      const Tensor g = Cast(r.Gradients().Dense(0), dtype);
      narrow->Apply(GradientList({{half, g}, {still, Zeros({2}, dtype)}}));
      wide->Apply(GradientList({{single, Cast(g, kFloat32)}}));
    }
    ExpectNear(half.value(), Values(single.value()), rounding, "half");
    EXPECT_THAT(Values(still.value()), ElementsAre(0, 0));
    for (const Variable& v : narrow->variables()) EXPECT_TRUE(v.dtype() == kFloat32 || v.dtype() == kInt64) << v.name();
  }
}

TEST_P(Optimizers, SkippedStepsChangeNothing) {
  const Regression r;
  const auto optimizer = GetParam().make();
  optimizer->Apply(r.Gradients());
  const std::vector<double> before = r.State();
  std::vector<Tensor> slots;
  for (const Variable& v : optimizer->variables()) slots.push_back(v.value());
  const Tensor nan = Full({2, 3}, std::nan(""), kFloat64);
  optimizer->ApplyIf(false, GradientList({{r.kernel, nan}}));
  EXPECT_EQ(r.State(), before);
  for (size_t i = 0; i < slots.size(); ++i) EXPECT_TRUE(SameBits(slots[i], optimizer->variables()[i].value()));
}

INSTANTIATE_TEST_SUITE_P(
    All, Optimizers,
    testing::Values(
        Of<Sgd, SgdOptions>("Sgd", {.learning_rate = 0.125},
                            {0.5208855863595, 0.6304000509324, -0.683332737892, -0.562320800106, 0.6030273515865,
                             0.4069272917829, 0.5749435517045, 0.1736835592324, -0.619699892418}),
        Of<Sgd, SgdOptions>("SgdMomentum", {.learning_rate = 0.125, .momentum = 0.875, .weight_decay = 0.0625},
                            {0.5269224017375, 0.3109949643867, -0.6070623795672, -0.399196022517, 0.1780966005553,
                             0.3533024896484, -0.05000715322295, 0.2087095020846, -0.003774987278578}),
        Of<Sgd, SgdOptions>("SgdNesterov", {.learning_rate = 0.125, .momentum = 0.875, .nesterov = true},
                            {0.5714234120329, 0.3215176516419, -0.6542749704986, -0.4154279125961, 0.1462445280927,
                             0.3777423080649, -0.08720812003002, 0.2318535785229, 0.02746200587923}),
        Of<Adam, AdamOptions>("Adam", {.learning_rate = 0.125, .beta_1 = 0.875, .beta_2 = 0.9375},
                              {0.6431112042861, 0.2160099135195, -0.4489011375838, -0.2222714187742, 0.2418734387165,
                               0.1430126240763, 0.3481618442975, 0.188425758836, -0.384796422629}),
        Of<Adam, AdamOptions>("AdamByDefault", {},
                              {0.4844226031013, 0.8034971684787, -0.6927504610658, -0.6262685680381, 0.8454371014717,
                               0.4170499542686, 0.9585585835047, 0.1461148113972, -0.994923737973}),
        Of<Adam, AdamOptions>("AdamDecay",
                              {.learning_rate = 0.125, .beta_1 = 0.875, .beta_2 = 0.9375, .weight_decay = 0.0625},
                              {0.447749628874, 0.2127578449492, -0.08678059263378, -0.1104539131829, 0.2423053133255,
                               -0.1166800446885, 0.3477849001863, 0.1600050046751, -0.3824940433327}),
        Of<Adam, AdamOptions>("Amsgrad", {.learning_rate = 0.125, .beta_1 = 0.875, .beta_2 = 0.9375, .amsgrad = true},
                              {0.6430844603506, 0.2179129397915, -0.4489011375838, -0.2253766490015, 0.2418734387165,
                               0.1430126240763, 0.3481668077866, 0.1897941688997, -0.384796422629}),
        Of<AdamW, AdamOptions>("AdamW",
                               {.learning_rate = 0.125, .beta_1 = 0.875, .beta_2 = 0.9375, .weight_decay = 0.25},
                               {0.5409789245526, 0.1478263734487, -0.3528422051173, -0.1522360152506, 0.1610442369928,
                                0.07070440298657, 0.2476784391253, 0.1845978795588, -0.2792928184988}),
        Of<Adamax, AdamaxOptions>("Adamax", {.learning_rate = 0.125, .beta_1 = 0.875, .beta_2 = 0.9375},
                                  {0.6555878870322, 0.2647838717053, -0.5739874957831, -0.2632684295943,
                                   0.2557888646434, 0.2192874411358, 0.3447655299178, 0.2049719961203,
                                   -0.3880479801447}),
        Of<Nadam, NadamOptions>("Nadam",
                                {.learning_rate = 0.125, .beta_1 = 0.875, .beta_2 = 0.9375, .momentum_decay = 0.25},
                                {0.5305999731116, 0.3694628233016, -0.386587771615, -0.2966651955267, 0.3840112123967,
                                 0.1752314339815, 0.4806864745193, 0.2341642682888, -0.5162172694409}),
        Of<RmsProp, RmsPropOptions>("RmsProp", {.learning_rate = 0.0625, .rho = 0.9375},
                                    {0.3739981264593, 0.2647485306827, -0.2558260426643, -0.1707154449584,
                                     0.2066678618458, 0.06408194950426, 0.2634393897773, 0.2383800528284,
                                     -0.3009540569221}),
        Of<RmsProp, RmsPropOptions>(
            "RmsPropCentered",
            {.learning_rate = 0.0625, .rho = 0.9375, .momentum = 0.5, .centered = true, .weight_decay = 0.0625},
            {0.007394559691139, 0.07551207065387, 0.1672285771712, 0.112434864004, -0.106810941564, -0.3649555797077,
             -0.164704284677, 0.2340998136104, 0.1606485947563}),
        Of<Adagrad, AdagradOptions>("Adagrad", {.learning_rate = 0.125, .initial_accumulator = 0.25},
                                    {0.5488631807605, 0.5663138272044, -0.6791654078656, -0.5144899096448,
                                     0.5619651178356, 0.4022488059418, 0.6276811676068, 0.1953458397868,
                                     -0.6661858122207}),
        Of<Adadelta, AdadeltaOptions>("Adadelta", {.rho = 0.875, .epsilon = 0x1p-10},
                                      {0.5848547985544, 0.4475812716403, -0.6498399431593, -0.3910111073908,
                                       0.4570957139636, 0.3731408577293, 0.5501798910432, 0.2304743521464,
                                       -0.5882357297922}),
        Of<Lion, LionOptions>("Lion",
                              {.learning_rate = 0.0625, .beta_1 = 0.875, .beta_2 = 0.9375, .weight_decay = 0.25},
                              {0.6210085192307, 0.4443901144291, -0.4501704437779, -0.2805804422137, 0.4831545574751,
                               0.19539520964, 0.5877103940722, 0.1852730968474, -0.6213218504584}),
        Of<Lamb, LambOptions>("Lamb", {.learning_rate = 0.125, .beta_1 = 0.875, .beta_2 = 0.9375, .weight_decay = 0.25},
                              {0.6426168631325, 0.3736122753776, -0.5151645566379, -0.2572009248381, 0.4065355047133,
                               0.2236893490753, 0.4931890163802, 0.2409846655261, -0.5262586552151}),
        Of<Adafactor, AdafactorOptions>("Adafactor", {.learning_rate = 0.125, .weight_decay = 0.25},
                                        {0.4856467439509, 0.4193230822155, -0.5156785178413, -0.2994805166631,
                                         0.4386841810354, 0.2526088678438, 0.4854571644372, 0.2307224946541,
                                         -0.5177337641046}),
        Of<Adafactor, AdafactorOptions>("AdafactorFallingRate", {.learning_rate = 1},
                                        {0.2381331738589, 0.4956451746528, -0.6588842514851, -0.05390413429188,
                                         -0.2604431514117, 0.3965609516102, -0.09724475991549, 0.3278358752094,
                                         -0.02124343066217}),
        Of<Sgd, SgdOptions>("CosineDecay",
                            {.learning_rate = CosineDecay({.initial = 0.25, .final = 0.03125, .steps = 4})},
                            {0.5255779218219, 0.609118638458, -0.6825410876981, -0.5537515035492, 0.5731441754689,
                             0.4060585606558, 0.5288174565456, 0.1775825161123, -0.574578515514})),
    [](const auto& info) { return std::string(info.param.name); });

TEST(OptimizerOptions, DecayOfSomeVariables) {
  const Regression r;
  const auto matrices = [](const Variable& v) { return v.shape().rank() > 1; };
  const Sgd sgd({.learning_rate = 1, .weight_decay = {0.5, matrices}});
  const std::vector<double> kernel = Values(r.kernel.value()), bias = Values(r.bias.value());
  sgd.Apply(GradientList({{r.kernel, Zeros({2, 3}, kFloat64)}, {r.bias, Zeros({3}, kFloat64)}}));
  EXPECT_EQ(Values(r.kernel.value())[0], kernel[0] / 2);
  EXPECT_EQ(Values(r.bias.value()), bias);
}

TEST(OptimizerOptions, RateOfTheScheduleIsAVariable) {
  const Regression r;
  const Adam adam({.learning_rate = PiecewiseConstant({0}, {0.5, 0.25})});
  for (const double rate : {0.5, 0.25, 0.25}) {
    adam.Apply(r.Gradients());
    EXPECT_EQ(adam.learning_rate().value().item<double>(), rate);
  }
  EXPECT_EQ(adam.variables()[1].name(), "adam/step");
  EXPECT_EQ(adam.variables()[1].value().item<int64_t>(), 3);
  ExpectError(ErrorCode::kInvalidArgument, "adam: the condition must be bool[], got f32[]",
              [&] { adam.ApplyIf(1.f, r.Gradients()); });
}

struct ScheduleCase {
  const char* name;
  Schedule schedule;
  std::vector<double> want;  // at steps 0, 1, 3, 7, 10, 25, 100
  double tolerance = 1e-12;
};

TEST(Schedules, Table) {
  const ScheduleCase cases[] = {
      {"exponential",
       ExponentialDecay({.initial = 0.1, .rate = 0.5, .steps = 10}),
       {0.1, 0.09330329915368, 0.08122523963562, 0.06155722066725, 0.05, 0.01767766952966, 9.765625e-05}},
      {"staircase",
       ExponentialDecay({.initial = 0.1, .rate = 0.5, .steps = 10, .staircase = true}),
       {0.1, 0.1, 0.1, 0.1, 0.05, 0.025, 9.765625e-05}},
      {"polynomial",
       PolynomialDecay({.initial = 0.1, .final = 0.01, .power = 2, .steps = 10}),
       {0.1, 0.0829, 0.0541, 0.0181, 0.01, 0.01, 0.01}},
      {"linear",
       PolynomialDecay({.initial = 0.1, .final = 0.01, .steps = 10}),
       {0.1, 0.091, 0.073, 0.037, 0.01, 0.01, 0.01}},
      {"cosine",
       CosineDecay({.initial = 0.1, .final = 0.01, .steps = 20}),
       {0.1, 0.09944597532678, 0.09509529358848, 0.07542957248828, 0.055, 0.01, 0.01}},
      {"warm cosine",
       CosineDecay({.initial = 0.1, .final = 0.01, .steps = 20, .warmup_steps = 5, .warmup_start = 0.02}),
       {0.02, 0.036, 0.068, 0.09779754323328, 0.08681980515339, 0.01, 0.01}},
      {"restarts",
       CosineRestarts({.initial = 0.1, .final = 0.01, .first_steps = 4, .period_factor = 2, .height_factor = 0.5}),
       {0.100000001, 0.0868198127, 0.0231801961, 0.0411103778, 0.0165900979, 0.0118959667, 0.011736203},
       1e-7},
      {"equal restarts",
       CosineRestarts({.initial = 0.1, .first_steps = 5, .period_factor = 1}),
       {0.100000001, 0.0904508457, 0.0345491432, 0.0654508546, 0.100000001, 0.100000001, 0.100000001},
       1e-7},
      {"inverse time",
       InverseTimeDecay({.initial = 0.1, .rate = 0.5, .steps = 10}),
       {0.1, 0.0952380952381, 0.08695652173913, 0.07407407407407, 0.06666666666667, 0.04444444444444,
        0.01666666666667}},
      {"inverse root",
       InverseSqrtDecay(0.1, 10),
       {0.01, 0.02, 0.04, 0.08, 0.09534625892456, 0.0620173672946, 0.03146583877638}},
      {"piecewise", PiecewiseConstant({3, 10}, {0.1, 0.05, 0.01}), {0.1, 0.1, 0.1, 0.05, 0.05, 0.01, 0.01}},
      {"rate 0", ExponentialDecay({.initial = 0.1, .rate = 0, .steps = 10}), {0.1}},
      {"power 0", PolynomialDecay({.initial = 0.1, .power = 0, .steps = 1}), {0.1, 0.1}},
      {"height 0",
       CosineRestarts({.initial = 0.1, .first_steps = 5, .period_factor = 1, .height_factor = 0}),
       {0.1, 0.09045084971875, 0.0345491502812526, 0, 0, 0, 0}},
      {"constant", 0.25, {0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25}},
      {"callable", [](const Tensor& step) { return step * 2; }, {0, 2, 6, 14, 20, 50, 200}},
  };
  const int64_t steps[] = {0, 1, 3, 7, 10, 25, 100};
  for (const ScheduleCase& c : cases) {
    for (size_t i = 0; i < c.want.size(); ++i)
      EXPECT_NEAR(c.schedule(steps[i]).item<double>(), c.want[i], c.tolerance) << c.name << " at step " << steps[i];
  }
}

TEST(Schedules, Mistakes) {
  ExpectError(ErrorCode::kInvalidArgument, "cosine_decay: 0 steps", [] { CosineDecay({.steps = 0}); });
  ExpectError(ErrorCode::kInvalidArgument, "piecewise_constant: 1 values for 1 boundaries",
              [] { PiecewiseConstant({1}, {0.1}); });
  ExpectError(ErrorCode::kInvalidArgument, "the rate must be f64[], got f64[2]",
              [] { Schedule([](const Tensor& step) { return Stack({step, step}); })(0); });
}

TEST(Clipping, OfAStep) {
  const auto state_after = [](const std::function<GradientList(const GradientList&)>& clip) {
    const Regression r;
    const Sgd sgd({.learning_rate = 0.25});
    for (int i = 0; i < 5; ++i) sgd.Apply(clip(r.Gradients()));
    return Tensor::FromData(r.State(), {9});
  };
  ExpectNear(state_after([](const GradientList& g) { return ClipByGlobalNorm(g, 0.5); }),
             {0.5206673826246, 0.6316735799659, -0.6834427085657, -0.5629138370729, 0.6048977717667, 0.4070383420654,
              0.5776777255631, 0.173444607136, -0.6223724909525},
             1e-6, "global norm");
  ExpectNear(state_after([](const GradientList& g) { return ClipByValue(g, -0.125, 0.125); }),
             {0.557705596529, 0.6522464038196, -0.6869451166337, -0.5159115149227, 0.6941866206286, 0.4095679055617,
              0.8073081854172, 0.1947031891471, -0.8436732575641},
             1e-6, "value");
  ExpectNear(state_after([](const GradientList& g) { return ClipByNorm(g, 0.25); }),
             {0.5234716332931, 0.6316031039205, -0.6862287983333, -0.5656561906752, 0.6053489757187, 0.4096644253776,
              0.740591246243, 0.1597723107357, -0.7817628114013},
             1e-6, "norm");
}

TEST(Clipping, EdgesAndMistakes) {
  const Variable v(Tensor({3.f, 4.f})), w(Tensor(12.f));
  const GradientList g({{v, v.value()}, {w, w.value()}, {w, std::nullopt}});
  EXPECT_EQ(GlobalNorm(g).item<float>(), 13);
  EXPECT_EQ(GlobalNorm(GradientList()).item<float>(), 0);
  EXPECT_THAT(Values(ClipByNorm(v.value(), 10)), ElementsAre(3, 4));
  EXPECT_THAT(Values(ClipByNorm(Zeros({2}), 1)), ElementsAre(0, 0));
  EXPECT_FALSE(ClipByGlobalNorm(g, 1)[2].gradient);
  EXPECT_TRUE(AllFinite(g));
  const double infinity = std::numeric_limits<double>::infinity();
  const GradientList bad({{v, Tensor({1.f, static_cast<float>(infinity)})}, {w, Tensor(1.f)}});
  EXPECT_FALSE(AllFinite(bad));
  EXPECT_TRUE(std::isnan(ClipByGlobalNorm(bad, 1).Dense(1).item<double>()));
  ExpectError(ErrorCode::kInvalidArgument, "max_norm 0 must be positive", [&] { ClipByGlobalNorm(g, 0); });
  ExpectError(ErrorCode::kInvalidArgument, "low 1 is above high -1", [&] { ClipByValue(g, 1, -1); });
}

TEST(Average, FollowsItsVariable) {
  const Variable v(Tensor(8.0), {.name = "v"});
  const ExponentialMovingAverage plain({.decay = 0.75}), warm({.decay = 0.75, .warmup = true});
  plain.Update({v});
  warm.Update({v});
  v.Assign(0.0);
  const Function step = Trace([&] { plain.Update({v}); }, {});
  const Executable run = Compile(step);
  std::vector<Tensor> none;
  run.Run("main", none, none);
  EXPECT_EQ(run.variable("average/v").item<double>(), 6);
  plain.Update({v});
  EXPECT_EQ(plain.Average(v).value().item<double>(), 6);
  warm.Update({v});  // decay 2 / 11
  EXPECT_NEAR(warm.Average(v).value().item<double>(), 8 * 2.0 / 11, 1e-6);
  plain.AssignTo({v});
  EXPECT_EQ(v.value().item<double>(), 6);
  ExpectError(ErrorCode::kNotFound, "variable 'w' has no average",
              [&] { plain.Average(Variable(Tensor(1.0), {.name = "w"})); });
}

// 0.001 of the distance is less than bf16 can add to the average.
TEST(Average, OfHalvesIsSingle) {
  const Variable v(Zeros({1}, kBFloat16), {.name = "v"});
  const ExponentialMovingAverage average({.decay = 0.999});
  average.Update({v});
  v.Assign(Ones({1}, kBFloat16));
  for (int i = 0; i < 1000; ++i) average.Update({v});
  EXPECT_NEAR(Values(average.Average(v).value())[0], 1 - std::pow(0.999, 1000), 1e-4);
  average.AssignTo({v});
  EXPECT_NEAR(Values(v.value())[0], 1 - std::pow(0.999, 1000), 4e-3);
}

// What scaling saved is not lost again: 2^-30 is no f16.
TEST(LossScaling, SmallGradientsOfHalvesStay) {
  const Variable p(Zeros({1}, kFloat16), {.name = "p"});
  const LossScale scale({.initial = 32768});
  const GradientList scaled({{p, Full({1}, 0x1p-15, kFloat16)}});
  EXPECT_EQ(Values(scale.Unscale(scaled).Dense(0))[0], 0x1p-30);
  scale.Apply(Sgd({.learning_rate = 0x1p20}), scale.Unscale(scaled));
  EXPECT_EQ(Values(p.value())[0], -0x1p-10);
}

TEST(LossScaling, SkipsAndAdapts) {
  const Variable p(Tensor(1.f), {.name = "p"});
  const Adam adam({.learning_rate = 0.5});
  const LossScale scale({.initial = 4, .interval = 2});
  const auto step = [&](const Tensor& x) {
    GradientTape tape;
    const Tensor loss = p * x;
    scale.Apply(adam, scale.Unscale(tape.Gradient(scale.Scale(loss), {p})));
    return std::vector<Tensor>{p.value(), scale.variables()[0].value()};
  };
  const float infinity = std::numeric_limits<float>::infinity();
  step(2.f);
  const Function traced = Trace(step, {Spec(kFloat32, Shape(), "x")});
  const Executable run = Compile(traced);
  run.LoadFrom(traced.variables());
  const std::pair<float, float> rows[] = {
      // x, the scale afterwards
      {2.f, 8.f}, {infinity, 4.f}, {1e38f, 2.f}, {1.f, 2.f}, {1.f, 4.f}, {NAN, 2.f}};
  float before = p.value().item<float>();
  for (const auto& [x, want] : rows) {
    const std::vector<Tensor> eager = step(x);
    std::vector<Tensor> compiled(2);
    run.Run("main", std::vector<Tensor>{Tensor(x)}, compiled);
    EXPECT_EQ(eager[1].item<float>(), want) << x;
    const bool finite = x <= 2;
    EXPECT_EQ(eager[0].item<float>() != before, finite) << x;
    before = eager[0].item<float>();
    EXPECT_TRUE(SameBits(compiled[0], eager[0]) && SameBits(compiled[1], eager[1])) << x;
  }
  ExpectError(ErrorCode::kInvalidArgument, "factor above 1", [] { LossScale({.factor = 1}); });
}

}  // namespace
}  // namespace reel
