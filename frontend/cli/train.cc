#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "frontend/cli/cli.h"
#include "frontend/cli/fit/fit.h"
#include "frontend/cli/fit/nets.h"
#include "frontend/cli/train/job.h"
#include "ir/file/folder.h"
#include "ir/names.h"

namespace reel::cli {
namespace {

struct Options : Common {
  FitSettings fit;  ///< with --data; its model and steps are those of the demo, too
  std::string demo_data = "tests/data", folder = "build/demo";
  int64_t eager_steps = TrainOptions().eager_steps;
};

// A bar on stderr that is rewritten in place; nothing if stderr is not a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::string title) : title_(std::move(title)), shown_(::isatty(STDERR_FILENO) == 1) {}
  ~ProgressBar() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }
  void operator()(double done, const std::string& what) const {
    if (!shown_) return;
    constexpr int kWidth = 40;
    const int full = static_cast<int>(done * kWidth);
    const std::string bar =
        std::string(static_cast<size_t>(full), '#') + std::string(static_cast<size_t>(kWidth - full), '.');
    std::fprintf(stderr, "\r\x1b[K%s [%s] %3.0f %% %s", title_.c_str(), bar.c_str(), done * 100, what.c_str());
    std::fflush(stderr);
  }

 private:
  const std::string title_;
  const bool shown_;
};

template <typename... Args>
std::string Format(const char* format, Args... args) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, format, args...);
  return buffer;
}

std::string Table(const TrainReport& report) {
  std::string out =
      StrCat(report.title, "\n\n",
             Format("  %-20s %11s %12s %18s %15s\n", "engine", "steps", "us/step",
                    Format("loss at step %d", static_cast<int>(report.compared_step)).c_str(), "test accuracy"));
  for (const EngineRow& row : report.rows) {
    const std::string steps = StrCat(row.first, "-", row.last);
    const std::string loss = std::isnan(row.loss) ? "-" : Format("%.9g", static_cast<double>(row.loss));
    const std::string accuracy = row.accuracy < 0 ? "-" : Format("%.2f %%", row.accuracy * 100);
    out += Format("  %-20s %11s %12.1f %18s %15s\n", row.engine.c_str(), steps.c_str(), row.seconds_per_step * 1e6,
                  loss.c_str(), accuracy.c_str());
  }
  out += Format(
      "\n  lifted step: %d nodes; compiled in %.0f ms, to an object in %.0f ms; everything took "
      "%.1f s\n\n",
      static_cast<int>(report.nodes), report.compile_seconds * 1e3, report.object_seconds * 1e3, report.total_seconds);
  for (const CheckRow& check : report.checks) StrAppend(&out, check.ok ? "  ok    " : "  WRONG ", check.what, "\n");
  StrAppend(&out, "\n  in ", ir::ParentOf(report.files[0]), ":");
  for (const std::string& file : report.files) StrAppend(&out, " ", ir::FileName(file));
  return out + "\n\n";
}

Json ToJson(const TrainReport& report) {
  Json rows = Json::array(), checks = Json::array();
  for (const EngineRow& row : report.rows) {
    rows.push_back({{"engine", row.engine},
                    {"first_step", row.first},
                    {"last_step", row.last},
                    {"seconds_per_step", row.seconds_per_step},
                    {"loss", row.loss},
                    {"accuracy", row.accuracy}});
    if (row.accuracy < 0) rows.back()["accuracy"] = nullptr;
  }
  for (const CheckRow& check : report.checks) checks.push_back({{"what", check.what}, {"ok", check.ok}});
  return {{"model", report.name},
          {"ok", report.ok()},
          {"compared_step", report.compared_step},
          {"engines", rows},
          {"checks", checks},
          {"files", report.files},
          {"losses", report.losses},
          {"nodes", report.nodes},
          {"compile_seconds", report.compile_seconds},
          {"object_seconds", report.object_seconds},
          {"total_seconds", report.total_seconds}};
}

TrainReport RunOne(const Options& options, Model (*make)(const std::string&)) {
  const Model model = make(options.demo_data);
  const ProgressBar bar(model.name);
  TrainOptions train{.folder = StrCat(options.folder, "/", model.name),
                     .steps = options.fit.steps,
                     .eager_steps = options.eager_steps};
  train.progress = [&bar](double done, const std::string& what) { bar(done, what); };
  return RunTrainJob(model, train);
}

void RunDemo(const Options& options, Program* program) {
  const std::string& model = options.fit.model;
  std::vector<TrainReport> reports;
  const bool all = model.empty() || model == "all";
  if (all || model == "mnist") reports.push_back(RunOne(options, MakeMnist));
  if (all || model == "conv") reports.push_back(RunOne(options, MakeMnistConv));
  if (all || model == "char") reports.push_back(RunOne(options, MakeCharacters));
  if (reports.empty()) Fail(kUsage, StrCat("--model ", model, " is trained on data of yours: add --data PATH"));
  std::string text, wrong;
  for (const TrainReport& report : reports) {
    text += options.json ? JsonText(ToJson(report)) + "\n" : Table(report);
    for (const CheckRow& check : report.checks) {
      if (!check.ok) StrAppend(&wrong, report.name, ": this does not hold: ", check.what, "\n");
    }
  }
  if (!wrong.empty()) Fail(kInvalid, StrCat(wrong, text));
  program->out = std::move(text);
}

// What would fail after the training is told before it.
void CheckOutputs(const FitSettings& fit) {
  if (!fit.export_to.empty()) {
    const std::string name(ir::FileName(fit.export_to));
    const std::string stem = name.ends_with(".o") ? name.substr(0, name.size() - 2) : "";
    if (!ir::IsIdentifier(stem) || stem.find('.') != stem.npos) {
      Fail(kUsage, StrCat("--export ", fit.export_to,
                          ": write NAME.o; NAME becomes the prefix of C functions, of "
                          "letters, digits and _"));
    }
  }
  for (const std::string& path : {fit.save, fit.export_to, fit.chart, fit.log}) {
    const std::string parent = path.find('/') == path.npos ? "." : std::string(ir::ParentOf(path)) + "/";
    if (path.empty() || path == kStandard || ::access(parent.c_str(), W_OK) == 0) continue;
    Fail(kIo, StrCat("cannot write ", ir::QuotedPath(path), ": ", std::strerror(errno)));
  }
}

// Several processes need shards.
FitSettings WithShards(FitSettings fit) {
  if (fit.shards == 0 && GroupSize() > 1) fit.shards = DataParallelOptions{}.shards;
  return fit;
}

FitSettings OfOtherProcess(const FitSettings& fit) {
  FitSettings quiet = WithShards(fit);
  for (std::string* file : {&quiet.log, &quiet.logs, &quiet.chart, &quiet.save, &quiet.export_to}) file->clear();
  quiet.sample = 0;
  return quiet;
}

void RunFit(const Options& options, Program* program) {
  const FitSettings& fit = options.fit;
  if (!fit.model.empty() && std::find(kFitModels.begin(), kFitModels.end(), fit.model) == kFitModels.end()) {
    // "conv" is both
    Fail(kUsage,
         StrCat("--model ", fit.model, " is of the demo, which has its own data; with --data it is mlp, conv or gpt"));
  }
  CheckOutputs(fit);
  if (StartedByMpi()) JoinMpi();
  const SignalsWait signals;
  FitReport report;
  if (GroupRank() != 0) {  // of several processes the first one writes and speaks
    Fit(OfOtherProcess(fit), signals, [](double, const std::string&) {});
    return;
  }
  {
    const ProgressBar bar(fit.model.empty() ? "train" : fit.model);
    report = Fit(WithShards(fit), signals, [&bar](double done, const std::string& what) { bar(done, what); });
  }
  program->out = options.json ? JsonText(FitJson(report)) + "\n" : FitText(report);
  if (report.signal != 0) Say(std::exchange(program->out, ""));  // the signal ends the process now
}

// Options that only a run on data of the user's has, under a headline.
struct FitOptions {
  Command* command;
  const Option& data;
  const char* group;

  template <typename T>
  Option Add(const char* name, T* variable, const char* help) const {
    return command->Add(name, variable, help).Needs(data).Group(group);
  }
};

void AddDataOptions(const FitOptions& options, FitSettings* fit) {
  options.Add("--validation", &fit->validation, "A fraction of the data, 0 for none, or a file or folder like them")
      .TypeName("FRACTION|PATH")
      .ShowDefault();
  options
      .Add("--labels", &fit->labels,
           "Columns of a table (default: the last), or an array of an .npz file or of a folder of .npy (default: y, "
           "labels)")
      .TypeName("NAMES")
      .Delimiter(',');
  options
      .Add("--columns", &fit->columns,
           "Columns that are features (default: the others), or an array (default: x, images)")
      .TypeName("NAMES")
      .Delimiter(',');
  options
      .Add("--task", &fit->task,
           "What labels are; auto: text and whole numbers are classes, others are numbers to predict")
      .TypeName("KIND")
      .OneOf(kTasks)
      .ShowDefault();
  options.Add("--size", &fit->size, "Resizes images in folders to HEIGHTxWIDTH").TypeName("SIZE");
}

void AddModelOptions(const FitOptions& options, FitSettings* fit) {
  options.Add("--hidden", &fit->hidden, "Widths of dense layers between features and result (default: 128 of an mlp)")
      .TypeName("INTS")
      .Delimiter(',')
      .Range(1, 1 << 20);
  options.Add("--channels", &fit->channels, "Of the 3x3 convolutions of conv, each with 2x2 pooling (default: 16,32)")
      .TypeName("INTS")
      .Delimiter(',')
      .Range(1, 1 << 16);
  options.Add("--dropout", &fit->dropout, "Rate by which results of dense layers are dropped in training")
      .TypeName("RATE")
      .Range(0.0, 0.99);
  options.Add("--layers", &fit->layers, "Of gpt").TypeName("INT").Range(1, 1000).ShowDefault();
  options.Add("--heads", &fit->heads, "Of gpt").TypeName("INT").Range(1, 1000).ShowDefault();
  options.Add("--width", &fit->width, "Of gpt").TypeName("INT").Range(1, 1 << 16).ShowDefault();
  options.Add("--context", &fit->context, "Characters that gpt sees").TypeName("INT").Range(1, 1 << 16).ShowDefault();
}

void AddLearningOptions(const FitOptions& options, FitSettings* fit) {
  options.Add("--optimizer", &fit->optimizer, "How a step updates")
      .TypeName("NAME")
      .OneOf(OptimizerNames())
      .ShowDefault();
  options.Add("--learning-rate", &fit->learning_rate, "(default: the optimizer's, 0.001 of adam)")
      .TypeName("RATE")
      .Range(1e-12, 1e6);
  options.Add("--schedule", &fit->schedule, "cosine: down to a tenth of the rate; linear: to nothing")
      .TypeName("NAME")
      .OneOf(kSchedules)
      .ShowDefault();
  options.Add("--warmup", &fit->warmup, "Steps in which the rate rises from nothing").TypeName("INT").Positive();
  options.Add("--weight-decay", &fit->weight_decay, "Of matrices").TypeName("RATE").Range(0.0, 1e3);
  options.Add("--clip", &fit->clip, "The largest norm of all gradients").TypeName("NORM").Range(0.0, 1e12);
  options.Add("--batch", &fit->batch, "Examples of a step (default: 64, of text 32)").TypeName("INT").Positive();
  options
      .Add("--shards", &fit->shards,
           "Parts of a batch that are computed by themselves: the same bits for any number of processes under mpirun "
           "that divides it (default: none; of several processes 8)")
      .TypeName("INT")
      .Positive();
  options.command
      ->Flag("--shard-optimizer", &fit->shard_optimizer,
             "Of several processes each one updates its part of the variables, and steps with its part of the "
             "optimizer's slots: the same bits")
      .Needs(options.data)
      .Group(options.group);
  options.Add("--epochs", &fit->epochs, "Times through the data (default: 20, at least 1000 steps; of text 2000 steps)")
      .TypeName("N")
      .Range(1e-9, 1e9);
  options.Add("--seed", &fit->seed, "Of initial values, orders and draws: the same seed gives the same bits")
      .TypeName("INT")
      .ShowDefault();
  options
      .Add("--evaluate-every", &fit->evaluate_every,
           "Steps between looks at the validation data and checkpoints (default: an epoch, or a tenth of the run if "
           "that is less)")
      .TypeName("INT")
      .Positive();
  options
      .Add("--early-stopping", &fit->early_stopping,
           "Stops after so many evaluations without a better validation loss, and keeps the best values")
      .TypeName("INT")
      .Positive();
}

void AddOutputOptions(const FitOptions& options, FitSettings* fit) {
  options.Add("--checkpoints", &fit->checkpoints, "A run that was stopped goes on from here, to the same bits")
      .TypeName("FOLDER");
  options.Add("--log", &fit->log, "The curve as CSV, a line for each step (default: log.csv beside the checkpoints)")
      .TypeName("FILE");
  options
      .Add("--logs", &fit->logs,
           "Event files for TensorBoard: losses, evaluations, histograms of the values, the graph")
      .TypeName("FOLDER");
  options.Add("--chart", &fit->chart, "The curve as SVG").TypeName("FILE");
  options.Add("--save", &fit->save, "The trained model with its step, as a .reel file").TypeName("FILE");
  options.Add("--export", &fit->export_to, "NAME.o: the step and the prediction as an object for C, with NAME.h")
      .TypeName("FILE");
  options.Add("--sample", &fit->sample, "Characters that gpt writes at the end")
      .TypeName("INT")
      .Range(0, 1000000)
      .ShowDefault();
}

// A model on data of the user's.
void AddFitOptions(Command* command, FitSettings* fit, const Option& data) {
  AddDataOptions({command, data, "Data (with --data)"}, fit);
  AddModelOptions({command, data, "Model (with --data)"}, fit);
  AddLearningOptions({command, data, "Learning (with --data)"}, fit);
  AddOutputOptions({command, data, "Output (with --data)"}, fit);
}

}  // namespace

void AddTrain(Program* program) {
  auto options = std::make_shared<Options>();
  FitSettings* const fit = &options->fit;
  Command command = AddCommand(
      program, "train",
      "Train a model on your data, or, without --data, the demo: eagerly, compiled, and in C, bit for bit",
      "reel train --data iris.csv --save iris.reel --export iris.o", options.get(),
      [options, program] { options->fit.data.empty() ? RunDemo(*options, program) : RunFit(*options, program); });
  const Option data =
      command
          .Add(
              "--data", &fit->data,
              "A table (.csv), arrays (.npz, a folder of .npy), text (.txt, .txt.gz), a folder with a folder of images "
              "for each class, or a folder with IDX files as MNIST's")
          .TypeName("PATH");
  std::vector<std::string> models = kFitModels;
  models.insert(models.end(), {"mnist", "char", "all"});
  command
      .Add("--model", &fit->model,
           "With --data: mlp, conv, gpt (default: what fits the data); of the demo: mnist, conv, char, all (default)")
      .TypeName("NAME")
      .OneOf(models);
  command.Add("--steps", &fit->steps, "Steps in all (default: enough to learn)").Positive().TypeName("INT");
  AddFitOptions(&command, fit, data);
  const char* group = "The demo (without --data)";
  command.Add("--demo-data", &options->demo_data, "Folder with the data files")
      .Excludes(data)
      .Group(group)
      .TypeName("FOLDER")
      .ShowDefault();
  command.Add("--output-dir", &options->folder, "Folder for what is written")
      .Excludes(data)
      .Group(group)
      .TypeName("FOLDER")
      .ShowDefault();
  command.Add("--eager-steps", &options->eager_steps, "Steps before the step is lifted")
      .Excludes(data)
      .Positive()
      .Group(group)
      .TypeName("INT")
      .ShowDefault();
}

}  // namespace reel::cli
