#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "ir/eval/kernels.h"

// Textbook algorithms, one matrix at a time, in double.

namespace reel::ir {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A row-major matrix inside a tensor, or one of its own.
struct Matrix {
  Matrix(std::vector<double>& storage, int64_t index, int64_t rows_, int64_t columns_)
      : data(storage.data() + index * rows_ * columns_), rows(rows_), columns(columns_) {}
  double& operator()(int64_t i, int64_t j) const { return data[i * columns + j]; }
  void Fill(double x) const { std::fill_n(data, rows * columns, x); }
  bool IsFinite() const {
    return std::all_of(data, data + rows * columns, [](double x) { return std::isfinite(x); });
  }
  double* data;
  int64_t rows, columns;
};

struct Stack {
  Stack(const Shape& shape) : rows(shape.dim(shape.rank() - 2)), columns(shape.dim(shape.rank() - 1)) {
    for (int k = 0; k + 2 < shape.rank(); ++k) count *= shape.dim(k);
  }
  Matrix At(std::vector<double>& storage, int64_t index) const { return Matrix(storage, index, rows, columns); }
  int64_t count = 1, rows, columns;
};

std::vector<EvalTensor> ZeroResults(const KernelContext& c) {
  std::vector<EvalTensor> out;
  for (const Type& type : c.results) out.push_back(ZeroTensor(type));
  return out;
}

// Row by row: l_ij = (a_ij - sum_k l_ik l_jk) / l_jj.
bool Factor(const Matrix& a, const Matrix& l) {
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      if (i == j && !(sum > 0)) return false;
      l(i, j) = i == j ? std::sqrt(sum) : sum / l(j, j);
    }
  }
  return true;
}

}  // namespace

KERNEL(Cholesky) {
  const Stack stack(c.result.shape);
  EvalTensor a = c.operand(0), out = ZeroTensor(c.result);
  if (out.size() == 0) return out;  // other extents may be huge
  for (int64_t b = 0; b < stack.count; ++b) {
    const Matrix l = stack.At(out.f, b);
    if (Factor(stack.At(a.f, b), l)) continue;
    for (int64_t i = 0; i < l.rows; ++i) std::fill_n(&l(i, 0), i + 1, kNaN);
  }
  return out;
}

KERNEL(TriangularSolve) {
  const bool transpose = c.attributes.Get<bool>("transpose"), unit = c.attributes.Get<bool>("unit_diagonal"),
             lower = c.attributes.Get<bool>("lower") != transpose;
  const Stack as(c.operand(0).type.shape), xs(c.result.shape);
  EvalTensor a = c.operand(0), out = c.operand(1);
  if (out.size() == 0) return out;
  for (int64_t b = 0; b < xs.count; ++b) {
    const Matrix m = as.At(a.f, b), x = xs.At(out.f, b);
    for (int64_t column = 0; column < x.columns; ++column) {
      for (int64_t step = 0; step < x.rows; ++step) {
        const int64_t i = lower ? step : x.rows - 1 - step;
        double sum = x(i, column);
        for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : x.rows); ++j) {
          sum -= (transpose ? m(j, i) : m(i, j)) * x(j, column);
        }
        x(i, column) = unit ? sum : sum / m(i, i);
      }
    }
  }
  return out;
}

KERNEL(Lu) {
  const Stack stack(c.result.shape);
  const int64_t n = stack.rows;
  std::vector<EvalTensor> out{c.operand(0), ZeroTensor(c.results[1])};
  if (out[0].size() == 0) return out;
  for (int64_t b = 0; b < stack.count; ++b) {
    const Matrix m = stack.At(out[0].f, b);
    int64_t* p = out[1].i.data() + b * n;
    std::iota(p, p + n, 0);
    const auto size = [&](int64_t i, int64_t j) {  // NaN is larger than any number
      const double x = std::fabs(m(i, j));
      return std::isnan(x) ? std::numeric_limits<double>::infinity() : x;
    };
    for (int64_t j = 0; j < n; ++j) {
      int64_t pivot = j;
      for (int64_t i = j + 1; i < n; ++i) {
        if (size(i, j) > size(pivot, j)) pivot = i;
      }
      if (pivot != j) {
        std::swap(p[j], p[pivot]);
        std::swap_ranges(&m(j, 0), &m(j, 0) + n, &m(pivot, 0));
      }
      for (int64_t i = j + 1; i < n; ++i) {
        if (m(j, j) != 0) m(i, j) /= m(j, j);
        for (int64_t k = j + 1; k < n; ++k) m(i, k) -= m(i, j) * m(j, k);
      }
    }
  }
  return out;
}

namespace {

// H = I - tau v v' on columns `from`, ... of x, where v is 0 above j, 1 at j, column j of r below.
void Reflect(const Matrix& x, int64_t from, const Matrix& r, int64_t j, double tau) {
  for (int64_t k = from; k < x.columns; ++k) {
    double dot = x(j, k);
    for (int64_t i = j + 1; i < x.rows; ++i) dot += r(i, j) * x(i, k);
    x(j, k) -= tau * dot;
    for (int64_t i = j + 1; i < x.rows; ++i) x(i, k) -= tau * dot * r(i, j);
  }
}

// Makes r upper triangular; the v of every reflection stay below its diagonal. Returns the taus.
std::vector<double> Householder(const Matrix& r) {
  std::vector<double> taus(static_cast<size_t>(std::min(r.rows, r.columns)));
  for (int64_t j = 0; j < std::min(r.rows, r.columns); ++j) {
    double below = 0;
    for (int64_t i = j + 1; i < r.rows; ++i) below = std::hypot(below, r(i, j));
    if (below == 0) continue;  // H = I, as in LAPACK
    const double alpha = r(j, j), length = std::hypot(alpha, below);
    const double beta = alpha < 0 ? length : -length;
    const double tau = taus[static_cast<size_t>(j)] = (beta - alpha) / beta;
    for (int64_t i = j + 1; i < r.rows; ++i) r(i, j) /= alpha - beta;
    r(j, j) = beta;
    Reflect(r, j + 1, r, j, tau);
  }
  return taus;
}

}  // namespace

KERNEL(Qr) {
  const Stack stack(c.operand(0).type.shape);
  const int64_t m = stack.rows, n = stack.columns, k = std::min(m, n);
  EvalTensor a = c.operand(0);
  std::vector<EvalTensor> out = ZeroResults(c);
  if (a.size() == 0) return out;
  for (int64_t b = 0; b < stack.count; ++b) {
    const Matrix r = stack.At(a.f, b), q(out[0].f, b, m, k), upper(out[1].f, b, k, n);
    const std::vector<double> taus = Householder(r);
    for (int64_t j = k - 1; j >= 0; --j) {  // q = H_0 H_1 ... I: H_j moves columns from j only
      q(j, j) = 1;
      if (const double tau = taus[static_cast<size_t>(j)]; tau != 0) Reflect(q, j, r, j, tau);
    }
    for (int64_t i = 0; i < k; ++i) std::copy_n(&r(i, i), n - i, &upper(i, i));
  }
  return out;
}

namespace {

// Angle with (c, s) that makes a 2x2 symmetric matrix [p x; x q] diagonal: c a_p - s a_q.
std::pair<double, double> Rotation(double p, double x, double q) {
  const double tau = (q - p) / (2 * x);
  const double t = (tau < 0 ? -1 : 1) / (std::fabs(tau) + std::sqrt(1 + tau * tau));
  const double cosine = 1 / std::sqrt(1 + t * t);
  return {cosine, t * cosine};
}

// Rows i and j become c i - s j and s i + c j.
void RotateRows(const Matrix& m, int64_t i, int64_t j, std::pair<double, double> cs) {
  for (int64_t k = 0; k < m.columns; ++k) {
    const double x = m(i, k), y = m(j, k);
    m(i, k) = cs.first * x - cs.second * y;
    m(j, k) = cs.second * x + cs.first * y;
  }
}
void RotateColumns(const Matrix& m, int64_t i, int64_t j, std::pair<double, double> cs) {
  for (int64_t k = 0; k < m.rows; ++k) {
    const double x = m(k, i), y = m(k, j);
    m(k, i) = cs.first * x - cs.second * y;
    m(k, j) = cs.second * x + cs.first * y;
  }
}

// The power of two at or below the largest element: divided by it, squares do not overflow.
double ScaleOf(const Matrix& a) {
  double largest = 0;
  std::for_each_n(a.data, a.rows * a.columns, [&](double x) { largest = std::max(largest, std::fabs(x)); });
  return largest == 0 ? 1 : std::ldexp(1.0, std::ilogb(largest));
}

// The first component of at least 0.55 of the largest is positive: true if the vector must flip.
bool Flips(int64_t count, const auto& component) {
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(component(i)));
  for (int64_t i = 0; i < count; ++i) {
    if (std::fabs(component(i)) >= 0.55 * largest) return component(i) < 0;
  }
  return false;
}

std::vector<int64_t> SortedOrder(int64_t n, const auto& less) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}

// Cyclic Jacobi: a becomes diagonal, the rows of vt its eigenvectors.
void Jacobi(const Matrix& a, const Matrix& vt) {
  const int64_t n = a.rows;
  vt.Fill(0);
  for (int64_t i = 0; i < n; ++i) vt(i, i) = 1;
  for (int sweep = 0; sweep < kMaxJacobiSweeps; ++sweep) {
    bool rotated = false;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) {
        const double least = std::min(std::fabs(a(i, i)), std::fabs(a(j, j)));
        if (least + 1e3 * std::fabs(a(i, j)) == least) continue;
        rotated = true;
        const auto cs = Rotation(a(i, i), a(i, j), a(j, j));
        RotateRows(a, i, j, cs);
        RotateColumns(a, i, j, cs);
        a(i, j) = a(j, i) = 0;
        RotateRows(vt, i, j, cs);
      }
    }
    if (!rotated) return;
  }
}

}  // namespace

KERNEL(Eigh) {
  const Stack stack(c.operand(0).type.shape);
  const int64_t n = stack.rows;
  EvalTensor a = c.operand(0);
  std::vector<EvalTensor> out = ZeroResults(c);
  if (a.size() == 0) return out;
  std::vector<double> rotated(static_cast<size_t>(n * n));
  for (int64_t b = 0; b < stack.count; ++b) {
    const Matrix m = stack.At(a.f, b), v = stack.At(out[1].f, b), vt(rotated, 0, n, n);
    double* w = out[0].f.data() + b * n;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) m(i, j) = m(j, i);
    }
    if (!m.IsFinite()) {
      std::fill_n(w, n, kNaN);
      v.Fill(kNaN);
      continue;
    }
    const double scale = ScaleOf(m);
    std::transform(m.data, m.data + n * n, m.data, [&](double x) { return x / scale; });
    Jacobi(m, vt);
    const auto order = SortedOrder(n, [&](int64_t i, int64_t j) { return m(i, i) < m(j, j); });
    for (int64_t k = 0; k < n; ++k) {
      const int64_t from = order[static_cast<size_t>(k)];
      w[k] = m(from, from) * scale;
      const double sign = Flips(n, [&](int64_t i) { return vt(from, i); }) ? -1 : 1;
      for (int64_t i = 0; i < n; ++i) v(i, k) = sign * vt(from, i);
    }
  }
  return out;
}

namespace {

double Dot(const Matrix& a, int64_t i, int64_t j) {
  return std::inner_product(&a(i, 0), &a(i, 0) + a.columns, &a(j, 0), 0.0);
}
// Of row i, whose squares may vanish.
double Length(const Matrix& a, int64_t i) {
  return std::accumulate(&a(i, 0), &a(i, 0) + a.columns, 0.0,
                         [](double length, double x) { return std::hypot(length, x); });
}

// One-sided Jacobi: the rows of g become orthogonal, vt follows.
void OneSidedJacobi(const Matrix& g, const Matrix& vt) {
  vt.Fill(0);
  for (int64_t i = 0; i < vt.rows; ++i) vt(i, i) = 1;
  for (int sweep = 0; sweep < kMaxJacobiSweeps; ++sweep) {
    bool rotated = false;
    for (int64_t i = 0; i < g.rows; ++i) {
      for (int64_t j = i + 1; j < g.rows; ++j) {
        const double p = Dot(g, i, i), x = Dot(g, i, j), q = Dot(g, j, j);
        const double least = 1e-15 * std::sqrt(p) * std::sqrt(q);
        if (!(least > 0 && std::fabs(x) > least)) continue;  // 0: beside the other, one is nothing
        rotated = true;
        const auto cs = Rotation(p, x, q);
        RotateRows(g, i, j, cs);
        RotateRows(vt, i, j, cs);
      }
    }
    if (!rotated) return;
  }
}

// Makes row k of u a unit vector orthogonal to those before it: false if it is nearly one of them.
bool Orthonormalize(const Matrix& u, int64_t k) {
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t j = 0; j < k; ++j) {
      const double dot = Dot(u, k, j);
      for (int64_t i = 0; i < u.columns; ++i) u(k, i) -= dot * u(j, i);
    }
  }
  const double left = std::sqrt(Dot(u, k, k));
  if (left < 0.1 / std::sqrt(static_cast<double>(u.columns))) return false;
  for (int64_t i = 0; i < u.columns; ++i) u(k, i) /= left;
  return true;
}

struct ThinSvd {
  std::vector<double> u, s, v;  // k rows of m; k; k rows of n
};

// Of a matrix with m >= n, given by its n columns, each a row of g.
ThinSvd SvdOfColumns(std::vector<double> columns, int64_t n, int64_t m) {
  std::vector<double> rotations(static_cast<size_t>(n * n));
  const Matrix g(columns, 0, n, m), vt(rotations, 0, n, n);
  const double scale = ScaleOf(g);
  ThinSvd out{std::vector<double>(columns.size()), std::vector<double>(static_cast<size_t>(n)),
              std::vector<double>(rotations.size())};
  for (double& x : columns) x /= scale;
  OneSidedJacobi(g, vt);
  std::vector<double> lengths;
  for (int64_t i = 0; i < n; ++i) lengths.push_back(Length(g, i));
  const auto length = [&](int64_t i) { return lengths[static_cast<size_t>(i)]; };
  const auto order = SortedOrder(n, [&](int64_t i, int64_t j) { return length(i) > length(j); });
  int64_t axis = 0;  // the unit vector to try next: one that is spanned stays so
  const Matrix u(out.u, 0, n, m), v(out.v, 0, n, n);
  for (int64_t k = 0; k < n; ++k) {
    const int64_t from = order[static_cast<size_t>(k)];
    out.s[static_cast<size_t>(k)] = length(from) * scale;
    for (int64_t i = 0; i < m; ++i) u(k, i) = length(from) > 0 ? g(from, i) / length(from) : 0;
    while (!Orthonormalize(u, k) && axis < m) {  // too short to have a direction
      std::fill_n(&u(k, 0), m, 0.0);
      u(k, axis++) = 1;
    }
    std::copy_n(&vt(from, 0), n, &v(k, 0));
  }
  return out;
}

}  // namespace

KERNEL(Svd) {
  const Stack stack(c.operand(0).type.shape);
  const int64_t m = stack.rows, n = stack.columns, k = std::min(m, n);
  EvalTensor a = c.operand(0);
  std::vector<EvalTensor> out = ZeroResults(c);
  if (a.size() == 0) return out;
  for (int64_t b = 0; b < stack.count; ++b) {
    const Matrix x = stack.At(a.f, b), u(out[0].f, b, m, k), vt(out[2].f, b, k, n);
    double* s = out[1].f.data() + b * k;
    if (!x.IsFinite()) {
      u.Fill(kNaN);
      vt.Fill(kNaN);
      std::fill_n(s, k, kNaN);
      continue;
    }
    const bool tall = m >= n;
    std::vector<double> columns(x.data, x.data + m * n);
    const Matrix transposed(columns, 0, n, m);
    for (int64_t i = 0; i < m && tall; ++i) {
      for (int64_t j = 0; j < n; ++j) transposed(j, i) = x(i, j);
    }
    ThinSvd svd = SvdOfColumns(std::move(columns), k, std::max(m, n));
    std::copy(svd.s.begin(), svd.s.end(), s);
    const Matrix left(tall ? svd.u : svd.v, 0, k, m), right(tall ? svd.v : svd.u, 0, k, n);
    for (int64_t j = 0; j < k; ++j) {
      const double sign = Flips(m, [&](int64_t i) { return left(j, i); }) ? -1 : 1;
      for (int64_t i = 0; i < m; ++i) u(i, j) = sign * left(j, i);
      for (int64_t i = 0; i < n; ++i) vt(j, i) = sign * right(j, i);
    }
  }
  return out;
}

}  // namespace reel::ir
