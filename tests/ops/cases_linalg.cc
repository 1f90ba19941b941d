#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ir/strings.h"
#include "tests/ops/op_cases.h"

// Matrices of known spectra: then errors are within a small multiple of epsilon of the largest
// element, and signs and orders are the same in every engine.

namespace reel::optable {
namespace {

using Doubles = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Matrix {
  int64_t rows, columns;
  Doubles values;
  double& operator()(int64_t i, int64_t j) { return values[static_cast<size_t>(i * columns + j)]; }
};

int64_t RowsOf(const Shape& shape) { return shape.dim(shape.rank() - 2); }
int64_t ColumnsOf(const Shape& shape) { return shape.dim(shape.rank() - 1); }

// x - 2 v v'x for a random unit vector v, on rows (from the left).
Doubles RandomUnit(int64_t n, Rng& rng) {
  Doubles v(static_cast<size_t>(n));
  double square = 0;
  for (double& x : v) {
    x = Domain{-1, 1, 0.1}.Sample(rng);
    square += x * x;
  }
  for (double& x : v) x /= std::sqrt(square);
  return v;
}
void Reflect(Matrix* a, const Doubles& v, bool rows) {
  const int64_t n = rows ? a->rows : a->columns, other = rows ? a->columns : a->rows;
  const auto at = [&](int64_t i, int64_t k) -> double& { return rows ? (*a)(i, k) : (*a)(k, i); };
  for (int64_t k = 0; k < other; ++k) {
    double dot = 0;
    for (int64_t i = 0; i < n; ++i) dot += v[static_cast<size_t>(i)] * at(i, k);
    for (int64_t i = 0; i < n; ++i) at(i, k) -= 2 * dot * v[static_cast<size_t>(i)];
  }
}

enum class Kind { kPlain, kSymmetric };

// Singular values or eigenvalues 2, 5, 8, ...; each second one negative if `signs`.
Matrix KnownSpectrum(int64_t rows, int64_t columns, Kind kind, bool signs, Rng& rng) {
  Matrix a{rows, columns, Doubles(static_cast<size_t>(rows * columns))};
  for (int64_t i = 0; i < std::min(rows, columns); ++i) {
    a(i, i) = (signs && i % 2 == 1 ? -1.0 : 1.0) * static_cast<double>(2 + 3 * i);
  }
  for (int turn = 0; turn < 3; ++turn) {
    const Doubles v = RandomUnit(rows, rng);
    Reflect(&a, v, true);
    Reflect(&a, kind == Kind::kSymmetric ? v : RandomUnit(columns, rng), false);
  }
  return a;
}

// A stack of them.
ir::Literal Stack(const Type& type, Kind kind, bool signs, Rng& rng) {
  Doubles all;
  const int64_t rows = RowsOf(type.shape), columns = ColumnsOf(type.shape);
  const int64_t count = type.shape.size() == 0 ? 0 : type.shape.size() / (rows * columns);
  for (int64_t i = 0; i < count; ++i) {
    const Matrix a = KnownSpectrum(rows, columns, kind, signs, rng);
    all.insert(all.end(), a.values.begin(), a.values.end());
  }
  return MakeLiteral(type, all);
}

// Small extents, around the block of 32 columns, several blocks; batches.
std::vector<Shape> SquareShapes() {
  return {{0, 0},   {2, 0, 0}, {0, 3, 3}, {1, 1},    {2, 2},       {3, 3},     {4, 4},
          {5, 5},   {6, 6},    {3, 2, 2}, {2, 5, 5}, {2, 2, 2, 2}, {1, 3, 3},  {8, 8},
          {17, 17}, {33, 33},  {70, 70},  {2, 3, 3}, {2, 1, 4, 4}, {3, 33, 33}};
}
std::vector<Shape> RectangularShapes() {
  return {{0, 0},    {0, 3, 3},    {0, 3},    {3, 0},    {1, 1},  {2, 2},  {5, 5},  {33, 33},
          {70, 70},  {1, 7},       {7, 1},    {5, 3},    {3, 5},  {4, 2},  {2, 6},  {6, 4},
          {3, 2, 2}, {2, 1, 3, 2}, {2, 4, 3}, {2, 3, 4}, {33, 5}, {5, 33}, {35, 40}};
}

// Of a number, second derivatives are 0, and what is computed is the rounding of that.
bool IsSmooth(const OpRow& row, const Shape& shape) {
  return row.differentiable && shape.size() != 1 && ColumnsOf(shape) <= 6 && RowsOf(shape) <= 6;
}

Tolerance Normwise(const Shape& shape) {
  return {.norm = 32 + 8.0 * static_cast<double>(std::max(RowsOf(shape), ColumnsOf(shape)))};
}

// One case of an op with one matrix operand.
void AddCase(const OpRow& row, const ir::Literal& a, std::string_view what, bool smooth, std::vector<OpCase>* cases,
             std::optional<Tolerance> tolerance = {}) {
  CaseBuilder c(row.op, StrCat(Text(a.type()), what));
  c.Emit({c.Input(a)});
  c.Tolerate(tolerance.value_or(Normwise(a.shape())));
  c.Differentiable(smooth);
  cases->push_back(c.Build());
}

// A batch of matrices [[a, b], [c, d]], good ones among bad ones: what happens to one stays there.
void AddBatch(const OpRow& row, DType dtype, std::string_view what, const std::vector<Doubles>& matrices,
              std::vector<OpCase>* cases) {
  Doubles all;
  for (const Doubles& matrix : matrices) all.insert(all.end(), matrix.begin(), matrix.end());
  const Type type{dtype, {static_cast<int64_t>(matrices.size()), 2, 2}};
  AddCase(row, MakeLiteral(type, all), what, false, cases);
}

// Elements whose squares overflow, and vanish, or whose sums do: cases of their own, for errors are
// relative to the largest.
void AddExtremes(const OpRow& row, DType dtype, const Doubles& signs, std::vector<OpCase>* cases) {
  const FloatFormat format = FormatOf(dtype);
  for (const auto& [what, size] :
       {std::pair(" large", std::sqrt(format.most) * 1e11), std::pair(" largest", format.most / 3.5),
        std::pair(" small", std::sqrt(format.least) * 1e-11), std::pair(" least", format.least)}) {
    Doubles matrix = signs;
    for (double& x : matrix) x *= size;
    AddBatch(row, dtype, what, {matrix}, cases);
  }
}

}  // namespace

// Of (x + x') / 2: the gradient is that of a symmetric matrix.
void MakeCholeskyCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Shape& shape : SquareShapes()) {
      CaseBuilder c(row.op, Text({dtype, shape}));
      const ir::Value x = c.Input(Stack({dtype, shape}, Kind::kSymmetric, false, c.rng()));
      std::vector<int64_t> swap;
      for (int i = 0; i < shape.rank(); ++i) swap.push_back(i);
      std::swap(swap.end()[-1], swap.end()[-2]);
      const ir::Value both = c.b().Add(x, c.b().Transpose(x, swap));
      c.Emit({c.b().Mul(both, c.b().ScalarLike(both, 0.5))});
      c.Tolerate(Normwise(shape));
      c.Differentiable(IsSmooth(row, shape));
      cases->push_back(c.Build());
    }
    // not positive definite, singular, not finite; the upper triangle is not read
    AddBatch(row, dtype, " special",
             {{1, 2, 2, 1},
              {1, 1, 1, 1},
              {0, 0, 0, 0},
              {-1, 0, 0, 1},
              {kNaN, 0, 0, 1},
              {1, kNaN, 0.5, 1},
              {1, 0, 0, kNaN},
              {kInf, 0, 0, 1},
              {4, 2, 2, 3}},
             cases);
  }
}

void MakeTriangularSolveCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    int turn = 0;  // the eight forms in turn; all of them for two of the shapes
    for (const Shape& shape : SquareShapes()) {
      const bool all = shape == Shape{3, 3} || shape == Shape{70, 70};
      for (int k = 0; k < (all ? 8 : 2); ++k) {
        const int form = all ? k : turn++ % 8;
        const bool lower = (form & 1) != 0, transpose = (form & 2) != 0, unit = (form & 4) != 0;
        Shape b_shape = shape;
        b_shape.set(shape.rank() - 1, std::vector<int64_t>{1, 3, 40}[static_cast<size_t>(k % 3)]);
        CaseBuilder c(row.op, StrCat(Text({dtype, shape}), " ", Text({dtype, b_shape}), lower ? " lower" : "",
                                     transpose ? " transpose" : "", unit ? " unit" : ""));
        // a diagonal of 2 to 3 above small elements: well conditioned at every size
        ir::Literal a = Sample({dtype, shape}, Domain{-1, 1}, c.rng());
        Doubles values;
        const int64_t n = RowsOf(shape);
        for (int64_t e = 0; e < a.size(); ++e) {
          const double x = a.AsDouble(e);
          values.push_back(e / n % n == e % n ? 2 + std::fabs(x) : x / static_cast<double>(n));
        }
        const ir::Value m = c.Input(MakeLiteral({dtype, shape}, values));
        const ir::Value b = c.Input({dtype, b_shape}, row.domain);
        c.Emit({m, b}, {{"lower", lower}, {"transpose", transpose}, {"unit_diagonal", unit}});
        c.Tolerate(Normwise(shape));
        c.Differentiable(IsSmooth(row, shape) && b_shape.dim(b_shape.rank() - 1) <= 3);
        cases->push_back(c.Build());
      }
    }
  }
}

// Rows permuted, so that every step has to look for its pivot.
void MakeLuCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Shape& shape : SquareShapes()) {
      CaseBuilder c(row.op, Text({dtype, shape}));
      ir::Literal a = Sample({dtype, shape}, row.domain, c.rng());
      Doubles values;
      const int64_t n = RowsOf(shape);
      for (int64_t e = 0; e < a.size(); ++e) {  // row i is large in column i + 1 mod n
        const bool large = (e / n % n + 1) % n == e % n;
        values.push_back(a.AsDouble(e) + (large ? 4.0 + static_cast<double>(n) : 0));
      }
      c.Emit({c.Input(MakeLiteral({dtype, shape}, values))});
      c.Tolerate(Normwise(shape));
      c.Differentiable(IsSmooth(row, shape));
      cases->push_back(c.Build());
    }
    // ties go to the first row; a column of zeros is passed over; NaN is the largest
    AddBatch(row, dtype, " special",
             {{1, 2, 1, 4},
              {-1, 2, 1, 4},
              {0, 1, 0, 2},
              {0, 0, 0, 0},
              {1, 2, 2, 4},
              {1, 2, kNaN, 1},
              {kInf, 1, 1, 1},
              {1, 2, 3, 4}},
             cases);
  }
}

void MakeQrCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Shape& shape : RectangularShapes()) {
      CaseBuilder names(row.op, Text({dtype, shape}));
      const ir::Literal a = Stack({dtype, shape}, Kind::kPlain, false, names.rng());
      AddCase(row, a, "", IsSmooth(row, shape), cases);
    }
    // upper triangular needs no reflection, nor does zero; not finite
    AddBatch(row, dtype, " special",
             {{1, 2, 0, -3},
              {-1, 2, 0, 3},
              {0, 0, 0, 0},
              {0, 1, 0, 1},
              {0, 1, 1, 0},
              {-0.0, 1, 1, 0},
              {1, 2, kNaN, 1},
              {3, 1, 4, 2}},
             cases);
    AddExtremes(row, dtype, {1, 1, -1, 0}, cases);
  }
}

void MakeEighCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Shape& shape : SquareShapes()) {
      CaseBuilder names(row.op, Text({dtype, shape}));
      const ir::Literal a = Stack({dtype, shape}, Kind::kSymmetric, true, names.rng());
      AddCase(row, a, "", IsSmooth(row, shape), cases);
    }
    // diagonal, equal eigenvalues, zero; the upper triangle is not read; not finite
    AddBatch(row, dtype, " special",
             {{3, 0, 0, -1},
              {2, 0, 0, 2},
              {0, 0, 0, 0},
              {1, 99, 2, 1},
              {0, 1, 1, 0},
              {1, 0, kNaN, 1},
              {1, kNaN, 0, 2},
              {kInf, 0, 0, 1},
              {2, 1, 1, 3}},
             cases);
    AddExtremes(row, dtype, {1, 0, 2, -1}, cases);
  }
}

void MakeSvdCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Shape& shape : RectangularShapes()) {
      CaseBuilder names(row.op, Text({dtype, shape}));
      const ir::Literal a = Stack({dtype, shape}, Kind::kPlain, false, names.rng());
      AddCase(row, a, "", IsSmooth(row, shape), cases);
    }
    AddBatch(row, dtype, " special",
             {{3, 0, 0, -1}, {1, 0, 0, 5}, {0, 3, 2, 0}, {1, 2, kNaN, 1}, {kInf, 0, 0, 1}, {2, 1, 1, 3}}, cases);
    AddExtremes(row, dtype, {1, 0, 1, -1}, cases);
    // a column whose squares vanish beside those of the other has a length all the same
    const double tiny = std::sqrt(FormatOf(dtype).tiny) * 1e-3;
    AddCase(row, MakeLiteral({dtype, {2, 2}}, {1, 0, 0, tiny}), " uneven", false, cases, Tolerance{.ulps = 1});
  }
}

}  // namespace reel::optable
