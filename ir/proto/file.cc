#include "ir/proto/file.h"

#include <fcntl.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "ir/names.h"
#include "ir/proto/convert.h"
#include "ir/proto/reel.pb.h"
#include "ir/proto/wire_scan.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"

namespace reel::ir {
namespace {

// Field 1 of proto::Module, the magic: what every binary file begins with.
constexpr std::string_view kBinaryPrefix("\x0a\x04REEL", 6);

enum WireMessage { kModule, kFunction, kNode, kConstant, kLeaf };
constexpr WireField kWireSchema[] = {
    {kModule, proto::Module::kStringsFieldNumber, kWireBytes},
    {kModule, proto::Module::kSymbolsFieldNumber, kLeaf},
    {kModule, proto::Module::kTypesFieldNumber, kLeaf},
    {kModule, proto::Module::kOpsFieldNumber, kLeaf},
    {kModule, proto::Module::kConstantsFieldNumber, kConstant},
    {kModule, proto::Module::kVariablesFieldNumber, kLeaf},
    {kModule, proto::Module::kFunctionsFieldNumber, kFunction},
    {kFunction, proto::Function::kNodesFieldNumber, kNode},
    {kFunction, proto::Function::kLocationsFieldNumber, kLeaf},
    {kNode, proto::Node::kAttributesFieldNumber, kLeaf},
    {kConstant, proto::Constant::kDataFieldNumber, kWireBytes},
};

absl::Status FileError(std::string_view what, std::string_view path) {
  const int error = errno;
  return absl::ErrnoToStatus(error, std::string(StrCat(what, " ", Quoted(path))));
}

// A descriptor that closes itself.
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { Close(); }
  int fd() const { return fd_; }
  bool Close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

bool WriteAll(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = ::write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    data.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// Creates path.tmp-<process>-<n>, a name nobody else uses; -1 on failure.
int CreateBeside(const std::string& path, std::string* temporary) {
  static std::atomic<int> counter = 0;
  for (int attempt = 0;; ++attempt) {
    *temporary = StrCat(path, ".tmp-", ::getpid(), "-", counter++);
    const int fd = ::open(temporary->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST || attempt == 100) return fd;
  }
}

absl::Status WriteFileAtomically(const std::string& path, std::string_view data) {
  std::string temporary;
  File file(CreateBeside(path, &temporary));
  if (file.fd() < 0) return FileError("cannot create a file beside", path);
  struct stat old;
  const bool keep_mode = ::stat(path.c_str(), &old) == 0;
  if (!WriteAll(file.fd(), data) || (keep_mode && ::fchmod(file.fd(), old.st_mode & 0777) != 0) ||
      ::fsync(file.fd()) != 0 || !file.Close() || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const absl::Status status = FileError("cannot write", path);
    ::unlink(temporary.c_str());
    return status;
  }
  // The rename itself is durable once the folder is; file systems that cannot sync folders say so.
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const File parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.fd() >= 0) (void)::fsync(parent.fd());
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadFile(const std::string& path, const Budget& budget) {
  const BudgetMeter meter(budget);
  const auto fail = [&](const absl::Status& s) {
    return absl::Status(s.code(), StrCat(Quoted(path), ": ", std::string(s.message())));
  };
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0) return FileError("cannot open", path);
  struct stat info;
  if (::fstat(file.fd(), &info) != 0) return FileError("cannot read", path);
  std::string data;
  if (S_ISREG(info.st_mode)) {
    if (absl::Status s = meter.CheckBytes(info.st_size); !s.ok()) return fail(s);
    data.reserve(static_cast<size_t>(info.st_size));
  }
  // Pipes have no size: each piece is checked.
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file.fd(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError("cannot read", path);
    if (n == 0) return data;
    data.append(buffer, static_cast<size_t>(n));
    if (absl::Status s = meter.CheckBytes(static_cast<int64_t>(data.size())); !s.ok()) {
      return fail(s);
    }
    if (absl::Status s = meter.CheckTime(); !s.ok()) return fail(s);
  }
}

absl::StatusOr<Module> ParseBinary(std::span<const std::byte> bytes, std::string_view name,
                                   const Budget& budget) {
  BudgetMeter meter(budget);
  const auto fail = [&](const absl::Status& s) {
    return absl::Status(s.code(), StrCat(name, ": ", std::string(s.message())));
  };
  int64_t memory = 0;
  if (absl::Status s = meter.CheckBytes(static_cast<int64_t>(bytes.size())); !s.ok()) {
    return fail(s);
  }
  const bool well_formed = bytes.size() <= INT32_MAX && EstimateParseMemory(bytes, kWireSchema, &memory);
  if (absl::Status s = meter.AddMemory(memory); !s.ok()) return fail(s);
  const google::protobuf::LogSilencer quiet;
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<proto::Module>(&arena);
  if (!well_formed || !message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return fail(
        absl::InvalidArgumentError("truncated or damaged: the bytes are not a Reel module"));
  }
  if (message->format_version() > 1 && message->file_size() != bytes.size()) {
    return fail(absl::InvalidArgumentError(StrCat("truncated or damaged: ", message->file_size(),
                                                  " bytes were written, here are ", bytes.size())));
  }
  auto module = FromProto(*message, name, &meter);
  if (!module.ok()) return module;
  if (absl::Status s = Verify(*module); !s.ok()) return fail(s);
  return module;
}

}  // namespace

absl::StatusOr<std::string> SerializeModule(const Module& module) {
  if (absl::Status s = Verify(module); !s.ok()) return s;
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<proto::Module>(&arena);
  if (absl::Status s = ToProto(module, message); !s.ok()) return s;
  const google::protobuf::LogSilencer quiet;
  std::string bytes;
  message->set_file_size(1);  // takes its eight bytes
  message->set_file_size(message->ByteSizeLong());
  if (message->ByteSizeLong() > INT32_MAX || !message->SerializeToString(&bytes)) {
    return absl::ResourceExhaustedError(
        StrCat("module '", module.name(), "' takes more than 2 GiB in the binary form"));
  }
  return bytes;
}

absl::StatusOr<Module> ParseModuleBytes(std::span<const std::byte> bytes, std::string_view name,
                                        const Budget& budget) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with(kBinaryPrefix)) return ParseBinary(bytes, name, budget);
  // A text file begins with "reel", blanks or a comment; a cut binary file with a part of its
  // prefix.
  if (text.empty() || kBinaryPrefix.starts_with(text) ||
      text.find('\0') != std::string_view::npos) {
    return absl::InvalidArgumentError(StrCat(name, ": truncated or damaged: not a Reel module"));
  }
  return ParseModule(text, name, budget);
}

absl::Status SaveModule(const Module& module, const std::string& path) {
  if (!path.ends_with(".txt")) {
    const auto bytes = SerializeModule(module);
    return bytes.ok() ? WriteFileAtomically(path, *bytes) : bytes.status();
  }
  if (absl::Status s = Verify(module); !s.ok()) return s;
  return WriteFileAtomically(path, Print(module, {.locations = true}));
}

absl::StatusOr<Module> LoadModule(const std::string& path, const Budget& budget) {
  const auto data = ReadFile(path, budget);
  if (!data.ok()) return data.status();
  return ParseModuleBytes(std::as_bytes(std::span(*data)), path, budget);
}

}  // namespace reel::ir
