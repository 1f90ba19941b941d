#include "codegen/loop/key.h"

#include <type_traits>
#include <utility>

#include "ir/key.h"

namespace reel::codegen {
namespace {

/// Appends all of a kernel but names. A field that is added to a type below does not compile until it stands here.
class KeyWriter {
 public:
  std::string Run(const Kernel& kernel) && {
    Add(kernel.buffers.size());
    for (const auto& [name, dtype, is_output, elements, near] : kernel.buffers) {
      Add(dtype);
      Add(is_output);
    }
    Add(kernel.locals.size());
    for (const auto& [name, dtype, size] : kernel.locals) {
      Add(dtype);
      Add(size);
    }
    Add(kernel.exprs.size());
    for (const Expr& e : kernel.exprs) AddExpr(e);
    AddStatements(kernel.body);
    return std::move(key_);
  }

 private:
  template <typename Number>
    requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void Add(Number x) {
    ir::AppendKey(&key_, static_cast<int64_t>(x));
  }
  void Add(const Affine& affine) {
    Add(affine.constant);
    Add(affine.terms.size());
    for (const auto& [axis, coefficient] : affine.terms) {
      Add(axis);
      Add(coefficient);
    }
  }

  void AddExpr(const Expr& e) {
    const auto& [kind, dtype, op, operands, bits, buffer, local, index, dynamic, dynamic_stride, guard] = e;
    Add(kind);
    Add(dtype);
    Add(op);
    Add(operands.size());
    for (ExprId operand : operands) Add(operand);
    Add(bits);
    Add(buffer);
    Add(local);
    Add(index);
    Add(dynamic);
    Add(dynamic_stride);
    Add(guard);
  }

  void AddStatements(const std::vector<Stmt>& statements) {
    std::vector<const Stmt*> open;  // the next one last
    const auto enter = [&](const std::vector<Stmt>& block) {
      Add(block.size());
      for (size_t i = block.size(); i-- > 0;) open.push_back(&block[i]);
    };
    enter(statements);
    while (!open.empty()) {
      const Stmt& s = *open.back();
      open.pop_back();
      AddStatement(s);
      enter(s.body);
    }
  }

  /// But for its body.
  void AddStatement(const Stmt& s) {
    const auto& [kind, axis, loop_kind, extent, width, clip_base, clip_total, body, local, init, fill, combine, buffer,
                 index, a, b, dynamic, dynamic_stride, guard, descending, positions] = s;
    Add(kind);
    Add(axis);
    Add(loop_kind);
    Add(extent.is_constant() ? extent.value() : int64_t{-1} - extent.symbol());
    Add(width);
    Add(clip_base);
    Add(clip_total);
    Add(local);
    Add(init);
    Add(fill);
    Add(combine);
    Add(buffer);
    Add(index);
    for (ExprId e : {a, b, dynamic, guard}) Add(e);
    Add(dynamic_stride);
    Add(descending);
    Add(positions);
  }

  std::string key_;
};

}  // namespace

std::string KeyOf(const Kernel& kernel) { return KeyWriter().Run(kernel); }

}  // namespace reel::codegen
