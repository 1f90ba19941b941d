#include "frontend/program/compiled_data.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "codegen/schedule/book.h"
#include "codegen/tune/tune.h"
#include "frontend/program/interrupt.h"
#include "frontend/program/symbolic_programs.h"
#include "frontend/values/status.h"
#include "ir/check.h"
#include "ir/file/writer.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "runtime/abi.h"
#include "runtime/allocator.h"
#include "runtime/callback.h"
#include "runtime/communicator.h"
#include "runtime/environment.h"
#include "runtime/fork.h"
#include "runtime/thread_pool.h"

namespace reel::internal {
namespace {

constexpr size_t kLargeInstance = size_t{64} << 20;

bool IsZero(std::span<const std::byte> bytes) {
  return bytes.empty() ||
         (bytes[0] == std::byte{} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

struct Books {
  runtime::Mutex mutex;
  std::map<std::string, std::shared_ptr<const codegen::ScheduleBook>> by_path;
};
constinit Lazy<Books> books;

[[gnu::tls_model("initial-exec")]] thread_local constinit double tune_seconds = 0;

bool IsVariable(const codegen::Program& program, const codegen::Slot& slot) {
  return slot.kind == codegen::Slot::Kind::kInstance && !program.variables.empty() &&
         slot.offset <= program.variables.back().offset;  // the arena comes after them
}

// Whether steps write to variables. As deep as control steps nest.
bool Updates(const codegen::Program& program, const std::vector<codegen::Step>& steps) {
  return std::any_of(steps.begin(), steps.end(), [&](const codegen::Step& s) {
    if (s.control != codegen::Step::Control::kNone) return Updates(program, s.first) || Updates(program, s.second);
    if (s.kernel < 0) return IsVariable(program, s.buffers[0]);
    const codegen::Kernel& kernel = program.kernels[static_cast<size_t>(s.kernel)];
    for (size_t i = 0; i < s.buffers.size(); ++i) {
      if (kernel.buffers[i].is_output && IsVariable(program, s.buffers[i])) return true;
    }
    return false;
  });
}

// Files are read once: what is compiled later goes by the same schedules. Null: it cannot be read, for `status`.
std::shared_ptr<const codegen::ScheduleBook> BookOf(const std::string& path, absl::Status* status) {
  const std::lock_guard lock(books.Get().mutex);
  auto& book = books.Get().by_path[path];
  if (book) return book;
  auto read = codegen::ReadScheduleBook(path);
  *status = read.status();
  if (read.ok()) book = std::make_shared<codegen::ScheduleBook>(*std::move(read));
  return book;
}

// The process's, which is said to be unreadable once.
std::shared_ptr<const codegen::ScheduleBook> EnvironmentBook() {
  const std::string& path = runtime::GetEnvironment().schedules;
  if (path.empty()) return nullptr;
  absl::Status status;
  auto book = BookOf(path, &status);
  static std::atomic<bool> said{false};
  if (!book && !said.exchange(true)) {
    std::fprintf(stderr, "reel: ignored: REEL_SCHEDULES: %s\n", std::string(status.message()).c_str());
  }
  return book;
}

}  // namespace

double TuneSeconds() { return tune_seconds; }
double SetTuneSeconds(double seconds) { return std::exchange(tune_seconds, seconds); }

CompiledData::CompiledData() = default;
CompiledData::~CompiledData() = default;

void CompiledData::Compile(const ir::Module& module, const codegen::CompilerOptions& given, NumericsCheck check) {
  const InterruptScope interrupts;
  codegen::CompilerOptions options = given;
  options.stop = StopFlag();
  checked = check != NumericsCheck::kOff;
  if (!checked) {
    code = Take(reel_compiler()->Compile(module, options));
  } else {
    options.in_place.clear();
    ir::Module copy = module;
    sites = Take(passes::AddNumericsChecks(&copy, check == NumericsCheck::kNanAndInf));
    code = Take(reel_compiler()->Compile(copy, options));
  }
  for (const codegen::EntryPoint& entry : code->program().entries)
    updates.push_back(Updates(code->program(), entry.steps));
  if (options.in_place.empty()) return;
  const codegen::EntryPoint& only = code->program().entries.at(0);
  is_given.assign(only.results.size(), false);
  for (const codegen::InPlace& pair : only.in_place) is_given[static_cast<size_t>(pair.result)] = true;
}

const codegen::Program& CompiledData::program() const { return symbolic ? symbolic->signatures() : code->program(); }

codegen::CompilerOptions DefaultCompilerOptions() {
  const runtime::Environment& environment = runtime::GetEnvironment();
  codegen::CompilerOptions options;
  options.dump_to = environment.dump_to;
  options.cache_dir = environment.cache_dir;
  options.schedules = EnvironmentBook();
  options.cores = runtime::NumThreads();
  return options;
}

codegen::CompilerOptions ToCompiler(const CompileOptions& options) {
  codegen::CompilerOptions out = DefaultCompilerOptions();
  out.cpu = options.cpu;
  out.os = options.os;
  out.opt_level = options.opt_level;
  out.memory_budget = options.memory_budget;
  out.profile = options.profile || runtime::GetEnvironment().profile;
  out.check_bounds = options.check_bounds;
  constexpr int kMostCores = 1024;
  if (options.cores < 0 || options.cores > kMostCores)
    ThrowInvalid(StrCat("compile: cores is ", options.cores, "; it is 0, or up to ", kMostCores));
  out.cores = options.cores;
  out.budget = options.budget;
  out.extents = options.extents;
  if (options.schedules.empty()) return out;
  absl::Status status;
  out.schedules = BookOf(options.schedules, &status);
  // A file that the search is to make need not be there.
  if (!out.schedules && !(options.tune > 0 && absl::IsNotFound(status))) Check(status);
  return out;
}

void TuneSchedules(const ir::Module& module, const CompileOptions& options, codegen::CompilerOptions* compiler) {
  if (options.tune == 0) return;
  if (!module.symbols().empty()) {
    ThrowInvalid("compile: tune needs shapes without open extents; fix them with `extents`");
  }
  const InterruptScope interrupts;
  codegen::CompilerOptions stoppable = *compiler;
  stoppable.stop = StopFlag();
  codegen::TuneReport report = Take(codegen::Tune(module, stoppable, {.seconds = options.tune}));
  auto book = std::make_shared<const codegen::ScheduleBook>(std::move(report.book));
  compiler->schedules = book;
  if (options.schedules.empty()) return;
  Check(ir::WriteFile(options.schedules, book->Print(), {}));
  const std::lock_guard lock(books.Get().mutex);
  books.Get().by_path[options.schedules] = book;
}

const ModuleData& NeedModule(const std::shared_ptr<const ModuleData>& data) {
  if (!data) ThrowError(ErrorCode::kFailedPrecondition, "compile: a null module or function; assign it first");
  const std::string& error = runtime::GetEnvironment().error;
  if (!error.empty()) ThrowInvalid(error);
  return *data;
}

void InitHeader(void* instance) {
  auto* header = static_cast<reel_instance*>(instance);
  *header = {REEL_INSTANCE_MAGIC, reel_gang_parallel_for, nullptr, nullptr, {}, nullptr, nullptr};
}

runtime::Buffer MakeInstance(const codegen::Program& program) {
  const auto bytes = static_cast<size_t>(program.instance_bytes);
  // It lives long: what eager ops have left in the cache goes first.
  if (bytes >= kLargeInstance) runtime::Allocator::Default().ReleaseCache();
  runtime::Buffer memory = runtime::Buffer::TryAllocateZeroed(bytes);
  if (!memory) {
    ThrowError(ErrorCode::kResourceExhausted,
               StrCat(program.name, ": no memory for an instance of ", program.instance_bytes, " bytes"));
  }
  InitHeader(memory.data());
  return memory;
}

void WriteInitialValues(const codegen::Program& program, const runtime::Buffer& instance) {
  auto* const first = static_cast<std::byte*>(instance.data());
  for (const codegen::VariableSlot& v : program.variables) {
    const auto initial = v.initial.bytes();
    if (!IsZero(initial)) std::memcpy(first + v.offset, initial.data(), initial.size());
  }
}

Fault FaultOf(int32_t status, const codegen::Program& program, const void* instance) {
  const int64_t* fault = static_cast<const reel_instance*>(instance)->fault;
  const codegen::ValueCheck& check = program.checks.at(static_cast<size_t>(fault[0]));
  const bool index = check.op == ir::Op::kCheckIndex;
  std::string text =
      index ? ir::IndexOutOfRangeText(*check.attributes, fault[1]) : ir::IntegerRefusedText(*check.attributes);
  if (check.location.line > 0) StrAppend(&text, ", at ", check.location.file, ":", check.location.line);
  if (status == REEL_STATE_PARTLY_UPDATED) StrAppend(&text, "; ", reel_status_message(status));
  return {index ? ErrorCode::kOutOfRange : ErrorCode::kInvalidArgument, std::move(text)};
}

void CheckStatus(std::string_view entry, int32_t status, const codegen::Program& program, const void* instance) {
  if (status == REEL_OK) return;
  if (const std::exception_ptr thrown = runtime::TakeCallbackError()) std::rethrow_exception(thrown);
  if (status == REEL_INDEX_OUT_OF_RANGE || status == REEL_STATE_PARTLY_UPDATED) {
    const Fault fault = FaultOf(status, program, instance);
    ThrowError(fault.code, fault.text);
  }
  if (status == REEL_NO_COMMUNICATOR) {
    const reel_communicator* const group = runtime::CurrentCommunicator();
    ThrowError(ErrorCode::kFailedPrecondition,
               StrCat(entry, ": it is for a group of ", program.collectives.empty() ? 0 : program.collectives[0].size,
                      " members, this one has ", group ? group->size : 1, "; make it for this size, or start as many"));
  }
  if (status == REEL_COMMUNICATION_FAILED) {
    const std::string why = runtime::TakeCommunicationError();
    ThrowError(ErrorCode::kUnavailable, StrCat(entry, ": communication with the group failed", why.empty() ? "" : ": ",
                                               why, "; the run cannot go on"));
  }
  if (status == REEL_CANCELLED) ThrowError(ErrorCode::kCancelled, StrCat(entry, ": ", reel_status_message(status)));
  const bool users = status == REEL_INVALID_ARGUMENT;
  ThrowError(users ? ErrorCode::kInvalidArgument : ErrorCode::kInternal,
             StrCat(entry, ": ", reel_status_message(status)));
}

}  // namespace reel::internal
