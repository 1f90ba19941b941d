#include "frontend/cli/train/job.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "frontend/cli/cli.h"
#include "frontend/cli/train/c_program.h"
#include "frontend/cli/train/chart.h"
#include "frontend/record/event_log.h"
#include "ir/eval/eval.h"
#include "ir/structure.h"

namespace reel::cli {
namespace {

// Largest differences allowed between the reference evaluator, which computes in double and rounds
// only between steps, and the engines, which compute in float: relative for losses, absolute for
// variables.
constexpr double kLossBound = 1e-5, kVariableBound = 1e-4;

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

using Values = std::vector<Tensor>;  // of all variables, in the module's order

bool SameBits(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && std::memcmp(a.raw_data(), b.raw_data(), static_cast<size_t>(a.type().bytes())) == 0;
}

bool SameBits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

size_t CountDifferent(const Values& a, const Values& b) {
  size_t n = 0;
  for (size_t i = 0; i < a.size(); ++i) n += SameBits(a[i], b[i]) ? 0 : 1;
  return n;
}

// Which example each step takes: every epoch in an order of its own.
std::vector<int32_t> MakeOrder(const Dataset& data, int64_t batch, int64_t steps) {
  std::vector<int32_t> order;
  const auto whole = static_cast<size_t>(data.num_train / batch * batch);
  const auto wanted = static_cast<size_t>(steps * batch);
  for (int64_t epoch = 1; order.size() < wanted; ++epoch) {
    const std::vector<int32_t> shuffled = Shuffled(data.num_train, epoch);
    order.insert(order.end(), shuffled.begin(), shuffled.begin() + static_cast<std::ptrdiff_t>(whole));
  }
  order.resize(wanted);
  return order;
}

class Job {
 public:
  Job(const Model& model, const TrainOptions& options)
      : model_(model),
        options_(options),
        steps_(options.steps > 0 ? options.steps : model.steps),
        eager_(options.eager_steps),
        checked_(options.check_steps),
        order_(MakeOrder(model.data, model.batch, steps_)) {
    if (eager_ < 2 || checked_ < 1 || options.reference_steps > checked_ || steps_ < eager_ + checked_) {
      Fail(kUsage, StrCat("--steps ", steps_, " must be at least --eager-steps ", eager_, " (2 or more) and ", checked_,
                          " to compare"));
    }
    report_.name = model.name;
    report_.title = model.title;
    report_.compared_step = eager_ + checked_;
  }

  TrainReport Run() {
    const double start = Now();
    MakeFolder(options_.folder);
    TrainEagerlyAndLift();
    CheckTrace();
    SaveModule();
    CompileAndCopyState();
    GoOnEagerly();
    GoOnCompiled();
    RunObject();
    CheckReference();
    SaveChart();
    report_.total_seconds = Now() - start;
    return std::move(report_);
  }

 private:
  struct Batch {
    Tensor inputs, labels;
  };

  Tensor Rows(std::span<const int32_t> indices) const {
    const Dataset& data = model_.data;
    std::vector<std::byte> bytes;
    for (const int32_t i : indices) {
      const auto row = data.row(i);
      bytes.insert(bytes.end(), row.begin(), row.end());
    }
    return Tensor::FromBytes(data.dtype, {static_cast<int64_t>(indices.size()), data.width}, bytes.data());
  }

  // The batch of step 0, 1, ...
  Batch BatchOf(int64_t step) const {
    const auto n = static_cast<size_t>(model_.batch);
    const auto indices = std::span(order_).subspan(static_cast<size_t>(step) * n, n);
    std::vector<int32_t> labels;
    for (const int32_t i : indices) labels.push_back(model_.data.labels[static_cast<size_t>(i)]);
    return {Rows(indices), Tensor::FromData(labels, {model_.batch})};
  }

  // Part of the test examples whose label has the largest of the logits that predict() gives.
  double Accuracy(const std::function<Tensor(const Tensor&)>& predict) const {
    const Dataset& data = model_.data;
    int64_t right = 0, seen = 0;
    std::vector<int32_t> indices(static_cast<size_t>(model_.test_batch));
    for (; seen + model_.test_batch <= data.num_test; seen += model_.test_batch) {
      for (size_t i = 0; i < indices.size(); ++i) {
        indices[i] = static_cast<int32_t>(data.num_train + seen + static_cast<int64_t>(i));
      }
      const Tensor logits = predict(Rows(indices));
      const auto values = logits.data<float>();
      for (size_t i = 0; i < indices.size(); ++i) {
        const auto row = values.subspan(i * static_cast<size_t>(data.classes), static_cast<size_t>(data.classes));
        const auto best = std::max_element(row.begin(), row.end()) - row.begin();
        right += best == data.labels[static_cast<size_t>(indices[i])] ? 1 : 0;
      }
    }
    return static_cast<double>(right) / static_cast<double>(seen);
  }

  void Check(std::string what, bool ok) { report_.checks.push_back({std::move(what), ok}); }
  void Progress(int64_t step, const std::string& what) const {
    options_.progress(static_cast<double>(step) / static_cast<double>(steps_), what);
  }
  std::string Path(std::string_view suffix) {
    std::string path = StrCat(options_.folder, "/", suffix);
    report_.files.push_back(path);
    return path;
  }
  void Write(std::string_view suffix, std::string_view bytes) {
    OutputFiles files;
    files.Add(Path(suffix), bytes);
    files.Commit();
  }

  // One eager step; its loss joins the curve.
  Tensor EagerStep(int64_t step, const Batch& batch) {
    const double start = Now();
    Tensor loss = model_.train(batch.inputs, batch.labels);
    if (step > 0) eager_seconds_ += Now() - start;  // the first one builds variables and kernels
    report_.losses.push_back(loss.item<float>());
    Progress(step, "eager");
    return loss;
  }

  void TrainEagerlyAndLift() {
    for (int64_t step = 0; step + 1 < eager_; ++step) EagerStep(step, BatchOf(step));
    const Batch batch = BatchOf(eager_ - 1);
    Recording recording;
    const Tensor loss = EagerStep(eager_ - 1, batch);
    step_ = recording.Lift({{model_.input_name, batch.inputs}, {"labels", batch.labels}}, {{"loss", loss}},
                           {.name = "train"});
    report_.nodes = static_cast<int64_t>(EntryOf(step_).nodes().size());
  }

  static const ir::Function& EntryOf(const Function& function) {
    const auto& data = *function.internal_data();
    return *data.module.FindFunction(data.entry);
  }

  void CheckTrace() {
    const Batch like = BatchOf(0);
    const Function traced =
        Trace([this](const Tensor& inputs,
                     const Tensor& labels) { return NamedTensor("loss", model_.train(inputs, labels)); },
              {Spec(like.inputs, model_.input_name), Spec(like.labels, "labels")}, "train");
    Check("tracing the step gives the graph that the recording lifted",
          ir::SameStructure(EntryOf(traced), EntryOf(step_)));
  }

  void SaveModule() {
    const Spec inputs(model_.data.dtype, {model_.test_batch, model_.data.width}, model_.input_name);
    const auto predict = [this](const Tensor& x) { return NamedTensor("logits", model_.predict(x)); };
    module_ = Module::Lift({{"train", step_}, {"predict", predict, {inputs}}}, model_.name);
    module_.Save(Path(model_.name + ".reel"));
    module_.Save(Path(model_.name + ".reel.txt"));
    Write(model_.name + ".dot", step_.ToDot());
    const Module loaded = Module::Load(StrCat(options_.folder, "/", model_.name, ".reel"));
    Check("the saved module loads again and is the same", loaded.ToText() == module_.ToText());
  }

  std::vector<Variable> LiveVariables() const {
    std::vector<Variable> out;
    for (const auto& v : module_.internal_data()->bound) out.push_back(Variable(v));
    return out;
  }

  void CompileAndCopyState() {
    Progress(eager_, "compiling");
    const double start = Now();
    compiled_ = Compile(module_);
    report_.compile_seconds = Now() - start;
    compiled_.LoadFrom(LiveVariables());
  }

  Values CompiledValues() const {
    Values out;
    for (const std::string& name : module_.variables()) out.push_back(compiled_.variable(name));
    return out;
  }

  void GoOnEagerly() {
    for (int64_t step = eager_; step < eager_ + checked_; ++step) EagerStep(step, BatchOf(step));
    for (const Variable& v : LiveVariables()) eager_values_.push_back(v.value());
    const double accuracy = Accuracy(model_.predict);
    const auto timed = static_cast<double>(eager_ + checked_ - 1);
    report_.rows.push_back({"eager", 1, eager_ + checked_, eager_seconds_ / timed, report_.losses.back(), accuracy});
  }

  void GoOnCompiled() {
    const std::vector<float> eager_losses(report_.losses.end() - checked_, report_.losses.end());
    report_.losses.resize(static_cast<size_t>(eager_));
    double seconds = 0;
    size_t different = 0;
    for (int64_t step = eager_; step < steps_; ++step) {
      const Batch batch = BatchOf(step);
      const double start = Now();
      const Tensor loss = compiled_("train", batch.inputs, batch.labels);
      seconds += Now() - start;
      report_.losses.push_back(loss.item<float>());
      if (step + 1 == eager_ + checked_) different = CountDifferent(CompiledValues(), eager_values_);
      if (step % 16 == 0) Progress(step, "jit");
    }
    compiled_values_ = CompiledValues();
    const auto losses = std::span(report_.losses).subspan(static_cast<size_t>(eager_));
    Check(StrCat("eager and JIT from the same state: losses of ", checked_, " steps and all ", eager_values_.size(),
                 " variables, bit for bit"),
          different == 0 && SameBits(losses.first(eager_losses.size()), eager_losses));
    const double accuracy = Accuracy([this](const Tensor& x) -> Tensor { return compiled_("predict", x); });
    report_.rows.push_back({"jit", eager_ + 1, steps_, seconds / static_cast<double>(steps_ - eager_),
                            report_.losses[static_cast<size_t>(report_.compared_step - 1)], accuracy});
    if (steps_ >= model_.steps) {
      Check(StrCat("test accuracy is at least ", model_.min_accuracy * 100, " %"), accuracy >= model_.min_accuracy);
    }
  }

  void RunObject() {
    Progress(steps_, "object");
    const std::string name = model_.name, program = name, data = name + ".data", variables = name + ".variables";
    const double start = Now();
    CompileToObject(module_, StrCat(options_.folder, "/", name));
    report_.object_seconds = Now() - start;
    Path(name + ".o");
    Path(name + ".h");
    VariableList list;
    for (size_t i = 0; i < eager_values_.size(); ++i) {
      list.emplace_back(module_.variables()[i], eager_values_[i].type().bytes());
    }
    Write("main.c", MakeMainC(model_, list));
    const std::vector<int32_t> order(order_.begin() + eager_ * model_.batch, order_.end());
    Write(data, MakeDataFile(model_.data, order, model_.batch));
    const ProcessResult cc = RunProcess({"cc", "-O2", "main.c", name + ".o", "-o", program}, options_.folder);
    if (cc.status != 0) Fail(kInvalid, StrCat("cc main.c ", name, ".o failed:\n", cc.err));
    const ProcessResult run = RunProcess({"./" + program, data, variables}, options_.folder);
    if (run.status != 0) Fail(kInvalid, StrCat("the C program failed: ", run.err));
    CompareObject(ParseCResult(run.out), ReadFile(StrCat(options_.folder, "/", variables), {}));
  }

  void CompareObject(const CResult& result, const std::string& variables) {
    std::string expected;
    for (const Tensor& v : compiled_values_) {
      expected.append(static_cast<const char*>(v.raw_data()), static_cast<size_t>(v.type().bytes()));
    }
    const auto losses = std::span(report_.losses).subspan(static_cast<size_t>(eager_));
    Check(StrCat("JIT and the C program with the object: losses of ", losses.size(), " steps and all ",
                 compiled_values_.size(), " variables, bit for bit"),
          SameBits(result.losses, losses) && variables == expected);
    const auto at = static_cast<size_t>(checked_ - 1);
    report_.rows.push_back({"object in C", eager_ + 1, steps_,
                            result.seconds / static_cast<double>(std::max<size_t>(result.losses.size(), 1)),
                            at < result.losses.size() ? result.losses[at] : NAN, result.accuracy});
  }

  // The first steps after the lift by the reference evaluator, from the state that the module
  // holds.
  void CheckReference() {
    const ir::Module& module = module_.internal_data()->module;
    std::vector<ir::Literal> state;
    double loss_error = 0;
    const double start = Now();
    for (int64_t i = 0; i < options_.reference_steps; ++i) {
      const Batch batch = BatchOf(eager_ + i);
      Progress(steps_, "reference");
      ir::EntryResult result = Take(ir::EvaluateEntry(
          module, "train", {internal::ToLiteral(batch.inputs), internal::ToLiteral(batch.labels)}, state));
      state = std::move(result.state);
      const double expected = result.outputs[0].AsDouble(0);
      const double got = report_.losses[static_cast<size_t>(eager_ + i)];
      loss_error = std::max(loss_error, std::abs(got - expected) / std::max(std::abs(expected), 1e-3));
    }
    const double variable_error = CompareState(state);
    report_.rows.push_back({"reference (double)", eager_ + 1, eager_ + options_.reference_steps,
                            (Now() - start) / static_cast<double>(options_.reference_steps), NAN, -1});
    Check(StrCat("reference in double, ", options_.reference_steps, " steps: losses within ", kLossBound, " relative (",
                 loss_error, "), variables within ", kVariableBound, " (", variable_error, ")"),
          loss_error <= kLossBound && variable_error <= kVariableBound);
  }

  // Largest difference between a state and the JIT's after as many steps from the lift.
  double CompareState(const std::vector<ir::Literal>& state) {
    const Executable again = compiled_.NewInstance();
    for (int64_t i = 0; i < options_.reference_steps; ++i) {
      const Batch batch = BatchOf(eager_ + i);
      again("train", batch.inputs, batch.labels);
    }
    double error = 0;
    for (size_t v = 0; v < state.size(); ++v) {
      const ir::Literal got = internal::ToLiteral(again.variable(module_.variables()[v]));
      for (int64_t i = 0; i < got.size(); ++i) {
        const double difference = std::abs(got.AsDouble(i) - state[v].AsDouble(i));
        error = difference <= error ? error : difference;  // keeps NaN
      }
    }
    return error;
  }

  void SaveChart() {
    const auto middle = report_.losses.begin() + eager_;
    Write("loss.svg", DrawChart(model_.title, "step",
                                {{"eager", "#d95f02", 1, {report_.losses.begin(), middle}},
                                 {"compiled", "#1b6ca8", eager_ + 1, {middle, report_.losses.end()}}}));
  }

  const Model& model_;
  const TrainOptions& options_;
  const int64_t steps_, eager_, checked_;
  const std::vector<int32_t> order_;
  double eager_seconds_ = 0;
  Function step_;
  Module module_;
  Executable compiled_;
  Values eager_values_, compiled_values_;
  TrainReport report_;
};

}  // namespace

bool TrainReport::ok() const {
  return std::all_of(checks.begin(), checks.end(), [](const CheckRow& c) { return c.ok; });
}

TrainReport RunTrainJob(const Model& model, const TrainOptions& options) { return Job(model, options).Run(); }

}  // namespace reel::cli
