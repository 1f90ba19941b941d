#include <algorithm>

#include "codegen/schedule/schedule.h"

// Matrix products: y[(b,) m, n] = sum over k of x[(b,) m, k] * w[(b,) k, n], k ascending in blocks of 256.
// A tile of rows x lanes is accumulated in registers; block sums are added up in a table on the stack, from
// which the epilogue (whatever maps were fused) is computed row by row.

namespace reel::codegen {
namespace {

constexpr int64_t kKBlock = 256;
constexpr int64_t kChunkFlops = 256 << 10;  // a chunk of a parallel product

struct TileShape {
  int64_t rows, lanes;
};

class ContractSchedule {
 public:
  explicit ContractSchedule(const ScheduleContext& c)
      : c_(c), k_(c.kernel), root_(c.group().root), shape_(c.f.type(root_).shape) {
    const ir::Node& node = *c.f.producer(root_);
    const Shape& x = c.f.type(node.operands[0]).shape;
    batched_ = shape_.rank() == 3;
    batch_ = batched_ ? shape_.dim(0) : 1;
    m_ = shape_.dim(shape_.rank() - 2);
    n_ = shape_.dim(shape_.rank() - 1);
    depth_ = x.dim(x.rank() - 1);
    dtype_ = c.f.type(root_).dtype;
    hardware_ = c.options.vectorize ? c.target.lanes(SizeOf(dtype_)) : 1;
    tile_ = ChooseTile();
  }

  void Run() {
    const AxisId b = k_->AddAxis("b");
    if (batched_) prefix_.push_back(AxisAffine(b));
    std::vector<Stmt> body = Panels();
    if (batched_) {
      std::vector<Stmt> outer;
      outer.push_back(MakeLoop(b, batch_, LoopKind::kSerial, 1, std::move(body)));
      body = std::move(outer);
    }
    k_->body = std::move(body);
    if (!c_.options.vectorize) return;
    const int64_t flops = 2 * batch_ * m_ * n_ * std::max<int64_t>(depth_, 1);
    if (k_->body.size() == 1) Parallelize(k_, flops / kChunkFlops * (64 << 10));
  }

 private:
  // At least 8 accumulators to cover the latency of fma, rows * registers + registers + 1 within the register file.
  TileShape ChooseTile() const {
    if (hardware_ == 1) return {1, 1};
    const int64_t most = c_.target.vector_registers >= 32 ? 4 : 2;
    const int64_t registers = std::min(most, (n_ + hardware_ - 1) / hardware_);
    const int64_t rows = registers <= 2 && c_.target.vector_registers >= 32 ? 8 : registers == 1 ? 8 : 6;
    return {std::min(rows, std::max<int64_t>(m_, 1)), std::max<int64_t>(registers, 1) * hardware_};
  }

  // Columns in panels of tile_.lanes, the last one narrower.
  std::vector<Stmt> Panels() {
    std::vector<Stmt> out;
    const int64_t whole = n_ / tile_.lanes, rest = n_ % tile_.lanes;
    if (whole > 0) {
      const AxisId panel = k_->AddAxis("n");
      out.push_back(MakeLoop(panel, whole, LoopKind::kSerial, 1,
                             Rows(AxisAffine(panel, tile_.lanes), tile_.lanes, tile_.lanes)));
    }
    if (rest > 0) {
      Affine base;
      base.constant = whole * tile_.lanes;
      const int64_t width = (rest + hardware_ - 1) / hardware_ * hardware_;
      for (Stmt& s : Rows(base, rest, width)) out.push_back(std::move(s));
    }
    return out;
  }

  std::vector<Stmt> Rows(const Affine& n_base, int64_t columns, int64_t width) {
    std::vector<Stmt> out;
    const int64_t whole = m_ / tile_.rows, rest = m_ % tile_.rows;
    if (whole > 0) {
      const AxisId m = k_->AddAxis("m");
      out.push_back(MakeLoop(m, whole, LoopKind::kSerial, 1,
                             Tile(AxisAffine(m, tile_.rows), tile_.rows, n_base, columns, width)));
    }
    if (rest > 0) {
      Affine base;
      base.constant = whole * tile_.rows;
      for (Stmt& s : Tile(base, rest, n_base, columns, width)) out.push_back(std::move(s));
    }
    return out;
  }

  // An axis pair over rows x columns of a tile, as for i { vector j { body } }.
  struct TileAxes {
    AxisId i, j;
    Affine local;  // i * width + j
    Index at;      // index into the result
  };
  TileAxes NewAxes(const Affine& m_base, const Affine& n_base, int64_t width) {
    TileAxes t{k_->AddAxis("i"), k_->AddAxis("j"), {}, prefix_};
    t.local.Add(t.i, width);
    t.local.Add(t.j, 1);
    Affine m = m_base, n = n_base;
    m.Add(t.i, 1);
    n.Add(t.j, 1);
    t.at.push_back(std::move(m));
    t.at.push_back(std::move(n));
    return t;
  }
  Stmt Over(const TileAxes& t, LoopKind rows_kind, int64_t rows, int64_t columns, int64_t width,
            std::vector<Stmt> body) {
    std::vector<Stmt> inner;
    inner.push_back(MakeLoop(t.j, columns, LoopKind::kVector, width, std::move(body)));
    return MakeLoop(t.i, rows, rows_kind, 1, std::move(inner));
  }

  std::vector<Stmt> Tile(const Affine& m_base, int64_t rows, const Affine& n_base, int64_t columns, int64_t width) {
    const LocalId total = k_->AddLocal("total", dtype_, rows * width);
    std::vector<Stmt> out;
    // -0 + x = x for every x, so the first block's sum is taken as it is.
    out.push_back(MakeLocal(total, Bits(dtype_, depth_ == 0 || !IsFloat(dtype_) ? 0.0 : -0.0)));
    if (depth_ > 0) out.push_back(Blocks(total, m_base, rows, n_base, columns, width));
    out.push_back(Epilogue(total, m_base, rows, n_base, columns, width));
    return out;
  }

  Stmt Blocks(LocalId total, const Affine& m_base, int64_t rows, const Affine& n_base, int64_t columns,
              int64_t width) {
    const ir::Node& node = *c_.f.producer(root_);
    const LocalId acc = k_->AddLocal("acc", dtype_, rows * width);
    const AxisId block = k_->AddAxis("kb"), inner = k_->AddAxis("k");
    Affine k = AxisAffine(block, kKBlock);
    k.Add(inner, 1);

    const TileAxes t = NewAxes(m_base, n_base, width);
    Index x = prefix_, w = prefix_;
    x.push_back(t.at[t.at.size() - 2]);
    x.push_back(k);
    w.push_back(k);
    w.push_back(t.at.back());
    c_.builder->Clear();
    std::vector<Stmt> multiply;
    multiply.push_back(MakeAccumulate(acc, t.local, Combine::kFma, c_.builder->Build(node.operands[0], x),
                                      c_.builder->Build(node.operands[1], w)));
    std::vector<Stmt> step;
    step.push_back(Over(t, LoopKind::kUnrolled, rows, columns, width, std::move(multiply)));
    Stmt loop = MakeLoop(inner, std::min(depth_, kKBlock), LoopKind::kSerial, 1, std::move(step));
    if (depth_ > kKBlock && depth_ % kKBlock != 0) {
      loop.clip_base = AxisAffine(block, kKBlock);
      loop.clip_total = depth_;
    }

    const TileAxes s = NewAxes(m_base, n_base, width);
    std::vector<Stmt> add;
    add.push_back(MakeAccumulate(total, s.local, Combine::kSum, LocalExpr(k_, acc, s.local)));
    std::vector<Stmt> body;
    body.push_back(MakeLocal(acc, 0));
    body.push_back(std::move(loop));
    body.push_back(Over(s, LoopKind::kUnrolled, rows, columns, width, std::move(add)));
    return MakeLoop(block, (depth_ + kKBlock - 1) / kKBlock, LoopKind::kSerial, 1, std::move(body));
  }

  Stmt Epilogue(LocalId total, const Affine& m_base, int64_t rows, const Affine& n_base, int64_t columns,
                int64_t width) {
    const TileAxes t = NewAxes(m_base, n_base, width);
    const ExprId value = LocalExpr(k_, total, t.local);
    c_.builder->SetRoot(root_, value);
    std::vector<Stmt> stores;
    if (c_.stored(root_)) {
      stores.push_back(MakeStore(c_.builder->BufferOf(root_, true), c_.builder->Flat(root_, t.at), value));
    }
    for (ir::Value v : c_.group().post) {
      if (!c_.stored(v)) continue;
      const ExprId e = c_.builder->Build(v, t.at);
      stores.push_back(MakeStore(c_.builder->BufferOf(v, true), c_.builder->Flat(v, t.at), e));
    }
    return Over(t, LoopKind::kSerial, rows, columns, width, std::move(stores));
  }

  const ScheduleContext& c_;
  Kernel* k_;
  const ir::Value root_;
  const Shape shape_;
  bool batched_ = false;
  int64_t batch_ = 1, m_ = 0, n_ = 0, depth_ = 0, hardware_ = 1;
  DType dtype_ = kFloat32;
  TileShape tile_{1, 1};
  Index prefix_;
};

}  // namespace

void ScheduleContract(const ScheduleContext& c) { ContractSchedule(c).Run(); }

}  // namespace reel::codegen
