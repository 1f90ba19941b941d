#include "passes/vectorize/vectorize.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/eval/eval.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "tests/ops/compare.h"
#include "tests/ops/engines.h"
#include "tests/ops/op_cases.h"

// Every case of the op table, batched over every choice of its operands, against its rows one by one.

namespace reel::optable {
namespace {

using ir::EvalTensor;
using Tensors = std::vector<EvalTensor>;

constexpr int64_t kRows = 3;

// Another input of the same type: elements move, so that indices stay valid; floats grow a little, a scalar
// condition flips.
EvalTensor Row(EvalTensor t, int64_t row) {
  if (row == 0) return t;
  const auto roll = [row](auto& v) {
    if (!v.empty()) std::rotate(v.begin(), v.begin() + row % static_cast<std::ptrdiff_t>(v.size()), v.end());
  };
  const bool scalar = t.size() == 1;
  roll(t.f);
  roll(t.i);
  roll(t.c);
  for (double& x : t.f) x *= 1 + 0.05 * static_cast<double>(row);
  for (auto& x : t.c) x *= 1 + 0.05 * static_cast<double>(row);
  for (int64_t& x : t.i) x = !scalar ? x : t.type.dtype == kBool ? (x + row) % 2 : x + row % 2;
  if (IsFloat(t.type.dtype)) t = *ir::FromLiteral(ir::ToLiteral(t));  // numbers of its dtype
  return t;
}

EvalTensor Stacked(const Tensors& rows) {
  EvalTensor out = rows[0];
  for (size_t r = 1; r < rows.size(); ++r) {
    out.f.insert(out.f.end(), rows[r].f.begin(), rows[r].f.end());
    out.i.insert(out.i.end(), rows[r].i.begin(), rows[r].i.end());
    out.c.insert(out.c.end(), rows[r].c.begin(), rows[r].c.end());
  }
  Shape shape{static_cast<int64_t>(rows.size())};
  for (Extent e : rows[0].type.shape) shape.push_back(e);
  out.type.shape = shape;
  return out;
}

template <typename T>
std::vector<T> Part(const std::vector<T>& all, size_t size, int64_t row) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(size) * row;
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

// Row `row` of a batched result that has so many numbers a row.
EvalTensor RowOfStack(const EvalTensor& all, int64_t row) {
  std::vector<Extent> rest(all.type.shape.begin() + 1, all.type.shape.end());
  const Type type{all.type.dtype, Shape(rest)};
  const size_t rows = kRows;
  return {type, Part(all.f, all.f.size() / rows, row), Part(all.i, all.i.size() / rows, row),
          Part(all.c, all.c.size() / rows, row)};
}

struct Batch {
  std::vector<bool> mask;
  std::vector<Tensors> rows;  // by row: the inputs of that row
  Tensors inputs;             // of the batched function
};

Batch MakeBatch(const OpCase& c, std::vector<bool> mask) {
  Batch batch{std::move(mask), std::vector<Tensors>(kRows), {}};
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const EvalTensor x = *ir::FromLiteral(c.inputs[i]);
    Tensors rows;
    for (int64_t r = 0; r < kRows; ++r) {
      rows.push_back(batch.mask[i] ? Row(x, r) : x);
      batch.rows[static_cast<size_t>(r)].push_back(rows.back());
    }
    batch.inputs.push_back(batch.mask[i] ? Stacked(rows) : x);
  }
  return batch;
}

// All operands, then each choice of them where they are few, else each alone.
std::vector<std::vector<bool>> Masks(size_t count) {
  if (count == 0) return {};
  std::vector<std::vector<bool>> out{std::vector<bool>(count, true)};
  if (count > 3) {
    for (size_t i = 0; i < count; ++i) {
      out.emplace_back(count, false);
      out.back()[i] = true;
    }
    return out;
  }
  for (size_t m = 1; m + 1 < (size_t{1} << count); ++m) {
    out.emplace_back();
    for (size_t i = 0; i < count; ++i) out.back().push_back((m >> i & 1) != 0);
  }
  return out;
}

std::string Name(const std::vector<bool>& mask) {
  std::string out;
  for (bool b : mask) out += b ? '1' : '0';
  return out;
}

// The results of a row, in double, rounded to their dtypes.
void ExpectRow(const std::vector<bool>& batched, const Tensors& all, const Tensors& want, int64_t row) {
  for (size_t k = 0; k < want.size(); ++k) {
    const EvalTensor got = batched[k] ? RowOfStack(all[k], row) : all[k];
    EXPECT_EQ(DifferentBits(ir::ToLiteral(got), ir::ToLiteral(want[k])), "") << "result " << k << ", row " << row;
  }
}

bool HasAllAxes(const OpCase& c) {
  const ir::Function& f = c.main();
  for (int v = 0; v < f.num_values(); ++v) {
    if (f.type({v}).shape.rank() == kMaxRank) return true;
  }
  return false;
}

bool IsLarge(const OpCase& c) {
  int64_t elements = 0;
  for (int v = 0; v < c.main().num_values(); ++v) elements += c.main().type({v}).shape.size();
  return elements > 4096;
}

bool SomeRowFails(const OpCase& c, const Batch& batch, absl::StatusCode code) {
  return std::any_of(batch.rows.begin(), batch.rows.end(), [&](const auto& row) {
    return ir::Evaluate(c.module, c.main(), row, WithCallbacks()).status().code() == code;
  });
}

class EveryVectorized : public testing::TestWithParam<ir::Op> {};

TEST_P(EveryVectorized, IsItsRowsStacked) {
  // Of elementwise ops, whose cases differ in numbers alone, and of sums over thousands, a sample.
  const std::vector<OpCase> cases = CasesFor(GetParam());
  const size_t stride = ir::Info(GetParam()).Has(ir::kElementwise) ? cases.size() / 8 + 1 : 1;
  int checked = 0;
  for (size_t n = 0; n < cases.size(); n += stride) {
    const OpCase& c = cases[n];
    if (IsLarge(c)) continue;
    SCOPED_TRACE(c.name);
    for (const std::vector<bool>& mask : Masks(c.inputs.size())) {
      SCOPED_TRACE(Name(mask));
      ir::Module m = c.module;
      const auto f = passes::Vectorize(&m, "main", mask, kRows);
      if (HasAllAxes(c) && !f.ok()) {
        EXPECT_NE(f.status().message().find("10"), std::string_view::npos) << f.status();
        continue;
      }
      if (c.op == ir::Op::kCallback && !f.ok()) {  // what it makes of rows nobody knows
        EXPECT_TRUE(absl::IsUnimplemented(f.status())) << f.status();
        ++checked;
        continue;
      }
      ASSERT_TRUE(f.ok()) << f.status();
      ASSERT_TRUE(ir::Verify(m).ok()) << ir::Verify(m);
      const Batch batch = MakeBatch(c, mask);
      const auto all = ir::Evaluate(m, *m.FindFunction(f->name), batch.inputs, WithCallbacks());
      if (!all.ok()) {  // as one of the rows alone: checks
        EXPECT_TRUE(SomeRowFails(c, batch, all.status().code())) << all.status();
        continue;
      }
      for (int64_t r = 0; r < kRows; ++r) {
        const auto want = ir::Evaluate(c.module, c.main(), batch.rows[static_cast<size_t>(r)], WithCallbacks());
        ASSERT_TRUE(want.ok()) << want.status();
        ExpectRow(f->batched, *all, *want, r);
      }
      if (HasFailure()) FAIL() << ir::Print(m, {.elide_large_constants = true}).substr(0, 4000);
      ++checked;
    }
  }
  const bool has_inputs = ir::Info(GetParam()).operands != 0;
  EXPECT_EQ(checked > 0, has_inputs);
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryVectorized, testing::ValuesIn(ir::AllOps().begin(), ir::AllOps().end()),
                         [](const auto& info) { return std::string(ir::Info(info.param).enum_name); });

}  // namespace
}  // namespace reel::optable
