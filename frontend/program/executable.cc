#include "reel/compile.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>

#include "codegen/program/plan.h"
#include "frontend/eager/program_cache.h"
#include "frontend/program/compiled_data.h"
#include "frontend/program/execution_profile.h"
#include "frontend/program/interrupt.h"
#include "frontend/program/parts.h"
#include "frontend/program/symbolic_programs.h"
#include "frontend/record/event_log.h"
#include "frontend/record/event_stream.h"
#include "frontend/report/html.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/file/writer.h"
#include "ir/names.h"
#include "ir/printable.h"
#include "ir/strings.h"
#include "ir/suggest.h"
#include "reel/distributed.h"
#include "runtime/abi.h"
#include "runtime/communicator.h"
#include "runtime/environment.h"
#include "runtime/fork.h"
#include "runtime/thread_pool.h"

namespace reel {
namespace internal {

// How long a call of an entry point may take.
enum class Length : uint8_t {
  kMoment,  // so short that a fork may wait for it
  kBounded,
  kEndless,  // it has a loop that must look whether it is to stop
};

Length LengthOf(const codegen::Program& program, const codegen::EntryPoint& entry) {
  constexpr size_t kSteps = 8;
  constexpr int64_t kBytes = int64_t{1} << 16;  // read and written: some 10 us, were they operands of a product
  if (codegen::HaveLongLoop(entry.steps)) return Length::kEndless;
  int64_t bytes = program.instance_bytes;
  for (const auto* list : {&entry.arguments, &entry.results})
    for (const ir::Parameter& p : *list) bytes += p.type.bytes();
  const bool straight = std::all_of(entry.steps.begin(), entry.steps.end(), [](const codegen::Step& s) {
    return s.control == codegen::Step::Control::kNone || s.control == codegen::Step::Control::kCheck;
  });
  return straight && entry.steps.size() <= kSteps && bytes <= kBytes ? Length::kMoment : Length::kBounded;
}

struct InstanceData {
  explicit InstanceData(std::shared_ptr<const CompiledData> code_)
      : code(std::move(code_)),
        signatures(&code->program()),
        arguments(code->max_arguments),
        results(code->max_results + 1),  // one more where numbers are checked
        memory(MakeInstance(code->program())) {
    if (!code->symbolic) Use(code);
  }
  ~InstanceData() {
    for (const Profile& p : profiles) ReportProfile(p.code->program(), *p.profiler);
  }
  InstanceData(const InstanceData&) = delete;
  InstanceData& operator=(const InstanceData&) = delete;

  // All under the lock. What is compiled but never run costs no memory: values come at first use.
  std::byte* Memory() {
    if (!started) WriteInitialValues(code->program(), memory);
    started = true;
    return static_cast<std::byte*>(memory.data());
  }
  std::byte* At(const codegen::VariableSlot& v) { return Memory() + v.offset; }

  // The program that runs next: the code itself, or one of its symbolic module. Makes room for its arena.
  void Use(std::shared_ptr<const CompiledData> next) {
    const codegen::Program& program = next->program();
    if (static_cast<size_t>(program.instance_bytes) > memory.size()) {
      const std::byte* const old = Memory();
      runtime::Buffer larger = MakeInstance(program);
      std::memcpy(larger.data(), old, static_cast<size_t>(code->program().instance_bytes));
      memory = std::move(larger);
    }
    current = std::move(next);
    running = &program;
    auto* const header = static_cast<reel_instance*>(memory.data());
    header->stop = StopFlag();
    lengths.clear();
    for (const codegen::EntryPoint& e : program.entries) lengths.push_back(LengthOf(program, e));
    if (std::find(lengths.begin(), lengths.end(), Length::kEndless) != lengths.end()) endless = true;
    if (current->program().profile) static_cast<reel_instance*>(memory.data())->profile = Profiler();
  }

  // Of the current program; null: not compiled with profiling.
  runtime::Profiler* Profiler() {
    if (!running || !running->profile) return nullptr;
    for (const Profile& p : profiles) {
      if (p.code == current) return p.profiler.get();
    }
    const auto kernels = static_cast<int32_t>(current->program().kernels.size());
    return profiles.emplace_back(current, std::make_unique<runtime::Profiler>(kernels)).profiler.get();
  }

  // Throws if a variable is part old, part new: any if `slot` is null. Under the lock.
  void CheckWhole(const codegen::VariableSlot* slot) {
    NoteFork();
    for (size_t i = 0; i < torn.size(); ++i) {
      const codegen::VariableSlot& v = code->program().variables[i];
      if (!torn[i] || (slot && slot != &v)) continue;
      ThrowError(ErrorCode::kAborted,
                 StrCat("this process was forked while another thread's call updated the variables of this executable; "
                        "here '",
                        v.name, "' may be part old, part new; set it, or use NewInstance()"));
    }
  }
  void NoteFork() {
    if (mutex.TakeInterrupted() && std::exchange(updating, false)) torn.assign(code->program().variables.size(), true);
  }
  void SetWhole(const codegen::VariableSlot& slot) {
    NoteFork();
    if (!torn.empty()) torn[static_cast<size_t>(&slot - code->program().variables.data())] = false;
  }

  struct Profile {
    Profile(std::shared_ptr<const CompiledData> code_, std::unique_ptr<runtime::Profiler> profiler_)
        : code(std::move(code_)), profiler(std::move(profiler_)) {}
    std::shared_ptr<const CompiledData> code;
    std::unique_ptr<runtime::Profiler> profiler;
  };

  const std::shared_ptr<const CompiledData> code;
  const codegen::Program* const signatures;  // of the code
  runtime::Mutex mutex;  // one call at a time
  bool updating = false;  // a call is under way that writes to variables
  std::atomic<std::thread::id> calling_back{};  // the thread of a call that may be in a callback
  std::vector<bool> torn;  // by variable, where a fork cut off such a call of another thread; empty: none
  bool started = false;
  std::vector<const void*> arguments;  // of the call in progress
  std::vector<void*> results;
  runtime::Buffer memory;
  std::shared_ptr<const CompiledData> current;  // null: symbolic, and never called
  const codegen::Program* running = nullptr;    // its program
  std::vector<Profile> profiles;
  std::vector<Length> lengths;  // by entry point of the current program
  std::atomic<bool> endless{false};  // some program had an entry point that may be
};

}  // namespace internal

using internal::CompiledData;
using internal::InstanceData;
using internal::ThrowError;
using internal::ThrowInvalid;

namespace {

InstanceData& Data(const std::shared_ptr<InstanceData>& data) {
  if (!data) ThrowError(ErrorCode::kFailedPrecondition, "a null executable; assign what Compile returns first");
  return *data;
}

std::string Listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) StrAppend(&out, out.empty() ? "" : ", ", name);
  return out;
}

std::vector<std::string> EntryNames(const codegen::Program& program) {
  std::vector<std::string> names;
  for (const codegen::EntryPoint& e : program.entries) names.push_back(e.name);
  return names;
}

size_t FindEntry(const codegen::Program& program, std::string_view name) {
  for (size_t i = 0; i < program.entries.size(); ++i) {
    if (program.entries[i].name == name) return i;
  }
  const std::vector<std::string> names = EntryNames(program);
  ThrowError(ErrorCode::kNotFound, StrCat("run: there is no entry point '", name, "'; there are: ", Listed(names),
                                          ir::DidYouMean(name, names)));
}

const codegen::VariableSlot* FindSlot(const codegen::Program& program, std::string_view name) {
  for (const codegen::VariableSlot& v : program.variables) {
    if (v.name == name) return &v;
  }
  return nullptr;
}

const codegen::VariableSlot& NeedSlot(const codegen::Program& program, std::string_view name) {
  if (const codegen::VariableSlot* slot = FindSlot(program, name)) return *slot;
  std::vector<std::string> names;
  for (const codegen::VariableSlot& v : program.variables) names.push_back(v.name);
  ThrowError(ErrorCode::kNotFound, StrCat("run: there is no variable '", name, "'; there are: ",
                                          names.empty() ? "none" : Listed(names), ir::DidYouMean(name, names)));
}

void CheckArguments(const codegen::EntryPoint& entry, std::span<const Tensor> arguments) {
  if (arguments.size() != entry.arguments.size()) {
    ThrowInvalid(StrCat("run ", entry.name, ": takes ", entry.arguments.size(), " arguments, got ", arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ir::Parameter& p = entry.arguments[i];
    if (arguments[i].type() != p.type) {
      ThrowInvalid(StrCat("run ", entry.name, ": argument ", i, " ('", p.name, "') must be ", p.type.ToString(),
                          ", got ", arguments[i].type().ToString(), "; cast or reshape it, or trace for its shape"));
    }
  }
}

// A tensor that may be written in place: of the type, and nobody else sees it.
bool Writable(const Tensor& t, const Type& type) {
  return t.defined() && t.internal_data().use_count() == 1 && t.type() == type && !t.symbolic() &&
         t.internal_data()->buffer().unique();
}

Tensor NewTensor(const Type& type) {
  runtime::Buffer buffer = runtime::Buffer::TryAllocate(static_cast<size_t>(type.bytes()));
  if (!buffer) ThrowError(ErrorCode::kResourceExhausted, StrCat("run: no memory for ", type.ToString()));
  return internal::MakeTensor(type, std::move(buffer));
}

// Before the instance's lock: what an interrupt's owner does may wait for those who hold that. What came before the
// handler is told here, what comes later stops the loop.
class Interrupts {
 public:
  explicit Interrupts(const InstanceData& data) {
    if (!data.endless.load(std::memory_order_relaxed)) return;
    scope_.emplace();
    internal::CheckPending();
  }

 private:
  std::optional<internal::InterruptScope> scope_;
};

// Whether the object itself is one of the list.
bool IsAmong(std::span<const Tensor> list, const Tensor* x) {
  return !std::less<>()(x, list.data()) && std::less<>()(x, list.data() + list.size());
}

// Under the instance's lock.
void RunEntry(InstanceData* data, size_t index, std::span<const Tensor> arguments, std::span<Tensor> results) {
  data->CheckWhole(nullptr);
  const bool symbolic = data->code->symbolic != nullptr;
  if (symbolic) {
    std::shared_ptr<const CompiledData> program;
    {
      const runtime::ForkWindow window(data->mutex);
      program = data->code->symbolic->Find(index, arguments);
    }
    if (program != data->current) data->Use(std::move(program));
    index = 0;
  }
  const CompiledData& code = *data->current;
  const codegen::Program& program = *data->running;
  const codegen::EntryPoint& entry = program.entries[index];
  CheckArguments(entry, arguments);
  if (const size_t n = entry.results.size() - (code.checked ? 1 : 0); results.size() != n) {
    ThrowInvalid(StrCat("run ", entry.name, ": gives ", n, " results, there is room for ", results.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) data->arguments[i] = arguments[i].raw_data();
  std::vector<Tensor> held;  // arguments that are also results: they live until the call returns
  for (size_t i = 0; i < results.size(); ++i) {
    if (IsAmong(arguments, &results[i])) held.push_back(results[i]);
    if ((i < code.is_given.size() && code.is_given[i]) || Writable(results[i], entry.results[i].type)) {
      results[i].internal_data()->id = internal::NextId();
    } else {
      results[i] = NewTensor(entry.results[i].type);
    }
    data->results[i] = results[i].internal_data()->buffer().data();
  }
  alignas(64) int64_t fault = passes::NoNumericsFault();
  data->results[results.size()] = &fault;
  std::byte* const memory = data->Memory();
  runtime::Profiler* const profiler = data->Profiler();
  const int64_t begin = profiler ? runtime::ProfileClock() : 0;
  const internal::Length length = data->lengths[index];
  std::optional<internal::InterruptScope> interrupts;
  if (length == internal::Length::kEndless) interrupts.emplace();  // if it was compiled just now, nobody has
  reinterpret_cast<reel_instance*>(memory)->communicator = runtime::CurrentCommunicator();
  int32_t status = 0;
  {
    std::optional<runtime::ForkWindow> window;
    if (length != internal::Length::kMoment) {
      data->updating = code.updates[index];
      window.emplace(data->mutex);
    }
    if (!program.callbacks.empty()) data->calling_back = std::this_thread::get_id();
    status = code.code->entry(static_cast<int>(index))(memory, data->arguments.data(), data->results.data());
    if (!program.callbacks.empty()) data->calling_back = std::thread::id();
  }
  data->updating = false;
  if (profiler) profiler->AddRun(static_cast<int32_t>(index), begin);
  if (status != REEL_OK) internal::CheckStatus(entry.name, status, program, memory);
  if (code.checked) internal::CheckNumericsFault(entry.name, code.sites, fault);
}

// What was compiled last; of a symbolic module, the program of the last call.
const CompiledData& Current(const InstanceData& data, const char* what) {
  if (data.current) return *data.current;
  ThrowError(ErrorCode::kFailedPrecondition,
             StrCat(what,
                    ": a module with symbolic extents is compiled when it is called; call it first, or fix them "
                    "with CompileOptions::extents"));
}

runtime::Profiler& NeedProfiler(InstanceData& data) {
  Current(data, "profile");
  if (runtime::Profiler* profiler = data.Profiler()) return *profiler;
  ThrowError(ErrorCode::kFailedPrecondition,
             "profile: this executable was compiled without; compile with CompileOptions{.profile = true} or set "
             "REEL_PROFILE=1");
}

// Name in the module of a live variable.
const std::string& NameOf(const CompiledData& code, const Variable& variable) {
  for (const auto& [id, name] : code.bound) {
    if (id == variable.id()) return name;
  }
  for (const std::string& name : code.module_variables) {
    if (name == variable.name()) return name;
  }
  ThrowError(ErrorCode::kNotFound,
             StrCat("the module has no variable '", variable.name(), "'; it has: ", Listed(code.module_variables)));
}

// The part that a variable of the module is; null if it is none.
const internal::VariableData* PartNamed(const CompiledData& code, std::string_view name) {
  for (const auto& [part, data] : code.parts) {
    if (part == name) return data.get();
  }
  return nullptr;
}

std::shared_ptr<CompiledData> CompileCode(const std::shared_ptr<const internal::ModuleData>& shared,
                                          const CompileOptions& options,
                                          const std::vector<codegen::InPlace>& in_place = {}) {
  const internal::ModuleData& data = internal::NeedModule(shared);
  auto code = std::make_shared<CompiledData>();
  codegen::CompilerOptions compiler = internal::ToCompiler(options);
  if (compiler.cores == 0) compiler.cores = runtime::NumThreads();
  compiler.in_place = in_place;
  const NumericsCheck check = internal::numerics_check;
  const bool plain = data.module.symbols().empty() && options.extents.empty();
  ir::Module module = plain ? data.module : internal::FixExtents(data.module, options.extents);
  const bool fixed = module.symbols().empty();
  // What runs op by op, or is told of op by op, keeps its weights as they are; so do calls on live variables.
  if (fixed && options.opt_level > 0 && check == NumericsCheck::kOff && in_place.empty()) code->turned.Turn(&module);
  internal::TuneSchedules(module, options, &compiler);
  if (fixed)
    code->Compile(module, compiler, check);
  else
    code->symbolic = std::make_unique<internal::SymbolicPrograms>(std::move(module), compiler, check);
  const std::vector<internal::VariablePtr> bound = internal::BoundVariables(data, /*make=*/false);
  for (size_t i = 0; i < bound.size(); ++i) {
    const std::string& name = data.module.variables()[i].name;
    code->module_variables.push_back(name);
    if (!bound[i]) continue;
    code->bound.emplace_back((bound[i]->whole ? bound[i]->whole : bound[i])->id, name);
    if (bound[i]->whole) code->parts.emplace_back(name, bound[i]);
  }
  for (size_t i = 0; i < code->program().entries.size(); ++i) {
    const codegen::EntryPoint& entry = code->program().entries[i];
    auto names = std::make_shared<std::vector<std::string>>();
    for (size_t r = 0; r < code->num_results(i); ++r) names->push_back(entry.results[r].name);
    code->result_names.push_back(std::move(names));
    code->max_arguments = std::max(code->max_arguments, entry.arguments.size());
    code->max_results = std::max(code->max_results, entry.results.size());
  }
  return code;
}

Executable CompileData(const std::shared_ptr<const internal::ModuleData>& data, const CompileOptions& options) {
  const auto code = CompileCode(data, options);
  code->source = data;  // not of a live function, whose data has the code
  return Executable(std::make_shared<InstanceData>(code));
}

}  // namespace

Executable internal::CompileInPlace(const std::shared_ptr<const ModuleData>& data,
                                    const std::vector<codegen::InPlace>& pairs, bool* in_place) {
  const auto code = CompileCode(data, {.tune = TuneSeconds()}, pairs);
  *in_place = !code->program().entries.front().in_place.empty();
  return Executable(std::make_shared<InstanceData>(code));
}

Results::operator Tensor() const {
  if (tensors_.size() != 1) {
    ThrowInvalid(StrCat("results: there are ", tensors_.size(), " results, not one; choose by [i] or [name]"));
  }
  return tensors_[0];
}

const Tensor& Results::operator[](size_t i) const {
  if (i < tensors_.size()) return tensors_[i];
  ThrowError(ErrorCode::kOutOfRange, StrCat("results: there is no result ", i, ", only ", tensors_.size()));
}

const Tensor& Results::operator[](std::string_view name) const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if ((*names_)[i] == name) return tensors_[i];
  }
  ThrowError(ErrorCode::kNotFound, StrCat("results: there is no result '", name, "'; there are: ", Listed(*names_)));
}

Executable Executable::NewInstance() const { return Executable(std::make_shared<InstanceData>(Data(data_).code)); }

namespace {

// The thread has the lock: it would wait for itself.
void RefuseReentry(const InstanceData& data) {
  if (data.calling_back.load(std::memory_order_relaxed) != std::this_thread::get_id()) return;
  ThrowError(ErrorCode::kFailedPrecondition,
             "run: a function that this executable calls uses it again; give that one a NewInstance()");
}

}  // namespace

Results Executable::Call(std::string_view name, std::span<const Tensor> arguments) const {
  InstanceData& data = Data(data_);
  const size_t entry = FindEntry(*data.signatures, name);
  std::vector<Tensor> results(data.code->num_results(entry));
  const Interrupts interrupts(data);
  RefuseReentry(data);
  const std::lock_guard lock(data.mutex);
  RunEntry(&data, entry, arguments, results);
  return Results(std::move(results), data.code->result_names[entry]);
}

void Executable::Run(std::string_view name, std::span<const Tensor> arguments, std::span<Tensor> results) const {
  InstanceData& data = Data(data_);
  const size_t entry = FindEntry(*data.signatures, name);
  const Interrupts interrupts(data);
  RefuseReentry(data);
  const std::lock_guard lock(data.mutex);
  RunEntry(&data, entry, arguments, results);
}

Tensor Executable::variable(std::string_view name) const {
  InstanceData& data = Data(data_);
  const codegen::VariableSlot& slot = NeedSlot(data.code->program(), name);
  RefuseReentry(data);
  const std::lock_guard lock(data.mutex);
  data.CheckWhole(&slot);
  return data.code->turned.Read(slot, data.At(slot));
}

void Executable::set_variable(std::string_view name, const Tensor& value) const {
  InstanceData& data = Data(data_);
  const codegen::VariableSlot& slot = NeedSlot(data.code->program(), name);
  if (const Type type = data.code->turned.TypeOf(slot); value.type() != type) {
    ThrowInvalid(StrCat("run: variable '", name, "' is ", type.ToString(), ", the value is ", value.type().ToString(),
                        "; cast or reshape it"));
  }
  const Tensor stored = data.code->turned.Stored(slot, value);
  const void* bytes = stored.raw_data();
  RefuseReentry(data);
  const std::lock_guard lock(data.mutex);
  std::memcpy(data.At(slot), bytes, static_cast<size_t>(value.type().bytes()));
  data.SetWhole(slot);
}

void Executable::LoadFrom(const std::vector<Variable>& variables) const {
  const CompiledData& code = *Data(data_).code;
  const internal::SuspendScope eager;
  for (const Variable& v : variables) {
    const std::string& name = NameOf(code, v);
    if (!FindSlot(code.program(), name)) continue;
    const internal::VariableData* const part = PartNamed(code, name);
    set_variable(name, part ? internal::OwnRows(*part, v.value()) : v.value());
  }
}

void Executable::StoreTo(const std::vector<Variable>& variables) const {
  const CompiledData& code = *Data(data_).code;
  for (const Variable& v : variables) {
    const std::string& name = NameOf(code, v);
    if (FindSlot(code.program(), name)) v.Assign(PartNamed(code, name) ? AllGather(variable(name)) : variable(name));
  }
}

Module Executable::Snapshot() const {
  InstanceData& data = Data(data_);
  const internal::ModuleData& source = *data.code->source;
  auto copy = std::make_shared<internal::ModuleData>(internal::ModuleData{source.module, source.entry, {}});
  copy->bound.resize(copy->module.variables().size());
  if (!data.code->parts.empty()) {
    ThrowError(ErrorCode::kFailedPrecondition,
               StrCat("snapshot: of variable '", data.code->parts[0].first,
                      "' this process has its part; call StoreTo(variables) in all, and save the step as it was "
                      "before DataParallel"));
  }
  RefuseReentry(data);
  const std::lock_guard lock(data.mutex);
  for (ir::Variable& v : copy->module.mutable_variables()) {
    const codegen::VariableSlot* const slot = FindSlot(data.code->program(), v.name);
    if (!slot) continue;  // nothing compiled reads it: it has its first value
    data.CheckWhole(slot);
    v.initial = internal::ToLiteral(data.code->turned.Read(*slot, data.At(*slot)));
  }
  return Module(std::move(copy));
}

void Executable::Save(const std::string& path) const { Snapshot().Save(path); }

std::vector<std::string> Executable::entries() const { return EntryNames(Data(data_).code->program()); }

std::vector<std::string> Executable::variables() const {
  std::vector<std::string> names;
  for (const codegen::VariableSlot& v : Data(data_).code->program().variables) names.push_back(v.name);
  return names;
}

std::string Executable::Plan(PlanFormat format) const {
  InstanceData& data = Data(data_);
  RefuseReentry(data);
  const std::lock_guard lock(data.mutex);
  const CompiledData& code = Current(data, "plan");
  if (format == PlanFormat::kDot) return codegen::PlanDot(code.program());
  const codegen::CompiledModule::Times times = code.code->times();
  char line[128];
  std::snprintf(line, sizeof line, "compiled in %.1f ms: plan %.1f, emit %.1f, code %.1f\n",
                (times.plan + times.emit + times.codegen) * 1e3, times.plan * 1e3, times.emit * 1e3,
                times.codegen * 1e3);
  return ir::Printable(codegen::PlanText(code.program(), line));
}

std::string Executable::ToHtml() const {
  const std::string plan = Plan();
  InstanceData& data = Data(data_);
  RefuseReentry(data);
  const std::lock_guard lock(data.mutex);
  return internal::HtmlOf(Current(data, "plan").program(), plan);
}

ProgramSize Executable::size() const {
  InstanceData& data = Data(data_);
  RefuseReentry(data);
  const std::lock_guard lock(data.mutex);
  const codegen::Program& program = Current(data, "size").program();
  return {static_cast<int64_t>(program.kernels.size()), program.instance_bytes, program.arena_bytes,
          program.live_bytes};
}

ExecutionProfile Executable::Profile() const {
  InstanceData& data = Data(data_);
  RefuseReentry(data);
  const std::lock_guard lock(data.mutex);
  runtime::Profiler& profiler = NeedProfiler(data);
  return internal::ProfileOf(data.current->program(), profiler);
}

void Executable::ResetProfile() const {
  InstanceData& data = Data(data_);
  RefuseReentry(data);
  const std::lock_guard lock(data.mutex);
  NeedProfiler(data);
  for (const InstanceData::Profile& p : data.profiles) p.profiler->Clear();
}

std::string Executable::Trace() const {
  InstanceData& data = Data(data_);
  RefuseReentry(data);
  const std::lock_guard lock(data.mutex);
  runtime::Profiler& profiler = NeedProfiler(data);
  return internal::TraceOf(data.current->program(), profiler);
}

Executable Compile(const Module& module, const CompileOptions& options) {
  return CompileData(module.internal_data(), options);
}
Executable Compile(const Function& function, const CompileOptions& options) {
  return CompileData(function.internal_data(), options);
}

void WaitForCompiler() { internal::ProgramCache::Get().Wait(); }

}  // namespace reel
