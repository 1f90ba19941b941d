#ifndef REEL_FRONTEND_CLI_CLI_H_
#define REEL_FRONTEND_CLI_CLI_H_

#include <deque>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontend/cli/options.h"
#include "ir/budget_meter.h"
#include "ir/file/writer.h"
#include "ir/graph.h"
#include "ir/strings.h"

// The program `reel`: what its commands share. A command is one file with an Add<Name>() that
// declares its options and leaves what to do in Program::action.

namespace reel::cli {

using Json = nlohmann::ordered_json;

enum ExitStatus {
  kOk = 0,
  kInvalid = 1,  ///< bad input, or the answer is no
  kUsage = 2,
  kBudget = 3,  ///< a limit of --budget-* was reached
  kIo = 4,
};

/// Ends a command with a message for stderr and an exit status.
class Failure : public std::runtime_error {
 public:
  Failure(ExitStatus status, const std::string& message) : std::runtime_error(message), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

[[noreturn]] inline void Fail(ExitStatus status, const std::string& message) { throw Failure(status, message); }
/// 3 for exhausted budgets, else 1.
ExitStatus StatusOf(absl::StatusCode code);
/// Throws what is not OK.
void Check(const absl::Status& status);
/// Errors of files are status 4, whatever else an operation on files can fail with is told apart by its code.
void CheckFile(const absl::Status& status);
template <typename T>
T Take(absl::StatusOr<T> value) {
  if (!value.ok()) Check(value.status());
  return *std::move(value);
}

/// Options that every command has.
struct Common {
  bool json = false;
  Budget budget;
  /// When the command began: what it does has one budget of time.
  double start = ir::SteadySeconds();

  ir::BudgetMeter meter() const { return ir::BudgetMeter(budget, ir::SteadySeconds, start); }
};

/// The command line being parsed.
struct Program {
  CommandLine line;
  std::function<void()> action;  ///< set by the subcommand that was named
  std::string out;               ///< what goes to stdout when the command has succeeded
};

/// Declares a subcommand with its one-line purpose and an example for --help.
Command AddCommand(Program* program, const std::string& name, const std::string& purpose, const std::string& example,
                   Common* common, std::function<void()> action);

void AddShow(Program* program);
void AddVerify(Program* program);
void AddDiff(Program* program);
void AddGrad(Program* program);
void AddOpt(Program* program);
void AddRun(Program* program);
void AddCompile(Program* program);
void AddConvert(Program* program);
void AddTrain(Program* program);
void AddOps(Program* program);
void AddPlan(Program* program);
void AddTune(Program* program);
void AddBench(Program* program);
void AddReport(Program* program);
void AddCompletion(Program* program);
void AddMan(Program* program);

/// ASCII, whatever bytes the strings have: what is not UTF-8 becomes U+FFFD.
std::string JsonText(const Json& json, int indent = -1);

/// ir::Printable, cut to `limit` bytes.
std::string Printable(std::string_view text, size_t limit);

/// The name of standard input or output.
inline constexpr std::string_view kStandard = "-";

/// Values of symbolic extents, NAME=NUMBER each; fails with status 2.
std::vector<std::pair<std::string, int64_t>> ParseExtents(const std::vector<std::string>& texts);

/// Whole file; fails with status 4, or 3 if it is larger than the budget.
std::string ReadFile(const std::string& path, const Budget& budget);
/// Reads and verifies a module in either form.
ir::Module ReadModule(const std::string& path, const Budget& budget);

/// Errors of files are status 4, whatever else an operation on files can fail with is told apart by its code.
void CheckFile(const absl::Status& status);

/// Files that appear when all of them are complete, or not at all (ir/file/writer.h).
class OutputFiles {
 public:
  void Add(const std::string& path, std::string_view bytes);
  /// Text if the path ends in .txt or is a terminal, else binary.
  void Add(const std::string& path, const ir::Module& module);
  /// As .npy.
  void Add(const std::string& path, const ir::Literal& literal);
  /// A file that is written in pieces.
  ir::FileWriter* Open(const std::string& path);
  void Commit();

 private:
  std::deque<ir::FileWriter> files_;
};

/// The descriptor of standard output for a file that grows there: taken as by OutputFiles.
int StandardOutput();
/// Writes what a command says to stdout, or to stderr if an output file went to stdout; fails with status 4.
void Say(std::string_view text);
/// Makes standard descriptors that are closed fail when they are used: a file would get their number.
void OpenStandardDescriptors();

/// Creates a folder and its parents.
void MakeFolder(const std::string& path);

/// The function to work on: the named one; without a name "main" or the only one.
const ir::Function& FindFunction(const ir::Module& module, const std::string& name);
/// {"name", "dtype", "shape"}; symbolic extents as their names.
Json Describe(const ir::Module& module, std::string_view name, const Type& type);
Json Describe(const ir::Module& module, const ir::Function& function);
/// All functions and variables.
Json Describe(const ir::Module& module);

/// Exit status and output of a program.
struct ProcessResult {
  int status = 0;
  std::string out, err;
};
/// Runs a program found in PATH, without a shell.
ProcessResult RunProcess(const std::vector<std::string>& arguments, const std::string& folder = "");

/// Runs work in a child process with the budget's memory and time, and returns what it returns. Its
/// failures, its crash or its being killed are a Failure here.
std::string RunIsolated(const Budget& budget, const std::function<std::string()>& work);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_CLI_H_
