// The text form of kernels.
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "codegen/loop/loop.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

std::string ConstantText(DType dtype, uint64_t bits) {
  switch (dtype) {
    case kBool: return (bits & 1) != 0 ? "true" : "false";
    case kFloat32: return StrCat(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case kFloat64: return StrCat(std::bit_cast<double>(bits));
    case kFloat16:
    case kBFloat16: return StrCat("bits(", bits, ")");
    default: break;
  }
  if (IsUnsigned(dtype)) return StrCat(bits);
  const auto unused = static_cast<unsigned>(64 - 8 * SizeOf(dtype));
  return StrCat(static_cast<int64_t>(bits << unused) >> unused);
}

/// Prints statements line by line. Expressions used more than once, or long, get a name: `let t3 =
/// ...` lines at the top define names, evaluated where they are used.
class Printer {
 public:
  explicit Printer(const Kernel& kernel) : k_(kernel), text_(kernel.exprs.size()) {}

  std::string Print() {
    CountUses(k_.body);
    StrAppend(&out_, "kernel @", k_.name, "(", Buffers(false), ") -> (", Buffers(true), ") {\n");
    for (size_t i = 0; i < k_.exprs.size(); ++i) NameExpr(i);
    Body(k_.body, 1);
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  static constexpr size_t kLongText = 160;

  void Use(ExprId e) {
    if (e >= 0) ++uses_[static_cast<size_t>(e)];
  }

  void CountUses(const std::vector<Stmt>& body) {
    uses_.assign(k_.exprs.size(), 0);
    CountStatements(body);
    for (size_t i = k_.exprs.size(); i-- > 0;) {
      if (uses_[i] == 0) continue;
      for (ExprId operand : k_.exprs[i].operands) Use(operand);
      Use(k_.exprs[i].dynamic);
      Use(k_.exprs[i].guard);
    }
  }

  void CountStatements(const std::vector<Stmt>& body) {
    for (const Stmt& s : body) {
      for (ExprId e : {s.a, s.b, s.dynamic, s.guard}) Use(e);
      CountStatements(s.body);
    }
  }

  std::string Buffers(bool outputs) const {
    std::string out;
    for (const KernelBuffer& b : k_.buffers) {
      if (b.is_output != outputs) continue;
      StrAppend(&out, out.empty() ? "" : ", ", b.name, ": ", Name(b.dtype));
    }
    return out;
  }

  std::string AffineText(const Affine& a) const {
    std::string out;
    auto term = [&](int64_t c, std::string_view name) {
      if (out.empty()) {
        if (c < 0) out += "-";
      } else {
        out += c < 0 ? " - " : " + ";
      }
      const uint64_t magnitude = c < 0 ? 0 - static_cast<uint64_t>(c) : static_cast<uint64_t>(c);
      if (name.empty()) return StrAppend(&out, magnitude);
      if (magnitude != 1) StrAppend(&out, magnitude, "*");
      out += name;
    };
    for (const auto& [axis, c] : a.terms) term(c, k_.axes[static_cast<size_t>(axis)]);
    if (a.constant != 0 || out.empty()) term(a.constant, "");
    return out;
  }

  const std::string& Text(ExprId e) const { return text_[static_cast<size_t>(e)]; }

  std::string Element(std::string_view name, const Affine& index, ExprId dynamic, int64_t stride) const {
    std::string text = AffineText(index);
    if (dynamic >= 0) {
      const std::string factor = stride == 1 ? "" : StrCat(stride, "*");
      text = text == "0" ? StrCat(factor, Text(dynamic)) : StrCat(text, " + ", factor, Text(dynamic));
    }
    return StrCat(name, "[", text, "]");
  }

  std::string ExprText(const Expr& e) const {
    switch (e.kind) {
      case Expr::Kind::kConstant: return ConstantText(e.dtype, e.bits);
      case Expr::Kind::kIndex: return StrCat(Name(e.dtype), "(", AffineText(e.index), ")");
      case Expr::Kind::kLocal: return Element(k_.locals[static_cast<size_t>(e.local)].name, e.index, -1, 0);
      case Expr::Kind::kLoad: {
        const KernelBuffer& buffer = k_.buffers[static_cast<size_t>(e.buffer)];
        std::string text = Element(buffer.name, e.index, e.dynamic, e.dynamic_stride);
        if (e.dtype != buffer.dtype) text = StrCat(Name(e.dtype), "(", text, ")");
        return e.guard < 0 ? text : StrCat("(", text, " if ", Text(e.guard), ")");
      }
      case Expr::Kind::kOp:
      case Expr::Kind::kRandom: break;
    }
    std::string text(e.kind == Expr::Kind::kRandom ? "random" : ir::Name(e.op));
    if (e.kind == Expr::Kind::kOp && (e.op == ir::Op::kCast || e.op == ir::Op::kBitcast))
      StrAppend(&text, "_", Name(e.dtype));
    text += "(";
    for (size_t i = 0; i < e.operands.size(); ++i) {
      StrAppend(&text, i == 0 ? "" : ", ", Text(e.operands[i]));
    }
    return text + ")";
  }

  void NameExpr(size_t i) {
    if (uses_[i] == 0) return;
    const Expr& e = k_.exprs[i];
    text_[i] = ExprText(e);
    const bool has_parts = e.kind == Expr::Kind::kOp || e.kind == Expr::Kind::kRandom || e.dynamic >= 0 || e.guard >= 0;
    if ((has_parts && uses_[i] > 1) || text_[i].size() > kLongText) {
      StrAppend(&out_, "  let t", i, " = ", text_[i], "\n");
      text_[i] = StrCat("t", i);
    }
  }

  std::string Header(const Stmt& s) const {
    static constexpr std::string_view kWords[] = {"for", "parallel", "unroll", "vector"};
    const std::string extent = s.extent.is_constant() ? StrCat(s.extent.value()) : StrCat("?", s.extent.symbol());
    std::string text =
        StrCat(kWords[static_cast<size_t>(s.loop_kind)], " ", k_.axes[static_cast<size_t>(s.axis)], " in 0..");
    if (s.clip_total < 0) {
      text += extent;
    } else {
      Affine rest;
      const bool runtime = s.clip_total >= kRuntimeRows;
      rest.constant = runtime ? 0 : s.clip_total;
      rest.Add(s.clip_base, -1);
      StrAppend(&text, "min(", extent, ", ",
                !runtime                       ? ""
                : s.clip_total == kRuntimeRows ? "rows + "
                                               : "length + ",
                AffineText(rest), ")");
    }
    if (s.loop_kind == LoopKind::kVector) StrAppend(&text, " by ", s.width);
    if (s.guard >= 0) StrAppend(&text, " if ", Text(s.guard));
    return text;
  }

  std::string StatementText(const Stmt& s) const {
    static constexpr std::string_view kCombine[] = {"sum", "prod", "max", "min", "fma", "set", "fma_pair", "dot_pair"};
    const std::string_view combine = kCombine[static_cast<size_t>(s.combine)];
    const std::string guard = s.guard < 0 ? "" : StrCat(" if ", Text(s.guard));
    switch (s.kind) {
      case Stmt::Kind::kLocal: {
        const Local& local = k_.locals[static_cast<size_t>(s.local)];
        const std::string text = StrCat("local ", local.name, ": ", Name(local.dtype), "[", local.size, "]");
        return s.fill ? StrCat(text, " = ", ConstantText(local.dtype, s.init)) : text;
      }
      case Stmt::Kind::kTree:
        return StrCat("tree_", combine, " ", k_.locals[static_cast<size_t>(s.local)].name,
                      s.width > 1 ? StrCat(" of ", s.width, " rows") : "");
      case Stmt::Kind::kTranspose:
        return StrCat("transpose ", k_.locals[static_cast<size_t>(s.local)].name,
                      s.width > 1 ? StrCat(" by ", s.width, ", ", s.extent.value(), " rows") : "");
      case Stmt::Kind::kAccumulate: {
        const std::string to =
            Element(k_.locals[static_cast<size_t>(s.local)].name, s.index, s.dynamic, s.dynamic_stride);
        const std::string b = s.b >= 0 ? StrCat(" * ", Text(s.b)) : "";
        const std::string_view sign = s.combine == Combine::kSum ? "+" : s.combine == Combine::kSet ? "" : combine;
        return StrCat(to, " ", sign, "= ", Text(s.a), b, guard);
      }
      case Stmt::Kind::kTileProduct:
        return StrCat(Element(k_.locals[static_cast<size_t>(s.local)].name, s.index, -1, 0), " tiles= ", Text(s.a),
                      " * ", Text(s.b), ", ", Text(s.dynamic), " steps, rows of ", s.dynamic_stride, " and ", s.width);
      case Stmt::Kind::kPrefetch:
        return StrCat("prefetch ", Element(k_.buffers[static_cast<size_t>(s.buffer)].name, s.index, -1, 0));
      case Stmt::Kind::kSort:
        return StrCat(Element(k_.buffers[static_cast<size_t>(s.buffer)].name, s.index, -1, 0), " = argsort",
                      s.descending ? "_descending" : "",
                      s.positions < s.extent.value() ? StrCat(" the first ", s.positions, " of ") : " ",
                      s.extent.value(), " keys from ", Text(s.a), " by ", s.dynamic_stride);
      default:
        return StrCat(Element(k_.buffers[static_cast<size_t>(s.buffer)].name, s.index, s.dynamic, s.dynamic_stride),
                      " = ", Text(s.a), guard);
    }
  }

  void Body(const std::vector<Stmt>& body, size_t depth) {
    const std::string indent(2 * depth, ' ');
    for (const Stmt& s : body) {
      if (s.kind == Stmt::Kind::kLoop) {
        StrAppend(&out_, indent, Header(s), " {\n");
        Body(s.body, depth + 1);
        StrAppend(&out_, indent, "}\n");
      } else {
        StrAppend(&out_, indent, StatementText(s), "\n");
      }
    }
  }

  const Kernel& k_;
  std::string out_;
  std::vector<int> uses_;
  std::vector<std::string> text_;
};

}  // namespace

std::string ToString(const Kernel& kernel) { return Printer(kernel).Print(); }

}  // namespace reel::codegen
