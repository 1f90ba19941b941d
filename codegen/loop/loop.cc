#include "codegen/loop/loop.h"

#include <algorithm>

namespace reel::codegen {
namespace {

/// Order-sensitive 64-bit mixing of plain numbers.
class Hasher {
 public:
  void Add(uint64_t x) {
    state_ = (state_ ^ x) * 0x9E3779B97F4A7C15u;
    state_ ^= state_ >> 29;
    state_ = (state_ + 0x632BE59BD9B4E019u) * 0xD6E8FEB86659FD93u;
    state_ ^= state_ >> 32;
  }
  void Add(int64_t x) { Add(static_cast<uint64_t>(x)); }
  void Add(int32_t x) { Add(static_cast<int64_t>(x)); }
  void Add(const Affine& affine) {
    Add(affine.constant);
    Add(static_cast<uint64_t>(affine.terms.size()));
    for (const auto& [axis, coefficient] : affine.terms) {
      Add(axis);
      Add(coefficient);
    }
  }
  template <typename Enum>
    requires std::is_enum_v<Enum>
  void Add(Enum x) {
    Add(static_cast<uint64_t>(x));
  }
  uint64_t state() const { return state_; }

 private:
  uint64_t state_ = 0x243F6A8885A308D3u;
};

void HashExpr(const Expr& e, Hasher* h) {
  h->Add(e.kind);
  h->Add(e.dtype);
  h->Add(e.op);
  h->Add(static_cast<uint64_t>(e.operands.size()));
  for (ExprId operand : e.operands) h->Add(operand);
  h->Add(e.bits);
  h->Add(e.buffer);
  h->Add(e.local);
  h->Add(e.index);
  h->Add(e.dynamic);
  h->Add(e.dynamic_stride);
  h->Add(e.guard);
}

/// Recurses as deep as loops nest, which is a few times the rank.
void HashBody(const std::vector<Stmt>& body, Hasher* h) {
  h->Add(static_cast<uint64_t>(body.size()));
  for (const Stmt& s : body) {
    h->Add(s.kind);
    h->Add(s.axis);
    h->Add(s.loop_kind);
    h->Add(s.extent.is_constant() ? s.extent.value() : int64_t{-1} - s.extent.symbol());
    h->Add(s.width);
    h->Add(s.clip_base);
    h->Add(s.clip_total);
    h->Add(s.local);
    h->Add(s.init);
    h->Add(s.fill);
    h->Add(s.combine);
    h->Add(s.buffer);
    h->Add(s.index);
    for (ExprId e : {s.a, s.b, s.dynamic, s.guard}) h->Add(e);
    h->Add(s.dynamic_stride);
    h->Add(static_cast<uint64_t>(s.descending));
    HashBody(s.body, h);
  }
}

}  // namespace

int64_t Affine::coefficient(AxisId axis) const {
  for (const auto& [a, c] : terms) {
    if (a == axis) return c;
  }
  return 0;
}

void Affine::Add(AxisId axis, int64_t coefficient) {
  auto it = std::lower_bound(terms.begin(), terms.end(), axis,
                             [](const auto& term, AxisId a) { return term.first < a; });
  if (it == terms.end() || it->first != axis) {
    if (coefficient != 0) terms.insert(it, {axis, coefficient});
    return;
  }
  it->second += coefficient;
  if (it->second == 0) terms.erase(it);
}

void Affine::Add(const Affine& other, int64_t factor) {
  const Affine copy = other;  // other may be *this
  constant += copy.constant * factor;
  for (const auto& [axis, coefficient] : copy.terms) Add(axis, coefficient * factor);
}

AxisId Kernel::AddAxis(std::string axis_name) {
  axes.push_back(std::move(axis_name));
  return static_cast<AxisId>(axes.size()) - 1;
}

BufferId Kernel::AddBuffer(std::string buffer_name, DType dtype, bool is_output) {
  buffers.push_back({std::move(buffer_name), dtype, is_output});
  return static_cast<BufferId>(buffers.size()) - 1;
}

LocalId Kernel::AddLocal(std::string local_name, DType dtype, int64_t size) {
  locals.push_back({std::move(local_name), dtype, size});
  return static_cast<LocalId>(locals.size()) - 1;
}

ExprId Kernel::AddExpr(Expr expr) {
  exprs.push_back(std::move(expr));
  return static_cast<ExprId>(exprs.size()) - 1;
}

int64_t Kernel::chunks() const {
  const bool parallel = body.size() == 1 && body[0].kind == Stmt::Kind::kLoop &&
                        body[0].loop_kind == LoopKind::kParallel;
  return parallel ? body[0].extent.value() : 1;
}

uint64_t Fingerprint(const Kernel& kernel) {
  Hasher h;
  for (const KernelBuffer& buffer : kernel.buffers) {
    h.Add(buffer.dtype);
    h.Add(static_cast<uint64_t>(buffer.is_output));
  }
  for (const Local& local : kernel.locals) {
    h.Add(local.dtype);
    h.Add(local.size);
  }
  h.Add(static_cast<uint64_t>(kernel.buffers.size()));
  h.Add(static_cast<uint64_t>(kernel.locals.size()));
  h.Add(static_cast<uint64_t>(kernel.exprs.size()));
  for (const Expr& e : kernel.exprs) HashExpr(e, &h);
  HashBody(kernel.body, &h);
  return h.state();
}

}  // namespace reel::codegen
