#include "frontend/record/closure.h"

#include "frontend/autodiff/custom_gradient.h"
#include "frontend/eager/dispatch.h"
#include "frontend/record/event_stream.h"
#include "frontend/record/trace.h"
#include "frontend/values/status.h"
#include "ir/strings.h"

namespace reel::internal {

TensorList ClosedFunction::Operands(std::vector<Tensor> arguments) const {
  TensorList operands(arguments.begin(), arguments.end());
  operands.insert(operands.end(), outer.begin(), outer.end());
  for (const VariablePtr& v : variables) operands.push_back(ReadVariable(v));
  return operands;
}

void ClosedFunction::Assign(const std::vector<Tensor>& returned) const {
  for (size_t i = 0; i < assigned.size(); ++i) AssignVariable(assigned[i], returned[num_results + i]);
}

namespace {

// `types`: those of the arguments, in the module of the trace.
template <typename Types>
ClosedFunction TraceOn(std::string_view what, const TracedFunction& function, const Types& types, bool tape_reads) {
  TraceState trace(State().trace);
  trace.outer_before = trace.id;
  const auto log = std::make_shared<EventLog>();
  BuildRequest request;
  request.closed = true;
  if (tape_reads) request.reads = trace.module.get();
  request.outer_before = trace.id;
  {
    const TraceScope scope(&trace, log);
    std::vector<Tensor> arguments;
    for (const Type& type : types(trace.module.get())) {
      arguments.push_back(MakeSymbolic(type, trace.id));
      request.arguments.push_back(arguments.back());
    }
    request.results = function(arguments);
  }
  for (const NamedTensor& y : request.results) {
    if (!y.tensor.defined()) ThrowInvalid(StrCat(what, ": the function returns a null tensor"));
  }
  LogBuilder builder(*log, request);
  ClosedFunction closed{trace.module,
                        trace.module->UniqueFunctionName(what),
                        request.arguments.size(),
                        request.results.size(),
                        builder.outer(),
                        builder.variables(),
                        builder.Assigned()};
  request.name = closed.name;
  for (const Tensor& t : closed.outer) request.free.push_back({t.id(), t.type()});
  for (const VariablePtr& v : closed.variables) request.free.push_back({v->id, v->type});
  for (const VariablePtr& v : closed.assigned) request.carried.push_back(v->id);
  closed.module->AddFunction(builder.Build({}).function);
  return closed;
}

}  // namespace

ClosedFunction TraceClosed(std::string_view what, const TracedFunction& function, const std::vector<Type>& types,
                           bool tape_reads) {
  return TraceOn(what, function, [&](ir::Module*) { return types; }, tape_reads);
}

ClosedFunction TraceClosed(std::string_view what, const TracedFunction& function, const std::vector<Spec>& specs,
                           bool tape_reads) {
  const auto types = [&](ir::Module* module) {
    std::vector<Type> out;
    for (const Spec& spec : specs) out.push_back(AddSymbols(spec, module));
    return out;
  };
  return TraceOn(what, function, types, tape_reads);
}

namespace {

// One function: each value lives until its last use. Control ops recurse as deep as the user's code
// nests.
class Run {
 public:
  Run(const std::shared_ptr<ir::Module>& module, const ir::Function& f)
      : module_(module), f_(f), values_(static_cast<size_t>(f.num_values())), uses_(values_.size()) {
    for (ir::Value v : f.results()) ++uses_[static_cast<size_t>(v.id)];
    for (const ir::Node& node : f.nodes()) {
      for (ir::Value v : node.operands) ++uses_[static_cast<size_t>(v.id)];
    }
  }

  std::vector<Tensor> operator()(absl::Span<const Tensor> operands) {
    for (size_t i = 0; i < operands.size(); ++i) values_[i] = operands[i];
    for (const ir::Node& node : f_.nodes()) {
      std::vector<Tensor> in;
      for (ir::Value v : node.operands) in.push_back(values_[static_cast<size_t>(v.id)]);
      for (ir::Value v : node.operands) {
        if (--uses_[static_cast<size_t>(v.id)] == 0) values_[static_cast<size_t>(v.id)] = Tensor();
      }
      std::vector<Tensor> out = RunNode(node, std::move(in));
      for (int i = 0; i < node.num_results; ++i) {
        const auto at = static_cast<size_t>(node.result(i).id);
        if (uses_[at] > 0) values_[at] = std::move(out[static_cast<size_t>(i)]);
      }
    }
    std::vector<Tensor> results;
    for (ir::Value v : f_.results()) results.push_back(values_[static_cast<size_t>(v.id)]);
    return results;
  }

 private:
  std::vector<Tensor> RunNode(const ir::Node& node, std::vector<Tensor> in) {
    if (node.op == ir::Op::kConstant) return {FromLiteral(node.attr<ir::Literal>("value"))};
    if (!ir::Info(node.op).Has(ir::kControl) || State().trace) {
      const TensorList out = DispatchAll(node.op, node.attributes, in);
      return {out.begin(), out.end()};
    }
    if (node.op == ir::Op::kIf) {
      const bool yes = in[0].item<bool>();
      in.erase(in.begin());
      return Call(node, yes ? "then" : "else", in);
    }
    if (node.op == ir::Op::kWhile) return While(node, std::move(in));
    const auto* vjp = node.attrs().Find("vjp");
    return vjp ? Custom(node, std::get<std::string>(*vjp), in) : Call(node, "callee", in);
  }

  std::vector<Tensor> Call(const ir::Node& node, std::string_view attribute, absl::Span<const Tensor> in) {
    return RunThroughDispatch(module_, node.attr<std::string>(attribute), in);
  }

  std::vector<Tensor> While(const ir::Node& node, std::vector<Tensor> values) {
    const auto* bound = node.attrs().Find("maximum_iterations");
    for (int64_t i = 0; !bound || i < std::get<int64_t>(*bound); ++i) {
      if (!Call(node, "cond", values)[0].item<bool>()) break;
      values = Call(node, "body", values);
    }
    return values;
  }

  // The callee as a custom gradient whose backward is the function `vjp`.
  std::vector<Tensor> Custom(const ir::Node& node, const std::string& vjp, const std::vector<Tensor>& in) {
    const auto module = module_;
    const auto callee = node.attr<std::string>("callee");
    const auto forward = [module, callee, vjp](const std::vector<Tensor>& inputs) {
      std::vector<Tensor> results = RunThroughDispatch(module, callee, inputs);
      const auto backward = [module, vjp, inputs](const std::vector<Tensor>& dys, const std::vector<Variable>&) {
        std::vector<Tensor> operands = inputs;
        for (const Tensor& dy : dys) {
          if (IsDifferentiable(dy.dtype())) operands.push_back(dy);
        }
        const TraceState* const trace = State().trace;  // as of a derivative of this gradient
        const bool other = trace && trace->module && trace->module != module;
        const std::string name = other ? ImportFunction(*module, vjp, trace->module.get()) : vjp;
        const std::vector<Tensor> given = RunThroughDispatch(other ? trace->module : module, name, operands);
        CustomGradients out;
        size_t next = 0;
        for (const Tensor& x : inputs) {
          out.inputs.push_back(IsDifferentiable(x.dtype()) ? std::optional(given[next++]) : std::nullopt);
        }
        return out;
      };
      return CustomForward{std::move(results), backward, true};
    };
    return CallCustom("custom_gradient", forward, {in.begin(), in.end()});
  }

  const std::shared_ptr<ir::Module> module_;
  const ir::Function& f_;
  std::vector<Tensor> values_;
  std::vector<int32_t> uses_;
};

}  // namespace

std::vector<Tensor> RunThroughDispatch(const std::shared_ptr<ir::Module>& module, const std::string& name,
                                       absl::Span<const Tensor> operands) {
  return Run(module, *module->FindFunction(name))(operands);
}

}  // namespace reel::internal
