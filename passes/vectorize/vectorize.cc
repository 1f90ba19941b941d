#include "passes/vectorize/vectorize.h"

#include <algorithm>
#include <numeric>

#include "ir/budget_scope.h"
#include "ir/calls.h"
#include "ir/strings.h"
#include "passes/rewrite.h"
#include "passes/vectorize/rule.h"

namespace reel::passes {

#define OP(Enum, ...) extern const BatchRule k##Enum##Batching;
#include "ir/ops.def"
#undef OP

namespace {

const BatchRule& RuleOf(ir::Op op) {
  static const BatchRule* const kRules[] = {
#define OP(Enum, ...) &k##Enum##Batching,
#include "ir/ops.def"
#undef OP
  };
  return *kRules[static_cast<size_t>(op)];
}

absl::Status TooManyAxes(const Shape& shape) {
  return absl::InvalidArgumentError(StrCat("vectorize: a value of shape ", shape.ToString(), " has ", kMaxRank,
                                           " axes already, rows cannot be added; reshape it to fewer"));
}

}  // namespace

const BuiltBatch* BatchFunctions::Find(const BatchKey& key) const {
  const auto it = built_.find(key);
  return it == built_.end() ? nullptr : it->second.get();
}

void BatchFunctions::Add(const BatchKey& key, BuiltBatch built) {
  built_.emplace(key, std::make_unique<BuiltBatch>(std::move(built)));
}

std::string BatchFunctions::AddFunction(ir::Function function) {
  std::string name = module_->UniqueFunctionName(function.name());
  function.set_name(name);
  module_->AddFunction(std::move(function));
  return name;
}

std::string BatchFunctions::WithoutChecks(const std::string& function) {
  return Without(module_, function, IsCheck, &unchecked_);
}

Shape WithRows(ir::Builder& b, Extent rows, const Shape& shape) {
  if (shape.rank() == kMaxRank) {
    b.Fail(TooManyAxes(shape));
    return shape;
  }
  Shape out{rows};
  for (Extent e : shape) out.push_back(e);
  return out;
}

ir::Value Repeat(ir::Builder& b, Extent rows, ir::Value x) {
  const Shape shape = WithRows(b, rows, b.shape(x));
  if (!b.status().ok()) return {};
  std::vector<int64_t> axes(static_cast<size_t>(shape.rank()) - 1);
  std::iota(axes.begin(), axes.end(), 1);
  return b.Broadcast(x, shape, std::move(axes));
}

ir::Value PerRow(ir::Builder& b, ir::Value x, const Shape& shape) {
  return b.shape(x) == shape ? x : b.Broadcast(x, Shape(shape), {0});
}

ir::Value MoveAxis(ir::Builder& b, ir::Value x, int64_t from, int64_t to) {
  std::vector<int64_t> order(static_cast<size_t>(b.shape(x).rank()));
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return b.Transpose(x, std::move(order));
}

int64_t BatchContext::CountRows() {
  if (num_rows().is_constant()) return num_rows().value();
  b_->Fail(absl::UnimplementedError(StrCat("vectorize: ", ir::Name(node_.op), " of ", x_type().ToString(),
                                           " needs a constant number of rows; fix the dimension")));
  return 1;
}

ir::Value BatchContext::rows(int i) { return batched(i) ? in(i) : Repeat(*b_, num_rows(), in(i)); }

ir::ValueList BatchContext::AllRows() {
  ir::ValueList out;
  for (int i = 0; i < num_operands(); ++i) out.push_back(rows(i));
  return out;
}

ir::Attributes BatchContext::Shifted(std::initializer_list<std::string_view> axes) const {
  ir::Attributes out = node_.attrs();
  for (std::string_view name : axes) {
    const ir::AttrValue* value = out.Find(name);
    if (const auto* axis = std::get_if<int64_t>(value)) {
      out.Set(name, *axis + 1);
      continue;
    }
    auto list = std::get<Ints>(*value);
    for (int64_t& axis : list) ++axis;
    out.Set(name, std::move(list));
  }
  return out;
}

void BatchContext::Emit(absl::Span<const ir::Value> operands, ir::Attributes attributes) {
  const ir::ValueList results = b_->EmitAll(node_.op, operands, std::move(attributes));
  for (size_t i = 0; i < results.size(); ++i) Set(static_cast<int>(i), results[i]);
}

/// One function being batched. It stops where it needs another one and goes on when called again.
class FunctionBatch {
 public:
  /// keep_state: state stays state; else it becomes ordinary parameters and results.
  FunctionBatch(BatchKey key, BatchFunctions* functions, bool keep_state)
      : key_(std::move(key)),
        functions_(functions),
        from_(*functions->module()->FindFunction(key_.function)),
        to_(StrCat(key_.function, ".vmap")),
        copier_(from_, &to_),
        b_(&to_, functions->module()),
        batched_(static_cast<size_t>(from_.num_values())) {
    for (int i = 0; i < from_.num_parameters(); ++i) {
      const ir::Parameter& p = from_.parameter(i);
      const bool batched = key_.parameters[static_cast<size_t>(i)];
      const Type type{p.type.dtype, batched ? WithRows(b_, functions->rows(), p.type.shape) : p.type.shape};
      const bool state = keep_state && i >= from_.num_arguments();
      copier_.Map({i}, state ? to_.AddState(p.name, type) : to_.AddParameter(p.name, type));
      batched_[static_cast<size_t>(i)] = batched;
    }
  }

  /// Null when done, else what to build before the next call.
  absl::StatusOr<std::optional<BatchKey>> Run() {
    for (; done_ < from_.nodes().size(); ++done_) {
      auto request = Visit(from_.nodes()[done_]);
      if (!b_.status().ok()) return b_.status();
      if (request) return request;
    }
    return std::optional<BatchKey>();
  }

  absl::Status Finish() {
    BuiltBatch built;
    std::vector<ir::Value> results;
    for (size_t i = 0; i < from_.results().size(); ++i) {
      const ir::Value old = from_.results()[i];
      bool batched = batched_[static_cast<size_t>(old.id)];
      ir::Value y = copier_(old);
      if (!batched && !key_.results.empty() && key_.results[i]) {
        y = Repeat(b_, functions_->rows(), y);
        batched = true;
      }
      results.push_back(y);
      built.results.push_back(batched);
    }
    if (!b_.status().ok()) return b_.status();
    to_.SetResults(std::move(results));
    to_.set_result_names(from_.result_names());
    built.name = functions_->AddFunction(std::move(to_));
    functions_->Add(key_, std::move(built));
    return absl::OkStatus();
  }

 private:
  std::optional<BatchKey> Visit(const ir::Node& node) {
    ir::ChargeVisits(1);
    Mask batched;
    for (ir::Value v : node.operands) batched.push_back(batched_[static_cast<size_t>(v.id)]);
    if (!Any(batched)) {
      copier_.CopyNode(node);
      return std::nullopt;
    }
    BatchContext c(&b_, &from_, node, functions_, copier_(node.operands), std::move(batched));
    b_.set_location(copier_.MapLocation(node.location));
    RuleOf(node.op).emit(c, b_);
    if (c.request_ || !b_.status().ok()) return std::move(c.request_);
    for (int i = 0; i < node.num_results; ++i) {
      const ir::Value old = node.result(i), y = c.results_[static_cast<size_t>(i)];
      copier_.Map(old, y);
      batched_[static_cast<size_t>(old.id)] = c.result_batched_[static_cast<size_t>(i)];
      if (const std::string_view hint = from_.name_hint(old); !hint.empty() && !to_.is_parameter(y)) {
        to_.set_name_hint(y, std::string(hint));
      }
    }
    return std::nullopt;
  }

  const BatchKey key_;
  BatchFunctions* functions_;
  const ir::Function& from_;
  ir::Function to_;
  Copier copier_;
  ir::Builder b_;
  Mask batched_;     // by value of from_
  size_t done_ = 0;  // nodes
};

absl::StatusOr<VectorizedFunction> Vectorize(ir::Module* m, std::string_view function, const std::vector<bool>& batched,
                                             Extent rows) {
  const ir::Function* f = m->FindFunction(function);
  if (!f) return absl::NotFoundError(StrCat("vectorize: there is no function @", function));
  if (static_cast<int>(batched.size()) != f->num_arguments()) {
    return absl::InvalidArgumentError(StrCat("vectorize: @", function, " has ", f->num_arguments(), " arguments, got ",
                                             batched.size(), " axes; give one for each"));
  }
  const auto outputs = static_cast<size_t>(f->num_outputs());
  const std::vector<std::string> state = f->state();
  BatchKey entry{std::string(function), batched};
  entry.parameters.resize(static_cast<size_t>(f->num_parameters()), false);

  BatchFunctions functions(m, rows);
  std::vector<std::unique_ptr<FunctionBatch>> stack;
  stack.push_back(std::make_unique<FunctionBatch>(entry, &functions, true));
  while (!stack.empty()) {
    auto request = stack.back()->Run();
    if (!request.ok()) return request.status();
    if (request->has_value()) {
      stack.push_back(std::make_unique<FunctionBatch>(**std::move(request), &functions, false));
      continue;
    }
    if (absl::Status s = stack.back()->Finish(); !s.ok()) return s;
    stack.pop_back();
  }
  const BuiltBatch& built = *functions.Find(entry);
  for (size_t i = 0; i < state.size(); ++i) {
    if (!built.results[outputs + i]) continue;
    return absl::InvalidArgumentError(StrCat("vectorize: @", function, " assigns variable @", state[i],
                                             " a value that differs between the rows; return the value instead"));
  }
  const auto end = built.results.begin() + static_cast<std::ptrdiff_t>(outputs);
  return VectorizedFunction{built.name, Mask(built.results.begin(), end)};
}

}  // namespace reel::passes
