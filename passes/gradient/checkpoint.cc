#include "passes/gradient/checkpoint.h"

#include <algorithm>
#include <utility>

#include "ir/strings.h"

namespace reel::passes {
namespace {

using ir::Builder;
using ir::Value;
using Values = std::vector<Value>;

constexpr int kUpperLevels = 3;
constexpr int64_t kSlots = 16;               // of each upper level, and at least of the lowest
constexpr int64_t kSlotBytes = 256 << 10;    // of the lowest level, if its states are small

Values Join(std::initializer_list<Values> parts) {
  Values all;
  for (const Values& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}

// Makes the functions. All take the state c, the carried values of the loop, first; values that the
// body returns unchanged stay what they are in every loop here, so they cost nothing.
class Maker {
 public:
  Maker(const CheckpointedLoop& loop, FunctionGradients* functions) : loop_(loop), functions_(functions) {
    for (int i = 0; i < loop.body.num_parameters(); ++i) {
      if (!Unchanged(loop.body, i)) changed_.push_back(i);
    }
  }

  absl::StatusOr<Values> Run(const Values& operands, const Values& cotangents, Builder& b) {
    const std::string count_cond = Define("count.cond", [&](ir::Function* f, Builder& fb) {
      const Values c = AddState(f);
      AddInt(f, "n");
      return Values{fb.Call(loop_.cond.name(), c)[0]};
    });
    const std::string count = Define("count", [&](ir::Function* f, Builder& fb) {
      const Values c = AddState(f);
      const Value n = AddInt(f, "n");
      return Join({Next(fb, c), {fb.Add(n, Int(fb, 1))}});
    });
    DefineRun();
    const int64_t lowest = LowestSlots();
    std::string level = DefineLevel(DefineLeaf(), lowest, 1);
    int64_t below = lowest;
    for (int k = 0; k < kUpperLevels; ++k, below *= kSlots) {
      level = DefineLevel(level, kSlots, below);
    }
    if (!status_.ok()) return status_;
    const ir::ValueList counted = b.While(count_cond, count, Join({operands, {Int(b, 0)}}));
    if (!b.status().ok()) return b.status();
    const ir::ValueList d = b.Call(level, Join({operands, {counted[operands.size()]}, cotangents}));
    if (!b.status().ok()) return b.status();
    return Values(d.begin(), d.end());
  }

 private:
  static Value Int(Builder& b, int64_t x) { return b.Constant(ir::Literal::ScalarInt(kInt64, x)); }
  static Value AddInt(ir::Function* f, std::string_view name) {
    return f->AddParameter(std::string(name), {kInt64, {}});
  }

  template <typename Body>
  std::string Define(std::string_view what, Body body) {
    if (!status_.ok()) return "";
    ir::Function f(StrCat(loop_.body.name(), ".", what));
    Builder b(&f, functions_->module());
    Values results = body(&f, b);
    if (!b.status().ok()) {
      status_ = b.status();
      return "";
    }
    f.SetResults(std::move(results));
    return functions_->AddFunction(std::move(f));
  }

  // States in kSlotBytes; of symbolic size, the fewest.
  int64_t LowestSlots() const {
    int64_t bytes = 1;
    for (int i : changed_) {
      const Type& type = loop_.body.parameter(i).type;
      if (!type.shape.is_constant()) return kSlots;
      bytes += type.bytes();
    }
    return std::max(kSlots, kSlotBytes / bytes);
  }

  Values AddState(ir::Function* f) const { return AddCarried(loop_.body, f); }
  Values AddCotangents(ir::Function* f) const { return AddCarriedCotangents(loop_.body, loop_.key, f); }
  Values AddSlots(ir::Function* f, int64_t count) const {
    Values slots;
    for (int i : changed_) {
      const Type stack = Stacked(loop_.body.parameter(i).type, count);
      slots.push_back(f->AddParameter(StrCat("s", i), stack));
    }
    return slots;
  }

  // body(c), with what it does not change as it is.
  Values Next(Builder& b, const Values& c) const {
    const ir::ValueList next = b.Call(loop_.body.name(), c);
    Values out = c;
    for (int i : changed_) {
      if (b.status().ok()) out[static_cast<size_t>(i)] = next[static_cast<size_t>(i)];
    }
    return out;
  }

  // c after q more iterations.
  Values Forward(Builder& b, const Values& c, Value q) const {
    const ir::ValueList r = b.While(run_cond_, run_, Join({c, {q}}));
    Values out = c;
    for (int i : changed_) {
      if (b.status().ok()) out[static_cast<size_t>(i)] = r[static_cast<size_t>(i)];
    }
    return out;
  }

  // q iterations.
  void DefineRun() {
    run_cond_ = Define("run.cond", [&](ir::Function* f, Builder& b) {
      AddState(f);
      const Value q = AddInt(f, "q");
      return Values{b.Greater(q, Int(b, 0))};
    });
    run_ = Define("run", [&](ir::Function* f, Builder& b) {
      const Values c = AddState(f);
      const Value q = AddInt(f, "q");
      return Join({Next(b, c), {b.Sub(q, Int(b, 1))}});
    });
  }

  // The loop of a level that saves the state at the start of segment s of m iterations in segments
  // of `length`, then runs on to the next; and the condition of the one that walks them back.
  struct LevelLoops {
    std::string save_cond, save, walk_cond;
  };
  LevelLoops DefineLoops(int64_t count) {
    LevelLoops loops;
    loops.save_cond = Define("save.cond", [&](ir::Function* f, Builder& b) {
      AddState(f);
      const Value s = AddInt(f, "s"), m = AddInt(f, "m"), length = AddInt(f, "length");
      AddSlots(f, count);
      return Values{b.Less(b.Mul(s, length), m)};
    });
    loops.save = Define("save", [&](ir::Function* f, Builder& b) {
      const Values c = AddState(f);
      const Value s = AddInt(f, "s"), m = AddInt(f, "m"), length = AddInt(f, "length");
      Values slots = AddSlots(f, count);
      for (size_t k = 0; k < slots.size(); ++k) {
        const Value x = c[static_cast<size_t>(changed_[k])];
        slots[k] = b.DynamicUpdate(slots[k], b.Reshape(x, Stacked(f->type(x), 1).shape), s, 0);
      }
      const Value next = b.Add(s, Int(b, 1));
      const Value more = b.Less(b.Mul(next, length), m);
      const Values c_next = Forward(b, c, b.Select(more, length, Int(b, 0)));
      return Join({c_next, {next, m, length}, slots});
    });
    loops.walk_cond = Define("walk.cond", [&](ir::Function* f, Builder& b) {
      AddState(f);
      const Value s = AddInt(f, "s");
      AddInt(f, "m");
      AddInt(f, "length");
      AddSlots(f, count);
      AddCotangents(f);
      return Values{b.Greater(s, Int(b, 0))};
    });
    return loops;
  }

  // (c, m, d) -> d: backwards over m iterations from c, each reached from c.
  std::string DefineLeaf() {
    const std::string cond = Define("back.cond", [&](ir::Function* f, Builder& b) {
      AddState(f);
      const Value m = AddInt(f, "m");
      AddCotangents(f);
      return Values{b.Greater(m, Int(b, 0))};
    });
    const std::string gradient = functions_->Name(loop_.key, loop_.built.used, loop_.key.maybe_results);
    const std::string body = Define("back", [&](ir::Function* f, Builder& b) {
      const Values c = AddState(f);
      Value m = AddInt(f, "m");
      const Values d = AddCotangents(f);
      m = b.Sub(m, Int(b, 1));
      const Values at = Forward(b, c, m);
      Values arguments;
      for (size_t i = 0; i < at.size(); ++i) {
        if (loop_.built.used[i]) arguments.push_back(at[i]);
      }
      const ir::ValueList next = b.Call(gradient, Join({arguments, d}));
      return Join({c, {m}, Values(next.begin(), next.end())});
    });
    return Define("level", [&](ir::Function* f, Builder& b) {
      const Values c = AddState(f);
      const Value m = AddInt(f, "m");
      const Values d = AddCotangents(f);
      return Last(b.While(cond, body, Join({c, {m}, d})), d.size());
    });
  }

  // (c, m, d) -> d: the same by at most `count` segments, which `below` walks back. It takes
  // `capacity` iterations without running any of them again.
  std::string DefineLevel(const std::string& below, int64_t count, int64_t capacity) {
    const LevelLoops loops = DefineLoops(count);
    const std::string walk = Define("walk", [&](ir::Function* f, Builder& b) {
      const Values c = AddState(f);
      Value s = AddInt(f, "s");
      const Value m = AddInt(f, "m"), length = AddInt(f, "length");
      const Values slots = AddSlots(f, count), d = AddCotangents(f);
      s = b.Sub(s, Int(b, 1));
      Values start = c;
      for (size_t k = 0; k < slots.size(); ++k) {
        const auto i = static_cast<size_t>(changed_[k]);
        start[i] = b.Reshape(b.DynamicSlice(slots[k], s, 0, 1), Type(f->type(c[i])).shape);
      }
      const Value q = b.Min(length, b.Sub(m, b.Mul(s, length)));
      const ir::ValueList next = b.Call(below, Join({start, {q}, d}));
      return Join({c, {s, m, length}, slots, Values(next.begin(), next.end())});
    });
    return Define("level", [&](ir::Function* f, Builder& b) {
      const Values c = AddState(f);
      const Value m = AddInt(f, "m");
      const Values d = AddCotangents(f);
      const Value least = b.Div(b.Add(m, Int(b, count - 1)), Int(b, count));
      const Value length = b.Max(least, Int(b, capacity));
      Values slots;
      for (int i : changed_) {
        slots.push_back(b.Zeros(Stacked(loop_.body.parameter(i).type, count)));
      }
      const ir::ValueList saved = b.While(loops.save_cond, loops.save, Join({c, {Int(b, 0), m, length}, slots}), count);
      if (!b.status().ok()) return Values{};
      const Values filled = Last(saved, slots.size());
      const Value segments = saved[c.size()];
      return Last(b.While(loops.walk_cond, walk, Join({c, {segments, m, length}, filled, d}), count), d.size());
    });
  }

  static Values Last(const ir::ValueList& list, size_t count) {
    if (list.size() < count) return {};  // after an error
    return Values(list.end() - static_cast<std::ptrdiff_t>(count), list.end());
  }

  const CheckpointedLoop& loop_;
  FunctionGradients* functions_;
  std::vector<int> changed_;  // carried values
  std::string run_cond_, run_;
  absl::Status status_;
};

}  // namespace

Type Stacked(const Type& type, int64_t rows) {
  Type stack{type.dtype, {rows}};
  for (Extent e : type.shape) stack.shape.push_back(e);
  return stack;
}

Values AddCarried(const ir::Function& body, ir::Function* f) {
  Values out;
  for (int i = 0; i < body.num_parameters(); ++i) {
    out.push_back(f->AddParameter(StrCat("c", i), body.parameter(i).type));
  }
  return out;
}

Values AddCarriedCotangents(const ir::Function& body, const GradientKey& key, ir::Function* f) {
  Values out;
  for (size_t i = 0; i < key.results.size(); ++i) {
    if (key.results[i]) out.push_back(f->AddParameter(StrCat("d", i), body.parameter(static_cast<int>(i)).type));
  }
  for (size_t i = 0; i < key.results.size(); ++i) {
    if (Has(key.maybe_results, i)) out.push_back(f->AddParameter(StrCat("has", i), {kBool, {}}));
  }
  return out;
}

bool Unchanged(const ir::Function& body, int i) {
  Value v = body.results()[static_cast<size_t>(i)];
  while (body.Is(v, ir::Op::kIdentity)) v = body.producer(v)->operands[0];
  return v == Value{i};
}

absl::StatusOr<std::vector<Value>> ReverseWithCheckpoints(const CheckpointedLoop& loop,
                                                          const std::vector<Value>& operands,
                                                          const std::vector<Value>& cotangents,
                                                          FunctionGradients* functions, ir::Builder& b) {
  return Maker(loop, functions).Run(operands, cotangents, b);
}

}  // namespace reel::passes
