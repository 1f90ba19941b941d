// Every scalar function in f32, f64, f16 and bf16, eager and compiled, against MPFR with 256 bits at dense points.
// REEL_ACCURACY_DENSE=1: all 65,536 halves, and 16 times as many f32 and f64; it prints the rows of README.md.
#include "tests/accuracy/scalars.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>

#include "ir/ops.h"
#include "tests/paths.h"

namespace reel::testing {
namespace {

using Column = std::vector<double>;

bool Dense() { return std::getenv("REEL_ACCURACY_DENSE") != nullptr; }

std::vector<const Scalar*> All() {
  std::vector<const Scalar*> all;
  for (const auto& list : {ElementaryFunctions(), SpecialFunctions(), Compositions()}) {
    for (const Scalar& s : list) all.push_back(&s);
  }
  return all;
}

// --- points ---

Column ToDtype(const Column& x, const Dtype& d) {
  return Cast(Cast(Tensor::FromData(x, {static_cast<int64_t>(x.size())}), d.dtype), kFloat64).ToVector<double>();
}

// Numbers of every exponent and sign, beside zeros, ends of the range, integers and halves, multiples of pi / 2, bounds
// of exponentials with their neighbours, and even ones of where the function is usually called.
void AddSpread(const Dtype& d, const Scalar& f, int times, std::mt19937_64& random, Column* out) {
  std::uniform_real_distribution<double> mantissa(1, 2), usual(f.range.low, f.range.high), small(-1.5, 1.5);
  for (int e = d.min_exponent - d.digits; e < d.max_exponent; ++e) {
    for (int i = 0; i < times; ++i) {
      for (const double sign : {1.0, -1.0}) out->push_back(sign * std::ldexp(mantissa(random), e));
    }
  }
  for (int i = 0; i < 600 * times; ++i) {
    out->push_back(usual(random));
    out->push_back(small(random));
  }
}

void AddNeighbours(const Dtype& d, int reach, Column* out) {
  Column centres = {0,
                    INFINITY,
                    NAN,
                    std::ldexp(1.0, d.min_exponent - 1),
                    std::ldexp(1.0, d.min_exponent - d.digits),
                    std::ldexp(1.0, d.max_exponent - 1),
                    88.722839,
                    103.972084,
                    87.336548,
                    709.782713,
                    745.133219,
                    708.396418,
                    9.010913,
                    19.06154,
                    0.70710678,
                    1.4616321449683622,
                    16.6355,
                    36.7368,
                    26.5432};
  for (int i = 1; i <= 24; ++i) {
    centres.push_back(i / 2.0);
    centres.push_back(i * 1.5707963267948966);
  }
  for (const double centre : centres) {
    const int exponent =
        centre == 0 || !std::isfinite(centre) ? d.min_exponent : std::max(std::ilogb(centre) + 1, d.min_exponent);
    for (int i = -reach; i <= reach; ++i) {
      const double x = std::isfinite(centre) ? centre + i * std::ldexp(1.0, exponent - d.digits) : centre;
      out->push_back(x);
      out->push_back(-x);
    }
  }
}

Column AllHalves(const Dtype& d, int stride) {
  std::vector<int16_t> bits;
  for (int i = 0; i < 65536; i += stride) bits.push_back(static_cast<int16_t>(i));
  return Cast(Bitcast(Tensor::FromData(bits, {static_cast<int64_t>(bits.size())}), d.dtype), kFloat64)
      .ToVector<double>();
}

// Of each operand one column. Operands of two are shuffled points; some are equal, or close to each other.
std::vector<Column> Points(const Scalar& f, const Dtype& d) {
  std::mt19937_64 random(std::hash<std::string>()(f.name));
  const bool half = d.digits < 24;
  Column x = half && f.operands == 1 ? AllHalves(d, Dense() ? 1 : 37) : Column();
  if (!half || f.operands > 1) AddSpread(d, f, (half ? 8 : d.digits == 24 ? 2 : 1) * (Dense() ? 16 : 1), random, &x);
  AddNeighbours(d, Dense() ? 20 : half ? 1 : 3, &x);
  if (!Dense() || f.stride > 1) {
    std::shuffle(x.begin(), x.end(), random);
    x.resize(x.size() / static_cast<size_t>(f.stride));
  }
  std::vector<Column> columns = {x};
  for (int i = 1; i < f.operands; ++i) {
    Column y = x;
    std::shuffle(y.begin(), y.end(), random);
    for (size_t k = 0; k < y.size(); k += 16) y[k] = x[k];
    for (size_t k = 8; k < y.size(); k += 16) y[k] = x[k] * (1 + std::ldexp(static_cast<double>(k % 64), -12));
    columns.push_back(std::move(y));
  }
  for (int i = 0; i < f.operands; ++i) {
    Column& column = columns[static_cast<size_t>(i)];
    if (f.fit) std::transform(column.begin(), column.end(), column.begin(), [&](double v) { return f.fit(v, i); });
    column = ToDtype(column, d);
    if (f.fit) std::transform(column.begin(), column.end(), column.begin(), [&](double v) { return f.fit(v, i); });
  }
  return columns;
}

// --- errors ---

// |got - exact| in units of the last place of the larger of exact and size; what overflows counts as 2^max_exponent.
double Ulps(double got, const Real& exact, const Real& size, const Dtype& d) {
  if (std::isnan(got) || IsNan(exact)) return std::isnan(got) && IsNan(exact) ? 0 : INFINITY;
  const Real top = Real(std::ldexp(1.0, d.max_exponent - 1)) * Real(2);
  const auto clamp = [&](const Real& x) { return Max(Min(x, top), -top); };
  const Real wanted = clamp(exact), large = IsNan(size) ? Abs(wanted) : Max(Abs(wanted), clamp(Abs(size)));
  const long least = d.min_exponent, most = d.max_exponent;
  const long exponent = large == 0 ? least : std::clamp<long>(mpfr_get_exp(large.get()), least, most);
  const auto scaled = [&](mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t how) {
    return mpfr_mul_2si(y, x, d.digits - exponent, how);
  };
  return Abs(Real::Of(scaled, clamp(Real(got)) - wanted)).ToDouble();
}

struct Worst {
  double ulps = 0;
  std::string at = "";
};

std::vector<Tensor> Operands(const std::vector<Column>& points, const Dtype& d) {
  std::vector<Tensor> out;
  for (const Column& x : points) out.push_back(Cast(Tensor::FromData(x, {static_cast<int64_t>(x.size())}), d.dtype));
  return out;
}

Worst WorstOf(const Scalar& f, const Dtype& d, const std::vector<Column>& points, const Column& got) {
  Worst worst;
  std::vector<Real> x(points.size());
  for (size_t i = 0; i < got.size(); ++i) {
    for (size_t k = 0; k < x.size(); ++k) x[k] = points[k][i];
    const Real exact = f.exact(x);
    Real size = f.size ? f.size(x) : Real(0);
    if (f.tail && d.dtype == kFloat64) size = Max(size, f.tail(x));
    if (f.factor) size = Max(size, Abs(f.factor(x)) * Real(std::ldexp(1.0, d.min_exponent - 1)));
    const double ulps = Ulps(got[i], exact, size, d);
    if (!(ulps > worst.ulps)) continue;
    char text[200];
    std::snprintf(text, sizeof text, "(%a %a %a) = %.17g, not %.17g", points[0][i],
                  points[points.size() > 1 ? 1 : 0][i], points.back()[i], got[i], exact.ToDouble());
    worst = {ulps, text};
  }
  return worst;
}

// The function at all four dtypes' points, compiled as one function.
std::vector<Tensor> Compiled(const Scalar& f, const std::vector<Tensor>& operands) {
  std::vector<Spec> specs;
  for (const Tensor& t : operands) specs.push_back(Spec(t.dtype(), t.shape()));
  const auto all = [&](std::span<const Tensor> x) {
    std::vector<Tensor> out;
    for (size_t i = 0; i < x.size(); i += static_cast<size_t>(f.operands))
      out.push_back(f.f(x.subspan(i, static_cast<size_t>(f.operands))));
    return out;
  };
  const Executable run = Compile(Trace(all, specs));
  return run("main", operands).tensors();
}

std::array<Worst, 4> Measure(const Scalar& f) {
  std::array<Worst, 4> worst;
  std::vector<Tensor> operands;
  std::vector<Column> eager;
  for (size_t k = 0; k < 4; ++k) {
    const std::vector<Column> points = Points(f, kDtypes[k]);
    const std::vector<Tensor> x = Operands(points, kDtypes[k]);
    eager.push_back(Cast(f.f(x), kFloat64).ToVector<double>());
    operands.insert(operands.end(), x.begin(), x.end());
    worst[k] = WorstOf(f, kDtypes[k], points, eager.back());
  }
  const std::vector<Tensor> compiled = Compiled(f, operands);
  for (size_t k = 0; k < 4; ++k) {
    const Column y = Cast(compiled[k], kFloat64).ToVector<double>();
    size_t differing = 0;
    for (size_t i = 0; i < y.size(); ++i)
      differing += std::isnan(y[i]) ? !std::isnan(eager[k][i]) : y[i] != eager[k][i];
    EXPECT_EQ(differing, 0u) << f.name << " of " << kDtypes[k].name << ": compiled is not eager";
  }
  return worst;
}

class Scalars : public ::testing::TestWithParam<const Scalar*> {};

TEST_P(Scalars, KeepsItsPromise) {
  const Scalar& f = *GetParam();
  const std::array<Worst, 4> worst = Measure(f);
  std::printf("| %s |", f.name);
  for (size_t k = 0; k < 4; ++k) std::printf(" %g / %.3g |", f.promise.ulps[k], worst[k].ulps);
  std::printf("\n");
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_LE(worst[k].ulps, f.promise.ulps[k]) << f.name << " of " << kDtypes[k].name << " " << worst[k].at;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Scalars, ::testing::ValuesIn(All()),
                         [](const auto& info) { return std::string(info.param->name); });

// --- the table of README.md ---

// "| name | promised / seen | ..." by name.
std::map<std::string, std::vector<std::pair<double, double>>> Rows() {
  std::ifstream file(SourceDir() + "/tests/accuracy/README.md");
  std::map<std::string, std::vector<std::pair<double, double>>> rows;
  for (std::string line; std::getline(file, line);) {
    char name[40];
    double p[4], s[4];
    if (std::sscanf(line.c_str(), "| %39s | %lf / %lf | %lf / %lf | %lf / %lf | %lf / %lf |", name, &p[0], &s[0], &p[1],
                    &s[1], &p[2], &s[2], &p[3], &s[3]) != 9)
      continue;
    for (int k = 0; k < 4; ++k) rows[name].emplace_back(p[k], s[k]);
  }
  return rows;
}

TEST(Readme, SaysWhatIsPromised) {
  auto rows = Rows();
  for (const Scalar* f : All()) {
    const auto row = rows[f->name];
    ASSERT_EQ(row.size(), 4u) << f->name << " is missing";
    for (size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(row[k].first, f->promise.ulps[k]) << f->name << " of " << kDtypes[k].name;
      EXPECT_LE(row[k].second, row[k].first) << f->name << " of " << kDtypes[k].name;
    }
    rows.erase(f->name);
  }
  EXPECT_TRUE(rows.empty()) << rows.begin()->first << " is no function";
}

// Every op of real numbers is in the table, or is none of these.
TEST(Table, HasEveryOp) {
  const std::set<std::string> others = {
      "identity",      "stop_gradient", "not",         "bitcast", "cast",      "next_after",  "and",          "or",
      "xor",           "shift_left",    "shift_right", "equal",   "not_equal", "less",        "less_equal",   "greater",
      "greater_equal", "select",        "complex",     "real",    "imag",      "check_index", "check_integer"};
  std::set<std::string> names;
  for (const Scalar* f : All()) EXPECT_TRUE(names.insert(f->name).second) << f->name;
  for (const ir::Op op : ir::AllOps()) {
    const std::string name(ir::Name(op));
    if (ir::Info(op).Has(ir::kElementwise) && !others.contains(name)) {
      EXPECT_TRUE(names.contains(name)) << name << " is not in the table";
    }
  }
}

}  // namespace
}  // namespace reel::testing
