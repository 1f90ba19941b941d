#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

#include "frontend/cli/cli.h"
#include "frontend/cli/train/job.h"
#include "ir/file/folder.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string model = "all", data = "tests/data", folder = "build/demo";
  TrainOptions train;
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
  const Model model = make(options.data);
  const ProgressBar bar(model.name);
  TrainOptions train = options.train;
  train.folder = StrCat(options.folder, "/", model.name);
  train.progress = [&bar](double done, const std::string& what) { bar(done, what); };
  return RunTrainJob(model, train);
}

void Run(const Options& options, Program* program) {
  std::vector<TrainReport> reports;
  const bool all = options.model == "all";
  if (all || options.model == "mnist") reports.push_back(RunOne(options, MakeMnist));
  if (all || options.model == "conv") reports.push_back(RunOne(options, MakeMnistConv));
  if (all || options.model == "char") reports.push_back(RunOne(options, MakeCharacters));
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

}  // namespace

void AddTrain(Program* program) {
  auto options = std::make_shared<Options>();
  Command command = AddCommand(program, "train",
                               "Train on real data: eagerly, compiled, and in a C program; compare them bit for bit",
                               "reel train --model mnist --output-dir build/demo", options.get(),
                               [options, program] { Run(*options, program); });
  command.Add("--model", &options->model, "mnist, conv, char or all")
      .OneOf({"mnist", "conv", "char", "all"})
      .ShowDefault();
  command.Add("--data", &options->data, "Folder with the data files").ShowDefault();
  command.Add("--output-dir", &options->folder, "Folder for what is written").ShowDefault();
  command.Add("--steps", &options->train.steps, "Steps in all (default: enough to learn)")
      .Positive()
      .TypeName("INT:POSITIVE");
  command.Add("--eager-steps", &options->train.eager_steps, "Steps before the step is lifted")
      .Positive()
      .TypeName("INT:POSITIVE")
      .ShowDefault();
}

}  // namespace reel::cli
