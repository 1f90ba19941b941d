#include "frontend/export/program.h"

#include <limits>

#include "ir/calls.h"
#include "ir/eval/eval.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "ir/suggest.h"
#include "ir/verifier.h"
#include "passes/expand/complex.h"
#include "passes/expand/half.h"
#include "passes/expand/rule.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace reel::exports {
namespace {

// Nodes that calls may be written out as: more is no program that another runtime takes.
constexpr int64_t kMaxInlined = 4'000'000;

absl::Status Error(const Format& format, absl::StatusCode code, std::string_view text) {
  return absl::Status(code, std::string(StrCat(format.name, ": ", text)));
}

absl::StatusOr<std::string> FindEntry(const ir::Module& module, std::string_view name, const Format& format) {
  std::vector<std::string> names;
  for (const ir::Function* f : ir::EntryFunctions(module)) names.push_back(f->name());
  if (module.FindFunction(name.empty() ? "main" : name)) return std::string(name.empty() ? "main" : name);
  if (name.empty() && names.size() == 1) return names[0];
  std::string all;
  for (const std::string& n : names) StrAppend(&all, all.empty() ? "" : ", ", n);
  if (name.empty()) {
    const std::string why = names.empty() ? "the module has no function" : StrCat("which function? Name one of: ", all);
    return Error(format, absl::StatusCode::kInvalidArgument, why);
  }
  return Error(format, absl::StatusCode::kNotFound,
               StrCat("the module has no function ", ir::Quoted(name), "; it has: ", all, ir::DidYouMean(name, names)));
}

// The entry point and what it reaches, without calls.
absl::StatusOr<ir::Module> Alone(const ir::Module& module, const std::string& entry) {
  ir::Module out = module;
  out.metadata().clear();
  std::vector<const ir::Function*> roots{out.FindFunction(entry)};
  for (const ir::Function* f : ir::InitFunctions(out)) roots.push_back(f);
  ir::KeepReached(&out, roots);
  const passes::PassContext context{
      .entry_points = {entry}, .differentiation_done = true, .inline_limit_nodes = kMaxInlined};
  for (const passes::Pass pass : {passes::Inline, passes::ProveIndices, passes::Dce}) {
    if (auto done = pass(&out, context); !done.ok()) return done.status();
  }
  return out;
}

// The rounds of Philox on all blocks of four words at once, as ir/eval/random.cc computes them.
class Philox {
 public:
  Philox(ir::Builder& b, int64_t words) : b_(b), blocks_((words + 3) / 4), words_(words) {}

  ir::Value Bits(ir::Value state, const Shape& shape) {
    const ir::Value key = Split(At(state, 0));
    const ir::Value first = b_.BroadcastTo(b_.Bitcast(At(state, 1), kUInt64), {blocks_});
    const ir::Value counter = b_.Add(first, b_.Iota(kUInt64, {blocks_}, 0));
    ir::Value x[4] = {Low(counter), High(counter), b_.Zeros(Word()), b_.Zeros(Word())};
    ir::Value k[2] = {b_.BroadcastTo(b_.Slice(key, {0}, {1}, {1}), {blocks_}),
                      b_.BroadcastTo(b_.Slice(key, {1}, {2}, {1}), {blocks_})};
    for (int round = 0; round < 10; ++round) {
      const ir::Value p = Product(x[0], 0xD2511F53), q = Product(x[2], 0xCD9E8D57);
      x[0] = b_.Xor(b_.Xor(High(q), x[1]), k[0]);
      x[2] = b_.Xor(b_.Xor(High(p), x[3]), k[1]);
      x[1] = Low(q);
      x[3] = Low(p);
      k[0] = b_.Add(k[0], Number(Word(), 0x9E3779B9));
      k[1] = b_.Add(k[1], Number(Word(), 0xBB67AE85));
    }
    // The four words of a block side by side.
    ir::Value all = b_.Zeros({kUInt32, {blocks_, 4}});
    for (int64_t lane = 0; lane < 4; ++lane)
      all = b_.DynamicUpdate(all, b_.Reshape(x[lane], {blocks_, 1}), b_.Constant(ir::Literal::ScalarInt(kInt64, lane)),
                             1);
    const ir::Value flat = b_.Slice(b_.Reshape(all, {blocks_ * 4}), {0}, {words_}, {1});
    return b_.Reshape(b_.Bitcast(flat, kInt32), shape);
  }

 private:
  Type Word() const { return {kUInt32, {blocks_}}; }
  ir::Value Number(Type type, int64_t value) {  // a copy: types of values may move when a node is added
    return b_.BroadcastTo(b_.Constant(ir::Literal::ScalarInt(type.dtype, value)), type.shape);
  }
  ir::Value At(ir::Value state, int64_t i) { return b_.Slice(state, {i}, {i + 1}, {1}); }
  ir::Value Low(ir::Value x) { return b_.Cast(x, kUInt32); }
  ir::Value High(ir::Value x) { return Low(b_.ShiftRight(x, Number(b_.type(x), 32))); }
  ir::Value Product(ir::Value x, int64_t factor) {
    const ir::Value wide = b_.Cast(x, kUInt64);
    return b_.Mul(wide, Number(b_.type(wide), factor));
  }
  // The low and the high word of the key.
  ir::Value Split(ir::Value key) {
    const ir::Value bits = b_.Bitcast(key, kUInt64);
    const ir::Value low = Low(bits), high = High(bits);
    const ir::Value zeros = b_.Zeros({kUInt32, {2}});
    const ir::Value with_low = b_.DynamicUpdate(zeros, low, b_.Constant(ir::Literal::ScalarInt(kInt64, 0)), 0);
    return b_.DynamicUpdate(with_low, high, b_.Constant(ir::Literal::ScalarInt(kInt64, 1)), 0);
  }

  ir::Builder& b_;
  const int64_t blocks_, words_;
};

// Loops over matrices are written for numbers: with symbols a node stays, and the writer says what it needs.
bool LacksNumbers(const ir::Function& f, const ir::Node& node) {
  switch (node.op) {
    case ir::Op::kCholesky:
    case ir::Op::kTriangularSolve:
    case ir::Op::kLu:
    case ir::Op::kQr:
    case ir::Op::kEigh:
    case ir::Op::kSvd: return !f.type(node.operands[0]).shape.is_constant();
    default: return false;
  }
}

absl::Status ExpandRandom(ir::Module* m) {
  for (const auto& f : m->functions()) {
    const auto done = passes::Rewrite(f.get(), m, [&](const ir::Node& node, passes::Copier& copier, ir::Builder& b) {
      const Shape& shape = f->type(node.result()).shape;
      if (node.op != ir::Op::kRandomBits || !shape.is_constant() || shape.size() == 0) return false;
      copier.Map(node.result(), Philox(b, shape.size()).Bits(copier(node.operands[0]), shape));
      return true;
    });
    if (!done.ok()) return done.status();
  }
  return absl::OkStatus();
}

// The first node that cannot be said is an error that names it.
absl::Status Check(const ir::Module& m, const Format& format) {
  for (const auto& f : m.functions()) {
    for (const ir::Node& node : f->nodes()) {
      const std::string why = format.refuses ? format.refuses(*f, node) : "";
      if (why.empty()) continue;
      std::string where = StrCat("@", f->name());
      if (node.location >= 0) {
        const ir::Location& at = f->locations()[static_cast<size_t>(node.location)];
        StrAppend(&where, " (", at.file, ":", at.line, ")");
      }
      return Error(format, absl::StatusCode::kUnimplemented, StrCat(ir::Name(node.op), " in ", where, ": ", why));
    }
  }
  return absl::OkStatus();
}

// What the variables begin with; those that the entry point does not touch are dropped.
absl::StatusOr<std::vector<State>> States(const ir::Module& module, const ir::Function& main) {
  const auto initial = ir::InitialState(module);
  if (!initial.ok()) return initial.status();
  std::vector<State> out;
  for (size_t i = 0; i < main.state().size(); ++i) {
    State state{.variable = main.state()[i], .initial = {}};
    for (size_t k = 0; k < initial->size(); ++k) {
      if (module.variables()[k].name == state.variable) state.initial = (*initial)[k];
    }
    const size_t result = static_cast<size_t>(main.num_outputs()) + i;
    state.updated = main.results()[result] != ir::Value{main.num_arguments() + static_cast<int>(i)};
    out.push_back(std::move(state));
  }
  return out;
}

}  // namespace

absl::StatusOr<Program> Prepare(const ir::Module& module, std::string_view entry, const Format& format) {
  if (absl::Status s = ir::Verify(module); !s.ok()) return s;
  absl::StatusOr<std::string> name = FindEntry(module, entry, format);
  if (!name.ok()) return name.status();
  absl::StatusOr<ir::Module> alone = Alone(module, *name);
  if (!alone.ok()) return alone.status();
  Program out{.module = *std::move(alone), .entry = *name, .state = {}};
  if (format.expands) {
    const auto expands = [&](const ir::Function& f, const ir::Node& n) {
      return !LacksNumbers(f, n) && format.expands(f, n);
    };
    if (auto done = passes::ExpandNodes(&out.module, expands); !done.ok()) return done.status();
  }
  if (!format.has_random_bits) {
    if (absl::Status s = ExpandRandom(&out.module); !s.ok()) return s;
  }
  if (!format.has_complex) {
    if (auto done = passes::SplitComplex(&out.module); !done.ok()) return done.status();
  }
  auto state = States(out.module, out.main());
  if (!state.ok()) return state.status();
  out.state = *std::move(state);
  ir::KeepReached(&out.module, {&out.main()});
  const passes::PassContext context{.entry_points = {out.entry}, .differentiation_done = true};
  for (const passes::Pass pass : {passes::Cse, passes::Dce}) {
    if (auto done = pass(&out.module, context); !done.ok()) return done.status();
  }
  if (absl::Status s = ir::Verify(out.module); !s.ok()) return s;
  if (absl::Status s = Check(out.module, format); !s.ok()) return s;
  return out;
}

}  // namespace reel::exports
