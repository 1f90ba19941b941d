#include "reel/products.h"

#include <algorithm>

#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/shapes.h"

namespace reel {
namespace {

using internal::LocationScope;
using internal::Materialize;
using internal::NormalizeAxis;
using internal::ThrowInvalid;
using Ints = std::vector<int64_t>;

}  // namespace

Tensor MatMul(const Operand& a, const Operand& b, const MatMulOptions& options) {
  const LocationScope scope(a);
  const auto turned = [](const Operand& operand, bool turn) {
    const Tensor x = Materialize(operand);
    if (!turn) return x;
    if (x.rank() < 2) {
      ThrowInvalid(StrCat("matmul: ", x.type().ToString(), " has no two axes to transpose; Reshape it"));
    }
    return SwapAxes(x, -1, -2);
  };
  return MatMul(turned(a, options.transpose_a), turned(b, options.transpose_b));
}

Tensor Dot(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const internal::TensorList t = internal::Promote(ir::Op::kContract, {&a, &b});
  const Tensor &x = t[0], &y = t[1];
  if (x.rank() == 0 || y.rank() == 0) return Mul(x, y);
  return TensorDot(x, y, Ints{-1}, Ints{y.rank() == 1 ? 0 : y.rank() - 2});
}

Tensor Outer(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const internal::TensorList t = internal::Promote(ir::Op::kMul, {&a, &b});
  return Mul(Reshape(t[0], {-1, 1}), Reshape(t[1], {1, -1}));
}

Tensor TensorDot(const Operand& a, const Operand& b, const std::vector<int64_t>& a_axes,
                 const std::vector<int64_t>& b_axes) {
  const LocationScope scope(a);
  const internal::TensorList t = internal::Promote(ir::Op::kContract, {&a, &b});
  const Tensor &x = t[0], &y = t[1];
  ContractAxes axes{{}, {}, a_axes, b_axes};
  for (int64_t& i : axes.a_contract) i = NormalizeAxis("tensordot", i, x.rank());
  for (int64_t& i : axes.b_contract) i = NormalizeAxis("tensordot", i, y.rank());
  return Contract(x, y, axes);
}

Tensor TensorDot(const Operand& a, const Operand& b, int64_t axes) {
  const LocationScope scope(a);
  const internal::TensorList t = internal::Promote(ir::Op::kContract, {&a, &b});
  const Tensor &x = t[0], &y = t[1];
  if (axes < 0 || axes > std::min(x.rank(), y.rank())) {
    ThrowInvalid(StrCat("tensordot: ", axes, " axes of ", x.type().ToString(), " and ", y.type().ToString(),
                        "; at most the smaller rank"));
  }
  Ints last, first;
  for (int64_t i = 0; i < axes; ++i) last.push_back(x.rank() - axes + i), first.push_back(i);
  return TensorDot(x, y, last, first);
}

namespace {

// Axes are named by numbers: letters by their code, those of "..." by 1000 + distance from the last
// of them.
constexpr int kEllipsis = 1000;
using Labels = std::vector<int>;

bool Has(const Labels& labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }
int64_t AxisOf(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

struct Term {
  Tensor x;
  Labels labels;  // one per axis
};

class Equation {
 public:
  Equation(std::string_view text, const std::vector<Tensor>& operands) : text_(text) {
    std::string_view inputs = text, output;
    const size_t arrow = text.find("->");
    const bool has_output = arrow != std::string_view::npos;
    if (has_output) {
      inputs = text.substr(0, arrow);
      output = text.substr(arrow + 2);
    }
    std::vector<std::string_view> parts;
    for (size_t at = 0;;) {
      const size_t comma = inputs.find(',', at);
      parts.push_back(inputs.substr(at, comma == std::string_view::npos ? comma : comma - at));
      if (comma == std::string_view::npos) break;
      at = comma + 1;
    }
    if (parts.size() != operands.size()) {
      Fail(StrCat("names ", parts.size(), " operands, got ", operands.size()));
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      terms_.push_back({operands[i], Parse(parts[i], operands[i].rank(), static_cast<int>(i))});
      for (int label : terms_.back().labels) most_dots_ = std::max(most_dots_, label - kEllipsis + 1);
    }
    output_ = has_output ? Parse(output, -1, -1) : ImplicitOutput();
  }

  std::vector<Term>& terms() { return terms_; }
  const Labels& output() const { return output_; }
  [[noreturn]] void Fail(const std::string& what) const {
    ThrowInvalid(StrCat("einsum: \"", std::string(text_), "\": ", what));
  }

 private:
  // rank < 0: the result, whose "..." has as many axes as that of any operand.
  Labels Parse(std::string_view part, int rank, int operand) const {
    std::string letters;
    size_t dots_at = std::string::npos;
    for (size_t i = 0; i < part.size(); ++i) {
      const char c = part[i];
      if (c == ' ') continue;
      if (c == '.' && part.substr(i, 3) == "..." && dots_at == std::string::npos) {
        dots_at = letters.size();
        i += 2;
      } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        letters += c;
      } else {
        Fail(StrCat("'", std::string(1, c), "' is neither a letter, \"...\", ',' nor \"->\""));
      }
    }
    int dots = rank < 0 ? most_dots_ : rank - static_cast<int>(letters.size());
    if (dots_at == std::string::npos && rank < 0) dots = 0;
    if (dots < 0 || (dots > 0 && dots_at == std::string::npos)) {
      Fail(StrCat("operand ", operand, " has rank ", rank, ", \"", std::string(part), "\" names ", letters.size(),
                  " axes"));
    }
    Labels labels(letters.begin(), letters.end());
    for (int d = 0; d < dots; ++d) {  // from the last
      labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(dots_at), kEllipsis + d);
    }
    if (rank < 0) CheckOutput(labels);
    return labels;
  }

  void CheckOutput(const Labels& labels) const {
    for (int label : labels) {
      const std::string name(1, static_cast<char>(label));
      if (std::count(labels.begin(), labels.end(), label) > 1) Fail(StrCat("the result names '", name, "' twice"));
      const bool known = std::any_of(terms_.begin(), terms_.end(), [&](const Term& t) { return Has(t.labels, label); });
      if (!known) Fail(StrCat("the result's '", name, "' is in no operand"));
    }
  }

  Labels ImplicitOutput() const {
    Labels output, letters;
    for (int d = most_dots_; d-- > 0;) output.push_back(kEllipsis + d);
    for (const Term& t : terms_) {
      for (int label : t.labels) {
        if (label < kEllipsis) letters.push_back(label);
      }
    }
    std::sort(letters.begin(), letters.end());
    for (int label : letters) {
      if (std::count(letters.begin(), letters.end(), label) == 1) output.push_back(label);
    }
    return output;
  }

  std::string_view text_;
  std::vector<Term> terms_;
  Labels output_;
  int most_dots_ = 0;
};

// Axes of one label become their diagonal: elements 1 apart in all of them, n + 1 apart in memory.
void TakeDiagonals(const Equation& equation, Term* t) {
  for (size_t i = 0; i < t->labels.size(); ++i) {
    const auto next = std::find(t->labels.begin() + static_cast<std::ptrdiff_t>(i) + 1, t->labels.end(), t->labels[i]);
    if (next == t->labels.end()) continue;
    const auto j = static_cast<size_t>(next - t->labels.begin());
    const int64_t n = t->x.shape().dim(static_cast<int>(i));
    if (t->x.shape().dim(static_cast<int>(j)) != n) {
      equation.Fail(StrCat("axes ", i, " and ", j, " of ", t->x.type().ToString(), " have one label"));
    }
    Ints order, dims;
    for (size_t k = 0; k < t->labels.size(); ++k) {
      if (k == i || k == j) continue;
      order.push_back(static_cast<int64_t>(k));
      dims.push_back(t->x.shape().dim(static_cast<int>(k)));
    }
    order.insert(order.end(), {static_cast<int64_t>(i), static_cast<int64_t>(j)});
    dims.push_back(n * n);
    const int label = t->labels[i];
    t->labels.erase(next);
    t->labels.erase(t->labels.begin() + static_cast<std::ptrdiff_t>(i));
    t->labels.push_back(label);
    Ints strides(dims.size(), 1);
    strides.back() = n + 1;
    t->x = Slice(Reshape(Transpose(t->x, order), dims), Ints(dims.size(), 0), dims, strides);
    i = static_cast<size_t>(-1);  // from the first again: the axes have moved
  }
}

// Sums the axes whose label is not in `keep`.
void SumAway(Term* t, const Labels& keep) {
  Ints axes;
  Labels rest;
  for (size_t i = 0; i < t->labels.size(); ++i) {
    if (Has(keep, t->labels[i])) {
      rest.push_back(t->labels[i]);
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  if (!axes.empty()) t->x = ReduceSum(t->x, axes);
  t->labels = std::move(rest);
}

// An axis of extent 1 whose label is longer elsewhere goes: what is multiplied stretches by itself.
void DropStretched(const Equation& equation, std::vector<Term>* terms) {
  for (const Term& t : *terms) {
    for (size_t i = 0; i < t.labels.size(); ++i) {
      const int64_t n = t.x.shape().dim(static_cast<int>(i));
      for (Term& other : *terms) {
        const int64_t axis = AxisOf(other.labels, t.labels[i]);
        if (axis == static_cast<int64_t>(other.labels.size())) continue;
        const int64_t m = other.x.shape().dim(static_cast<int>(axis));
        if (m == n || n == 1) continue;
        if (m != 1) {
          equation.Fail(StrCat("a label has extents ", n, " and ", m, " in ", t.x.type().ToString(), " and ",
                               other.x.type().ToString()));
        }
        other.x = Squeeze(other.x, axis);
        other.labels.erase(other.labels.begin() + axis);
      }
    }
  }
}

// t as a tensor with the axes `labels`, of extent 1 where it has none.
Tensor Arrange(const Term& t, const Labels& labels) {
  Ints order, dims;
  for (int label : labels) {
    if (Has(t.labels, label)) order.push_back(AxisOf(t.labels, label));
    dims.push_back(Has(t.labels, label) ? t.x.shape().dim(static_cast<int>(AxisOf(t.labels, label))) : 1);
  }
  const Tensor x = std::is_sorted(order.begin(), order.end()) ? t.x : Transpose(t.x, order);
  return x.rank() == static_cast<int>(dims.size()) ? x : Reshape(x, dims);
}

// The product of two terms, summed over what only they share and is not in `keep`.
Term Multiply(const Term& a, const Term& b, const Labels& keep) {
  ContractAxes axes;
  Labels batch, a_free, b_free;
  for (int label : a.labels) {
    if (!Has(b.labels, label)) {
      a_free.push_back(label);
      continue;
    }
    const bool kept = Has(keep, label);
    if (kept) batch.push_back(label);
    (kept ? axes.a_batch : axes.a_contract).push_back(AxisOf(a.labels, label));
    (kept ? axes.b_batch : axes.b_contract).push_back(AxisOf(b.labels, label));
  }
  for (int label : b.labels) {
    if (!Has(a.labels, label)) b_free.push_back(label);
  }
  Term y{{}, batch};
  y.labels.insert(y.labels.end(), a_free.begin(), a_free.end());
  y.labels.insert(y.labels.end(), b_free.begin(), b_free.end());
  y.x = axes.a_contract.empty() ? Mul(Arrange(a, y.labels), Arrange(b, y.labels)) : Contract(a.x, b.x, axes);
  return y;
}

}  // namespace

Tensor Einsum(std::string_view text, const std::vector<Tensor>& operands) {
  Equation equation(text, operands);
  std::vector<Term>& terms = equation.terms();
  for (Term& t : terms) TakeDiagonals(equation, &t);
  DropStretched(equation, &terms);
  // What is needed after term i: the result's labels and those of later terms.
  std::vector<Labels> needed(terms.size(), equation.output());
  for (size_t i = terms.size() - 1; i > 0; --i) {
    needed[i - 1] = needed[i];
    needed[i - 1].insert(needed[i - 1].end(), terms[i].labels.begin(), terms[i].labels.end());
  }
  Term y = terms[0];
  SumAway(&y, needed[0]);
  for (size_t i = 1; i < terms.size(); ++i) {
    Labels keep = needed[i];
    keep.insert(keep.end(), y.labels.begin(), y.labels.end());
    SumAway(&terms[i], keep);
    y = Multiply(y, terms[i], needed[i]);
    SumAway(&y, needed[i]);
  }
  return Identity(Arrange(y, equation.output()));
}

}  // namespace reel
