#ifndef REEL_PYTHON_COMMON_H_
#define REEL_PYTHON_COMMON_H_

#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>

#include <initializer_list>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "reel/ops.h"
#include "reel/tensor.h"
#include "reel/variable.h"

// What all files of the extension share: Python objects as operands, shapes, axes and dtypes.
//
// Arguments are wrapped objects that the bodies convert, so that a wrong one is an error of Reel's
// that says what was expected, and the hot path has no overloads to try.

namespace reel::python {

namespace nb = nanobind;
using namespace nb::literals;

/// Of what Python calls: its line is found where it is asked for.
inline constexpr std::source_location kNoLocation{};

/// The bound types, set when they are.
struct Types {
  PyTypeObject* tensor = nullptr;
  PyTypeObject* variable = nullptr;
  PyTypeObject* dtype = nullptr;
  // reel.tf's, null until that is imported: subclasses whose operators have TensorFlow's rules.
  PyTypeObject* tf_tensor = nullptr;
  PyTypeObject* tf_variable = nullptr;
};
extern Types types;

inline bool IsTfTensor(PyObject* x) { return Py_TYPE(x) == types.tf_tensor; }
inline bool IsTfVariable(PyObject* x) { return types.tf_variable && PyObject_TypeCheck(x, types.tf_variable) != 0; }
inline bool IsTensor(PyObject* x) { return Py_TYPE(x) == types.tensor || IsTfTensor(x); }
inline bool IsVariable(PyObject* x) { return PyObject_TypeCheck(x, types.variable) != 0; }
inline bool IsDType(PyObject* x) { return Py_TYPE(x) == types.dtype; }
inline const Tensor& TensorOf(PyObject* x) { return *nb::inst_ptr<Tensor>(x); }
inline const Variable& VariableOf(PyObject* x) { return *nb::inst_ptr<Variable>(x); }

/// A new Python object of the tensor.
nb::object Wrap(Tensor tensor);
/// A new Python object of a class of tensors.
nb::object WrapAs(PyTypeObject* type, Tensor tensor);
/// The Python object of the variable: the one it was made as, while that lives.
nb::object WrapVariable(const Variable& variable);
/// The object of a dtype; there is one of each.
nb::object DTypeObject(DType dtype);

/// The parts one after the other.
std::string Text(std::initializer_list<std::string_view> parts);
/// What type stubs show of a function: "def name(...) -> ...".
std::string Signature(std::string_view name, std::string_view rest);

/// Name of the object's type, for errors.
std::string TypeName(nb::handle x);
/// A TypeError of Reel's; all of these append the line of the Python program.
[[noreturn]] void ThrowType(const std::string& message);
[[noreturn]] void ThrowInvalid(const std::string& message);
[[noreturn]] void ThrowIndex(const std::string& message);
[[noreturn]] void ThrowFailed(const std::string& message);
/// " (file:line)" of the Python program; empty if unknown.
std::string AtUserLine();

/// "there are: a, b; did you mean 'b'?": names, and which of them was likely meant.
std::string Choices(std::string_view wanted, const std::vector<std::string>& names);
/// Throws what options there are, and which of them `wanted` is nearest to. `kind`: option, hyperparameter.
[[noreturn]] void ThrowNoOption(const std::string& of, const char* kind, const std::string& wanted,
                                const std::vector<std::string>& names);

/// The tensor; throws what to do instead if it is symbolic.
const Tensor& Concrete(const Tensor& x, const char* what);

// --- conversions; all throw Error (InvalidType if the object is of no use, else InvalidArgument)
// ---

/// A tensor, variable or Python number (weak) as an operand; anything AsTensor takes as a tensor.
Operand ToOperand(nb::handle x);
/// The operand of a tensor or a number that Reel knows at once; nothing for all else.
std::optional<Operand> QuickOperand(PyObject* x);
/// The operand as a tensor; a number gets its default dtype.
Tensor ToTensor(nb::handle x);
std::vector<Tensor> ToTensors(nb::handle sequence);
/// The operand as a tensor; a number gets the dtype that it has beside one of `dtype`.
Tensor ToTensorBeside(nb::handle x, DType dtype);
/// As ToTensors for the operands of one op: numbers get the dtype that they have beside the others.
std::vector<Tensor> ToTensorsTogether(nb::handle sequence);
/// What reel.asarray makes: numbers, nested sequences of numbers and tensors, and arrays, whose
/// elements are copied unless `share`.
Tensor AsTensor(nb::handle x, std::optional<DType> dtype, bool share = false);
/// An object with the buffer protocol or __array__, as a tensor; nothing if it has neither.
std::optional<Tensor> FromArray(nb::handle x, bool share);

/// reel.float32, "float32", numpy.float32, numpy.dtype("float32"), float; None is nothing.
std::optional<DType> ToDType(nb::handle x);
int64_t ToInt(nb::handle x, const char* what);
double ToDouble(nb::handle x, const char* what);
/// An integer, or a sequence of them.
std::vector<int64_t> ToInts(nb::handle x, const char* what);
Shape ToShape(nb::handle x);
/// None: all.
Axes ToAxes(nb::handle x);

/// A key of a table of names: ToEnum("mode", mode, {{"set", kSet}, ...}).
template <typename E>
E ToEnum(const char* what, std::string_view name, std::initializer_list<std::pair<std::string_view, E>> table) {
  std::vector<std::string> known;
  for (const auto& [key, value] : table) {
    if (key == name) return value;
    known.emplace_back(key);
  }
  ThrowInvalid(Text({what, ": there is no '", name, "'; ", Choices(name, known)}));
}

/// A text of C++ with what Python says for C++'s names.
std::string InPython(std::string text);
/// Shape as a tuple; None for symbolic extents.
nb::object ShapeTuple(const Shape& shape);

/// A TypeError: C++ has no code for it.
class TypeMistake : public Error {
 public:
  explicit TypeMistake(const std::string& message) : Error(ErrorCode::kInvalidArgument, message) {}
};

/// Other Python threads run while it lives, if what is to be done takes longer than about 10 us.
class Unlocked {
 public:
  /// `work` counts elements of cheap ops, 16,384 of which are 10 us.
  explicit Unlocked(int64_t work) : state_(work < 16384 ? nullptr : PyEval_SaveThread()) {}
  ~Unlocked() {
    if (state_) PyEval_RestoreThread(state_);
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};
/// Always.
inline constexpr int64_t kLong = int64_t{1} << 40;

/// Elements of operands, as work. Tracing symbolic extents is none.
inline int64_t Work(const Operand& x) { return x.type().shape.is_constant() ? x.type().shape.size() : 0; }

// --- arguments: the object as it came, with the name that type stubs show ---

struct TensorLike {
  PyObject* object = nullptr;
  Operand operand() const { return ToOperand(object); }
  Tensor tensor() const { return ToTensor(object); }
  bool none() const { return object == Py_None; }
};
struct DTypeLike {
  PyObject* object = nullptr;
  std::optional<DType> get() const { return ToDType(object); }
  DType get(DType otherwise) const { return get().value_or(otherwise); }
};
struct ShapeLike {
  PyObject* object = nullptr;
  Shape get() const { return ToShape(object); }
};
struct AxisLike {
  PyObject* object = nullptr;
  Axes get() const { return ToAxes(object); }
  bool none() const { return object == Py_None; }
};
struct IntsLike {
  PyObject* object = nullptr;
  std::vector<int64_t> get(const char* what) const { return ToInts(object, what); }
  bool none() const { return object == Py_None; }
};
struct OptionalInt {
  PyObject* object = nullptr;
  std::optional<int64_t> get() const { return object == Py_None ? std::nullopt : std::optional(ToInt(object, "axis")); }
};
struct TensorList {
  PyObject* object = nullptr;
  std::vector<Tensor> get() const { return ToTensorsTogether(object); }
};

}  // namespace reel::python

NAMESPACE_BEGIN(NB_NAMESPACE)
NAMESPACE_BEGIN(detail)
#define REEL_ARGUMENT(Type, text)                                       \
  template <>                                                           \
  struct type_caster<reel::python::Type> {                              \
    NB_TYPE_CASTER(reel::python::Type, const_name(text))                \
    bool from_python(handle source, uint32_t, cleanup_list*) noexcept { \
      value.object = source.ptr();                                      \
      return true;                                                      \
    }                                                                   \
  };
REEL_ARGUMENT(TensorLike, "TensorLike")
REEL_ARGUMENT(DTypeLike, "DTypeLike")
REEL_ARGUMENT(ShapeLike, "ShapeLike")
REEL_ARGUMENT(AxisLike, "AxisLike")
REEL_ARGUMENT(IntsLike, "IntsLike")
REEL_ARGUMENT(OptionalInt, "int | None")
REEL_ARGUMENT(TensorList, "Sequence[TensorLike]")
#undef REEL_ARGUMENT
NAMESPACE_END(detail)
NAMESPACE_END(NB_NAMESPACE)

#endif  // REEL_PYTHON_COMMON_H_
