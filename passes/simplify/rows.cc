// Algebra, one identity per row. A pattern is an op of ops.def applied to variables (single
// letters), numbers or patterns; a number matches a constant, or a broadcast of one, of exactly
// these bits (0 is not -0). Operands of commutative ops match in either order. Every row holds bit
// for bit, NaN payloads aside, for all values of its domain. What does not hold and therefore is
// not here: x + 0 = x and x * 0 = 0 and x - x = 0 and neg(x - y) = y - x for floats (signed zeros,
// NaN), any reassociation.

#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "ir/lazy.h"
#include "passes/simplify/rows.h"
#include "passes/simplify/site.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Op;

using enum Domain;

constexpr Row kRows[] = {
    {"identity(x)", "x", kAll},
    {"neg(neg(x))", "x", kAll},
    {"not(not(x))", "x", kAll},
    {"abs(neg(x))", "abs(x)", kSigned},
    {"abs(abs(x))", "abs(x)", kFloats},
    {"mul(x, 1)", "x", kAll},
    {"div(x, 1)", "x", kAll},
    {"mul(x, -1)", "neg(x)", kAll},
    {"div(x, -1)", "neg(x)", kSigned},
    {"sub(x, 0)", "x", kAll},                   // -0 - 0 = -0
    {"add(x, -0)", "x", kFloats},               // 0 + -0 = 0, -0 + -0 = -0
    {"sub(-0, x)", "neg(x)", kFloats},          // -0 - 0 = -0, -0 - -0 = 0
    {"add(x, neg(y))", "sub(x, y)", kAll},
    {"sub(x, neg(y))", "add(x, y)", kAll},
    {"mul(neg(x), neg(y))", "mul(x, y)", kAll},
    {"div(neg(x), neg(y))", "div(x, y)", kFloats},  // integers: MIN / -1
    {"max(x, x)", "x", kAll},
    {"min(x, x)", "x", kAll},
    // integers wrap: the ring laws hold
    {"add(x, 0)", "x", kInts},
    {"sub(0, x)", "neg(x)", kInts},
    {"sub(x, x)", "0", kInts},
    {"mul(x, 0)", "0", kInts},
    {"sub(add(x, y), y)", "x", kInts},
    {"add(sub(x, y), y)", "x", kInts},
    {"shift_left(x, 0)", "x", kInts},
    {"shift_right(x, 0)", "x", kInts},
    // bits; -1 is all ones
    {"and(x, x)", "x", kAll},
    {"or(x, x)", "x", kAll},
    {"and(x, 0)", "0", kAll},
    {"or(x, 0)", "x", kAll},
    {"xor(x, 0)", "x", kAll},
    {"xor(x, x)", "0", kAll},
    {"and(x, -1)", "x", kInts},
    {"or(x, -1)", "-1", kInts},
    {"and(x, 1)", "x", kBools},
    {"or(x, 1)", "1", kBools},
    {"xor(x, 1)", "not(x)", kBools},
    // comparisons; for floats NaN != NaN
    {"equal(x, x)", "1", kInts},
    {"not_equal(x, x)", "0", kInts},
    {"less(x, x)", "0", kAll},
    {"greater(x, x)", "0", kAll},
    {"not(equal(x, y))", "not_equal(x, y)", kAll},
    {"not(not_equal(x, y))", "equal(x, y)", kAll},
    // choices
    {"select(1, x, y)", "x", kBools},
    {"select(0, x, y)", "y", kBools},
    {"select(c, x, x)", "x", kBools},
    {"select(not(c), x, y)", "select(c, y, x)", kBools},
    {"select(c, select(c, x, y), z)", "select(c, x, z)", kBools},
    {"select(c, x, select(c, y, z))", "select(c, x, z)", kBools},
    // sums of what two branches give a gradient; the 0 that is added to either stays
    {"add(select(c, x, 0), select(c, 0, y))", "add(select(c, x, y), 0)", kAll},
    {"add(select(d, 0, select(c, x, 0)), select(c, 0, y))", "add(select(c, select(d, 0, x), y), 0)", kAll},
    {"add(select(d, select(c, x, 0), 0), select(c, 0, y))", "add(select(c, select(d, x, 0), y), 0)", kAll},
};

struct Term {
  enum Kind { kOp, kVariable, kNumber } kind;
  Op op{};
  size_t variable = 0;
  double number = 0;
  std::vector<Term> operands;
};

// Reads "op(term, ...)", a letter or a number; the rows above are the only input.
Term Parse(std::string_view& text) {
  const auto skip = [&text](char c) { text.remove_prefix(!text.empty() && text[0] == c ? 1 : 0); };
  Term term;
  size_t n = 0;
  while (n < text.size() && (std::isalnum(static_cast<unsigned char>(text[n])) || text[n] == '_' || text[n] == '-')) {
    ++n;
  }
  const std::string_view word = text.substr(0, n);
  text.remove_prefix(n);
  if (!text.empty() && text[0] == '(') {
    term.kind = Term::kOp;
    term.op = *ir::ParseOp(word);
    skip('(');
    while (text[0] != ')') {
      term.operands.push_back(Parse(text));
      skip(',');
      skip(' ');
    }
    skip(')');
  } else if (word.size() == 1 && std::isalpha(static_cast<unsigned char>(word[0]))) {
    term.kind = Term::kVariable;
    term.variable = static_cast<size_t>(word[0] - 'a');
  } else {
    term.kind = Term::kNumber;
    std::from_chars(word.data(), word.data() + word.size(), term.number);
  }
  return term;
}

struct ParsedRow {
  Term pattern, replacement;
  Domain domain;
};

// Rows by the op at the root of the pattern.
const std::vector<ParsedRow>& RowsOf(Op op) {
  static constinit Lazy<std::vector<std::vector<ParsedRow>>> table;
  const auto parse = [] {
    auto t = std::make_unique<std::vector<std::vector<ParsedRow>>>(ir::AllOps().size());
    for (const Row& row : kRows) {
      std::string_view pattern = row.pattern, replacement = row.replacement;
      ParsedRow parsed{Parse(pattern), Parse(replacement), row.domain};
      (*t)[static_cast<size_t>(parsed.pattern.op)].push_back(std::move(parsed));
    }
    return t;
  };
  return table.Get(parse)[static_cast<size_t>(op)];
}

// The literal has the very bits of the number: 0 does not match -0, and -1 is all ones in any
// integer.
bool IsNumber(const ir::Literal& literal, double number) {
  if (!IsFloat(literal.dtype())) {
    const auto n = static_cast<int64_t>(number);
    return literal == ir::Literal::ScalarInt(literal.dtype(), n);
  }
  const double value = literal.AsDouble(0);
  return value == number && std::signbit(value) == std::signbit(number);
}

class Matcher {
 public:
  explicit Matcher(const ir::Function& f) : f_(f) {}

  bool MatchOperands(Op op, const std::vector<Term>& terms, absl::Span<const ir::Value> operands) {
    const auto saved = bound_;
    if (MatchAll(terms, operands)) return true;
    bound_ = saved;
    if (!ir::Info(op).Has(ir::kCommutative)) return false;
    const ir::Value swapped[] = {operands[1], operands[0]};
    if (MatchAll(terms, swapped)) return true;
    bound_ = saved;
    return false;
  }
  const Bindings& bindings() const { return bound_; }

 private:
  bool MatchAll(const std::vector<Term>& terms, absl::Span<const ir::Value> operands) {
    for (size_t i = 0; i < terms.size(); ++i) {
      if (!Match(terms[i], operands[i])) return false;
    }
    return true;
  }
  bool Match(const Term& term, ir::Value v) {  // as deep as the row, not as the graph
    switch (term.kind) {
      case Term::kVariable: {
        ir::Value& bound = bound_[term.variable];
        if (!bound.valid()) bound = v;
        return bound == v;
      }
      case Term::kNumber: {
        const auto splat = SplatOf(f_, v);
        return splat && IsNumber(*splat, term.number);
      }
      case Term::kOp: return f_.Is(v, term.op) && MatchOperands(term.op, term.operands, f_.producer(v)->operands);
    }
    return false;
  }

  const ir::Function& f_;
  Bindings bound_;
};

ir::Value Build(const Term& term, ir::Builder& b, const Bindings& bindings, const Type& numbers) {
  if (term.kind == Term::kVariable) return bindings[term.variable];
  if (term.kind == Term::kNumber) return b.Full(numbers, term.number);
  ir::ValueList operands;
  for (const Term& t : term.operands) operands.push_back(Build(t, b, bindings, numbers));
  return b.Emit(term.op, operands);
}

}  // namespace

std::span<const Row> Rows() { return kRows; }

bool InDomain(Domain domain, DType dtype) {
  switch (domain) {
    case kAll: return true;
    case kInts: return IsInteger(dtype);
    case kSigned: return IsFloat(dtype) || (IsInteger(dtype) && !IsUnsigned(dtype));
    case kFloats: return IsFloat(dtype);
    case kBools: return dtype == kBool;
  }
  return false;
}

ir::Value BuildTerm(std::string_view term, ir::Builder& b, const Bindings& bindings, const Type& numbers) {
  return Build(Parse(term), b, bindings, numbers);
}

ir::Value SimplifyByRows(Site& site) {
  if (IsComplex(site.f().type(site.x()).dtype)) return {};  // z * 1 = z fails for infinities
  for (const ParsedRow& row : RowsOf(site.op)) {
    if (!InDomain(row.domain, site.f().type(site.x()).dtype)) continue;
    Matcher matcher(site.f());
    if (!matcher.MatchOperands(site.op, row.pattern.operands, site.operands)) continue;
    return Build(row.replacement, site.b, matcher.bindings(), site.type);
  }
  return {};
}

}  // namespace reel::passes
