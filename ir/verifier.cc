#include "ir/verifier.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/strings.h"
#include "ir/infer.h"

namespace reel::ir {
namespace {

absl::Status Error(std::string_view where, std::string_view message) {
  return absl::InvalidArgumentError(StrCat(where, ": ", message));
}

std::string DescribeNode(const Function& f, const Node& node) {
  std::string out = StrCat("@", f.name(), ", node %", node.first_result - f.num_parameters());
  if (node.location >= 0 && static_cast<size_t>(node.location) < f.locations().size()) {
    const Location& l = f.locations()[static_cast<size_t>(node.location)];
    StrAppend(&out, " (", l.file, ":", l.line, ")");
  }
  return out;
}

absl::Status VerifyNode(const Function& f, const Node& node, const Module& module) {
  for (Value v : node.operands) {
    if (v.id < 0 || v.id >= node.first_result) {
      return Error(DescribeNode(f, node), StrCat(Name(node.op), ": operand is not defined before its use"));
    }
  }
  const TypeList operands = OperandTypes(f, node.operands);
  const auto types = InferTypes({node.op, operands, node.attrs(), &module});
  if (!types.ok()) return Error(DescribeNode(f, node), std::string(types.status().message()));
  if (types->size() != static_cast<size_t>(node.num_results)) {
    return Error(DescribeNode(f, node), StrCat(Name(node.op), ": has ", types->size(), " results, declared ",
                                                     node.num_results));
  }
  for (int i = 0; i < node.num_results; ++i) {
    const Type &got = f.type(node.result(i)), &want = (*types)[static_cast<size_t>(i)];
    if (got != want) {
      return Error(DescribeNode(f, node), StrCat(Name(node.op), ": result is ", want.ToString(),
                                                       ", declared ", got.ToString()));
    }
  }
  return absl::OkStatus();
}

absl::Status VerifySignature(const Function& f, const Module& module) {
  const std::string where = StrCat("@", f.name());
  absl::flat_hash_set<std::string_view> names, states;
  for (int i = 0; i < f.num_arguments(); ++i) {
    const Parameter& p = f.parameter(i);
    if (p.name.empty() || !names.insert(p.name).second) {
      return Error(where, StrCat("parameter name '", p.name, "' is empty or repeated"));
    }
  }
  for (int i = 0; i < f.num_parameters(); ++i) {
    if (!FitsInMemory(f.parameter(i).type.shape)) {
      return Error(where, StrCat("parameter %", f.parameter(i).name, " is too large"));
    }
  }
  if (f.results().size() < f.state().size()) return Error(where, "results do not cover the state");
  for (size_t i = 0; i < f.state().size(); ++i) {
    const Variable* v = module.FindVariable(f.state()[i]);
    if (!v) return Error(where, StrCat("there is no variable @", f.state()[i]));
    if (!states.insert(f.state()[i]).second) {
      return Error(where, StrCat("variable @", f.state()[i], " is listed twice"));
    }
    const Type& have = f.parameter(f.num_arguments() + static_cast<int>(i)).type;
    if (have != v->type) {
      return Error(where, StrCat("variable @", v->name, " is ", v->type.ToString(), ", used as ",
                                       have.ToString()));
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyResults(const Function& f) {
  const std::string where = StrCat("@", f.name());
  for (Value v : f.results()) {
    if (v.id < 0 || v.id >= f.num_values()) return Error(where, "a result is not defined");
  }
  for (size_t i = 0; i < f.state().size(); ++i) {
    const Type& out = f.type(f.results()[static_cast<size_t>(f.num_outputs()) + i]);
    const Type& in = f.parameter(f.num_arguments() + static_cast<int>(i)).type;
    if (out != in) {
      return Error(where, StrCat("new value of @", f.state()[i], " is ", out.ToString(), ", must be ",
                                       in.ToString()));
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyVariables(const Module& module) {
  absl::flat_hash_set<std::string_view> names;
  for (const Variable& v : module.variables()) {
    const std::string where = StrCat("variable @", v.name);
    if (v.name.empty() || !names.insert(v.name).second) return Error(where, "name is empty or repeated");
    if (!v.type.shape.is_constant()) return Error(where, "shape must be constant");
    if (!FitsInMemory(v.type.shape)) return Error(where, "is too large");
    if (const auto* literal = std::get_if<Literal>(&v.initial)) {
      if (literal->type() != v.type) {
        return Error(where, StrCat("is ", v.type.ToString(), ", its initial value ",
                                         literal->type().ToString()));
      }
      continue;
    }
    const std::string& init = std::get<std::string>(v.initial);
    const Function* f = module.FindFunction(init);
    if (!f) return Error(where, StrCat("there is no init function @", init));
    if (f->num_parameters() != 0 || f->results().size() != 1 || !f->results()[0].valid() ||
        f->results()[0].id >= f->num_values() || f->type(f->results()[0]) != v.type) {
      return Error(where, StrCat("init function @", init, " must be () -> ", v.type.ToString()));
    }
  }
  return absl::OkStatus();
}

std::vector<const Function*> Callees(const Function& f, const Module& module) {
  std::vector<const Function*> out;
  absl::flat_hash_set<const Function*> seen;
  for (const Node& node : f.nodes()) {
    for (std::string_view name : CalledFunctions(node)) {
      const Function* callee = module.FindFunction(name);
      if (callee && seen.insert(callee).second) out.push_back(callee);
    }
  }
  return out;
}

// Depth-first over the call graph with an explicit stack; grey = on the stack.
absl::Status VerifyNoRecursion(const Module& module) {
  enum class Colour : uint8_t { kWhite, kGrey, kBlack };
  struct Frame {
    const Function* function;
    std::vector<const Function*> callees;
    size_t next = 0;
  };
  absl::flat_hash_map<const Function*, Colour> colour;
  for (const auto& root : module.functions()) {
    if (colour[root.get()] != Colour::kWhite) continue;
    std::vector<Frame> stack;
    colour[root.get()] = Colour::kGrey;
    stack.push_back({root.get(), Callees(*root, module)});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == frame.callees.size()) {
        colour[frame.function] = Colour::kBlack;
        stack.pop_back();
        continue;
      }
      const Function* callee = frame.callees[frame.next++];
      Colour& c = colour[callee];
      if (c == Colour::kGrey) {
        return Error(StrCat("@", frame.function->name()),
                     StrCat("calls @", callee->name(), ", which calls it: recursion is not supported, "
                            "write a while loop"));
      }
      if (c == Colour::kWhite) {
        c = Colour::kGrey;
        stack.push_back({callee, Callees(*callee, module)});
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Verify(const Function& f, const Module& module) {
  if (f.name().empty()) return Error("function", "name is empty");
  if (absl::Status s = VerifySignature(f, module); !s.ok()) return s;
  for (const Node& node : f.nodes()) {
    if (absl::Status s = VerifyNode(f, node, module); !s.ok()) return s;
  }
  return VerifyResults(f);
}

absl::Status Verify(const Module& module) {
  for (const Symbol& s : module.symbols()) {
    if (s.name.empty() || s.min < 0 || s.min > s.max) {
      return Error(StrCat("symbol '", s.name, "'"), "needs a name and 0 <= min <= max");
    }
  }
  if (absl::Status s = VerifyVariables(module); !s.ok()) return s;
  // Bodies before callers is not required: signatures of callees are read, so results must be in range first.
  for (const auto& f : module.functions()) {
    if (absl::Status s = VerifyResults(*f); !s.ok()) return s;
  }
  for (const auto& f : module.functions()) {
    if (absl::Status s = Verify(*f, module); !s.ok()) return s;
  }
  return VerifyNoRecursion(module);
}

}  // namespace reel::ir
