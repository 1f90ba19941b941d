#include "reel/linalg.h"

#include <initializer_list>

#include "bind.h"
#include "reel/complex.h"
#include "reel/fft.h"
#include "reel/products.h"
#include "reel/reductions.h"
#include "reel/shapes.h"
#include "register.h"

// Products, reel.linalg and reel.fft.

namespace reel::python {
namespace {

int64_t Cubed(const Operand& a) {  // work of a factorization
  const Shape& s = a.type().shape;
  return s.rank() < 1 || !s.is_constant() ? 1 : s.size() * s.dim(s.rank() - 1);
}

Tensor MatrixProduct(TensorLike x1, TensorLike x2) {
  const Operand a = x1.operand(), b = x2.operand();
  const Shape& t = b.type().shape;
  const int64_t columns = t.rank() < 2 || !t.is_constant() ? 1 : t.dim(t.rank() - 1);
  const Unlocked other_threads(Work(a) * columns / 16);
  return MatMul(a, b);
}

nb::object Tuple(std::initializer_list<Tensor> tensors) {
  nb::list out;
  for (const Tensor& t : tensors) out.append(Wrap(t));
  return nb::tuple(out);
}

Tensor TensorDotOf(TensorLike a, TensorLike b, nb::handle axes) {
  if (PyIndex_Check(axes.ptr())) return TensorDot(a.operand(), b.operand(), ToInt(axes, "tensordot"));
  return TensorDot(a.operand(), b.operand(), ToInts(axes[0], "tensordot"), ToInts(axes[1], "tensordot"));
}

// Sum of products along an axis, x1 conjugated.
Tensor VecDot(TensorLike x1, TensorLike x2, int64_t axis) {
  const Operand a = x1.operand();
  if (!IsComplex(a.type().dtype)) return ReduceSum(Mul(a, x2.operand()), axis);
  return ReduceSum(Mul(Conj(a), x2.operand()), axis);
}

Tensor EinsumOf(const std::string& equation, nb::args operands) {
  const std::vector<Tensor> list = ToTensorsTogether(operands);
  const Unlocked other_threads(kLong);
  return Einsum(equation, list);
}

template <Tensor (*F)(const Operand&)>
void Matrix(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](TensorLike x) {
        const Operand a = x.operand();
        const Unlocked other_threads(Cubed(a));
        return F(a);
      },
      nb::sig(Signature(name, "(x: TensorLike, /) -> Tensor").c_str()), doc);
}

void RegisterProducts(nb::module_& m) {
  m.def("matmul", &MatrixProduct, nb::sig("def matmul(x1: TensorLike, x2: TensorLike, /) -> Tensor"),
        "Matrix product: [..., m, k] by [..., k, n]; leading axes broadcast, vectors are rows on "
        "the left, columns on the "
        "right. Gradients: dy x2', x1' dy."
        "\n\n>>> reel.matmul([[1, 2], [3, 4]], [1, 1])\nTensor([3, 7], dtype=int64)");
  m.def(
      "dot", [](TensorLike a, TensorLike b) { return Dot(a.operand(), b.operand()); },
      nb::sig("def dot(x1: TensorLike, x2: TensorLike, /) -> Tensor"), "NumPy's dot.");
  m.def(
      "outer", [](TensorLike a, TensorLike b) { return Outer(a.operand(), b.operand()); },
      nb::sig("def outer(x1: TensorLike, x2: TensorLike, /) -> Tensor"),
      "Every product of an element of x1 with one of x2."
      "\n\n>>> reel.outer([1, 2], [3, 4])\nTensor([[3, 4],\n        [6, 8]], dtype=int64)");
  m.def("tensordot", &TensorDotOf, "x1"_a, "x2"_a, "axes"_a = 2,
        nb::sig("def tensordot(x1: TensorLike, x2: TensorLike, /, axes: int | tuple[Sequence[int], "
                "Sequence[int]] = 2) -> Tensor"),
        "The sum over the last axes of x1 and the first of x2, or over pairs of axes."
        "\n\n>>> reel.tensordot([1, 2], [3, 4], 1)\nTensor(11, dtype=int64)");
  m.def("vecdot", &VecDot, "x1"_a, "x2"_a, "axis"_a = -1,
        nb::sig("def vecdot(x1: TensorLike, x2: TensorLike, /, *, axis: int = -1) -> Tensor"),
        "Sum of products along an axis; x1 is conjugated.");
  m.def("einsum", &EinsumOf, "equation"_a, "operands"_a,
        nb::sig("def einsum(equation: str, *operands: TensorLike) -> Tensor"),
        "Einstein's notation: einsum('bij,bjk->bik', a, b)."
        "\n\n>>> reel.einsum('ij,jk->ik', [[1, 2]], [[3], [4]])\nTensor([[11]], dtype=int64)");
  m.def(
      "cross", [](TensorLike a, TensorLike b, int64_t axis) { return Cross(a.operand(), b.operand(), axis); }, "x1"_a,
      "x2"_a, "axis"_a = -1, nb::sig("def cross(x1: TensorLike, x2: TensorLike, /, *, axis: int = -1) -> Tensor"),
      "Cross products of vectors with 3 elements along an axis.");
}

void RegisterFactorizations(nb::module_& m) {
  m.def(
      "cholesky",
      [](TensorLike x, bool upper) {
        const Operand a = x.operand();
        const Unlocked other_threads(Cubed(a));
        const Tensor l = Cholesky(a);
        return upper ? SwapAxes(l, -1, -2) : l;
      },
      "x"_a, nb::kw_only(), "upper"_a = false,
      nb::sig("def cholesky(x: TensorLike, /, *, upper: bool = False) -> Tensor"),
      "Lower triangular L with L L' = x; NaN where x is not positive definite.");
  m.def(
      "lu",
      [](TensorLike x) {
        LuResult r = Lu(x.operand());
        return Tuple({r.lu, r.permutation});
      },
      nb::sig("def lu(x: TensorLike, /) -> tuple[Tensor, Tensor]"),
      "L and U in one matrix, and the permutation (int32) of the rows.");
  m.def(
      "qr",
      [](TensorLike x) {
        QrResult r = Qr(x.operand());
        return Tuple({r.q, r.r});
      },
      nb::sig("def qr(x: TensorLike, /) -> tuple[Tensor, Tensor]"), "x = q r: orthonormal columns, upper triangular.");
  m.def(
      "eigh",
      [](TensorLike x) {
        EighResult r = Eigh(x.operand());
        return Tuple({r.values, r.vectors});
      },
      nb::sig("def eigh(x: TensorLike, /) -> tuple[Tensor, Tensor]"),
      "Eigenvalues, ascending, and vectors (columns) of symmetric matrices.");
  m.def(
      "svd",
      [](TensorLike x) {
        SvdResult r = Svd(x.operand());
        return Tuple({r.u, r.s, r.vt});
      },
      nb::sig("def svd(x: TensorLike, /) -> tuple[Tensor, Tensor, Tensor]"), "x = u diag(s) vh, thin; s descending.");
  m.def(
      "slogdet",
      [](TensorLike x) {
        SlogDetResult r = SlogDet(x.operand());
        return Tuple({r.sign, r.log_abs});
      },
      nb::sig("def slogdet(x: TensorLike, /) -> tuple[Tensor, Tensor]"), "Sign and logarithm of |det|.");
  Matrix<EigvalsH>(m, "eigvalsh", "Eigenvalues of symmetric matrices, ascending.");
  Matrix<SvdVals>(m, "svdvals", "Singular values, descending.");
  Matrix<Det>(m, "det", "Determinants.");
  Matrix<LogDet>(m, "logdet", "log det of positive definite matrices.");
  Matrix<Inverse>(m, "inv", "x^-1; infinity or NaN where x is singular.");
  Matrix<MatrixExp>(m, "matrix_exp", "e^x.");
}

void RegisterEquations(nb::module_& m) {
  m.def(
      "solve",
      [](TensorLike a, TensorLike b) {
        const Operand x = a.operand(), y = b.operand();
        const Unlocked other_threads(Cubed(x));
        return Solve(x, y);
      },
      nb::sig("def solve(x1: TensorLike, x2: TensorLike, /) -> Tensor"), "x with x1 x = x2; a vector x2 has one axis.");
  m.def(
      "triangular_solve",
      [](TensorLike a, TensorLike b, bool lower, bool transpose, bool unit_diagonal) {
        return TriangularSolve(a.operand(), b.operand(),
                               {.lower = lower, .transpose = transpose, .unit_diagonal = unit_diagonal});
      },
      "x1"_a, "x2"_a, nb::kw_only(), "lower"_a = true, "transpose"_a = false, "unit_diagonal"_a = false,
      nb::sig("def triangular_solve(x1: TensorLike, x2: TensorLike, /, *, lower: bool = True, "
              "transpose: bool = False, unit_diagonal: bool = False) -> Tensor"),
      "x with T x = x2 for a triangle T of x1.");
  m.def(
      "cholesky_solve", [](TensorLike l, TensorLike b) { return CholeskySolve(l.operand(), b.operand()); },
      nb::sig("def cholesky_solve(l: TensorLike, x2: TensorLike, /) -> Tensor"), "x with L L' x = x2.");
  m.def(
      "lstsq", [](TensorLike a, TensorLike b) { return LeastSquares(a.operand(), b.operand()); },
      nb::sig("def lstsq(x1: TensorLike, x2: TensorLike, /) -> Tensor"),
      "x that minimises |x1 x - x2|, for x1 of full rank.");
  m.def(
      "pinv", [](TensorLike x, double rtol) { return PseudoInverse(x.operand(), rtol); }, "x"_a, nb::kw_only(),
      "rtol"_a = -1.0, nb::sig("def pinv(x: TensorLike, /, *, rtol: float = -1) -> Tensor"), "Moore-Penrose inverse.");
  m.def(
      "matrix_rank", [](TensorLike x, double rtol) { return MatrixRank(x.operand(), rtol); }, "x"_a, nb::kw_only(),
      "rtol"_a = -1.0, nb::sig("def matrix_rank(x: TensorLike, /, *, rtol: float = -1) -> Tensor"),
      "Number (int64) of singular values above rtol times the largest.");
  m.def(
      "matrix_power", [](TensorLike x, int64_t n) { return MatrixPower(x.operand(), n); },
      nb::sig("def matrix_power(x: TensorLike, n: int, /) -> Tensor"), "x^n of square matrices.");
  m.def("_matrix_norm", [](TensorLike x, const std::string& order) { return MatrixNorm(x.operand(), order); });
  m.def(
      "_vector_norm",
      [](TensorLike x, AxisLike axis, bool keepdims) { return Norm(x.operand(), axis.get(), {.keepdims = keepdims}); },
      "x"_a, "axis"_a = nb::none(), "keepdims"_a = false);
  m.def(
      "diagonal", [](TensorLike x, int64_t offset) { return DiagPart(x.operand(), offset); }, "x"_a, nb::kw_only(),
      "offset"_a = 0, nb::sig("def diagonal(x: TensorLike, /, *, offset: int = 0) -> Tensor"),
      "A diagonal of matrices.");
  m.def(
      "trace", [](TensorLike x, int64_t offset) { return Trace(x.operand(), offset); }, "x"_a, nb::kw_only(),
      "offset"_a = 0, nb::sig("def trace(x: TensorLike, /, *, offset: int = 0) -> Tensor"),
      "The sum of a diagonal of matrices.");
}

FftNorm ToNorm(const char* norm) {
  return ToEnum<FftNorm>(
      "norm", norm, {{"backward", FftNorm::kBackward}, {"ortho", FftNorm::kOrtho}, {"forward", FftNorm::kForward}});
}

template <Tensor (*F)(const Operand&, FftOptions)>
void Transform(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [name](TensorLike x, OptionalInt n, int64_t axis, const char* norm) {
        const Operand a = x.operand();
        if (n.get() == -1) ThrowInvalid(std::string(name) + ": the length n = -1 must be positive");
        const FftOptions options{.n = n.get().value_or(-1), .axis = axis, .norm = ToNorm(norm)};
        const Unlocked other_threads(kLong);
        return F(a, options);
      },
      "x"_a, "n"_a = nb::none(), "axis"_a = -1, "norm"_a = "backward",
      nb::sig(Signature(name,
                        "(x: TensorLike, /, n: int | None = None, axis: int = -1, norm: str = "
                        "'backward') -> Tensor")
                  .c_str()),
      doc);
}

}  // namespace

void RegisterLinalg(nb::module_& m) {
  RegisterProducts(m);
  nb::module_ linalg = m.def_submodule("linalg", "Linear algebra of float32 and float64 matrices.");
  RegisterFactorizations(linalg);
  RegisterEquations(linalg);
  nb::module_ fft = m.def_submodule("fft", "Discrete Fourier transforms, as numpy.fft.");
  Transform<Fft>(fft, "fft", "The transform along an axis, cut or padded to n.");
  Transform<Ifft>(fft, "ifft", "The inverse of fft.");
  Transform<Rfft>(fft, "rfft", "The first n // 2 + 1 numbers of the transform of a real x.");
  Transform<Irfft>(fft, "irfft", "The inverse of rfft, real, of length n.");
}

}  // namespace reel::python
