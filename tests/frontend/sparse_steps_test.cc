// Steps of optimizers by sparse gradients: against loops in doubles, in every engine, and what they touch of a table.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "ir/eval/eval.h"
#include "ir/text/parser.h"
#include "runtime/buffer.h"
#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::HasSubstr;

constexpr int64_t kRows = 9, kWidth = 3;

/// An element of a table with its slots, and what a step with its gradient makes of it; t is 1 at the first.
struct Cell {
  double p = 0, a = 0, b = 0, c = 0;
};
using Rule = std::function<void(Cell*, double g, int t)>;

struct Case {
  const char* name;
  std::function<std::shared_ptr<Optimizer>()> make;
  Rule rule;
};

void PrintTo(const Case& c, std::ostream* stream) { *stream << c.name; }

template <typename O, typename Options>
Case Of(const char* name, const Options& options, Rule rule) {
  return {name, [options] { return std::make_shared<O>(options); }, std::move(rule)};
}

// Adam's, with the decay beside the gradient.
void StepAdam(Cell* x, double g, int t, double decay, bool amsgrad) {
  const double b1 = 0.875, b2 = 0.9375, rate = 0.125;
  x->a = b1 * x->a + (1 - b1) * g;
  x->b = b2 * x->b + (1 - b2) * g * g;
  x->c = std::max(x->b, x->c);
  const double v = (amsgrad ? x->c : x->b) / (1 - std::pow(b2, t));
  x->p = x->p * (1 - rate * decay) - rate * x->a / (1 - std::pow(b1, t)) / (std::sqrt(v) + 0x1p-20);
}

// RMSProp's: a the mean of squares, b the mean, c the momentum.
void StepRmsProp(Cell* x, double g, bool centered, double momentum) {
  const double rho = 0.875;
  x->a = rho * x->a + (1 - rho) * g * g;
  if (centered) x->b = rho * x->b + (1 - rho) * g;
  x->c = momentum * x->c + g / (std::sqrt(x->a - x->b * x->b) + 0x1p-20);
  x->p -= 0.125 * x->c;
}

const RmsPropOptions kRmsProp = {.learning_rate = 0.125, .rho = 0.875, .epsilon = 0x1p-20, .lazy = true};

RmsPropOptions With(double momentum, bool centered, double decay) {
  RmsPropOptions options = kRmsProp;
  options.momentum = momentum;
  options.centered = centered;
  options.weight_decay = decay;
  return options;
}

const AdamOptions kAdam = {.learning_rate = 0.125, .beta_1 = 0.875, .beta_2 = 0.9375, .epsilon = 0x1p-20, .lazy = true};

AdamOptions With(double decay, bool amsgrad) {
  AdamOptions options = kAdam;
  options.weight_decay = decay;
  options.amsgrad = amsgrad;
  return options;
}

const Case kCases[] = {
    Of<Sgd, SgdOptions>("Sgd", {.learning_rate = 0.125}, [](Cell* x, double g, int) { x->p -= 0.125 * g; }),
    Of<Sgd, SgdOptions>("SgdDecay", {.learning_rate = 0.125, .weight_decay = 0.25, .lazy = true},
                        [](Cell* x, double g, int) { x->p -= 0.125 * (g + 0.25 * x->p); }),
    Of<Sgd, SgdOptions>("Momentum", {.learning_rate = 0.125, .momentum = 0.875, .lazy = true},
                        [](Cell* x, double g, int) {
                          x->a = 0.875 * x->a + g;
                          x->p -= 0.125 * x->a;
                        }),
    Of<Sgd, SgdOptions>("Nesterov", {.learning_rate = 0.125, .momentum = 0.875, .nesterov = true, .lazy = true},
                        [](Cell* x, double g, int) {
                          x->a = 0.875 * x->a + g;
                          x->p -= 0.125 * (g + 0.875 * x->a);
                        }),
    Of<Adagrad, AdagradOptions>("Adagrad", {.learning_rate = 0.125, .epsilon = 0x1p-20},
                                [](Cell* x, double g, int) {
                                  x->a += g * g;
                                  x->p -= 0.125 * g / (std::sqrt(x->a) + 0x1p-20);
                                }),
    Of<RmsProp, RmsPropOptions>("RmsProp", kRmsProp, [](Cell* x, double g, int) { StepRmsProp(x, g, false, 0); }),
    Of<RmsProp, RmsPropOptions>("RmsPropMomentum", With(0.875, false, 0),
                                [](Cell* x, double g, int) { StepRmsProp(x, g, false, 0.875); }),
    Of<RmsProp, RmsPropOptions>("RmsPropCentered", With(0.875, true, 0.25),
                                [](Cell* x, double g, int) { StepRmsProp(x, g + 0.25 * x->p, true, 0.875); }),
    Of<Adam, AdamOptions>("Adam", kAdam, [](Cell* x, double g, int t) { StepAdam(x, g, t, 0, false); }),
    Of<Adam, AdamOptions>("Amsgrad", With(0, true), [](Cell* x, double g, int t) { StepAdam(x, g, t, 0, true); }),
    Of<AdamW, AdamOptions>("AdamW", With(0.25, false),
                           [](Cell* x, double g, int t) { StepAdam(x, g, t, 0.25, false); }),
};

Tensor Ints(std::vector<int64_t> list) { return Tensor::FromData(list, {static_cast<int64_t>(list.size())}); }

// With an index several times, without one, with all.
const std::vector<std::vector<int64_t>> kBatches = {
    {3, 7, 3, 0, 3}, {}, {8, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {7, 2, 7}};

Tensor Rows(size_t batch) {
  const auto n = static_cast<int64_t>(kBatches[batch].size());
  return Wave({n, kWidth}, static_cast<double>(batch));
}

GradientList Sparse(const Variable& table, const IndexedSlices& slices) {
  return GradientList({GradientEntry(table, std::optional(GradientValue(slices)))});
}

/// A table and an optimizer.
struct Model {
  explicit Model(const Case& c, DType dtype = kFloat64, int64_t rows = kRows)
      : table(Cast(Wave({rows, kWidth}, 0.5), dtype), {.name = "table"}), optimizer(c.make()) {}

  void Step(const Tensor& indices, const Tensor& rows) const {
    optimizer->Apply(Sparse(table, IndexedSlices(rows, indices, table.shape())));
  }
  std::vector<Variable> State() const {
    std::vector<Variable> all = optimizer->variables();
    all.push_back(table);
    return all;
  }

  Variable table;
  std::shared_ptr<Optimizer> optimizer;
};

class SparseSteps : public testing::TestWithParam<Case> {};

TEST_P(SparseSteps, AreThoseOfLoops) {
  const Model model(GetParam());
  std::vector<Cell> cells(static_cast<size_t>(kRows * kWidth));
  const std::vector<double> start = Values(model.table.value());
  for (size_t i = 0; i < cells.size(); ++i) cells[i].p = start[i];
  for (size_t batch = 0; batch < kBatches.size(); ++batch) {
    const std::vector<double> rows = Values(Rows(batch));
    std::map<size_t, double> sums;  // by element
    for (size_t k = 0; k < kBatches[batch].size(); ++k) {
      for (size_t j = 0; j < kWidth; ++j) {
        sums[static_cast<size_t>(kBatches[batch][k]) * kWidth + j] += rows[k * kWidth + j];
      }
    }
    for (const auto& [i, g] : sums) GetParam().rule(&cells[i], g, static_cast<int>(batch) + 1);
    const std::vector<double> before = Values(model.table.value());
    model.Step(Ints(kBatches[batch]), Rows(batch));
    const std::vector<double> got = Values(model.table.value());
    for (size_t i = 0; i < cells.size(); ++i) {
      EXPECT_NEAR(got[i], cells[i].p, 1e-6) << "step " << batch << " element " << i;  // hyperparameters are f32
      if (!sums.contains(i)) {
        EXPECT_EQ(got[i], before[i]) << "step " << batch << " element " << i;
      }
    }
  }
}

// A library made of an object, with a function of indices and rows.
class Object {
 public:
  Object(const Module& module, const std::string& name) : name_(name), path_(testing::TempDir() + name) {
    CompileToObject(module, path_);
    EXPECT_EQ(std::system(("cc -shared -o " + path_ + ".so " + path_ + ".o").c_str()), 0);
    handle_ = dlopen((path_ + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    memory_ = runtime::Buffer::Allocate(Find<size_t()>("size")());
    instance_ = Find<void*(void*, size_t, int*)>("init")(memory_.data(), memory_.size(), nullptr);
  }
  ~Object() {
    dlclose(handle_);
    for (const char* suffix : {".o", ".h", ".so"}) std::filesystem::remove(path_ + suffix);
  }
  int Step(const Tensor& indices, const Tensor& rows) {
    return Find<int(void*, const void*, const void*)>("main")(instance_, indices.raw_data(), rows.raw_data());
  }
  Tensor Table(const Type& type) {
    return Tensor::FromBytes(type.dtype, type.shape, Find<const void*(void*)>("variable_table")(instance_));
  }

 private:
  template <typename F>
  F* Find(const std::string& function) {
    void* const found = dlsym(handle_, (name_ + "_" + function).c_str());
    EXPECT_NE(found, nullptr) << function;
    return reinterpret_cast<F*>(found);
  }
  std::string name_, path_;
  void* handle_ = nullptr;
  runtime::Buffer memory_;
  void* instance_ = nullptr;
};

ir::Literal LiteralOf(const Tensor& t) {
  const auto* first = static_cast<const std::byte*>(t.raw_data());
  return {t.type(), std::vector<std::byte>(first, first + t.type().bytes())};
}

// The state after a step of the evaluator of graphs, from the state in the graph.
Tensor EvaluatedTable(const Function& f, const Tensor& indices, const Tensor& rows, const Type& type) {
  const auto module = ir::ParseModule(f.ToText());
  EXPECT_TRUE(module.ok()) << module.status();
  const auto result =
      ir::EvaluateEntry(*module, f.name(), {LiteralOf(indices), LiteralOf(rows)}, {}, {.round_each_op = true});
  EXPECT_TRUE(result.ok()) << result.status();
  for (size_t i = 0; i < result->state.size(); ++i) {
    if (module->variables()[i].name != "table") continue;
    return Tensor::FromBytes(type.dtype, type.shape, result->state[i].bytes().data());
  }
  ADD_FAILURE() << "no table";
  return {};
}

// Eager code, a function, a compiled step of levels 0 and 2, and an object: the same bits. The evaluator rounds sums
// once.
TEST_P(SparseSteps, AreTheSameInEveryEngine) {
  for (const DType dtype : {kFloat32, kFloat64, kBFloat16, kFloat16}) {
    const DType index = dtype == kFloat64 ? kInt32 : kInt64;
    SCOPED_TRACE(std::string(Name(dtype)) + " " + std::string(Name(index)));
    const Tensor indices = Cast(Ints(kBatches[0]), index), other = Cast(Ints({1, 8, 8, 3, 1}), index);
    const Tensor rows = Cast(Rows(0), dtype);
    const Model eager(GetParam(), dtype), called(GetParam(), dtype);
    eager.Step(other, rows);  // slots exist
    called.Step(other, rows);
    const auto trace = [&](const Model& m) {
      return Trace([&m](const Tensor& i, const Tensor& g) { m.Step(i, g); },
                   {Spec(index, indices.shape(), "i"), Spec(dtype, rows.shape(), "g")});
    };
    const Function step = trace(eager), live = trace(called);
    const Module module = Module::Lift({{"main", step}});
    std::vector<Executable> compiled = {Compile(module, {.opt_level = 0}), Compile(module, {.opt_level = 2})};
    Object object(module, "sparse_step");
    const Tensor evaluated = EvaluatedTable(step, indices, rows, eager.table.type());
    std::vector<Tensor> none;
    bool first = true;
    for (const Tensor& at : {indices, other, indices}) {
      eager.Step(at, rows);
      live(at, rows);
      EXPECT_EQ(object.Step(at, rows), 0);
      const Tensor want = eager.table.value();
      EXPECT_TRUE(SameBits(called.table.value(), want));
      EXPECT_TRUE(SameBits(object.Table(want.type()), want));
      for (const Executable& run : compiled) {
        run.Run("main", std::vector<Tensor>{at, rows}, none);
        for (const Variable& v : eager.State()) EXPECT_TRUE(SameBits(run.variable(v.name()), v.value())) << v.name();
      }
      if (!std::exchange(first, false)) continue;
      ExpectNear(evaluated, Values(want), SizeOf(dtype) == 2 ? 1e-2 : dtype == kFloat32 ? 1e-6 : 1e-12, "evaluated");
    }
  }
}

std::vector<Tensor> ValuesOf(const Model& model) {
  std::vector<Tensor> out;
  for (const Variable& v : model.State()) out.push_back(v.value() + Zeros({}, v.dtype()));
  return out;
}

TEST_P(SparseSteps, ThatAreSkippedOrFailChangeNothing) {
  const Model model(GetParam(), kFloat32);
  const Tensor rows = Cast(Rows(0), kFloat32);
  model.Step(Ints(kBatches[0]), rows);
  model.table.Assign(Where(Equal(model.table, model.table.value()[0]), -0.0, model.table));
  const std::vector<Tensor> before = ValuesOf(model);
  const auto same = [&] {
    for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(Values(ValuesOf(model)[i]), Values(before[i])) << i;
  };
  const IndexedSlices nan(Full({2, kWidth}, std::nan("")), Ints({1, 1}), model.table.shape());
  model.optimizer->ApplyIf(false, Sparse(model.table, nan));
  same();
  const std::vector<double> table = Values(model.table.value());
  EXPECT_THROW(model.Step(Ints({0, 1, 2, 3, kRows}), rows), Error);
  EXPECT_THROW(model.Step(Ints({0, 1, -1, 3, 4}), rows), Error);
  EXPECT_EQ(Values(model.table.value()), table);
  const IndexedSlices narrow(Zeros({2, kWidth - 1}), Ints({1, 1}));
  EXPECT_THROW(model.optimizer->Apply(Sparse(model.table, narrow)), Error);
}

// The rows alone: eager code and functions leave tables where they are; plans for tables of two sizes read, write and
// copy the same.
TEST_P(SparseSteps, TouchNothingButTheirRows) {
  const auto places = [](const Model& model) {
    std::vector<const void*> out;
    for (const Variable& v : model.State()) {
      if (v.shape().rank() > 0) out.push_back(v.value().raw_data());
    }
    return out;
  };
  const auto trace = [](const Model& m) {
    return Trace([&m](const Tensor& i, const Tensor& g) { m.Step(i, g); },
                 {Spec(kInt64, {5}), Spec(kFloat32, {5, kWidth})});
  };
  const Tensor rows = Cast(Rows(0), kFloat32), indices = Ints(kBatches[0]);
  const Model model(GetParam(), kFloat32);
  model.Step(indices, rows);
  model.Step(indices, rows);
  std::vector<const void*> before = places(model);
  model.Step(indices, rows);
  EXPECT_EQ(places(model), before);
  {  // a tape that has given its gradient
    GradientTape tape;
    const Tensor loss = ReduceSum(Gather(model.table, indices));
    model.optimizer->Apply(tape.Gradient(loss, {model.table}));
    EXPECT_EQ(places(model), before);
  }
  const Function step = trace(model);  // has the values as the initial ones
  step(indices, rows);
  before = places(model);
  step(indices, rows);
  EXPECT_EQ(places(model), before);

  std::vector<std::string> plans;
  for (const int64_t n : {1000, 70000}) {
    const Model large(GetParam(), kFloat32, n);
    large.Step(indices, rows);
    std::string plan = Compile(trace(large)).Plan();
    plan = std::regex_replace(plan, std::regex("\\b" + std::to_string(n) + "\\b"), "N");
    plans.push_back(std::regex_replace(plan, std::regex("compiled in [^\n]*|instance [^,\n]*|\\+[0-9]+"), "?"));
  }
  EXPECT_EQ(plans[0], plans[1]);
  EXPECT_THAT(plans[0], HasSubstr("scatter"));
}

INSTANTIATE_TEST_SUITE_P(All, SparseSteps, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// By default Adam and momentum move all rows, as their definitions say: the step by the dense gradient.
TEST(DenseSteps, OfSparseGradients) {
  const std::function<std::shared_ptr<Optimizer>()> makes[] = {
      [] { return std::make_shared<Adam>(AdamOptions{.learning_rate = 0.125}); },
      [] { return std::make_shared<AdamW>(AdamOptions{.learning_rate = 0.125, .weight_decay = 0.25}); },
      [] { return std::make_shared<Sgd>(SgdOptions{.momentum = 0.875}); },
      [] { return std::make_shared<RmsProp>(RmsPropOptions{.momentum = 0.875, .centered = true}); },
      [] { return std::make_shared<Sgd>(SgdOptions{.weight_decay = 0.25}); },
      [] { return std::make_shared<Adagrad>(AdagradOptions{.weight_decay = 0.25}); },
      [] { return std::make_shared<Adagrad>(AdagradOptions{.learning_rate = 0.25}); },
      [] { return std::make_shared<Lion>(LionOptions{}); },
  };
  for (const auto& make : makes) {
    for (const DType dtype : {kFloat32, kBFloat16}) {
      const Case c = {"", make, {}};
      const Model sparse(c, dtype), dense(c, dtype);
      SCOPED_TRACE(sparse.optimizer->learning_rate().name());
      for (size_t batch = 0; batch < kBatches.size(); ++batch) {
        const IndexedSlices slices(Cast(Rows(batch), dtype), Ints(kBatches[batch]), sparse.table.shape());
        sparse.Step(slices.indices(), slices.values());
        dense.optimizer->Apply(GradientList({{dense.table, slices.Dense()}}));
        EXPECT_TRUE(SameBits(sparse.table.value(), dense.table.value())) << "step " << batch;
      }
    }
  }
}

}  // namespace
}  // namespace reel
