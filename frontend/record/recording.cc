#include "reel/recording.h"

#include "frontend/autodiff/tape.h"
#include "frontend/record/event_log.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/variable_data.h"
#include "ir/calls.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "ir/verifier.h"

namespace reel {

using internal::BuildRequest;
using internal::Built;
using internal::EventLog;
using internal::LogBuilder;
using internal::ModuleData;
using internal::ThrowInvalid;

namespace internal {

std::vector<std::string> StateNames(const std::vector<VariablePtr>& variables, const std::vector<std::string>& taken) {
  HashSet<std::string> used(taken.begin(), taken.end());
  std::vector<std::string> names;
  for (const VariablePtr& v : variables) {
    const std::string base = v->name.empty() ? "variable" : v->name;
    std::string name = base;
    for (int n = 1; !used.insert(name).second; ++n) name = StrCat(base, "_", n);
    names.push_back(std::move(name));
  }
  return names;
}

Function MakeFunction(Built built, const ir::Module* callees) {
  auto data = std::make_shared<ModuleData>();
  data->entry = built.function.name();
  data->module.set_name(data->entry);
  for (size_t i = 0; i < built.variables.size(); ++i) {
    VariableData& v = *built.variables[i];
    const Tensor value = MakeTensor(v.type, v.Load());
    data->module.AddVariable({built.function.state()[i], v.type, v.trainable, ToLiteral(value)});
  }
  data->bound = std::move(built.variables);
  const ir::Function& f = data->module.AddFunction(std::move(built.function));
  if (callees) data->module.symbols() = callees->symbols();
  if (callees) ir::CopyCallees(f, *callees, &data->module);
  Check(ir::Verify(data->module));
  return Function(std::move(data));
}

}  // namespace internal

Recording::Recording() : log_(std::make_shared<EventLog>()) {
  if (internal::State().trace) {
    internal::ThrowError(ErrorCode::kFailedPrecondition,
                         "recording: a Recording cannot begin inside a trace; the trace already is one");
  }
  internal::PushSink(log_);
}

Recording::~Recording() {
  log_->Stop();
  internal::PopSink(log_.get());
}

void Recording::Stop() {
  log_->Stop();
  internal::PopSink(log_.get());
}
bool Recording::recording() const { return log_->listening(); }

Function Recording::Lift(const NamedTensors& arguments, const NamedTensors& results, const LiftOptions& options,
                         std::source_location location) {
  const internal::LocationScope scope(location);
  log_->Stop();
  BuildRequest request;
  request.name = options.name;
  request.arguments = arguments;
  request.results = results;
  request.max_captured_bytes = options.max_captured_bytes;
  for (const auto* list : {&arguments, &results}) {
    for (const NamedTensor& t : *list) {
      if (!t.tensor.defined()) ThrowInvalid("lift: an argument or result is a null tensor");
    }
  }
  HashMap<uint64_t, size_t> seen;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto [it, added] = seen.emplace(arguments[i].tensor.id(), i);
    if (added) continue;
    ThrowInvalid(StrCat("lift: arguments ", it->second, " and ", i, " are the same tensor; pass it once"));
  }
  LogBuilder builder(*log_, request);
  return internal::MakeFunction(builder.Build(internal::StateNames(builder.variables(), {})), log_->module().get());
}

}  // namespace reel
