// Every gradient rule against finite differences, first and second order, and what it may refer to.

#include <gtest/gtest.h>

#include <cmath>

#include "ir/strings.h"
#include "tests/passes/gradient_testing.h"

namespace reel::passes {
namespace {

using ir::Builder;
using ir::Op;

struct Case {
  Op op;  // what the last node of the body is
  std::string name;
  std::vector<Type> types;
  std::vector<Doubles> inputs;
  std::function<Value(Builder&, const Values&)> body;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const Type kVector = F64({4});
const Doubles kAny4{0.3, -1.2, 2.1, -0.4}, kOther4{-0.7, 0.9, 1.4, -2.2}, kPositive4{0.5, 1.3, 2.0, 0.4},
    kUnit4{0.6, -0.2, 0.4, -0.3}, kAboveOne4{1.5, 2.5, 1.2, 3};

// Inside of the function's domain, on both sides of 0 where it has them.
const Doubles& InputOf(Op op) {
  for (const Doubles* x : {&kAny4, &kUnit4, &kPositive4}) {
    ir::Function f("f");
    const Value parameter = f.AddParameter("x", kVector);
    f.SetResults({Builder(&f).Emit(op, {parameter})});
    const auto y = ir::EvaluateLiterals(ir::Module("m"), f, {ir::Literal::From<double>({4}, *x)});
    bool finite = y.ok();
    for (int64_t k = 0; finite && k < 4; ++k) finite = std::isfinite((*y)[0].AsDouble(k));
    if (finite) return *x;
  }
  return kAboveOne4;
}

Case Unary(Op op, const Doubles& x) {
  return {
      op, std::string(ir::Name(op)), {kVector}, {x}, [op](Builder& b, const Values& p) { return b.Emit(op, {p[0]}); }};
}
Case Binary(Op op) {
  return {op, std::string(ir::Name(op)), {kVector, kVector}, {kAny4, kOther4}, [op](Builder& b, const Values& p) {
            return b.Emit(op, {p[0], p[1]});
          }};
}

std::vector<Case> Elementwise() {
  std::vector<Case> cases;
  for (Op op : {Op::kIdentity, Op::kNeg, Op::kAbs, Op::kSign}) cases.push_back(Unary(op, kAny4));
  cases.push_back(Unary(Op::kSqrt, kPositive4));
#define OP(...)
#define UNARY(...)
#define BINARY(...)
#define FUNCTION(Enum, ...) cases.push_back(Unary(Op::k##Enum, InputOf(Op::k##Enum)));
#include "ir/ops.def"
#undef OP
  for (Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kRem, Op::kAtan2, Op::kMax, Op::kMin, Op::kNextAfter}) {
    cases.push_back(Binary(op));
  }
  cases.push_back({Op::kPow, "pow", {kVector, kVector}, {kPositive4, kOther4}, [](Builder& b, const Values& p) {
                     return b.Pow(p[0], p[1]);
                   }});
  cases.push_back({Op::kCast, "cast", {kVector}, {kAny4}, [](Builder& b, const Values& p) {
                     return b.Emit(Op::kCast, {p[0]}, {{"dtype", kFloat64}});
                   }});
  for (Op op : {Op::kReal, Op::kImag}) {  // of a kComplex, whose rule is so seen too
    cases.push_back(
        {op, std::string(ir::Name(op)), {kVector, kVector}, {kAny4, kOther4}, [op](Builder& b, const Values& p) {
           const Value z = b.Complex(p[0], p[1]);
           return b.Emit(op, {b.Mul(z, z)});
         }});
  }
  cases.push_back({Op::kSelect,
                   "select",
                   {{kBool, {4}}, kVector, kVector},
                   {{1, 0, 0, 1}, kAny4, kOther4},
                   [](Builder& b, const Values& p) { return b.Select(p[0], p[1], p[2]); }});
  return cases;
}

// f(n, x) with n an integer operand cast to x's dtype, or f(n, n, x): operands without a derivative.
Case SpecialOf(Op op, const Doubles& n, const Doubles& x) {
  return {op, std::string(ir::Name(op)), {I32({4}), kVector}, {n, x}, [op](Builder& b, const Values& p) {
            const Value order = b.Cast(p[0], kFloat64);
            return op == Op::kBetainc ? b.Emit(op, {order, order, p[1]}) : b.Emit(op, {order, p[1]});
          }};
}

std::vector<Case> Special() {
  const Doubles fractions{0.3, -0.6, 0.8, -0.1}, beside_one{0.4, 1.3, 1.7, 0.9};
  const Doubles unit{0.2, 0.5, 0.7, 0.4}, orders{1, 2, 3, 4};
  return {Unary(Op::kErfc, kAny4),
          Unary(Op::kErfInv, fractions),
          Unary(Op::kErfcInv, beside_one),
          Unary(Op::kLgamma, {0.5, 1.3, 2.0, 7.1}),
          Unary(Op::kDigamma, {0.5, 1.3, 2.0, 7.1}),
          SpecialOf(Op::kIgamma, orders, {0.5, 1.3, 2.0, 7.1}),
          SpecialOf(Op::kIgammac, orders, {0.5, 1.3, 2.0, 7.1}),
          SpecialOf(Op::kZeta, {2, 3, 4, 5}, {0.5, 1.3, 2.0, 7.1}),
          SpecialOf(Op::kPolygamma, orders, {0.9, 1.3, 2.0, 7.1}),
          SpecialOf(Op::kBetainc, orders, unit)};
}

std::vector<Case> Reductions() {
  std::vector<Case> cases;
  const Doubles x{0.3, -1.2, 2.1, -0.4, 1.1, 0.7, -2.0, 0.9, 3.0, -0.1, 0.2, 0.5};
  for (const std::vector<int64_t>& axes : {std::vector<int64_t>{1}, {0, 2}, {0, 1, 2}}) {
    for (Op op : {Op::kReduceSum, Op::kReduceMax, Op::kReduceMin, Op::kReduceProd}) {
      cases.push_back(
          {op, StrCat(ir::Name(op), axes.size()), {F64({2, 3, 2})}, {x}, [op, axes](Builder& b, const Values& p) {
             return b.Emit(op, {p[0]}, {{"axes", axes}});
           }});
    }
  }
  return cases;
}

const Doubles kSix{0.3, -1.2, 2.1, -0.4, 1.1, 0.7};

std::vector<Case> Shapes() {
  const auto type = std::vector<Type>{F64({2, 3})};
  std::vector<Case> cases;
  const auto add = [&](Op op, const std::string& name, auto body) { cases.push_back({op, name, type, {kSix}, body}); };
  using P = const Values&;
  add(Op::kReshape, "reshape", [](Builder& b, P p) { return b.Reshape(p[0], {3, 1, 2}); });
  add(Op::kTranspose, "transpose", [](Builder& b, P p) { return b.Transpose(p[0], {1, 0}); });
  add(Op::kSlice, "slice", [](Builder& b, P p) { return b.Slice(p[0], {1, 0}, {2, 3}, {1, 2}); });
  add(Op::kSlice, "slice_tail", [](Builder& b, P p) { return b.Slice(p[0], {0, 0}, {2, 2}, {1, 2}); });
  add(Op::kSlice, "slice_empty", [](Builder& b, P p) { return b.Slice(p[0], {0, 1}, {2, 1}, {1, 1}); });
  add(Op::kBroadcast, "broadcast", [](Builder& b, P p) { return b.Broadcast(p[0], {2, 4, 3}, {0, 2}); });
  add(Op::kReverse, "reverse", [](Builder& b, P p) { return b.Reverse(p[0], {0, 1}); });
  add(Op::kWindow, "window", [](Builder& b, P p) { return b.Window(p[0], {{1, 0}, {2, 2}, {1, 1}, {1, 1}}); });
  add(Op::kWindow, "window_apart", [](Builder& b, P p) { return b.Window(p[0], {{1}, {2}, {3}, {1}}); });
  cases.push_back({Op::kWindow, "window_dilated", {F64({6})}, {kSix}, [](Builder& b, P p) {
                     return b.Window(p[0], {{0}, {2}, {2}, {3}});
                   }});
  cases.push_back({Op::kBroadcast, "broadcast_stretch", {F64({1, 3})}, {{1.5, 2, -1}}, [](Builder& b, P p) {
                     return b.Broadcast(p[0], {2, 4, 3}, {1, 2});
                   }});
  cases.push_back({Op::kBroadcast, "broadcast_scalar", {F64()}, {{1.5}}, [](Builder& b, P p) {
                     return b.Broadcast(p[0], {2, 2}, {});
                   }});
  cases.push_back({Op::kPad, "pad", {F64({2, 3}), F64()}, {kSix, {0.7}}, [](Builder& b, P p) {
                     return b.Pad(p[0], p[1], {1, 0}, {0, 2}, {0, 1});
                   }});
  cases.push_back({Op::kPad, "pad_empty", {F64({0, 2}), F64()}, {{}, {0.7}}, [](Builder& b, P p) {
                     return b.Pad(p[0], p[1], {1, 0}, {1, 0}, {2, 0});
                   }});
  return cases;
}

Case ContractCase(const std::string& name, const Shape& a, const Shape& b_shape, const Builder::ContractAxes& axes) {
  Doubles x, y;
  for (int64_t i = 0; i < a.size(); ++i) x.push_back(std::sin(static_cast<double>(i) + 1));
  for (int64_t i = 0; i < b_shape.size(); ++i) y.push_back(std::cos(static_cast<double>(3 * i)));
  return {Op::kContract, name, {F64(a), F64(b_shape)}, {x, y}, [axes](Builder& b, const Values& p) {
            return b.Contract(p[0], p[1], axes);
          }};
}

std::vector<Case> Contractions() {
  return {
      ContractCase("contract_matmul", {2, 3}, {3, 4}, {{}, {}, {1}, {0}}),
      ContractCase("contract_transposed", {3, 2}, {4, 3}, {{}, {}, {0}, {1}}),
      ContractCase("contract_outer", {2}, {3}, {{}, {}, {}, {}}),
      ContractCase("contract_dot", {3}, {3}, {{}, {}, {0}, {0}}),
      ContractCase("contract_batch", {2, 3, 4}, {4, 2, 2}, {{0}, {1}, {2}, {0}}),
      ContractCase("contract_two_axes", {2, 3, 4, 2}, {4, 5, 2, 2}, {{3}, {2}, {2, 0}, {0, 3}}),
      ContractCase("contract_two_batches", {2, 3, 2}, {3, 2, 4}, {{2, 1}, {1, 0}, {}, {}}),
      ContractCase("contract_empty", {2, 0}, {0, 3}, {{}, {}, {1}, {0}}),
  };
}

Doubles Waves(int64_t n, double step) {
  Doubles x;
  for (int64_t i = 0; i < n; ++i) x.push_back(std::sin(step * static_cast<double>(i) + 1));
  return x;
}

std::vector<Case> Convolutions() {
  const auto conv = [](const std::string& name, const Shape& a, const Shape& filter, const Builder::ConvGeometry& q) {
    return Case{Op::kConv,
                name,
                {F64(a), F64(filter)},
                {Waves(a.size(), 1), Waves(filter.size(), 3)},
                [q](Builder& b, const Values& p) { return b.Conv(p[0], p[1], q); }};
  };
  return {
      conv("conv", {1, 5, 1, 2}, {2, 1, 2, 2}, {{1}, {0}, {0}, {1}, {1}}),
      conv("conv_all", {2, 5, 2, 1}, {2, 2, 1, 2}, {{2}, {1}, {2}, {3}, {2}}),
      conv("conv_cut", {1, 6, 1, 1}, {2, 1, 1, 1}, {{1}, {-2}, {-1}, {2}, {1}}),
      conv("conv_plane", {1, 3, 4, 1, 2}, {2, 3, 1, 2, 1}, {{1, 2}, {1, 0}, {0, 1}, {1, 1}, {1, 1}}),
  };
}

std::vector<Case> Recurrences() {
  std::vector<Case> cases;
  for (bool reverse : {false, true}) {
    cases.push_back({Op::kRecurrence,
                     reverse ? "recurrence_reverse" : "recurrence",
                     {F64({3, 2}), F64({3, 2})},
                     {Waves(6, 1), Waves(6, 2)},
                     [reverse](Builder& b, const Values& p) { return b.Recurrence(p[0], p[1], 0, reverse); }});
  }
  return cases;
}

// A group of one. Groups of several are in tests/frontend/distributed_test.cc.
std::vector<Case> Collectives() {
  std::vector<Case> cases;
  for (Op op : {Op::kAllReduce, Op::kReduceScatter, Op::kAllGather, Op::kAllToAll, Op::kBroadcastFrom}) {
    const bool reduces = op == Op::kAllReduce || op == Op::kReduceScatter;
    for (const char* kind : {"sum", "mean", "max"}) {
      if (!reduces && std::string(kind) != "sum") continue;
      ir::Attributes attributes{{"size", int64_t{1}}};
      if (reduces) attributes.Set("kind", std::string(kind));
      if (op == Op::kBroadcastFrom) attributes.Set("root", int64_t{0});
      cases.push_back({op, StrCat(ir::Name(op), "_", kind), {F64({2, 3})}, {kSix}, [=](Builder& b, const Values& p) {
                         return b.Emit(op, {p[0]}, attributes);
                       }});
    }
  }
  return cases;
}

std::vector<Case> Scatters() {
  std::vector<Case> cases;
  for (Op op : {Op::kScatterSet, Op::kScatterMax, Op::kScatterMin, Op::kScatterMul}) {
    cases.push_back({op,
                     std::string(ir::Name(op)),
                     {F64({3, 2}), I32({2, 2}), F64({2, 2, 2})},
                     {Waves(6, 1), {2, 0, 2, -1}, Waves(8, 2)},
                     [op](Builder& b, const Values& p) { return b.Scatter(op, p[0], p[1], p[2], 0); }});
  }
  return cases;
}

std::vector<Case> Indexed() {
  using P = const Values&;
  const Doubles a{0.3, -1.2, 2.1, -0.4, 1.1, 0.7};
  const Doubles updates{1, 2, 3, 4, 5, 6, 7, 8};
  return {
      {Op::kGather,
       "gather",
       {F64({3, 2}), I32({2, 2})},
       {a, {2, 0, 2, 7}},
       [](Builder& b, P p) { return b.Gather(p[0], p[1], 0); }},
      {Op::kGather,
       "gather_axis1",
       {F64({2, 3}), I32()},
       {a, {1}},
       [](Builder& b, P p) { return b.Gather(p[0], p[1], 1); }},
      {Op::kScatterAdd,
       "scatter_add",
       {F64({3, 2}), I32({2, 2}), F64({2, 2, 2})},
       {a, {2, 0, 2, -1}, updates},
       [](Builder& b, P p) { return b.ScatterAdd(p[0], p[1], p[2], 0); }},
      {Op::kDynamicSlice,
       "dynamic_slice",
       {F64({2, 3}), I32()},
       {a, {5}},
       [](Builder& b, P p) { return b.DynamicSlice(p[0], p[1], 1, 2); }},
      {Op::kDynamicUpdate,
       "dynamic_update",
       {F64({2, 3}), F64({2, 2}), I32()},
       {a, {1, 2, 3, 4}, {1}},
       [](Builder& b, P p) { return b.DynamicUpdate(p[0], p[1], p[2], 1); }},
  };
}

const Doubles kSquare{2, 0.3, -0.5, 0.4, -3, 0.7, 0.1, 0.9, 5};

// Of (x + x') / 2: derivatives of ops that read one triangle are those of symmetric matrices.
Value Symmetric(Builder& b, Value x) {
  const Value both = b.Add(x, b.Transpose(x, {1, 0}));
  return b.Mul(both, b.ScalarLike(both, 0.5));
}

std::vector<Case> Matrices() {
  using P = const Values&;
  std::vector<Case> cases{
      {Op::kCholesky, "cholesky", {F64({3, 3})}, {{3, 0.5, -0.2, 0.3, 2, 0.7, 0.1, 0.4, 2.5}}, [](Builder& b, P p) {
         return b.Emit(Op::kCholesky, {Symmetric(b, p[0])});
       }}};
  for (int form = 0; form < 8; ++form) {
    const Builder::TriangularForm f{(form & 1) != 0, (form & 2) != 0, (form & 4) != 0};
    cases.push_back({Op::kTriangularSolve,
                     StrCat("triangular_solve", form),
                     {F64({3, 3}), F64({3, 2})},
                     {kSquare, kSix},
                     [f](Builder& b, P p) { return b.TriangularSolve(p[0], p[1], f); }});
  }
  const auto add = [&](Op op, const Shape& shape, size_t results) {
    Doubles x(kSquare.begin(), kSquare.begin() + shape.size());
    for (size_t i = 0; i < results; ++i) {
      const std::string name = StrCat(ir::Name(op), shape.dim(0), shape.dim(1), "_", i);
      cases.push_back({op, name, {F64(shape)}, {x}, [op, i](Builder& b, P p) { return b.EmitAll(op, {p[0]})[i]; }});
    }
  };
  add(Op::kLu, {3, 3}, 1);
  add(Op::kEigh, {3, 3}, 2);
  for (const Shape& shape : {Shape{3, 3}, Shape{4, 2}, Shape{2, 4}}) {
    add(Op::kQr, shape, 2);
    add(Op::kSvd, shape, 3);
  }
  return cases;
}

std::vector<Case> AllCases() {
  std::vector<Case> all;
  for (auto family : {Elementwise, Special, Reductions, Shapes, Contractions, Convolutions, Recurrences, Matrices,
                      Indexed, Scatters, Collectives}) {
    for (Case& c : family()) all.push_back(std::move(c));
  }
  return all;
}

class GradientRule : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Ops, GradientRule, testing::ValuesIn(AllCases()),
                         [](const auto& info) { return info.param.name; });

TEST_P(GradientRule, MatchesFiniteDifferences) {
  const Case& c = GetParam();
  ir::Module m;
  Define(&m, "f", c.types, [&c](Builder& b, const Values& p) { return Values{c.body(b, p)}; });
  CheckDerivatives(&m, "f", c.inputs, 2);
}

// Squares the result so that the cotangent depends on the inputs: third derivatives see all of a
// rule.
TEST_P(GradientRule, MatchesFiniteDifferencesInsideAComposition) {
  const Case& c = GetParam();
  ir::Module m;
  Define(&m, "f", c.types, [&c](Builder& b, const Values& p) {
    const Value y = c.body(b, p);
    return Values{b.Mul(y, y)};
  });
  CheckDerivatives(&m, "f", c.inputs, 3);
}

// The nodes from `first` on refer to the operands and results of `node` only as declared.
void ExpectReadsOnly(const ir::Function& f, size_t first, const ir::Node& node, Needs needs) {
  for (size_t n = first; n < f.nodes().size(); ++n) {
    for (Value v : f.nodes()[n].operands) {
      for (size_t i = 0; i < node.operands.size(); ++i) {
        EXPECT_TRUE(v != node.operands[i] || (needs.operands >> i & 1)) << "operand " << i;
      }
      EXPECT_TRUE(v != node.result() || (needs.results & 1));
    }
  }
}

// New nodes may refer to a forward value only if the rule declares it.
TEST_P(GradientRule, ReadsOnlyWhatItDeclares) {
  const Case& c = GetParam();
  ir::Module m;
  ir::Function& f = Define(&m, "f", c.types, [&c](Builder& b, const Values& p) { return Values{c.body(b, p)}; });
  const ir::Node node = f.nodes().back();
  ASSERT_EQ(node.op, c.op);
  Values xs;
  for (int i = 0; i < f.num_parameters(); ++i) xs.push_back({i});
  const size_t before = f.nodes().size();
  ASSERT_TRUE(Gradients(&f, &m, {node.result()}, xs).ok());
  ExpectReadsOnly(f, before, node, NeededByGradient(c.op));
  for (uint32_t i = 0; i < xs.size(); ++i) {  // each operand alone
    const size_t now = f.nodes().size();
    ASSERT_TRUE(Gradients(&f, &m, {node.result()}, {xs[i]}).ok());
    ExpectReadsOnly(f, now, node, NeededByGradient(c.op, 1u << i));
  }
}

TEST(GradientRules, AProductWithAConstantNeedsOnlyTheConstant) {
  EXPECT_EQ(NeededByGradient(Op::kMul, 1), (Needs{2, 0}));
  EXPECT_EQ(NeededByGradient(Op::kContract, 2), (Needs{1, 0}));
  EXPECT_EQ(NeededByGradient(Op::kDiv, 1), (Needs{2, 0}));
  EXPECT_EQ(NeededByGradient(Op::kMul, 3), NeededByGradient(Op::kMul));
}

TEST(GradientRules, EveryDifferentiableOpHasACase) {
  std::vector<bool> seen(ir::AllOps().size());
  for (const Case& c : AllCases()) seen[static_cast<size_t>(c.op)] = true;
  for (Op op : ir::AllOps()) {
    if (ir::Info(op).Has(ir::kControl)) continue;  // gradient_control_test.cc
    if (op == Op::kComplex) continue;              // in the cases of real and imag
    EXPECT_EQ(seen[static_cast<size_t>(op)], HasGradient(op)) << ir::Name(op);
  }
}

TEST(GradientRules, ConvertsTheCotangentOfACast) {
  ir::Module m;
  Define(&m, "f", {{kFloat32, {}}}, [](Builder& b, const Values& p) {
    const Value wide = b.Cast(p[0], kFloat64);
    return Values{b.Mul(wide, wide)};
  });
  const auto g = AddGradientFunction(&m, "f", {}, {});
  ASSERT_TRUE(g.ok());
  EXPECT_EQ(m.FindFunction(g->name)->type(m.FindFunction(g->name)->results()[0]), (Type{kFloat32, {}}));
  EXPECT_EQ(RunFunction(m, g->name, {{3}})[0], Doubles{6});
}

// --- where mathematics leaves a choice ---

Doubles GradientAt(Op op, const Doubles& x) {
  const Type type = F64({static_cast<int64_t>(x.size())});
  return RunGradients({type}, {x}, 1,
                      [op](Builder& b, const Values& p) { return Values{b.Emit(op, {p[0]}), p[0]}; })[0];
}

TEST(GradientChoices, AbsAndSignAreZeroAtZero) {
  EXPECT_EQ(GradientAt(Op::kAbs, {-2, 0, 3}), (Doubles{-1, 0, 1}));
  EXPECT_EQ(GradientAt(Op::kSign, {-2, 0, 3}), (Doubles{0, 0, 0}));
}

TEST(GradientChoices, TiesOfMaximumAndMinimumGoToTheFirst) {
  for (Op op : {Op::kMax, Op::kMin}) {
    const auto d = RunGradients({F64(), F64()}, {{2}, {2}}, 1, [op](Builder& b, const Values& p) {
      return Values{b.Emit(op, {p[0], p[1]}), p[0], p[1]};
    });
    EXPECT_EQ(d[0], Doubles{1});
    EXPECT_EQ(d[1], Doubles{0});
  }
}

TEST(GradientChoices, TiesOfReductionsShareEqually) {
  for (Op op : {Op::kReduceMax, Op::kReduceMin}) {
    const double other = op == Op::kReduceMax ? -5 : 5;
    const Body body = [op](Builder& b, const Values& p) {
      return Values{b.Emit(op, {p[0]}, {{"axes", std::vector<int64_t>{0}}}), p[0]};
    };
    const auto d = RunGradients({F64({4})}, {{1, other, 1, other}}, 1, body);
    EXPECT_EQ(d[0], (Doubles{0.5, 0, 0.5, 0}));
  }
}

TEST(GradientChoices, TheFirstExtremumGetsAllIfItIsToldTo) {
  for (Op op : {Op::kReduceMax, Op::kReduceMin}) {
    const double other = op == Op::kReduceMax ? -5 : 5;
    const Body body = [op](Builder& b, const Values& p) {
      return Values{b.Emit(op, {p[0]}, {{"axes", std::vector<int64_t>{0, 2}}, {"first", true}}), p[0]};
    };
    const auto d = RunGradients({F64({2, 2, 2})}, {{other, 1, 2, 2, 1, other, other, NAN}}, 1, body);
    EXPECT_EQ(d[0], (Doubles{0, 1, 0, 0, 0, 0, 0, 1}));
  }
}

TEST(GradientChoices, AProductKnowsWhichElementsAreZero) {
  const Body body = [](Builder& b, const Values& p) { return Values{b.ReduceProd(p[0], {0, 1}), p[0]}; };
  EXPECT_EQ(RunGradients({F64({2, 2})}, {{2, 0, 3, 5}}, 1, body)[0], (Doubles{0, 30, 0, 0}));
  EXPECT_EQ(RunGradients({F64({2, 2})}, {{2, 0, 0, 5}}, 1, body)[0], (Doubles{0, 0, 0, 0}));
}

// TensorFlow's rule for tensor_scatter_nd_max: operand and updates that are the maximum share it equally.
TEST(GradientChoices, TiesOfScattersShareEqually) {
  for (Op op : {Op::kScatterMax, Op::kScatterMin}) {
    const double other = op == Op::kScatterMax ? -5 : 5;
    const auto d = RunGradients(
        {F64({2}), I32({3}), F64({3})}, {{1, 3}, {0, 0, 0}, {1, other, 1}}, 1,
        [op](Builder& b, const Values& p) { return Values{b.Scatter(op, p[0], p[1], p[2], 0), p[0], p[2]}; });
    EXPECT_EQ(d[0], (Doubles{1 / 3.0, 1}));
    EXPECT_EQ(d[1], (Doubles{1 / 3.0, 0, 1 / 3.0}));
  }
}

TEST(GradientChoices, TheLastWriterGetsAll) {
  const auto d = RunGradients(
      {F64({3}), I32({4}), F64({4})}, {{1, 2, 3}, {0, 2, 0, 7}, {4, 5, 6, 7}}, 1,
      [](Builder& b, const Values& p) { return Values{b.Scatter(Op::kScatterSet, p[0], p[1], p[2], 0), p[0], p[2]}; });
  EXPECT_EQ(d[0], (Doubles{0, 1, 0}));
  EXPECT_EQ(d[1], (Doubles{0, 1, 1, 0}));
}

TEST(GradientChoices, SqrtAtZeroIsInfiniteButZeroForAZeroSeed) {
  const auto at = [](double x, double seed) {
    return RunGradients({F64(), F64()}, {{x}, {seed}}, 1,
                        [](Builder& b, const Values& p) { return Values{b.Mul(b.Sqrt(p[0]), p[1]), p[0]}; })[0][0];
  };
  EXPECT_EQ(at(0, 1), INFINITY);
  EXPECT_EQ(at(0, 0), 0);
  EXPECT_EQ(at(4, 1), 0.25);
}

// What each op's derivative is at the edge of its domain, and there for a zero seed.
TEST(GradientChoices, EdgesOfDomainsAreInfiniteButZeroForAZeroSeed) {
  struct Edge {
    Op op;
    double x, derivative;
  };
  for (const Edge& edge : {Edge{Op::kRsqrt, 0, -INFINITY}, Edge{Op::kCbrt, 0, INFINITY}, Edge{Op::kAsin, 1, INFINITY},
                           Edge{Op::kAsin, -1, INFINITY}, Edge{Op::kAcos, 1, -INFINITY}, Edge{Op::kAcosh, 1, INFINITY},
                           Edge{Op::kAtanh, -1, INFINITY}}) {
    for (const double seed : {1.0, 0.0}) {
      const double d = RunGradients({F64(), F64()}, {{edge.x}, {seed}}, 1, [&edge](Builder& b, const Values& p) {
        return Values{b.Mul(b.Emit(edge.op, {p[0]}), p[1]), p[0]};
      })[0][0];
      EXPECT_EQ(d, seed == 0 ? 0 : edge.derivative) << ir::Name(edge.op) << "(" << edge.x << ")";
    }
  }
}

// Outside of the domain, where the value is NaN, a zero seed gives zero too.
TEST(GradientChoices, OutsideOfDomainsAZeroSeedGivesZero) {
  struct Point {
    Op op;
    double x;
  };
  for (const Point& at : {Point{Op::kSqrt, -1}, Point{Op::kRsqrt, -1}, Point{Op::kRsqrt, NAN}, Point{Op::kCbrt, NAN},
                          Point{Op::kAsin, 2}, Point{Op::kAcos, -2}, Point{Op::kAcosh, 0.5}, Point{Op::kAtanh, 2},
                          Point{Op::kErfInv, 1}, Point{Op::kErfInv, 2}, Point{Op::kErfcInv, 0}}) {
    const Doubles d = RunGradients({F64()}, {{at.x}}, 1, [&at](Builder& b, const Values& p) {
      const ir::Value zero = b.ScalarLike(p[0], 0), taken = b.Greater(zero, zero);
      return Values{b.Select(taken, b.Emit(at.op, {p[0]}), zero), p[0]};
    })[0];
    EXPECT_EQ(d[0], 0) << ir::Name(at.op) << "(" << at.x << ")";
  }
}

// Derivatives of a binary op by both operands.
Doubles PartialsAt(Op op, double a, double x) {
  const auto d = RunGradients({F64(), F64()}, {{a}, {x}}, 1, [op](Builder& b, const Values& p) {
    return Values{b.Emit(op, {p[0], p[1]}), p[0], p[1]};
  });
  return {d[0][0], d[1][0]};
}

TEST(GradientChoices, Pow) {
  EXPECT_EQ(PartialsAt(Op::kPow, 0, 0), (Doubles{0, 0}));  // TensorFlow: NaN by the base
  EXPECT_EQ(PartialsAt(Op::kPow, 0, 1), (Doubles{1, 0}));
  EXPECT_EQ(PartialsAt(Op::kPow, 0, 2), (Doubles{0, 0}));
  EXPECT_EQ(PartialsAt(Op::kPow, 0, 0.5), (Doubles{INFINITY, 0}));
  EXPECT_EQ(PartialsAt(Op::kPow, -2, 3), (Doubles{12, 0}));
  EXPECT_EQ(PartialsAt(Op::kPow, 3, 0), (Doubles{0, std::log(3.0)}));
  EXPECT_EQ(PartialsAt(Op::kPow, 1, 5), (Doubles{5, 0}));
  EXPECT_EQ(PartialsAt(Op::kPow, 0, -1), (Doubles{-INFINITY, 0}));  // y is infinite
  EXPECT_EQ(PartialsAt(Op::kPow, -0.0, -1), (Doubles{-INFINITY, 0}));
  EXPECT_EQ(PartialsAt(Op::kPow, -INFINITY, 2)[1], 0);
  EXPECT_EQ(PartialsAt(Op::kPow, -2, 0.5)[1], 0);  // y is NaN
}

// d/db da of a^b at b = 0 is 1/a: the rule by the base must not cut the exponent off.
TEST(GradientChoices, PowToTheZeroHasItsMixedDerivative) {
  ir::Module m;
  ir::Function& f =
      Define(&m, "f", {F64(), F64()}, [](Builder& b, const Values& p) { return Values{b.Pow(p[0], p[1])}; });
  const auto first = Gradients(&f, &m, {f.results()[0]}, {{0}});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Gradients(&f, &m, {(*first)[0]}, {{1}});
  ASSERT_TRUE(second.ok()) << second.status();
  f.SetResults({(*second)[0]});
  EXPECT_EQ(RunFunction(m, "f", {{4}, {0}})[0], Doubles{0.25});
}

TEST(GradientChoices, Atan2) {
  EXPECT_EQ(PartialsAt(Op::kAtan2, 0, 0), (Doubles{0, 0}));
  EXPECT_EQ(PartialsAt(Op::kAtan2, 0, -1), (Doubles{-1, 0}));
  EXPECT_EQ(PartialsAt(Op::kAtan2, 0x1p900, 0), (Doubles{0, -0x1p-900}));  // no squares overflow
}

TEST(GradientChoices, RemainderAndNextAfter) {
  EXPECT_EQ(PartialsAt(Op::kRem, -7, 2), (Doubles{1, 3}));
  EXPECT_EQ(PartialsAt(Op::kRem, 6, 3), (Doubles{1, -2}));
  EXPECT_EQ(PartialsAt(Op::kNextAfter, 2, 2), (Doubles{1, 0}));
}

TEST(GradientChoices, LogAtZeroWithAZeroSeedIsNan) {
  const auto d = RunGradients({F64()}, {{0}}, 1, [](Builder& b, const Values& p) {
    return Values{b.Mul(b.Log(p[0]), b.Scalar(kFloat64, 0)), p[0]};
  });
  EXPECT_TRUE(std::isnan(d[0][0]));
}

TEST(GradientChoices, ErfAtInfinityIsZero) { EXPECT_EQ(GradientAt(Op::kErf, {INFINITY, -INFINITY}), (Doubles{0, 0})); }

TEST(GradientChoices, GT120SelectPassesToTheTakenBranch) {
  const auto at = [](double x) {
    return RunGradients({F64()}, {{x}}, 1, [](Builder& b, const Values& p) {
      const Value small = b.Less(p[0], b.Scalar(kFloat64, 10));
      return Values{b.Select(small, p[0], b.Mul(p[0], p[0])), p[0]};
    })[0][0];
  };
  EXPECT_EQ(at(5), 1);
  EXPECT_EQ(at(50), 100);
}

TEST(GradientChoices, GT121TheBranchNotTakenIsDifferentiatedToo) {
  const auto d = RunGradients({F64()}, {{0}}, 1, [](Builder& b, const Values& p) {
    const Value zero = b.Scalar(kFloat64, 0);
    return Values{b.Select(b.Greater(p[0], zero), b.Log(p[0]), zero), p[0]};
  });
  EXPECT_TRUE(std::isnan(d[0][0]));
}

}  // namespace
}  // namespace reel::passes
