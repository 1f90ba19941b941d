#include "passes/vectorize/jacobian.h"

#include "ir/builder.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"
#include "passes/rewrite.h"
#include "passes/vectorize/rule.h"
#include "passes/vectorize/vectorize.h"

namespace reel::passes {
namespace {

// Every element of the type alone: [size, shape...], row i is 1 at element i.
ir::Value Basis(ir::Builder& b, const Type& type) {
  const int64_t n = type.shape.size();
  const ir::Value row = b.Iota(kInt64, {n, n}, 0), column = b.Iota(kInt64, {n, n}, 1);
  const ir::Value eye = b.Cast(b.Equal(row, column), type.dtype);
  return b.Reshape(eye, WithRows(b, n, type.shape));
}

// [n, rest...] as rest + shape, where n is the size of shape.
ir::Value RowsLast(ir::Builder& b, ir::Value v, const Shape& shape) {
  if (!v.valid()) return v;
  const int rank = b.shape(v).rank();
  const ir::Value last = MoveAxis(b, v, 0, rank - 1);
  if (!last.valid()) return last;
  Shape to;
  for (int i = 0; i + 1 < rank; ++i) to.push_back(b.shape(last)[i]);
  for (Extent e : shape) to.push_back(e);
  return b.Reshape(last, to);
}

absl::Status CheckTypes(const ir::Function& f, const std::vector<int>& ys, int x) {
  if (x < 0 || x >= f.num_arguments()) {
    return absl::InvalidArgumentError(
        StrCat("jacobian: @", f.name(), " has ", f.num_arguments(), " arguments, there is no argument ", x));
  }
  const Type in = f.parameter(x).type;
  for (int i : ys) {
    if (i < 0 || i >= f.num_outputs()) {
      return absl::InvalidArgumentError(
          StrCat("jacobian: @", f.name(), " has ", f.num_outputs(), " results, there is no result ", i));
    }
    const Type& out = f.type(f.results()[static_cast<size_t>(i)]);
    for (const Type* t : {&in, &out}) {
      if (!IsDifferentiable(t->dtype)) {
        return absl::InvalidArgumentError(StrCat("jacobian: ", t->ToString(), " of @", f.name(),
                                                 " cannot be differentiated, only floats can; Cast it"));
      }
      if (!t->shape.is_constant()) {
        return absl::UnimplementedError(StrCat("jacobian: @", f.name(), " has a symbolic extent; fix the dimension"));
      }
    }
    if (in.shape.rank() + out.shape.rank() > kMaxRank) {
      return absl::InvalidArgumentError(StrCat("jacobian: of ", out.ToString(), " by ", in.ToString(),
                                               " has more than ", kMaxRank, " axes; reshape them to fewer"));
    }
  }
  return absl::OkStatus();
}

// Writes the function: parameters of f, one Jacobian after the other.
class Writer {
 public:
  Writer(ir::Module* m, const ir::Function& f, int x)
      : m_(m), f_(f), x_(x), to_(m->UniqueFunctionName(StrCat(f.name(), ".jacobian"))), b_(&to_, m) {
    for (int i = 0; i < f.num_parameters(); ++i) {
      const ir::Parameter& p = f.parameter(i);
      const ir::Value v = i < f.num_arguments() ? to_.AddParameter(p.name, p.type) : to_.AddState(p.name, p.type);
      (i < f.num_arguments() ? arguments_ : state_).push_back(v);
    }
  }

  absl::Status Add(int y) {
    const Type out = f_.type(f_.results()[static_cast<size_t>(y)]), in = f_.parameter(x_).type;
    const auto gradient = AddGradientFunction(m_, f_.name(), {StrCat(y)}, {f_.parameter(x_).name}, true);
    if (!gradient.ok()) return gradient.status();
    connected_.push_back(gradient->connected[0]);
    const bool forward = IsFloat(in.dtype) && IsFloat(out.dtype) && in.shape.size() <= out.shape.size();
    if (!connected_.back()) {
      Shape shape = out.shape;
      for (Extent e : in.shape) shape.push_back(e);
      results_.push_back(b_.Zeros({in.dtype, shape}));
      return b_.status();
    }
    return forward ? Forward(y, in) : Reverse(gradient->name, out);
  }

  JacobianFunction Finish() {
    results_.insert(results_.end(), state_.begin(), state_.end());
    to_.SetResults(std::move(results_));
    JacobianFunction out{to_.name(), std::move(connected_)};
    m_->AddFunction(std::move(to_));
    return out;
  }

 private:
  // gradient(arguments, u, state) for all u.
  absl::Status Reverse(const std::string& gradient, const Type& out) {
    if (out.shape.size() == 1) return OneRow(gradient, out);
    std::vector<bool> batched(arguments_.size() + 1);
    batched.back() = true;
    const auto all = Call(gradient, batched, out);
    if (!all.ok()) return all.status();
    Shape shape = out.shape;
    const Shape from = b_.shape((*all)[0]);
    for (int i = 1; i < from.rank(); ++i) shape.push_back(from[i]);
    results_.push_back(b_.Reshape((*all)[0], shape));
    return b_.status();
  }

  // The gradient itself.
  absl::Status OneRow(const std::string& gradient, const Type& out) {
    std::vector<ir::Value> operands = arguments_;
    operands.push_back(b_.Ones(out));
    operands.insert(operands.end(), state_.begin(), state_.end());
    const ir::ValueList d = b_.Call(gradient, operands);
    if (!b_.status().ok()) return b_.status();
    Shape shape = out.shape;
    for (Extent e : Shape(b_.shape(d[0]))) shape.push_back(e);
    results_.push_back(b_.Reshape(d[0], shape));
    return b_.status();
  }

  // The tangents of y (jvp(arguments, dx, state)) for all dx.
  absl::Status Forward(int y, const Type& in) {
    std::vector<bool> moving(arguments_.size());
    moving[static_cast<size_t>(x_)] = true;
    const auto jvp = AddJvpFunction(m_, f_.name(), moving);
    if (!jvp.ok()) return jvp.status();
    std::vector<bool> batched(arguments_.size() + 1);
    batched.back() = true;
    const auto all = Call(*jvp, batched, in);
    if (!all.ok()) return all.status();
    auto at = static_cast<size_t>(f_.num_outputs());  // tangents of floating results follow them
    for (int i = 0; i < y; ++i) {
      at += IsDifferentiable(f_.type(f_.results()[static_cast<size_t>(i)]).dtype) ? 1 : 0;
    }
    results_.push_back(RowsLast(b_, (*all)[at], in.shape));
    return b_.status();
  }

  // The function, batched over its last argument, at a basis; results that are shared are repeated.
  absl::StatusOr<ir::ValueList> Call(const std::string& function, const std::vector<bool>& batched, const Type& basis) {
    const int64_t rows = basis.shape.size();
    const auto vectorized = Vectorize(m_, function, batched, rows);
    if (!vectorized.ok()) return vectorized.status();
    std::vector<ir::Value> operands = arguments_;
    operands.push_back(Basis(b_, basis));
    operands.insert(operands.end(), state_.begin(), state_.end());
    ir::ValueList results = b_.Call(vectorized->name, operands);
    if (!b_.status().ok()) return b_.status();
    for (size_t i = 0; i < vectorized->batched.size(); ++i) {
      if (!vectorized->batched[i]) results[i] = Repeat(b_, rows, results[i]);
    }
    return results;
  }

  ir::Module* m_;
  const ir::Function& f_;
  const int x_;
  ir::Function to_;
  ir::Builder b_;
  std::vector<ir::Value> arguments_, state_, results_;
  std::vector<bool> connected_;
};

}  // namespace

absl::StatusOr<JacobianFunction> AddJacobianFunction(ir::Module* m, std::string_view function,
                                                     const std::vector<int>& ys, int x) {
  const ir::Function* f = m->FindFunction(function);
  if (!f) return absl::NotFoundError(StrCat("jacobian: there is no function @", function));
  if (absl::Status s = CheckTypes(*f, ys, x); !s.ok()) return s;
  Writer writer(m, *f, x);
  for (int y : ys) {
    if (absl::Status s = writer.Add(y); !s.ok()) return s;
  }
  return writer.Finish();
}

}  // namespace reel::passes
