#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "frontend/cli/cli.h"
#include "ir/strings.h"
#include "reel/distributed.h"
#include "reel/error.h"
#include "runtime/environment.h"

namespace reel::cli {
namespace {

constexpr size_t kMaxErrorBytes = 4096;

// Of several processes that fail alike the first one tells. One that fails alone, or another way, is not ended by the
// others before it tells, too.
int ReportError(ExitStatus status, std::string_view message) {
  constexpr std::string_view kPrefix = "reel: ";
  std::string line(kPrefix);
  if (const int64_t rank = GroupSize() > 1 ? GroupRank() : MpiRank(); rank > 0) {
    // The first one's FailGroup is quick; without a group the launcher sees that it has ended, and ends the others.
    std::this_thread::sleep_for(std::chrono::seconds(GroupSize() > 1 ? 1 : 4));
    line += StrCat("process ", rank, ": ");
  }
  line += Printable(message, kMaxErrorBytes - line.size() - 1);
  if (line.back() != '\n') line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
  FailGroup(status);
  return status;
}

// There may be no memory for a text.
int ReportNoMemory() {
  std::fputs("reel: out of memory; lower --budget-memory to be told earlier\n", stderr);
  return kBudget;
}

int Run(Program* program) {
  try {
    program->action();
    Say(program->out);
    return kOk;
  } catch (const Failure& failure) {
    return ReportError(failure.status(), failure.what());
  } catch (const Error& error) {
    return ReportError(StatusOf(static_cast<absl::StatusCode>(error.code())), error.what());
  } catch (const std::bad_alloc&) {
    return ReportNoMemory();
  }
}

int Main(int argc, char** argv) {
  OpenStandardDescriptors();
  // Before anything asks for a value.
  const std::string wrong = runtime::ParseEnvironment([](const char* name) { return std::getenv(name); }).error;
  if (!wrong.empty()) return ReportError(kUsage, wrong);
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is an error of write()
  Program program{{"reel", "Reel: eager tensors, their gradients, and a compiler for both", "reel 0.1.0",
                   "Exit status: 0 ok, 1 invalid input, 2 usage, 3 budget exceeded, 4 input or output failed.\n"
                   "Every command has --help with an example."},
                  {},
                  {}};
  AddShow(&program);
  AddVerify(&program);
  AddDiff(&program);
  AddGrad(&program);
  AddOpt(&program);
  AddRun(&program);
  AddCompile(&program);
  AddConvert(&program);
  AddTrain(&program);
  AddOps(&program);
  AddBench(&program);
  AddPlan(&program);
  AddTune(&program);
  AddReport(&program);
  AddCompletion(&program);
  AddMan(&program);
  if (const std::optional<std::string> text = program.line.Parse(argc, argv)) {
    Say(*text);
    return kOk;
  }
  return Run(&program);
}

}  // namespace
}  // namespace reel::cli

int main(int argc, char** argv) {
  try {
    return reel::cli::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    return reel::cli::ReportNoMemory();
  } catch (const reel::cli::Failure& failure) {
    return reel::cli::ReportError(failure.status(), failure.what());
  } catch (const std::system_error& error) {
    return reel::cli::ReportError(reel::cli::kIo, reel::StrCat("cannot start a thread: ", error.what()));
  } catch (const std::exception& error) {
    return reel::cli::ReportError(reel::cli::kInvalid, error.what());
  }
}
