#include "frontend/cli/fit/fit.h"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "frontend/cli/fit/nets.h"
#include "frontend/cli/fit/sample.h"
#include "frontend/cli/fit/source.h"
#include "frontend/program/agreement.h"
#include "frontend/record/event_log.h"
#include "ir/graph.h"
#include "ir/names.h"
#include "reel/reel.h"

namespace reel::cli {
namespace {

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int64_t BatchSize(const FitSettings& settings, const FitData& data) {
  const int64_t n = data.train->size();
  if (settings.batch == 0) return std::min<int64_t>(data.kind == SourceKind::kText ? 32 : 64, n);
  if (settings.batch > n)
    Fail(kInvalid, StrCat("--batch ", settings.batch, " is more than the ", n, " examples to train on"));
  return settings.batch;
}

int64_t TotalSteps(const FitSettings& settings, const FitData& data, int64_t per_epoch) {
  if (settings.steps > 0) return settings.steps;
  if (settings.epochs > 0) return std::max<int64_t>(1, std::llround(settings.epochs * static_cast<double>(per_epoch)));
  return data.kind == SourceKind::kText ? 2000 : std::max<int64_t>(20 * per_epoch, 1000);
}

class FitRun {
 public:
  FitRun(const FitSettings& settings, const FitData& data, const FitProgress& progress, double start)
      : settings_(settings),
        data_(data),
        progress_(progress),
        start_(start),
        batch_(BatchSize(settings, data)),
        per_epoch_(data.train->size() / batch_),
        total_(TotalSteps(settings, data, per_epoch_)),
        every_(settings.evaluate_every > 0 ? settings.evaluate_every : (total_ + 19) / 20),
        net_(MakeNet(settings, data)),
        optimizer_(MakeOptimizer(settings, total_)),
        batches_(Batches()),
        position_(batches_.Iterate(0)) {
    report_.data = StrCat(settings.data, ": ", data.Describe());
    report_.model = StrCat(net_.title, ", ", settings.optimizer);
    report_.parameters = net_.parameters();
    report_.batch = batch_;
    report_.steps_per_epoch = per_epoch_;
    report_.metric = data.classes > 0 ? "accuracy" : "rmse";
  }

  FitReport Run(const SignalsWait& signals) {
    TraceAll();
    MakeCheckpoint();
    RequireSameRun();
    Compile();
    report_.first = step_;
    RunLog log(LogPath(), report_.metric, step_);
    OpenEvents();
    Train(signals, &log);
    report_.last = step_;
    report_.loss = log.MeanLoss(std::min<int64_t>(every_, 100));
    run_.StoreTo(state_);
    const bool whole = report_.signal == 0;
    if (whole) KeepBest();
    if (whole && data_.validation && !report_.evaluation) report_.evaluation = Evaluate();
    WriteFiles(log, whole);
    if (whole && data_.vocabulary && settings_.sample > 0)
      report_.sample = SampleText(predict_, *data_.vocabulary, settings_.context, settings_.sample, settings_.seed);
    report_.total_seconds = Seconds() - start_;
    return report_;
  }

 private:
  reel::Dataset Batches() const {
    reel::Dataset batches = data_.train->Shuffle(settings_.seed).Batch(batch_);
    // Of several processes each reads its own rows. A batch that they do not divide is an error of Compile.
    if (batch_ % GroupSize() == 0) batches = batches.Shard(GroupRank(), GroupSize());
    return batches.Map(data_.prepare).Repeat().Prefetch(2);
  }

  // n examples of features and labels; an open n has a name.
  std::vector<Spec> Specs(const Dim& n) const {
    const bool text = data_.kind == SourceKind::kText;
    Spec x(text ? kInt64 : kFloat32, {n}, text ? "text" : "features");
    Spec y(data_.classes > 0 ? kInt64 : kFloat32, {n}, text ? "next" : "labels");
    for (const Extent extent : data_.features) x.type.shape.push_back(extent);
    if (text) y.type.shape.push_back(data_.features[0]);
    if (data_.classes == 0) y.type.shape.push_back(data_.outputs);
    return {x, y};
  }

  Tensor Step(const Tensor& features, const Tensor& labels) const {
    const TrainingScope training;
    GradientTape tape;
    Tensor loss = LossOf(net_, data_, features, labels);
    const GradientList gradients = tape.Gradient(loss, net_.variables);
    optimizer_.Apply(settings_.clip > 0 ? ClipByGlobalNorm(gradients, settings_.clip) : gradients);
    return loss;
  }

  void TraceAll() {
    progress_(0, "tracing");
    const Dim any("n", 1, 4096);
    train_ = Trace([this](const Tensor& x, const Tensor& y) { return NamedTensor("loss", Step(x, y)); }, Specs(batch_),
                   "train");
    evaluate_ =
        Trace([this](const Tensor& x, const Tensor& y) { return Figures(net_, data_, x, y); }, Specs(any), "evaluate");
    const std::string result = data_.classes > 0 ? "logits" : "numbers";
    predict_ = Trace([&](const Tensor& x) { return NamedTensor(result, Predict(net_, data_, x)); }, {Specs(any)[0]},
                     "predict");
    state_ = train_.variables();
    const auto& data = *train_.internal_data();
    report_.nodes = static_cast<int64_t>(data.module.FindFunction(data.entry)->nodes().size());
  }

  void Compile() {
    progress_(0, "compiling");
    const double start = Seconds();
    const DataParallelOptions parallel{.shards = settings_.shards, .shard_optimizer = settings_.shard_optimizer};
    run_ = reel::Compile(settings_.shards > 0 ? DataParallel(train_, parallel) : train_);
    run_.LoadFrom(state_);
    report_.compile_seconds = Seconds() - start;
    report_.kernels = run_.size().kernels;
  }

  // Variables for the best values, and where they were reached.
  void MakeCheckpoint() {
    std::vector<std::pair<std::string, StateRef>> parts = {
        {"state", StateRef(state_)}, {"data", StateRef(position_)}, {"step", StateRef(&step_)}};
    if (settings_.early_stopping > 0) {
      for (const Variable& v : net_.variables)
        best_.push_back(Variable(v.value(), {.name = v.name(), .trainable = false}));
      parts.insert(parts.end(), {{"best", StateRef(best_)},
                                 {"best_loss", StateRef(best_loss_)},
                                 {"best_step", StateRef(&best_step_)},
                                 {"worse", StateRef(&worse_)}});
    }
    if (settings_.checkpoints.empty()) return;
    checkpoint_.emplace(settings_.checkpoints + "/", std::move(parts));
    CheckSettings();
    report_.checkpoint = checkpoint_->Restore();
  }

  // What the folder's run was asked for, which must be the same.
  void CheckSettings() const {
    const std::string path = settings_.checkpoints + "/run.json";
    Json now = RunSettings(settings_);
    now["data"] = data_.Describe();
    if (checkpoint_->files().empty()) {
      if (GroupRank() != 0) return;
      MakeFolder(settings_.checkpoints);
      OutputFiles files;
      files.Add(path, JsonText(now, 1) + "\n");
      files.Commit();
      return;
    }
    const Json before = Json::parse(ReadFile(path, {}), nullptr, false);
    if (!before.is_object()) Fail(kInvalid, StrCat(ir::QuotedPath(path), " is damaged: it is no JSON object"));
    if (before.contains("shards") && !now.contains("shards")) now["shards"] = 0;
    for (const auto& [key, value] : now.items()) {
      const Json old = before.contains(key) ? before[key] : Json();
      if (old == value) continue;
      Fail(kInvalid,
           StrCat("the checkpoints in ", ir::QuotedPath(settings_.checkpoints), " are of another run: ", key, " was ",
                  JsonText(old), " and is ", JsonText(value), "; give the same options to go on, or another folder"));
    }
  }

  // Processes that were started with other options, or see other files, would go apart at some step.
  void RequireSameRun() const {
    using internal::Trait;
    std::vector<Trait> traits;
    const Json options = RunSettings(settings_);
    for (const auto& [key, value] : options.items())
      traits.push_back({StrCat("option --", key), JsonText(value), "start all with the same options"});
    traits.push_back({"number of steps", StrCat(total_), "start all with the same options"});
    traits.push_back({"data", data_.Describe(), "--data must be the same files for all"});
    traits.push_back({"step to go on from", StrCat(step_), "--checkpoints must be a folder that all of them see"});
    internal::RequireAgreement(traits);
  }

  std::string LogPath() const {
    if (!settings_.log.empty() || settings_.checkpoints.empty() || GroupRank() != 0) return settings_.log;
    return settings_.checkpoints + "/log.csv";
  }

  // What earlier files of the folder say of steps that are done again is forgotten.
  void OpenEvents() {
    if (settings_.logs.empty()) return;
    SummaryWriterOptions options;
    if (step_ > 0) options.purge_step = step_ + 1;
    events_.emplace(settings_.logs, options);
    events_->AddGraph(train_);
    report_.files.push_back(events_->path());
  }

  void AddEvents(float loss, const std::optional<Evaluation>& evaluation) {
    events_->AddScalar("loss", double{loss}, step_);
    if (!evaluation) return;
    events_->AddScalar("validation/loss", evaluation->loss, step_);
    events_->AddScalar("validation/" + report_.metric, evaluation->metric, step_);
  }

  void Train(const SignalsWait& signals, RunLog* log) {
    const double start = Seconds();
    while (step_ < total_ && !Done()) {
      report_.signal = SignalOfAny(signals);
      if (report_.signal != 0) break;
      const std::optional<Example> batch = position_.Next();
      const float loss = Tensor(run_("train", (*batch)[0], (*batch)[1])).item<float>();
      if (!std::isfinite(loss)) FailDiverged("loss", double{loss}, step_ + 1);
      ++step_;
      const bool evaluated = step_ % every_ == 0 || step_ == total_;
      if (evaluated) AtEvaluation();
      log->Add(loss, evaluated ? report_.evaluation : std::nullopt);
      if (events_) AddEvents(loss, evaluated ? report_.evaluation : std::nullopt);
      if (evaluated) SaveCheckpoint();
      Tell(loss);
    }
    if (events_) events_->Close();
    if (report_.signal != 0 && step_ > 0) {
      run_.StoreTo(state_);
      SaveCheckpoint();
    }
    report_.stopped_early = Done() && step_ < total_;
    report_.step_seconds = Seconds() - start;
  }

  // Of several processes the first one writes: all have the same.
  void SaveCheckpoint() {
    if (checkpoint_ && GroupRank() == 0) report_.checkpoint = checkpoint_->Save();
  }

  // All processes end after the same step.
  static int SignalOfAny(const SignalsWait& signals) {
    const int own = signals.Pending();
    return GroupSize() == 1 ? own : AllReduce(Tensor(own), Combine::kMax).item<int32_t>();
  }

  [[noreturn]] void FailDiverged(const std::string& what, double value, int64_t step) const {
    const double rate = settings_.learning_rate > 0 ? settings_.learning_rate : StandardRate(settings_.optimizer);
    Fail(kInvalid,
         StrCat("the ", what, " of step ", step, " is ", value, "; try a smaller --learning-rate (it is ", rate,
                "), --clip 1, or --warmup 100",
                report_.checkpoint.empty() ? "" : StrCat("; the last good values are in ", report_.checkpoint)));
  }

  void Tell(float loss) const {
    std::string what = Printed("loss %.4f", double{loss});
    if (report_.evaluation) what += Printed(", validation %.4f", report_.evaluation->loss);
    progress_(static_cast<double>(step_) / static_cast<double>(total_), what);
  }

  bool Done() const { return settings_.early_stopping > 0 && worse_ >= settings_.early_stopping; }

  void AtEvaluation() {
    run_.StoreTo(state_);
    for (const Variable& v : net_.variables) {  // what is not finite goes into no checkpoint
      const double worst = double{ReduceMax(Abs(v)).item<float>()};
      if (!std::isfinite(worst)) FailDiverged("largest of " + v.name(), worst, step_);
      if (events_) events_->AddHistogram(v.name(), v.value(), step_);
    }
    if (!data_.validation) return;
    report_.evaluation = Evaluate();
    if (!std::isfinite(report_.evaluation->loss)) FailDiverged("validation loss", report_.evaluation->loss, step_);
    if (settings_.early_stopping == 0) return;
    if (report_.evaluation->loss < best_loss_.value().item<double>()) {
      best_loss_.Assign(report_.evaluation->loss);
      best_step_ = step_;
      worse_ = 0;
      for (size_t i = 0; i < best_.size(); ++i) best_[i].Assign(net_.variables[i].value());
    } else {
      ++worse_;
    }
  }

  Evaluation Evaluate() const {
    double sums[3] = {};
    const int64_t n = std::min<int64_t>(data_.kind == SourceKind::kText ? 64 : 512, data_.validation->size());
    for (const Example& batch : data_.validation->Batch(n, /*drop_remainder=*/false).Iterate(0)) {
      const Example prepared = data_.prepare(batch);
      const Results figures = evaluate_(prepared[0], prepared[1]);
      for (int i = 0; i < 3; ++i) sums[i] += double{figures[i].item<float>()};
    }
    const double metric = sums[1] / sums[2];
    return {sums[0] / sums[2], data_.classes > 0 ? metric : std::sqrt(metric)};
  }

  void KeepBest() {
    if (best_step_ == 0 || best_step_ == step_) return;
    for (size_t i = 0; i < best_.size(); ++i) net_.variables[i].Assign(best_[i].value());
    report_.best_step = best_step_;
    report_.evaluation = Evaluate();
  }

  void WriteFiles(const RunLog& log, bool whole) {
    if (!LogPath().empty()) report_.files.push_back(LogPath());
    if (!settings_.chart.empty()) {
      OutputFiles files;
      files.Add(settings_.chart, log.Chart(net_.title));
      files.Commit();
      report_.files.push_back(settings_.chart);
    }
    if (!whole || (settings_.save.empty() && settings_.export_to.empty())) return;
    // A lift has the values of the traces, from before the first step.
    const Module module = Module::Lift({{"train", train_}, {"predict", predict_}}, settings_.model).Snapshot();
    if (!settings_.save.empty()) {
      OutputFiles files;
      files.Add(settings_.save, module.internal_data()->module);
      files.Commit();
      report_.files.push_back(settings_.save);
    }
    if (settings_.export_to.empty()) return;
    const std::string stem = settings_.export_to.substr(0, settings_.export_to.size() - 2);
    CompileToObject(module, stem);
    report_.files.insert(report_.files.end(), {stem + ".o", stem + ".h"});
  }

  const FitSettings& settings_;
  const FitData& data_;
  const FitProgress& progress_;
  const double start_;
  const int64_t batch_, per_epoch_, total_, every_;
  const Net net_;
  const Optimizer optimizer_;
  const reel::Dataset batches_;
  const DatasetIterator position_;
  Function train_, evaluate_, predict_;
  std::vector<Variable> state_;  // all that a step reads and writes
  Executable run_;
  int64_t step_ = 0, best_step_ = 0, worse_ = 0;  // evaluations since the best
  Variable best_loss_{Tensor(double{INFINITY}), {.name = "best_loss", .trainable = false}};
  std::vector<Variable> best_;
  std::optional<Checkpoint> checkpoint_;
  std::optional<SummaryWriter> events_;
  FitReport report_;
};

}  // namespace

FitReport Fit(const FitSettings& settings, const SignalsWait& signals, const FitProgress& progress) {
  const double start = Seconds();
  progress(0, "reading");
  const FitData data = OpenData(settings);
  FitSettings complete = settings;
  if (complete.model.empty()) complete.model = StandardModel(data);
  return FitRun(complete, data, progress, start).Run(signals);
}

}  // namespace reel::cli
