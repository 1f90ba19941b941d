#include <algorithm>

#include "frontend/onnx/export_node.h"

namespace reel::onnx {
namespace {

// The axes of one side: in a batch, summed over, of the result.
struct Side {
  Ints batch, summed, rest;
};

Side AxesOf(const Shape& shape, const Ints& batch, const Ints& summed) {
  Side out{batch, summed, {}};
  for (int64_t k = 0; k < shape.rank(); ++k) {
    const auto has = [k](const Ints& list) { return std::find(list.begin(), list.end(), k) != list.end(); };
    if (!has(batch) && !has(summed)) out.rest.push_back(k);
  }
  return out;
}

Ints Joined(const Ints& a, const Ints& b, const Ints& c) {
  Ints out = a;
  out.insert(out.end(), b.begin(), b.end());
  out.insert(out.end(), c.begin(), c.end());
  return out;
}

// One axis for each of the three groups, where `shape` has numbers; a batch stays as it is.
Val AsMatrices(GraphWriter& w, const Val& x, const Shape& shape, const Ints& batch, const Ints& rows,
               const Ints& columns) {
  const Val moved = w.Transpose(x, Joined(batch, rows, columns));
  if (rows.size() == 1 && columns.size() == 1) return moved;
  Shape out;
  for (const int64_t k : batch) out.push_back(shape[static_cast<int>(k)]);
  for (const Ints& group : {rows, columns}) {
    int64_t size = 1;
    for (const int64_t k : group) size *= shape.dim(static_cast<int>(k));
    out.push_back(size);
  }
  return w.Reshape(moved, out);
}

std::string Letters(const Ints& axes, const std::vector<char>& of) {
  std::string out;
  for (const int64_t k : axes) out += of[static_cast<size_t>(k)];
  return out;
}

// Where extents are symbols that cannot be multiplied.
Val ByEinsum(const Site& s, const Side& a, const Side& b) {
  char next = 'a';
  std::vector<char> of_a(static_cast<size_t>(s.shape(0).rank())), of_b(static_cast<size_t>(s.shape(1).rank()));
  for (char& c : of_a) c = next++;
  for (char& c : of_b) c = next++;
  for (size_t i = 0; i < a.batch.size(); ++i)
    of_b[static_cast<size_t>(b.batch[i])] = of_a[static_cast<size_t>(a.batch[i])];
  for (size_t i = 0; i < a.summed.size(); ++i)
    of_b[static_cast<size_t>(b.summed[i])] = of_a[static_cast<size_t>(a.summed[i])];
  const std::string equation = std::string(of_a.begin(), of_a.end()) + "," + std::string(of_b.begin(), of_b.end()) +
                               "->" + Letters(a.batch, of_a) + Letters(a.rest, of_a) + Letters(b.rest, of_b);
  return s.w().Same("Einsum", {s.x(0), s.x(1)}, {Text("equation", equation)});
}

void Contract(const Site& s) {
  GraphWriter& w = s.w();
  const Side a = AxesOf(s.shape(0), s.ints("a_batch"), s.ints("a_contract"));
  const Side b = AxesOf(s.shape(1), s.ints("b_batch"), s.ints("b_contract"));
  if (s.shape(0).has_zero() || s.shape(1).has_zero()) return s.Set(w.Full(s.result(), 0));
  const bool single = a.rest.size() == 1 && b.rest.size() == 1 && a.summed.size() == 1;
  if (!single && !(s.shape(0).is_constant() && s.shape(1).is_constant())) return s.Set(ByEinsum(s, a, b));
  const Val left = AsMatrices(w, s.x(0), s.shape(0), a.batch, a.rest, a.summed);
  const Val right = AsMatrices(w, s.x(1), s.shape(1), b.batch, b.summed, b.rest);
  const Val product = w.Same("MatMul", {left, right});
  s.Set(a.rest.size() == 1 && b.rest.size() == 1 ? product : w.Reshape(product, s.result().shape));
}

constexpr ExportRow kRows[] = {
    {ir::Op::kContract, Contract, "MatMul",
     "with Transpose and Reshape; Einsum where symbolic extents would be multiplied"},
};

}  // namespace

ExportRows ContractExports() { return kRows; }

}  // namespace reel::onnx
