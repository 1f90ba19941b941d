#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

#include "ir/budget_scope.h"
#include "ir/eval/kernels.h"
#include "ir/hash_map.h"
#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

using Handle = std::shared_ptr<const EvalTensor>;
using Handles = std::vector<Handle>;

// By value: the index of the node that reads it last, kNever, or kResult for results.
using LastUses = std::vector<int32_t>;
constexpr int32_t kNever = -1, kResult = std::numeric_limits<int32_t>::max();

LastUses FindLastUses(const Function& f) {
  LastUses last(static_cast<size_t>(f.num_values()), kNever);
  for (size_t n = 0; n < f.nodes().size(); ++n) {
    for (Value v : f.nodes()[n].operands) last[static_cast<size_t>(v.id)] = static_cast<int32_t>(n);
  }
  for (Value v : f.results()) last[static_cast<size_t>(v.id)] = kResult;
  return last;
}

// What an element of the result, or of the matrices, costs: the extents its sum runs over.
absl::InlinedVector<int64_t, 4> WorkPerElement(const Node& node, const Shape& a, const Shape& b) {
  absl::InlinedVector<int64_t, 4> work;
  switch (node.op) {
    case Op::kContract:
      for (int64_t axis : node.attr<std::vector<int64_t>>("a_contract")) {
        work.push_back(a.dim(static_cast<int>(axis)));
      }
      break;
    case Op::kConv:  // b[k..., g, c, o]
      for (int axis = 0; axis + 3 < b.rank(); ++axis) work.push_back(b.dim(axis));
      work.push_back(b.dim(b.rank() - 2));
      break;
    case Op::kEigh:
    case Op::kSvd: work.push_back(kMaxJacobiSweeps); [[fallthrough]];
    case Op::kCholesky:
    case Op::kTriangularSolve:
    case Op::kLu:
    case Op::kQr: work.push_back(std::min(a.dim(a.rank() - 2), a.dim(a.rank() - 1))); break;
    default: break;
  }
  return work;
}

// One activation of a function. A control node stays at `next` until its callee has returned.
struct Frame {
  const Function* function;
  const LastUses* last_uses;
  size_t next = 0;
  Handles values;  // null = not computed yet, or dead
  Handles loop;    // while: the carried values
  int64_t iterations = 0;
  bool in_condition = false;
};

// Runs functions on an explicit stack of frames. Values are freed after their last use.
class Machine {
 public:
  Machine(const Module& module, const EvalOptions& options)
      : module_(module), options_(options), symbols_(module.symbols().size(), -1) {}

  absl::StatusOr<std::vector<EvalTensor>> Run(const Function& f, absl::Span<const EvalTensor> parameters) {
    if (absl::Status s = BindSymbols(f, parameters); !s.ok()) return s;
    Handles handles;
    for (const EvalTensor& t : parameters) handles.emplace_back(Handle(), &t);  // not owned
    Push(f, std::move(handles));
    for (;;) {
      Frame& frame = stack_.back();
      if (frame.next < frame.function->nodes().size()) {
        if (absl::Status s = Step(frame); !s.ok()) return s;
        continue;
      }
      Handles results;
      for (Value v : frame.function->results()) results.push_back(frame.values[static_cast<size_t>(v.id)]);
      stack_.pop_back();
      if (stack_.empty()) {
        std::vector<EvalTensor> out;
        for (const Handle& h : results) out.push_back(*h);
        return out;
      }
      if (absl::Status s = Resume(stack_.back(), std::move(results)); !s.ok()) return s;
    }
  }

 private:
  void Push(const Function& f, Handles arguments) {
    auto& last_uses = last_uses_[&f];
    if (!last_uses) last_uses = std::make_unique<LastUses>(FindLastUses(f));
    Frame frame{&f, last_uses.get(), 0, std::move(arguments), {}};
    for (size_t n = 0; n < frame.values.size(); ++n) {
      if ((*last_uses)[n] == kNever) frame.values[n] = nullptr;
    }
    frame.values.resize(static_cast<size_t>(f.num_values()));
    stack_.push_back(std::move(frame));
  }

  // Executes the next node, or enters its callee.
  absl::Status Step(Frame& frame) {
    const Node& node = frame.function->nodes()[frame.next];
    Handles operands;
    for (Value v : node.operands) operands.push_back(frame.values[static_cast<size_t>(v.id)]);
    for (Value v : node.operands) {
      const auto id = static_cast<size_t>(v.id);
      if ((*frame.last_uses)[id] == static_cast<int32_t>(frame.next)) frame.values[id] = nullptr;
    }
    switch (node.op) {
      case Op::kCall: Push(Callee(node, "callee"), std::move(operands)); return absl::OkStatus();
      case Op::kIf: {
        const bool condition = operands[0]->i[0] != 0;
        operands.erase(operands.begin());
        Push(Callee(node, condition ? "then" : "else"), std::move(operands));
        return absl::OkStatus();
      }
      case Op::kWhile:
        frame.loop = operands;
        frame.iterations = 0;
        frame.in_condition = true;
        Push(Callee(node, "cond"), std::move(operands));
        return absl::OkStatus();
      default: return Compute(frame, node, operands);
    }
  }

  // The callee of the node at frame.next has returned `results`.
  absl::Status Resume(Frame& frame, Handles results) {
    const Node& node = frame.function->nodes()[frame.next];
    if (absl::Status s = Charge(node.op, 1); !s.ok()) return s;  // the callee may be empty
    if (node.op != Op::kWhile) return Finish(frame, node, std::move(results));
    frame.in_condition = !frame.in_condition;
    if (frame.in_condition) {  // after the body
      frame.loop = std::move(results);
      Push(Callee(node, "cond"), frame.loop);
      return absl::OkStatus();
    }
    const AttrValue* limit = node.attrs().Find("maximum_iterations");
    const bool more = !limit || frame.iterations < std::get<int64_t>(*limit);
    if (!more || results[0]->i[0] == 0) return Finish(frame, node, std::exchange(frame.loop, {}));
    ++frame.iterations;
    Push(Callee(node, "body"), std::exchange(frame.loop, {}));
    return absl::OkStatus();
  }

  absl::Status Compute(Frame& frame, const Node& node, const Handles& operands) {
    TypeList types;
    int64_t bytes = 0;
    for (int n = 0; n < node.num_results; ++n) {
      const auto type = Resolve(frame.function->type(node.result(n)));
      if (!type.ok()) return type.status();
      if (BytesOf(*type) > options_.max_bytes - live_bytes_ - bytes) {
        return absl::ResourceExhaustedError(
            StrCat(Name(node.op), ": ", type->ToString(), " exceeds the memory budget"));
      }
      bytes += BytesOf(*type);
      types.push_back(*type);
    }
    std::vector<const EvalTensor*> pointers;
    for (const Handle& h : operands) pointers.push_back(h.get());
    if (absl::Status s = Charge(node.op, Cost(node, pointers, types[0])); !s.ok()) return s;
    auto attributes = Resolve(node);
    if (!attributes.ok()) return attributes.status();
    auto out = RunKernel({node.op, **attributes, pointers, types, options_});
    if (!out.ok()) return out.status();
    Handles results;
    for (EvalTensor& t : *out) results.push_back(Own(std::move(t)));
    return Finish(frame, node, std::move(results));
  }

  absl::Status Finish(Frame& frame, const Node& node, Handles results) {
    for (size_t n = 0; n < results.size(); ++n) {
      const auto id = static_cast<size_t>(node.first_result) + n;
      if ((*frame.last_uses)[id] != kNever) frame.values[id] = std::move(results[n]);
    }
    ++frame.next;
    return absl::OkStatus();
  }

  Handle Own(EvalTensor tensor) {
    live_bytes_ += tensor.bytes();
    return Handle(new EvalTensor(std::move(tensor)), [this](const EvalTensor* t) {
      live_bytes_ -= t->bytes();
      delete t;
    });
  }

  // Scalar operations of a node, roughly.
  static int64_t Cost(const Node& node, absl::Span<const EvalTensor* const> operands, const Type& result) {
    int64_t cost = result.shape.size();
    if (node.op != Op::kContract && node.op != Op::kConv) {
      for (const EvalTensor* t : operands) cost = std::max(cost, t->type.shape.size());
    }
    if (operands.empty()) return std::max<int64_t>(cost, 1);
    const Shape &a = operands.front()->type.shape, &b = operands.back()->type.shape;
    for (int64_t extent : WorkPerElement(node, a, b)) {
      if (__builtin_mul_overflow(cost, extent, &cost)) return std::numeric_limits<int64_t>::max();
    }
    return std::max({cost, result.shape.size(), int64_t{1}});
  }

  // Looks at the time of a budget's scope, if there is one: every 256 visits.
  absl::Status Charge(Op op, int64_t operations) {
    constexpr int64_t kOperationsOfVisit = 1024;  // scalar ones, some 0.1 ms at most
    if (operations > options_.max_operations - operations_) {
      return absl::ResourceExhaustedError(
          StrCat(Name(op), ": more than ", options_.max_operations, " operations, the evaluation's budget"));
    }
    operations_ += operations;
    ChargeVisits(1 + static_cast<size_t>(operations / kOperationsOfVisit));
    return absl::OkStatus();
  }

  const Function& Callee(const Node& node, std::string_view attribute) const {
    return *module_.FindFunction(node.attr<std::string>(attribute));
  }

  // Symbols take their values from the parameters of the outermost function.
  absl::Status BindSymbols(const Function& f, absl::Span<const EvalTensor> parameters) {
    const auto error = [&](std::string_view message) {
      return absl::InvalidArgumentError(StrCat("@", f.name(), ": ", message));
    };
    if (static_cast<int>(parameters.size()) != f.num_parameters()) {
      return error(StrCat("takes ", f.num_parameters(), " parameters, got ", parameters.size()));
    }
    for (int n = 0; n < f.num_parameters(); ++n) {
      const Type &want = f.parameter(n).type, &got = parameters[static_cast<size_t>(n)].type;
      bool same = want.dtype == got.dtype && want.shape.rank() == got.shape.rank();
      for (int k = 0; same && k < want.shape.rank(); ++k) {
        same = want.shape[k].is_constant() ? want.shape[k] == got.shape[k]
                                           : Bind(want.shape[k].symbol(), got.shape.dim(k));
      }
      if (!same) {
        return error(StrCat("%", f.parameter(n).name, " must be ", want.ToString(), ", got ", got.ToString()));
      }
    }
    return absl::OkStatus();
  }

  // False if the extent is out of the symbol's range or differs from an earlier one.
  bool Bind(int32_t symbol, int64_t extent) {
    const Symbol& range = module_.symbols()[static_cast<size_t>(symbol)];
    int64_t& value = symbols_[static_cast<size_t>(symbol)];
    if (value < 0) value = extent;
    return value == extent && extent >= range.min && extent <= range.max;
  }

  // A node's attributes; of those that are symbolic, the kernels look at the shape of a check_index alone.
  absl::StatusOr<std::shared_ptr<const Attributes>> Resolve(const Node& node) const {
    if (node.op != Op::kCheckIndex || node.attr<Shape>("shape").is_constant()) {
      return std::shared_ptr<const Attributes>(std::shared_ptr<void>(), &node.attrs());
    }
    const auto type = Resolve(Type{node.attr<DType>("dtype"), node.attr<Shape>("shape")});
    if (!type.ok()) return type.status();
    auto attributes = std::make_shared<Attributes>(node.attrs());
    attributes->Set("shape", type->shape);
    return attributes;
  }

  absl::StatusOr<Type> Resolve(Type type) const {
    for (int k = 0; k < type.shape.rank(); ++k) {
      const Extent e = type.shape[k];
      if (e.is_constant()) continue;
      const int64_t value = symbols_[static_cast<size_t>(e.symbol())];
      if (value < 0) {
        return absl::InvalidArgumentError(StrCat("symbol '", module_.symbols()[static_cast<size_t>(e.symbol())].name,
                                                 "' has no value: no parameter has it"));
      }
      type.shape.set(k, value);
    }
    if (!FitsInMemory(type.shape)) {  // inference saw symbols
      return absl::ResourceExhaustedError(StrCat(type.ToString(), " is too large"));
    }
    return type;
  }

  const Module& module_;
  const EvalOptions& options_;
  std::vector<int64_t> symbols_;  // -1 = not bound
  HashMap<const Function*, std::unique_ptr<LastUses>> last_uses_;
  int64_t operations_ = 0, live_bytes_ = 0;
  std::vector<Frame> stack_;
};

absl::StatusOr<KernelResults> NeedsModule(const KernelContext& c) {
  return OpError(c.op, "calls a function: evaluate the function that holds it");
}

}  // namespace

KERNEL(Call) { return NeedsModule(c); }
KERNEL(If) { return NeedsModule(c); }
KERNEL(While) { return NeedsModule(c); }

absl::StatusOr<std::vector<EvalTensor>> Evaluate(const Module& module, const Function& function,
                                                 absl::Span<const EvalTensor> parameters, const EvalOptions& options) {
  return Machine(module, options).Run(function, parameters);
}

}  // namespace reel::ir
