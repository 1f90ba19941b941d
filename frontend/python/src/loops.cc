#include "reel/loops.h"

#include <optional>

#include "callback.h"
#include "frontend/ops/control.h"
#include "frontend/record/observed.h"
#include "register.h"

// Control flow: at once when eager; in a trace, branches and loops of the graph. Structures are
// nested lists, tuples and dicts of tensors.

namespace reel::python {
namespace {

nb::tuple ArgumentsOf(nb::handle tree) {
  return PyTuple_Check(tree.ptr()) || PyList_Check(tree.ptr()) ? nb::tuple(tree) : nb::make_tuple(tree);
}

// The structure without its leaves, to be compared.
nb::object Skeleton(nb::handle tree) {
  std::vector<nb::object> leaves;
  FlattenTree(tree, &leaves);
  return RebuildTree(tree, std::vector<nb::object>(leaves.size(), nb::none()));
}

// Branches of one graph must return one structure.
void CheckStructure(const char* op, nb::handle first, nb::handle other) {
  const nb::object a = Skeleton(first), b = Skeleton(other);
  if (a.equal(b)) return;
  ThrowInvalid(Text({op, ": branches return the structures ", nb::repr(a).c_str(), " and ", nb::repr(b).c_str(),
                     "; they must be the same"}));
}

// Any structure of anything; other leaves than tensors are null.
struct Mixed {
  explicit Mixed(const nb::object& tree_) : tree(tree_) {
    FlattenTree(tree, &leaves);
    for (const nb::object& x : leaves) tensors.push_back(IsTensor(x.ptr()) ? ToTensor(x) : Tensor());
  }
  // The structure with these tensors; itself if it has them.
  nb::object With(const std::vector<Tensor>& others) {
    bool same = true;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!others[i].defined() || others[i].id() == tensors[i].id()) continue;
      leaves[i] = WrapAs(Py_TYPE(leaves[i].ptr()), others[i]);
      same = false;
    }
    return same ? tree : RebuildTree(tree, leaves);
  }
  nb::object tree;
  std::vector<nb::object> leaves;
  std::vector<Tensor> tensors;
};

// A branch that is taken at once: its tensors are treated as Cond's.
nb::object RunBranch(const nb::object& branch) {
  if (!internal::Observed()) return branch();
  std::optional<Mixed> out;
  const std::vector<Tensor> results = internal::RunBranch([&] { return out.emplace(branch()).tensors; });
  return out->With(results);
}

// The first values of the variables of a loop that runs at once: treated as WhileLoop's.
nb::object OwnOperands(const nb::object& tree) {
  if (!internal::Observed()) return tree;
  Mixed values(tree);
  std::vector<Tensor> own = values.tensors;
  internal::SeparateOperands(&own);
  return values.With(own);
}

nb::object CondOf(nb::handle pred, nb::handle true_fn, nb::handle false_fn) {
  const nb::object yes = nb::borrow(true_fn), no = nb::borrow(false_fn);
  const Operand condition = ToOperand(pred);
  const Tensor value = condition.tensor();
  if (value.type() != Type{kBool, {}})
    ThrowInvalid("cond: the condition must be a bool scalar, not " + value.type().ToString() +
                 "; compare and reduce it to one bool");
  if (!value.symbolic()) return RunBranch(value.item<bool>({}) ? yes : no);
  nb::object structure, other;
  const std::vector<Tensor> results = Cond(
      Operand(value, {}), [&] { return CallForTensors(yes, nb::tuple(), &structure); },
      [&] { return CallForTensors(no, nb::tuple(), &other); });
  CheckStructure("cond", structure, other);
  return TreeOf(structure, results);
}

nb::object WhileOf(nb::handle cond, nb::handle body, nb::handle loop_vars, OptionalInt maximum_iterations) {
  const nb::object test = nb::borrow(cond), step = nb::borrow(body);
  if (!PyList_Check(loop_vars.ptr()) && !PyTuple_Check(loop_vars.ptr()))
    ThrowType("while_loop: loop_vars is a list or tuple, not " + TypeName(loop_vars));
  const std::vector<Tensor> first = LeafTensors(loop_vars);
  const std::vector<Tensor> last = WhileLoop(
      [&](const std::vector<Tensor>& values) {
        const nb::gil_scoped_acquire lock;
        return ToTensor(test(*ArgumentsOf(TreeOf(loop_vars, values))));
      },
      [&](const std::vector<Tensor>& values) {
        return CallForTensors(step, ArgumentsOf(TreeOf(loop_vars, values)), nullptr);
      },
      first, {.maximum_iterations = maximum_iterations.get().value_or(-1)});
  return TreeOf(loop_vars, last);
}

nb::object ForOf(nb::handle n, nb::handle body, nb::handle values, OptionalInt maximum_iterations) {
  const nb::object step = nb::borrow(body);
  const std::vector<Tensor> last =
      ForLoop(ToOperand(n),
              [&](const Tensor& i, const std::vector<Tensor>& now) {
                return CallForTensors(step, nb::make_tuple(Wrap(i), TreeOf(values, now)), nullptr);
              },
              LeafTensors(values), {.maximum_iterations = maximum_iterations.get().value_or(-1)});
  return TreeOf(values, last);
}

// step(carry, x) -> (carry, y)
nb::object ScanSteps(nb::handle step, nb::handle carry, nb::handle xs, bool reverse, int64_t length) {
  const nb::object function = nb::borrow(step);
  const nb::object inputs = xs.is_none() ? nb::object(nb::tuple()) : nb::borrow(xs);
  nb::object ys_structure = nb::tuple();
  const ScanStep result = Scan(
      [&](const std::vector<Tensor>& c, const std::vector<Tensor>& x) {
        const nb::gil_scoped_acquire lock;
        const nb::object row = xs.is_none() ? nb::none() : TreeOf(inputs, x);
        const nb::object out = function(TreeOf(carry, c), row);
        if (!PyTuple_Check(out.ptr()) || NB_TUPLE_GET_SIZE(out.ptr()) != 2)
          ThrowType("scan_steps: the step returns a pair (carry, y)");
        ys_structure = out[1].is_none() ? nb::object(nb::tuple()) : nb::borrow(out[1]);
        return ScanStep{LeafTensors(out[0]), LeafTensors(ys_structure)};
      },
      LeafTensors(carry), LeafTensors(inputs), {.reverse = reverse, .length = length});
  return nb::make_tuple(TreeOf(carry, result.carry), TreeOf(ys_structure, result.ys));
}

// Rows of a structure, from and to.
nb::object Row(nb::handle tree, int64_t i) {
  std::vector<Tensor> rows;
  for (const Tensor& t : LeafTensors(tree)) rows.push_back(t[i]);
  return TreeOf(tree, rows);
}
nb::object Rest(nb::handle tree, bool reverse) {
  std::vector<Tensor> rest;
  for (const Tensor& t : LeafTensors(tree)) {
    std::vector<int64_t> starts(static_cast<size_t>(t.rank()), 0), limits = t.shape().dims();
    if (limits.empty() || limits[0] == 0) ThrowInvalid("scan: elems have no rows; give an initializer");
    reverse ? --limits[0] : ++starts[0];
    rest.push_back(Slice(t, starts, limits));
  }
  return TreeOf(tree, rest);
}

// TensorFlow's scan: values fn(... fn(initializer, elems[0]) ..., elems[i]), stacked.
nb::object ScanOf(nb::handle fn, nb::handle elems, nb::handle initializer, bool reverse) {
  const nb::object function = nb::borrow(fn);
  const bool from_first = initializer.is_none();
  const nb::object start = from_first ? Row(elems, reverse ? -1 : 0) : nb::borrow(initializer);
  const nb::object rows = from_first ? Rest(elems, reverse) : nb::borrow(elems);
  const std::vector<Tensor> first = LeafTensors(start);
  const ScanStep result = Scan(
      [&](const std::vector<Tensor>& c, const std::vector<Tensor>& x) {
        nb::gil_scoped_acquire lock;
        const nb::tuple arguments = nb::make_tuple(TreeOf(start, c), TreeOf(rows, x));
        std::vector<Tensor> next = CallForTensors(function, arguments, nullptr);
        return ScanStep{next, next};
      },
      first, LeafTensors(rows), {.reverse = reverse});
  std::vector<Tensor> ys = result.ys;
  for (size_t i = 0; from_first && i < ys.size(); ++i) {
    const Tensor row = ExpandDims(first[i], 0);
    ys[i] = reverse ? Concat({ys[i], row}) : Concat({row, ys[i]});
  }
  return TreeOf(start, ys);
}

nb::object MapOf(nb::handle fn, nb::handle elems) {
  const nb::object function = nb::borrow(fn);
  nb::object structure = nb::tuple();
  const ScanStep result = Scan(
      [&](const std::vector<Tensor>&, const std::vector<Tensor>& x) {
        const nb::gil_scoped_acquire lock;
        return ScanStep{{}, CallForTensors(function, nb::make_tuple(TreeOf(elems, x)), &structure)};
      },
      {}, LeafTensors(elems));
  return TreeOf(structure, result.ys);
}

nb::object Fold(nb::handle fn, nb::handle elems, nb::handle initializer, bool reverse) {
  const nb::object function = nb::borrow(fn);
  const bool from_first = initializer.is_none();
  const nb::object start = from_first ? Row(elems, reverse ? -1 : 0) : nb::borrow(initializer);
  const nb::object rows = from_first ? Rest(elems, reverse) : nb::borrow(elems);
  const ScanStep result = Scan(
      [&](const std::vector<Tensor>& c, const std::vector<Tensor>& x) {
        const nb::gil_scoped_acquire lock;
        const nb::tuple arguments = nb::make_tuple(TreeOf(start, c), TreeOf(rows, x));
        return ScanStep{CallForTensors(function, arguments, nullptr), {}};
      },
      LeafTensors(start), LeafTensors(rows), {.reverse = reverse});
  return TreeOf(start, result.carry);
}

nb::object SwitchOf(TensorLike index, nb::handle branches) {
  std::vector<nb::object> functions;
  for (const nb::handle f : branches) functions.push_back(nb::borrow(f));
  if (functions.empty()) ThrowInvalid("switch_case: there are no branches");
  const Tensor i = index.tensor();
  if (!i.symbolic()) {
    auto at = i.item<int64_t>({});
    if (at < 0 || at >= static_cast<int64_t>(functions.size())) at = static_cast<int64_t>(functions.size()) - 1;
    return RunBranch(functions[static_cast<size_t>(at)]);
  }
  nb::object structure;
  std::vector<std::function<std::vector<Tensor>()>> calls;
  for (const nb::object& f : functions) calls.push_back([&] { return CallForTensors(f, nb::tuple(), &structure); });
  const std::vector<Tensor> results = SwitchCase(Operand(i, {}), calls);
  return TreeOf(structure, results);
}

nb::object CaseOf(nb::handle pairs, nb::handle otherwise) {
  if (nb::len(pairs) == 0) return otherwise();
  const nb::object first = pairs[0];
  nb::list rest;
  for (size_t i = 1; i < nb::len(pairs); ++i) rest.append(pairs[i]);
  const nb::object next =
      nb::cpp_function([rest, otherwise = nb::borrow(otherwise)] { return CaseOf(rest, otherwise); });
  return CondOf(first[0], first[1], next);
}

}  // namespace

void RegisterLoops(nb::module_& m) {
  m.def("_run_branch", [](nb::object branch) { return RunBranch(branch); }, "branch"_a);
  m.def("_own_operands", [](nb::object values) { return OwnOperands(values); }, "values"_a);
  m.def("cond", &CondOf, "pred"_a, "true_fn"_a, "false_fn"_a,
        nb::sig("def cond(pred: TensorLike, true_fn: Callable[[], Any], false_fn: Callable[[], "
                "Any]) -> Any"),
        "true_fn() if the bool scalar is true, else false_fn(). In a trace: an `if` of both, whose "
        "results agree in structure and type."
        "\n\n>>> reel.cond(reel.asarray(2) > 1, lambda: 'then', lambda: 'else')\n'then'");
  m.def("while_loop", &WhileOf, "cond"_a, "body"_a, "loop_vars"_a, "maximum_iterations"_a = nb::none(),
        nb::sig("def while_loop(cond: Callable[..., TensorLike], body: Callable[..., Any], "
                "loop_vars: Sequence[Any], "
                "maximum_iterations: int | None = None) -> Any"),
        "loop_vars = body(*loop_vars) as long as cond(*loop_vars). In a trace: one `while`."
        "\n\n>>> reel.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, 2 * x), (0, 1.0))[1]\nTensor(8.0, "
        "dtype=float32)");
  m.def("for_loop", &ForOf, "n"_a, "body"_a, "values"_a, "maximum_iterations"_a = nb::none(),
        nb::sig("def for_loop(n: TensorLike, body: Callable[[Tensor, Any], Any], values: Any, "
                "maximum_iterations: int | None = None) -> Any"),
        "values = body(i, values) for i = 0, 1, ..., n - 1.");
  m.def("scan_steps", &ScanSteps, "step"_a, "carry"_a, "xs"_a = nb::none(), "reverse"_a = false, "length"_a = -1,
        nb::sig("def scan_steps(step: Callable[[Any, Any], tuple[Any, Any]], carry: Any, xs: Any = "
                "None, reverse: bool = False, length: int = -1) -> tuple[Any, Any]"),
        "(carry, ys[t]) = step(carry, xs[t]) for each row t; `length` rows without xs.");
  m.def("scan", &ScanOf, "fn"_a, "elems"_a, "initializer"_a = nb::none(), "reverse"_a = false,
        nb::sig("def scan(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, "
                "reverse: bool = False) -> Any"),
        "a = fn(a, row) for each row of elems; all values of a, stacked. Without an initializer "
        "the first row is one."
        "\n\n>>> reel.scan(lambda a, x: a + x, reel.asarray([1, 2, 3]))\nTensor([1, 3, 6], dtype=int64)");
  m.def("map_fn", &MapOf, "fn"_a, "elems"_a, nb::sig("def map_fn(fn: Callable[[Any], Any], elems: Any) -> Any"),
        "fn of each row, stacked."
        "\n\n>>> reel.map_fn(lambda x: x * x, reel.asarray([1, 2, 3]))\nTensor([1, 4, 9], dtype=int64)");
  m.def(
      "foldl", [](nb::handle f, nb::handle e, nb::handle i) { return Fold(f, e, i, false); }, "fn"_a, "elems"_a,
      "initializer"_a = nb::none(),
      nb::sig("def foldl(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None) -> Any"),
      "a = fn(a, row) for each row; the last a.");
  m.def(
      "foldr", [](nb::handle f, nb::handle e, nb::handle i) { return Fold(f, e, i, true); }, "fn"_a, "elems"_a,
      "initializer"_a = nb::none(),
      nb::sig("def foldr(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None) -> Any"),
      "The same from the last row to the first.");
  m.def("switch_case", &SwitchOf, "branch_index"_a, "branch_fns"_a,
        nb::sig("def switch_case(branch_index: TensorLike, branch_fns: Sequence[Callable[[], "
                "Any]]) -> Any"),
        "branch_fns[branch_index](); an index out of range calls the last one.");
  m.def("case", &CaseOf, "pred_fn_pairs"_a, "default"_a,
        nb::sig("def case(pred_fn_pairs: Sequence[tuple[TensorLike, Callable[[], Any]]], default: "
                "Callable[[], Any]) -> Any"),
        "The function of the first true bool scalar, called; default() if none is.");
}

}  // namespace reel::python
