#include "ir/strings.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

// Adds function `name` over (x, y) of one type; body gives its results. Only exact ops: the case's
// tolerance is about control, not arithmetic.
template <typename F>
void AddFunction(ir::Module& module, std::string_view name, const Type& type, F body) {
  ir::Function f{std::string(name)};
  const ir::Value x = f.AddParameter("x", type), y = f.AddParameter("y", type);
  ir::Builder b(&f, &module);
  f.SetResults(body(b, x, y));
  module.AddFunction(std::move(f));
}

using Results = std::vector<ir::Value>;

const std::vector<Shape> kShapes{{}, {1}, {0}, {7}, {3, 5}, {33}};

}  // namespace

void MakeCallCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Shape& shape : kShapes) {
      const Type type{dtype, shape};
      CaseBuilder c(row.op, Text(type));
      AddFunction(c.module(), "inner", type,
                  [](ir::Builder& b, ir::Value x, ir::Value y) { return Results{b.Mul(x, y), x}; });
      AddFunction(c.module(), "outer", type, [](ir::Builder& b, ir::Value x, ir::Value y) {
        const ir::ValueList r = b.Call("inner", {y, x});
        return Results{b.Add(r[0], y), r[1], y};
      });
      const ir::Value x = c.Input(type, row.domain), y = c.Input(type, row.domain);
      c.Emit({x, y}, {{"callee", std::string("outer")}});
      c.Emit({y, y}, {{"callee", std::string("inner")}});
      c.Tolerate({0, 1});  // the reference does not round the product
      c.Differentiable(IsSmooth(row, dtype));
      cases->push_back(c.Build());
    }
  }
}

void MakeIfCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Shape& shape : kShapes) {
      const Type type{dtype, shape};
      CaseBuilder c(row.op, Text(type));
      AddFunction(c.module(), "product", type,
                  [](ir::Builder& b, ir::Value x, ir::Value y) { return Results{b.Mul(x, y), x}; });
      AddFunction(c.module(), "sum", type,
                  [](ir::Builder& b, ir::Value x, ir::Value y) { return Results{b.Add(x, y), y}; });
      const ir::Value x = c.Input(type, row.domain), y = c.Input(type, row.domain), yes = c.InputInts(kBool, {}, {1}),
                      no = c.InputInts(kBool, {}, {0});
      for (ir::Value condition : {yes, no}) {
        c.Emit({condition, x, y}, {{"then", std::string("product")}, {"else", std::string("sum")}});
      }
      c.Differentiable(IsSmooth(row, dtype));
      cases->push_back(c.Build());
    }
  }
}

// (x, y) -> (x * y, y) while max(x) < 1e6, at most `limit` times.
void MakeWhileCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Shape& shape : kShapes) {
      for (int64_t limit : {0, 1, 5}) {
        const Type type{dtype, shape};
        CaseBuilder c(row.op, StrCat(Text(type), " at most ", limit));
        AddFunction(c.module(), "small", type, [&](ir::Builder& b, ir::Value x, ir::Value) {
          std::vector<int64_t> axes;
          for (int64_t k = 0; k < shape.rank(); ++k) axes.push_back(k);
          return Results{b.Less(b.ReduceMax(x, axes), b.Scalar(dtype, 1e6))};
        });
        AddFunction(c.module(), "grow", type,
                    [](ir::Builder& b, ir::Value x, ir::Value y) { return Results{b.Mul(x, y), y}; });
        const ir::Value x = c.Input(type, row.domain), y = c.Input(type, row.domain);
        c.Emit({x, y}, {{"cond", std::string("small")}, {"body", std::string("grow")}, {"maximum_iterations", limit}});
        c.Tolerate({0, static_cast<double>(limit) + 1});
        c.Differentiable(IsSmooth(row, dtype));
        cases->push_back(c.Build());
      }
    }
  }
}

}  // namespace reel::optable
