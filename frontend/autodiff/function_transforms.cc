#include <algorithm>

#include "frontend/record/event_log.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/calls.h"
#include "ir/strings.h"
#include "ir/verifier.h"
#include "passes/gradient/gradient.h"
#include "passes/rewrite.h"
#include "passes/vectorize/jacobian.h"
#include "passes/vectorize/rule.h"
#include "passes/vectorize/vectorize.h"
#include "reel/transforms.h"

// Transforms of graphs: a copy of the module gets a function more and becomes that.

namespace reel {

using internal::Check;
using internal::ModuleData;
using internal::Take;
using internal::ThrowInvalid;

namespace {

// A copy of the module behind a function.
std::shared_ptr<ModuleData> CopyOf(const Function& function) {
  if (!function.internal_data()) {
    internal::ThrowError(ErrorCode::kFailedPrecondition, "a null function; assign it first");
  }
  return std::make_shared<ModuleData>(*function.internal_data());
}

const ir::Function& Entry(const ModuleData& data) { return *data.module.FindFunction(data.entry); }

// The module with a new entry and what that calls.
Function WithEntry(std::shared_ptr<ModuleData> data, std::string entry) {
  data->entry = std::move(entry);
  ir::KeepReached(&data->module, {data->module.FindFunction(data->entry)});
  Check(ir::Verify(data->module));
  return Function(std::move(data));
}

std::vector<int> SmoothResults(const ir::Function& f) {
  std::vector<int> out;
  for (int i = 0; i < f.num_outputs(); ++i) {
    if (IsDifferentiable(f.type(f.results()[static_cast<size_t>(i)]).dtype)) out.push_back(i);
  }
  return out;
}

// The function of rows with their axes where they belong.
class MapWriter {
 public:
  MapWriter(ir::Module* m, const ir::Function& f, int64_t rows, const MapOptions& options)
      : m_(m),
        f_(f),
        rows_(rows),
        options_(options),
        to_(m->UniqueFunctionName(StrCat(f.name(), ".map"))),
        b_(&to_, m) {}

  std::string Write() {
    std::vector<bool> batched;
    for (int i = 0; i < f_.num_arguments(); ++i) batched.push_back(InAxis(i).has_value());
    const auto vectorized = Take(passes::Vectorize(m_, f_.name(), batched, rows_));
    const std::vector<ir::Value> parameters = AddParameters();
    ir::ValueList operands;
    for (int i = 0; i < f_.num_parameters(); ++i) {
      const ir::Value p = parameters[static_cast<size_t>(i)];
      const bool moved = i < f_.num_arguments() && InAxis(i).value_or(0) != 0;
      operands.push_back(moved ? passes::MoveAxis(b_, p, *InAxis(i), 0) : p);
    }
    const ir::ValueList all = b_.Call(vectorized.name, operands);
    Check(b_.status());
    std::vector<ir::Value> results;
    for (size_t i = 0; i < all.size(); ++i) {
      const bool output = i < vectorized.batched.size();
      results.push_back(output ? Placed(all[i], i, vectorized.batched[i]) : all[i]);
    }
    Check(b_.status());
    to_.SetResults(std::move(results));
    to_.set_result_names(f_.result_names());
    const std::string name = to_.name();
    m_->AddFunction(std::move(to_));
    return name;
  }

 private:
  static std::optional<int64_t> At(const char* what, const std::vector<std::optional<int64_t>>& axes, size_t i,
                                   size_t count, int rank) {
    if (axes.empty()) return 0;
    if (axes.size() != count) {
      ThrowInvalid(StrCat("vectorized_map: ", axes.size(), " ", what, " for ", count, "; give one for each"));
    }
    if (!axes[i]) return std::nullopt;
    return internal::NormalizeAxis("vectorized_map", *axes[i], rank + 1);
  }
  std::optional<int64_t> InAxis(int i) const {
    return At("in_axes", options_.in_axes, static_cast<size_t>(i), static_cast<size_t>(f_.num_arguments()),
              f_.parameter(i).type.shape.rank());
  }

  std::vector<ir::Value> AddParameters() {
    std::vector<ir::Value> out;
    for (int i = 0; i < f_.num_parameters(); ++i) {
      const ir::Parameter& p = f_.parameter(i);
      if (i >= f_.num_arguments()) {
        out.push_back(to_.AddState(p.name, p.type));
        continue;
      }
      Type type = p.type;
      if (const auto axis = InAxis(i)) {
        std::vector<Extent> extents(type.shape.begin(), type.shape.end());
        extents.insert(extents.begin() + *axis, rows_);
        type.shape = Shape(extents);
      }
      out.push_back(to_.AddParameter(p.name, type));
    }
    return out;
  }

  ir::Value Placed(ir::Value y, size_t i, bool batched) {
    const int rank = f_.type(f_.results()[i]).shape.rank();
    const auto axis = At("out_axes", options_.out_axes, i, static_cast<size_t>(f_.num_outputs()), rank);
    if (!axis && batched) {
      ThrowInvalid(
          StrCat("vectorized_map: result ", i, " differs between the rows, its axis must not be std::nullopt"));
    }
    if (!axis) return y;
    const ir::Value all = batched ? y : passes::Repeat(b_, rows_, y);
    return all.valid() ? passes::MoveAxis(b_, all, 0, *axis) : all;
  }

  ir::Module* m_;
  const ir::Function& f_;
  const int64_t rows_;
  const MapOptions& options_;
  ir::Function to_;
  ir::Builder b_;
};

// The gradient of the sum of all results by one argument.
passes::GradientFunction AddGradient(ModuleData* data, int argument) {
  const ir::Function& f = Entry(*data);
  if (argument < 0 || argument >= f.num_arguments()) {
    ThrowInvalid(
        StrCat("hessian: @", f.name(), " has ", f.num_arguments(), " arguments, there is no argument ", argument));
  }
  return Take(passes::AddGradientFunction(&data->module, data->entry, {}, {f.parameter(argument).name}));
}

}  // namespace

Function VectorizedMap(const Function& function, int64_t rows, const MapOptions& options) {
  if (rows < 0) ThrowInvalid(StrCat("vectorized_map: ", rows, " rows; give 0 or more"));
  auto data = CopyOf(function);
  std::string name = MapWriter(&data->module, Entry(*data), rows, options).Write();
  return WithEntry(std::move(data), std::move(name));
}

Function Jvp(const Function& function, const std::vector<int>& arguments) {
  auto data = CopyOf(function);
  const ir::Function& f = Entry(*data);
  std::vector<bool> moving;
  for (int i = 0; i < f.num_arguments(); ++i) {
    moving.push_back(arguments.empty() ? IsDifferentiable(f.parameter(i).type.dtype)
                                       : std::find(arguments.begin(), arguments.end(), i) != arguments.end());
  }
  std::string name = Take(passes::AddJvpFunction(&data->module, data->entry, moving));
  return WithEntry(std::move(data), std::move(name));
}

Function Vjp(const Function& function) {
  auto data = CopyOf(function);
  const ir::Function& f = Entry(*data);
  std::vector<std::string> ys, xs;
  for (int i : SmoothResults(f)) ys.push_back(f.result_name(i));
  for (int i = 0; i < f.num_arguments(); ++i) {
    if (IsDifferentiable(f.parameter(i).type.dtype)) xs.push_back(f.parameter(i).name);
  }
  std::string name = Take(passes::AddGradientFunction(&data->module, data->entry, ys, xs, true)).name;
  return WithEntry(std::move(data), std::move(name));
}

Function Jacobian(const Function& function, int argument) {
  auto data = CopyOf(function);
  const std::vector<int> ys = SmoothResults(Entry(*data));
  std::string name = Take(passes::AddJacobianFunction(&data->module, data->entry, ys, argument)).name;
  return WithEntry(std::move(data), std::move(name));
}

Function Hessian(const Function& function, int argument) { return Jacobian(Jacobian(function, argument), argument); }

Function HessianVectorProduct(const Function& function, int argument) {
  auto data = CopyOf(function);
  const std::string gradient = AddGradient(data.get(), argument).name;
  std::vector<bool> moving(static_cast<size_t>(Entry(*data).num_arguments()));
  moving[static_cast<size_t>(argument)] = true;
  const std::string both = Take(passes::AddJvpFunction(&data->module, gradient, moving));
  ir::Function& f = *data->module.FindFunction(both);
  std::vector<ir::Value> results(f.results().begin() + 1, f.results().end());  // without the gradient
  const std::vector<std::string> names{f.result_name(1)};
  f.SetResults(std::move(results));
  f.set_result_names(names);
  f = passes::WithoutDeadNodes(f);
  return WithEntry(std::move(data), both);
}

}  // namespace reel
