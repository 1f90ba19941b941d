#ifndef REEL_TESTS_OPS_RANDOM_GRAPH_MAKER_H_
#define REEL_TESTS_OPS_RANDOM_GRAPH_MAKER_H_

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/strings.h"
#include "tests/ops/op_cases.h"
#include "tests/ops/random_graph.h"

namespace reel::optable {

using ir::Op;
using ir::Value;

// What is known of a float: |x| <= bound, and two engines differ by at most `error` (0: not at
// all).
struct Known {
  double bound = 0, error = 0;
  bool exact() const { return error == 0; }
};

constexpr double kMaxBound = 1e4;
constexpr int64_t kMaxSize = 4096;

/// Draws one graph: each step picks a maker, which adds an op to the pool if operands for it exist.
class GraphMaker {
 public:
  GraphMaker(uint64_t seed, const RandomGraphOptions& options)
      : options_(options),
        rng_(seed),
        next_function_(seed),
        module_(StrCat("random_", seed)),
        f_("main"),
        b_(&f_, &module_) {}

  RandomGraph Make() {
    AddInputs();
    Function();
    const int nodes = options_.min_nodes + Int(options_.max_nodes - options_.min_nodes + 1);
    for (int tries = 0; static_cast<int>(f_.nodes().size()) < nodes && tries < 100 * nodes; ++tries) Step();
    if (!b_.status().ok()) throw std::logic_error(std::string(b_.status().message()));
    RandomGraph out;
    std::vector<Value> results;
    std::vector<bool> used(static_cast<size_t>(f_.num_values()));
    for (const ir::Node& node : f_.nodes()) {
      for (Value v : node.operands) used[static_cast<size_t>(v.id)] = true;
    }
    for (Value v : pool_) {
      if (f_.is_parameter(v) || (used[static_cast<size_t>(v.id)] && Int(6) != 0)) continue;
      results.push_back(v);
      out.allowed.push_back(4 * known(v).error);
    }
    f_.SetResults(std::move(results));
    module_.AddFunction(std::move(f_));
    out.module = std::move(module_);
    out.inputs = std::move(inputs_);
    return out;
  }

 private:
  int Int(int64_t n) { return static_cast<int>(rng_() % static_cast<uint64_t>(n)); }
  template <typename T>
  const T& Pick(const std::vector<T>& list) {
    return list[static_cast<size_t>(Int(static_cast<int64_t>(list.size())))];
  }
  const Type& type(Value v) const { return f_.type(v); }
  bool is_float(Value v) const { return IsFloat(type(v).dtype); }
  bool is_int(Value v) const { return IsInteger(type(v).dtype); }
  bool is_bool(Value v) const { return type(v).dtype == kBool; }
  Known& known(Value v) {
    if (known_.size() <= static_cast<size_t>(v.id)) known_.resize(static_cast<size_t>(v.id) + 1);
    return known_[static_cast<size_t>(v.id)];
  }
  static double Epsilon(DType d) {
    return d == kFloat32 ? double{std::numeric_limits<float>::epsilon()} : std::numeric_limits<double>::epsilon();
  }
  double Epsilon(Value v) const { return Epsilon(type(v).dtype); }

  // Puts a value into the pool.
  Value Keep(Value v, Known k = {}) {
    if (!v.valid()) return v;
    known(v) = k;
    pool_.push_back(v);
    return v;
  }
  // Result of a function that is not correctly rounded, or of inexact operands.
  Value KeepRounded(Value v, double bound, double error, bool exact) {
    return Keep(v, {bound, exact ? 0 : error + 2 * Epsilon(v) * bound + 1e-30});
  }

  // A random value of the pool that satisfies the test; invalid if there is none.
  template <typename F>
  Value Find(F test) {
    std::vector<Value> fit;
    for (Value v : pool_) {
      if (test(v)) fit.push_back(v);
    }
    return fit.empty() ? Value{} : Pick(fit);
  }
  Value FindLike(Value a) {
    return Find([&](Value v) { return type(v) == type(a); });
  }

  // In two steps: the order in which arguments are evaluated is the compiler's.
  Value OnePlusAbs(Value x) {
    const Value a = b_.Abs(x);
    return b_.Add(a, b_.ScalarLike(x, 1));
  }

  Value Squashed(Value x, double low, double high, double* error);
  void AddInputs();
  void Step();
  void FloatUnary();
  void IntUnary();
  void FloatBinary();
  void IntBinary();
  void Compare();
  void Logic();
  void Select();
  void Cast();
  void Reduce();
  void Move();
  void Stretch();
  void Contract();
  void Factor();
  void Index();
  void Window();
  void Function();
  void Exact();
  void Accumulate();
  void Arrange();
  void Convolve();
  void AsComplex();
  void Control();
  void AddBody(std::string_view name, const Type& type);
  void AddLoop(std::string_view suffix, const Type& type);

  RandomGraphOptions options_;
  Rng rng_;
  uint64_t next_function_;
  ir::Module module_;
  ir::Function f_;
  ir::Builder b_;
  std::vector<ir::Literal> inputs_;
  std::vector<Value> pool_;
  std::vector<Known> known_;
  Value indices_, random_state_;  // i64[4] in [0, 3); i64[2]
};

}  // namespace reel::optable

#endif  // REEL_TESTS_OPS_RANDOM_GRAPH_MAKER_H_
