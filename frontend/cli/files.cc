#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "frontend/cli/cli.h"
#include "frontend/values/npy.h"
#include "ir/file/folder.h"
#include "ir/file/reader.h"
#include "ir/names.h"
#include "ir/printable.h"
#include "ir/proto/file.h"

namespace reel::cli {
namespace {

bool stdout_is_taken = false, stdin_is_taken = false;

}  // namespace

void CheckFile(const absl::Status& status) {
  const absl::StatusCode code = status.code();
  const bool io = code == absl::StatusCode::kNotFound || code == absl::StatusCode::kPermissionDenied ||
                  code == absl::StatusCode::kUnavailable;
  const bool budget = code == absl::StatusCode::kResourceExhausted || code == absl::StatusCode::kDeadlineExceeded;
  if (!status.ok()) Fail(io ? kIo : budget ? kBudget : kInvalid, std::string(status.message()));
}

std::string ReadFile(const std::string& path, const Budget& budget) {
  if (path == kStandard && std::exchange(stdin_is_taken, true))
    Fail(kUsage, "standard input is one file: two inputs are named -");
  auto bytes = ir::ReadFile(path == kStandard ? "/dev/stdin" : path, budget);
  if (bytes.ok()) return *std::move(bytes);
  if (absl::IsResourceExhausted(bytes.status()))
    Fail(kBudget, StrCat(std::string(bytes.status().message()), "; raise --budget-bytes or --budget-seconds"));
  CheckFile(bytes.status());
  return {};
}

int StandardOutput() {
  if (std::exchange(stdout_is_taken, true)) Fail(kUsage, "standard output takes one file: two outputs are named -");
  return STDOUT_FILENO;
}

ir::FileWriter* OutputFiles::Open(const std::string& path) {
  if (path == kStandard || ir::DescriptorNamed(path) == STDOUT_FILENO) StandardOutput();
  auto file = ir::FileWriter::Open(path == kStandard ? "/dev/stdout" : path);
  if (!file.ok()) CheckFile(file.status());
  return &files_.emplace_back(*std::move(file));
}

void OutputFiles::Add(const std::string& path, std::string_view bytes) { CheckFile(Open(path)->Append(bytes)); }

void OutputFiles::Add(const std::string& path, const ir::Module& module) {
  const bool text = path.ends_with(".txt") || (path == kStandard && ::isatty(STDOUT_FILENO) == 1);
  CheckFile(ir::WriteModule(module, text, Open(path)));
}

void OutputFiles::Add(const std::string& path, const ir::Literal& literal) {
  ir::FileWriter* const file = Open(path);
  CheckFile(file->Append(NpyHeader(literal)));
  const auto bytes = literal.bytes();
  CheckFile(file->Append({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

void OutputFiles::Commit() {
  for (ir::FileWriter& file : files_) CheckFile(file.Finish());
  for (ir::FileWriter& file : files_) CheckFile(file.Commit());
  files_.clear();
}

void Say(std::string_view text) {
  CheckFile(ir::WriteFile(stdout_is_taken ? "/dev/stderr" : "/dev/stdout", ir::Printable(text), {.durable = false}));
}

void OpenStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    const int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", flags) != fd) Fail(kIo, StrCat("cannot open /dev/null: ", std::strerror(errno)));
  }
}

void MakeFolder(const std::string& path) {
  if (path == kStandard) Fail(kUsage, "a folder for several files cannot be -, standard output");
  const int failure = ir::MakeFolders(path);
  if (failure == 0) return;
  Fail(kIo, StrCat("cannot create the folder ", ir::Quoted(path), ": ", std::strerror(failure)));
}

}  // namespace reel::cli
