#ifndef REEL_TESTS_CODEGEN_BOMBS_H_
#define REEL_TESTS_CODEGEN_BOMBS_H_

#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "ir/strings.h"

// Modules, as text, that cost much more to compile than to write: each grows with a number.

namespace reel::codegen {

/// Writes one function.
class BombFunction {
 public:
  BombFunction(const std::string& name, const std::string& parameters, const std::string& results) {
    text_ = StrCat("func @", name, "(", parameters, ") -> (", results, ") {\n");
  }
  /// A node with one result, whose name it returns: Add("mul %x, %0", "f32[]").
  std::string Add(const std::string& op, const std::string& type) {
    const std::string name = StrCat("%", next_++);
    StrAppend(&text_, "  ", name, " = ", op, " : ", type, "\n");
    return name;
  }
  /// The same with several results, by the types: "f32[8], f32[8,8]".
  std::vector<std::string> AddMany(const std::string& op, const std::string& types, int results) {
    std::vector<std::string> names;
    for (int i = 0; i < results; ++i) names.push_back(StrCat("%", next_++));
    StrAppend(&text_, "  ");
    for (size_t i = 0; i < names.size(); ++i) StrAppend(&text_, i > 0 ? ", " : "", names[i]);
    StrAppend(&text_, " = ", op, " : ", types, "\n");
    return names;
  }
  std::string Return(const std::string& values) { return StrCat(text_, "  return ", values, "\n}\n"); }

 private:
  std::string text_;
  int next_ = 0;
};

inline std::string Joined(int n, const std::function<std::string(int)>& part) {
  std::string out;
  for (int i = 0; i < n; ++i) StrAppend(&out, i > 0 ? ", " : "", part(i));
  return out;
}

/// One function of x that hands on a value of its type.
inline std::string Bomb(const std::string& type, int n,
                        const std::function<std::string(BombFunction*, std::string, int)>& step,
                        const std::string& name = "main") {
  BombFunction f(name, "%x: " + type, type);
  std::string x = "%x";
  for (int i = 0; i < n; ++i) x = step(&f, x, i);
  return f.Return(x);
}

/// x < 1, for loops.
inline std::string More() {
  BombFunction f("more", "%x: f32[]", "bool[]");
  const std::string one = f.Add("constant 1", "f32[]");
  return f.Return(f.Add("less %x, " + one, "bool[]"));
}

inline std::string Level(int i, int n) { return i == n ? "main" : StrCat("f", i); }

inline std::string BombChain(int n, const std::string& type) {
  static constexpr const char* kOps[] = {"tanh ", "mul %x, ", "add %x, ", "exp ", "sin "};
  return Bomb(type, n, [&](BombFunction* f, std::string x, int i) { return f->Add(kOps[i % 5] + x, type); });
}

inline std::string BombSpecials(int n) {
  static constexpr const char* kOps[] = {"lgamma ", "digamma ", "erf_inv ", "erfc ", "log1p ", "expm1 "};
  return Bomb("f32[64]", n, [](BombFunction* f, std::string x, int i) { return f->Add(kOps[i % 6] + x, "f32[64]"); });
}

/// Every function whose code is long, as often in one kernel as it stands in place.
inline std::string BombFunctions(int n) {
  static constexpr const char* kOps[] = {
      "sin ",           "cos ",       "exp2 ",           "asin ",       "acos ",        "atan ",
      "sinh ",          "cosh ",      "asinh ",          "acosh ",      "exp ",         "expm1 ",
      "log ",           "log1p ",     "tanh ",           "lgamma ",     "erf ",         "erfc ",
      "erf_inv ",       "digamma ",   "pow %x, ",        "igamma %x, ", "igammac %x, ", "zeta %x, ",
      "polygamma %x, ", "atan2 %x, ", "betainc %x, %x, "};
  return Bomb("f64[64]", n, [](BombFunction* f, std::string x, int i) {
    return f->Add(kOps[static_cast<size_t>(i) % std::size(kOps)] + x, "f64[64]");
  });
}

inline std::string BombIncompleteGammas(int n) {
  return Bomb("f64[9]", n, [](BombFunction* f, std::string x, int) { return f->Add("igamma %x, " + x, "f64[9]"); });
}

inline std::string BombCalls(int levels, const std::string& type) {
  std::string out;
  for (int i = 0; i <= levels; ++i) {
    out += Bomb(
        type, 2,
        [&](BombFunction* f, std::string x, int) {
          return f->Add(i == 0 ? "tanh " + x : StrCat("call ", x, " {callee=@f", i - 1, "}"), type);
        },
        Level(i, levels));
  }
  return out;
}

inline std::string BombNestedLoops(int levels, const std::string& limit) {
  std::string out = More();
  for (int i = 0; i <= levels; ++i) {
    out += Bomb(
        "f32[]", 1,
        [&](BombFunction* f, std::string x, int) {
          if (i > 0) return f->Add(StrCat("while ", x, " {body=@f", i - 1, ", cond=@more", limit, "}"), "f32[]");
          return f->Add("add %x, " + f->Add("tanh " + x, "f32[]"), "f32[]");
        },
        Level(i, levels));
  }
  return out;
}

inline std::string BombBranches(int levels) {
  std::string out;
  for (int i = 0; i <= levels; ++i) {
    out += Bomb(
        "f32[]", 1,
        [&](BombFunction* f, std::string x, int) {
          if (i == 0) return f->Add("tanh " + x, "f32[]");
          const std::string less = f->Add(StrCat("less ", x, ", ", f->Add(StrCat("constant ", i), "f32[]")), "bool[]");
          return f->Add(StrCat("if ", less, ", ", x, " {else=@f", i - 1, ", then=@f", i - 1, "}"), "f32[]");
        },
        Level(i, levels));
  }
  return out;
}

inline std::string BombSwitches(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) {
    out += Bomb(
        "f32[]", 1,
        [&](BombFunction* f, std::string x, int) {
          return f->Add("sin " + f->Add(StrCat("mul ", x, ", ", f->Add(StrCat("constant ", i), "f32[]")), "f32[]"),
                        "f32[]");
        },
        StrCat("t", i));
  }
  return out + Bomb("f32[]", n, [](BombFunction* f, std::string x, int i) {
           const std::string less = f->Add(StrCat("less ", x, ", ", f->Add(StrCat("constant ", i), "f32[]")), "bool[]");
           return f->Add(StrCat("if ", less, ", ", x, " {else=@t", i > 0 ? i - 1 : 0, ", then=@t", i, "}"), "f32[]");
         });
}

inline std::string BombLoops(int n) {
  const auto body = [](BombFunction* f, std::string x, int) {
    return f->Add("add %x, " + f->Add("tanh " + x, "f32[]"), "f32[]");
  };
  return More() + Bomb("f32[]", 1, body, "body") + Bomb("f32[]", n, [](BombFunction* f, std::string x, int) {
           return f->Add("while " + x + " {body=@body, cond=@more, maximum_iterations=3}", "f32[]");
         });
}

inline std::string BombDelayLine(int n) {
  const std::string parameters = Joined(n, [](int i) { return StrCat("%x", i, ": f32[]"); });
  const std::string types = Joined(n, [](int) { return "f32[]"; });
  const std::string names = Joined(n, [](int i) { return StrCat("%x", i); });
  const std::string results = Joined(n, [](int i) { return StrCat("%", i); });
  BombFunction more("more", parameters, "bool[]"), body("body", parameters, types), main("main", parameters, "f32[]");
  const std::string one = more.Add("constant 1", "f32[]");
  for (int i = 0; i < n; ++i) body.Add(StrCat("tanh %x", i > 0 ? i - 1 : 0), "f32[]");
  main.AddMany("while " + names + " {body=@body, cond=@more, maximum_iterations=3}", types, n);
  return more.Return(more.Add("less %x0, " + one, "bool[]")) + body.Return(results) + main.Return(StrCat("%", n - 1));
}

inline std::string BombWide(int n) {
  static constexpr const char* kOps[] = {"sin %x", "tanh %x", "exp %x", "log %x", "sqrt %x"};
  BombFunction f("main", "%x: f32[64]", "f32[64]");
  std::vector<std::string> values;
  for (int i = 0; i < n; ++i) values.push_back(f.Add(kOps[i % 5], "f32[64]"));
  std::string sum = values[0];
  for (size_t i = 1; i < values.size(); ++i) sum = f.Add(StrCat("add ", sum, ", ", values[i]), "f32[64]");
  return f.Return(sum);
}

inline std::string BombResults(int n) {
  static constexpr const char* kOps[] = {"sin", "tanh", "exp"};
  BombFunction f("main", Joined(50, [](int i) { return StrCat("%x", i, ": f32[7]"); }),
                 Joined(n, [](int) { return "f32[7]"; }));
  for (int i = 0; i < n; ++i) f.Add(StrCat(kOps[i % 3], " %x", i % 50), "f32[7]");
  return f.Return(Joined(n, [](int i) { return StrCat("%", i); }));
}

inline std::string BombArguments(int n) {
  BombFunction f("main", Joined(n, [](int i) { return StrCat("%x", i, ": f32[3]"); }), "f32[3]");
  std::string x = "%x0";
  for (int i = 0; i < n; ++i) x = f.Add(StrCat("mul ", x, ", %x", i), "f32[3]");
  return f.Return(x);
}

inline std::string BombReductions(int n) {
  static constexpr const char* kLeft[] = {"f32[65,129]", "f32[33,129]", "f32[33,65]"};
  static constexpr const char* kOthers[] = {"1, 2", "0, 2", "0, 1"};
  const std::string type = "f32[33,65,129]";
  return Bomb(type, n, [&](BombFunction* f, std::string x, int i) {
    const std::string sum = f->Add(StrCat("reduce_sum ", x, " {axes=[", i % 3, "]}"), kLeft[i % 3]);
    const std::string back =
        f->Add(StrCat("broadcast ", sum, " {axes=[", kOthers[i % 3], "], shape=[33,65,129]}"), type);
    return f->Add(StrCat("mul ", back, ", ", x), type);
  });
}

inline std::string BombSorts(int n) {
  return Bomb("f32[20,30]", n, [](BombFunction* f, std::string x, int i) {
    const std::string order = f->Add(StrCat("argsort ", x, " {axis=", i % 2, ", descending=false}"), "i64[20,30]");
    return f->Add(StrCat("add ", f->Add("cast " + order + " {dtype=f32}", "f32[20,30]"), ", ", x), "f32[20,30]");
  });
}

/// What `op` makes of the first 10, 11, ... rows.
inline std::string BombShapes(int n, const std::string& parameters, const std::string& op, const std::string& dtype) {
  const auto type = [&](int i) { return StrCat(dtype, "[", 10 + i, ",30]"); };
  BombFunction f("main", StrCat("%x: f32[", 10 + n, ",30]", parameters), Joined(n, type));
  std::vector<std::string> results;
  for (int i = 0; i < n; ++i) {
    const std::string rows = f.Add(StrCat("slice %x {limits=[", 10 + i, ",30], starts=[0,0], strides=[1,1]}"),
                                   StrCat("f32[", 10 + i, ",30]"));
    std::string node = op;
    node.replace(node.find('$'), 1, rows);
    results.push_back(f.Add(node, type(i)));
  }
  return f.Return(Joined(n, [&](int i) { return results[static_cast<size_t>(i)]; }));
}

inline std::string BombConvolutions(int n) {
  const auto type = [&](int i) { return StrCat("f32[1,", 2 * (n - i) + 9, ",", 2 * (n - i) + 9, ",1,4]"); };
  BombFunction f("main", StrCat("%x: ", type(0), ", %w: f32[3,3,1,4,4]"), type(n));
  std::string x = "%x";
  for (int i = 0; i < n; ++i) {
    x = f.Add("conv " + x + ", %w {a_dilation=[1,1], b_dilation=[1,1], high=[0,0], low=[0,0], strides=[1,1]}",
              type(i + 1));
  }
  return f.Return(x);
}

inline std::string BombScans(int n) {
  return Bomb("f32[50,60]", n, [](BombFunction* f, std::string x, int i) {
    return f->Add(StrCat("recurrence %x, ", x, " {axis=", i % 2, ", reverse=", i % 3 ? "true" : "false", "}"),
                  "f32[50,60]");
  });
}

inline std::string BombConstant(int n) {
  BombFunction f("main", "", "f32[]");
  const std::string x = f.Add(StrCat("constant [", Joined(n, [](int) { return "1.5"; }), "]"), StrCat("f32[", n, "]"));
  return f.Return(f.Add("reduce_sum " + x + " {axes=[0]}", "f32[]"));
}

inline std::string BombConstants(int n) {
  return Bomb("f32[4]", n, [](BombFunction* f, std::string x, int i) {
    return f->Add(StrCat("mul ", x, ", ", f->Add(StrCat("constant [", i, ", 2, 3, 7]"), "f32[4]")), "f32[4]");
  });
}

inline std::string BombTransposes(int n) {
  const std::string type = "f32[2,2,2,2,2,2,2,2,2,2]";
  return Bomb(type, n, [&](BombFunction* f, std::string x, int i) {
    const std::string axes = Joined(10, [&](int k) { return StrCat((k * (i % 2 ? 3 : 7) + i) % 10); });
    return f->Add(StrCat("add %x, ", f->Add("transpose " + x + " {permutation=[" + axes + "]}", type)), type);
  });
}

inline std::string BombUnrolled(int n) {
  BombFunction f("main", StrCat("%x: f32[", n, "]"), "f32[1]");
  std::string product;
  for (int i = 0; i < n; ++i) {
    const std::string one = f.Add(StrCat("slice %x {limits=[", i + 1, "], starts=[", i, "], strides=[1]}"), "f32[1]");
    product = i == 0 ? one : f.Add(StrCat("mul ", product, ", ", one), "f32[1]");
  }
  return f.Return(product);
}

inline std::string BombUpdates(int n) {
  const std::string type = StrCat("f32[", n, "]");
  return Bomb(type, n, [&](BombFunction* f, std::string x, int i) {
    const std::string from = f->Add(StrCat("constant ", i), "i64[]"),
                      to = f->Add(StrCat("constant ", n - 1 - i), "i64[]");
    const std::string one = f->Add(StrCat("dynamic_slice ", x, ", ", from, " {axis=0, size=1}"), "f32[1]");
    return f->Add(StrCat("dynamic_update ", x, ", ", f->Add("sin " + one, "f32[1]"), ", ", to, " {axis=0}"), type);
  });
}

inline std::string BombEigen(int n) {
  return Bomb("f32[8,8]", n, [](BombFunction* f, std::string x, int) {
    return f->Add("add %x, " + f->AddMany("eigh " + x, "f32[8], f32[8,8]", 2)[1], "f32[8,8]");
  });
}

inline std::string BombSvd(int n) {
  return Bomb("f32[6,6]", n, [](BombFunction* f, std::string x, int) {
    return f->AddMany("svd " + x, "f32[6,6], f32[6], f32[6,6]", 3)[2];
  });
}

inline std::string BombReverses(int n) {
  BombFunction f("main", "%x: f32[1024,1024]", "f32[1024,1024]");
  std::vector<std::string> values;
  for (int i = 0; i < n; ++i) {
    values.push_back(
        f.Add(StrCat("reverse ", i > 0 ? values.back() : "%x", " {axes=[", i % 2, "]}"), "f32[1024,1024]"));
  }
  std::string x = values.back();
  for (const std::string& v : values) x = f.Add(StrCat("mul ", x, ", ", v), "f32[1024,1024]");
  return f.Return(x);
}

inline std::string BombEntries(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) {
    out += Bomb(
        "f32[32]", 5, [](BombFunction* f, std::string x, int) { return f->Add("tanh " + x, "f32[32]"); },
        StrCat("e", i));
  }
  return out;
}

inline std::string BombVariables(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) StrAppend(&out, "variable @v", i, ": f32[3] = [1, 2, 3]\n");
  return out + BombChain(3, "f32[3]");
}

struct NamedBomb {
  const char* name;
  std::string (*text)(int n);
  int n;  ///< for a few tenths of a second
  /// Between two looks at the clock. A thousand are about two milliseconds.
  int64_t most_allocations = 120000;
};

inline std::vector<NamedBomb> Bombs() {
  return {
      {"chain of scalars", [](int n) { return BombChain(n, "f32[]"); }, 5000},
      {"chain of rows", [](int n) { return BombChain(n, "f32[1024]"); }, 1500},
      {"chain of doubles", [](int n) { return BombChain(n, "f64[33]"); }, 1000},
      {"chain of halves", [](int n) { return BombChain(n, "f16[100]"); }, 700},
      {"special functions", BombSpecials, 60, 250000},  // one function each, of the longest code that there is
      {"all functions", BombFunctions, 324, 500000},
      {"incomplete gammas", BombIncompleteGammas, 20},
      {"calls that double", [](int n) { return BombCalls(n, "f32[]"); }, 12},
      {"calls that double, rows", [](int n) { return BombCalls(n, "f32[64]"); }, 9},
      {"nested loops", [](int n) { return BombNestedLoops(n, ""); }, 30},
      {"nested loops, bounded", [](int n) { return BombNestedLoops(n, ", maximum_iterations=3"); }, 60},
      {"nested branches", BombBranches, 9},
      {"branches in a row", BombSwitches, 150},
      {"loops in a row", BombLoops, 400},
      {"delay line", BombDelayLine, 500},
      {"wide", BombWide, 1500},
      {"results", BombResults, 1000},
      {"arguments", BombArguments, 3000},
      {"reductions", BombReductions, 60},
      {"sorts", BombSorts, 100},
      {"sorts of many shapes", [](int n) { return BombShapes(n, "", "argsort $ {axis=0, descending=false}", "i64"); },
       20},
      {"products of many shapes",
       [](int n) {
         return BombShapes(n, ", %w: f32[30,30]",
                           "contract $, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]}", "f32");
       },
       20},
      {"maps of many shapes", [](int n) { return BombShapes(n, "", "exp $", "f32"); }, 60},
      {"convolutions", BombConvolutions, 12},
      {"scans", BombScans, 300},
      {"large constant", BombConstant, 100000},
      {"many constants", BombConstants, 1000},
      {"transpositions", BombTransposes, 60},
      {"unrolled", BombUnrolled, 800},
      {"updates", BombUpdates, 100},
      {"eigenvalues", BombEigen, 1},
      {"singular values", BombSvd, 1},
      {"large arrays", BombReverses, 150},
      {"entry points", BombEntries, 60},
      {"variables", BombVariables, 1000},
  };
}

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_BOMBS_H_
