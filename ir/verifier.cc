#include "ir/verifier.h"

#include "ir/budget_scope.h"
#include "ir/calls.h"
#include "ir/hash_map.h"
#include "ir/infer.h"
#include "ir/names.h"
#include "ir/strings.h"

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

// Names are printed in messages and files: nothing in them may act on a terminal.
absl::Status CheckName(std::string_view what, std::string_view name, bool may_be_empty = false) {
  if (name.empty() && !may_be_empty) {
    return absl::InvalidArgumentError(StrCat(what, " name is empty"));
  }
  if (IsValidName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat(what, " name ", Quoted(name), " is not printable UTF-8 of at most ", kMaxNameBytes, " bytes"));
}

// What is wrong with the extents of a type, "" if nothing: a symbolic extent must name a symbol of
// the module, and a negative one does not.
std::string ExtentFault(const Type& type, const Module& module) {
  for (Extent e : type.shape) {
    if (e.is_constant() || static_cast<uint64_t>(e.symbol()) < module.symbols().size()) continue;
    return StrCat(type.ToString(), " has a negative extent or an unknown symbol");
  }
  return {};
}

// What is wrong with a literal, "" if nothing.
std::string LiteralFault(const Literal& literal) {
  if (!literal.shape().is_constant() || !FitsInMemory(literal.shape()) ||
      static_cast<int64_t>(literal.bytes().size()) != literal.type().bytes()) {
    return StrCat("the bytes of the literal do not make a ", literal.type().ToString());
  }
  if (literal.dtype() == kBool) {
    for (std::byte b : literal.bytes()) {
      if (b > std::byte{1}) return "a bool literal has a byte that is neither 0 nor 1";
    }
  }
  return {};
}

absl::Status VerifyNode(const Function& f, const Node& node, const Module& module) {
  ChargeVisits(1 + node.operands.size() + static_cast<size_t>(node.num_results));
  for (Value v : node.operands) {
    if (v.id < 0 || v.id >= node.first_result) {
      return Error(DescribeNode(f, node), StrCat(Name(node.op), ": operand is not defined before its use"));
    }
  }
  const TypeList operands = OperandTypes(f, node.operands);
  const auto types = InferTypes({node.op, operands, node.attrs(), &module});
  if (!types.ok()) return Error(DescribeNode(f, node), std::string(types.status().message()));
  if (types->size() != static_cast<size_t>(node.num_results)) {
    return Error(DescribeNode(f, node),
                 StrCat(Name(node.op), ": has ", types->size(), " results, declared ", node.num_results));
  }
  for (int i = 0; i < node.num_results; ++i) {
    const Type &got = f.type(node.result(i)), &want = (*types)[static_cast<size_t>(i)];
    if (got != want) {
      return Error(DescribeNode(f, node),
                   StrCat(Name(node.op), ": result is ", want.ToString(), ", declared ", got.ToString()));
    }
    if (got.shape.is_constant()) continue;
    if (const std::string fault = ExtentFault(got, module); !fault.empty()) {
      return Error(DescribeNode(f, node), fault);
    }
  }
  if (node.op != Op::kConstant) return absl::OkStatus();
  const std::string fault = LiteralFault(node.attr<Literal>("value"));
  return fault.empty() ? absl::OkStatus() : Error(DescribeNode(f, node), fault);
}

absl::Status VerifyFunctionNames(const Function& f) {
  if (absl::Status s = CheckName("function", f.name()); !s.ok()) return s;
  const std::string where = StrCat("@", f.name());
  const auto check = [&](std::string_view what, std::string_view name, bool may_be_empty) {
    const absl::Status s = CheckName(what, name, may_be_empty);
    return s.ok() ? s : Error(where, std::string(s.message()));
  };
  for (int i = 0; i < f.num_parameters(); ++i) {
    if (absl::Status s = check("parameter", f.parameter(i).name, false); !s.ok()) return s;
  }
  for (const std::string& name : f.result_names()) {
    if (absl::Status s = check("result", name, true); !s.ok()) return s;
  }
  for (const Location& l : f.locations()) {
    if (absl::Status s = check("file", l.file, true); !s.ok()) return s;
  }
  ChargeVisits(static_cast<size_t>(f.num_values()));
  for (int32_t id = f.num_parameters(); id < f.num_values(); ++id) {
    const std::string_view hint = f.name_hint({id});
    if (hint.empty()) continue;
    if (absl::Status s = check("value", hint, true); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status VerifySignature(const Function& f, const Module& module) {
  const std::string where = StrCat("@", f.name());
  HashSet<std::string_view> names, states;
  for (int i = 0; i < f.num_arguments(); ++i) {
    const Parameter& p = f.parameter(i);
    if (p.name.empty() || !names.insert(p.name).second) {
      return Error(where, StrCat("parameter name '", p.name, "' is empty or repeated"));
    }
  }
  for (int i = 0; i < f.num_parameters(); ++i) {
    const Type& type = f.parameter(i).type;
    if (const std::string fault = ExtentFault(type, module); !fault.empty()) {
      return Error(where, fault);
    }
    if (!FitsInMemory(type.shape)) {
      return Error(where, StrCat("parameter %", f.parameter(i).name, " is too large"));
    }
  }
  if (f.results().size() < f.state().size()) return Error(where, "results do not cover the state");
  if (f.result_names().size() > static_cast<size_t>(f.num_outputs())) {
    return Error(where, StrCat("has ", f.num_outputs(), " results but ", f.result_names().size(), " names for them"));
  }
  for (size_t i = 0; i < f.state().size(); ++i) {
    const Variable* v = module.FindVariable(f.state()[i]);
    if (!v) return Error(where, StrCat("there is no variable @", f.state()[i]));
    if (!states.insert(f.state()[i]).second) {
      return Error(where, StrCat("variable @", f.state()[i], " is listed twice"));
    }
    const Type& have = f.parameter(f.num_arguments() + static_cast<int>(i)).type;
    if (have != v->type) {
      return Error(where, StrCat("variable @", v->name, " is ", v->type.ToString(), ", used as ", have.ToString()));
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
      return Error(where, StrCat("new value of @", f.state()[i], " is ", out.ToString(), ", must be ", in.ToString()));
    }
  }
  return absl::OkStatus();
}

// Of a variable in parts the whole one must be possible.
std::string PartsFault(const Variable& v) {
  if (v.parts == 1) return "";
  if (v.parts < 1) return StrCat("is in ", v.parts, " parts, needs at least one");
  if (v.type.shape.rank() == 0) return StrCat("is in ", v.parts, " parts, but has no axis that they divide");
  if (!std::holds_alternative<Literal>(v.initial)) return "is in parts, so its initial value must be a literal";
  int64_t rows = 0;
  const bool fits = !__builtin_mul_overflow(v.parts, v.type.shape.dim(0), &rows) && FitsInMemory(v.WholeType().shape);
  return fits ? "" : StrCat("is too large as a whole of ", v.parts, " parts");
}

absl::Status VerifyVariables(const Module& module) {
  HashSet<std::string_view> names;
  for (const Variable& v : module.variables()) {
    if (absl::Status s = CheckName("variable", v.name); !s.ok()) return s;
    const std::string where = StrCat("variable @", v.name);
    if (!names.insert(v.name).second) return Error(where, "name is repeated");
    if (!v.type.shape.is_constant()) return Error(where, "shape must be constant and not negative");
    if (!FitsInMemory(v.type.shape)) return Error(where, "is too large");
    if (const std::string fault = PartsFault(v); !fault.empty()) return Error(where, fault);
    if (const auto* literal = std::get_if<Literal>(&v.initial)) {
      if (literal->type() != v.type) {
        return Error(where, StrCat("is ", v.type.ToString(), ", its initial value ", literal->type().ToString()));
      }
      if (const std::string fault = LiteralFault(*literal); !fault.empty()) {
        return Error(where, fault);
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

absl::Status VerifyHeader(const Module& module) {
  if (absl::Status s = CheckName("module", module.name(), true); !s.ok()) return s;
  for (const auto& [key, value] : module.metadata()) {
    if (absl::Status s = CheckName("metadata", key); !s.ok()) return s;
  }
  HashSet<std::string_view> names;
  for (const Symbol& symbol : module.symbols()) {
    if (absl::Status s = CheckName("symbol", symbol.name); !s.ok()) return s;
    if (symbol.min < 0 || symbol.min > symbol.max) {
      return Error(StrCat("symbol '", symbol.name, "'"), "needs 0 <= min <= max");
    }
    if (!names.insert(symbol.name).second) {
      return Error(StrCat("symbol '", symbol.name, "'"), "is declared twice");
    }
  }
  return absl::OkStatus();
}

std::vector<const Function*> Callees(const Function& f, const Module& module) {
  std::vector<const Function*> out;
  HashSet<const Function*> seen;
  ChargeVisits(f.nodes().size());
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
  HashMap<const Function*, Colour> colour;
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
        return Error(StrCat("@", frame.function->name()), StrCat("calls @", callee->name(),
                                                                 ", which calls it: recursion is not supported, "
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
  if (absl::Status s = VerifyFunctionNames(f); !s.ok()) return s;
  if (absl::Status s = VerifySignature(f, module); !s.ok()) return s;
  for (const Node& node : f.nodes()) {
    if (absl::Status s = VerifyNode(f, node, module); !s.ok()) return s;
  }
  return VerifyResults(f);
}

absl::Status Verify(const Module& module) {
  if (absl::Status s = VerifyHeader(module); !s.ok()) return s;
  if (absl::Status s = VerifyVariables(module); !s.ok()) return s;
  // Bodies before callers is not required: signatures of callees are read, so results must be in
  // range first.
  for (const auto& f : module.functions()) {
    if (absl::Status s = VerifyFunctionNames(*f); !s.ok()) return s;
    if (module.FindFunction(f->name()) != f.get()) {
      return Error(StrCat("@", f->name()), "two functions have this name");
    }
    if (absl::Status s = VerifyResults(*f); !s.ok()) return s;
  }
  for (const auto& f : module.functions()) {
    if (absl::Status s = Verify(*f, module); !s.ok()) return s;
  }
  return VerifyNoRecursion(module);
}

}  // namespace reel::ir
