#ifndef REEL_TESTS_CODEGEN_GRAPH_VARIANTS_H_
#define REEL_TESTS_CODEGEN_GRAPH_VARIANTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "codegen/plan/plan.h"
#include "ir/builder.h"
#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "passes/rewrite.h"

// The same graph as something else: of another dtype, with variables, as the body of a loop. So what any generator
// draws meets what planning knows of halves, of state and of loops.

namespace reel::codegen {

/// A module with @main, and what it is called with.
struct Graph {
  ir::Module module;
  std::vector<ir::Literal> inputs;
  std::vector<InPlace> in_place = {};  ///< PlanOptions::in_place
};

/// The literal's values as another dtype.
inline ir::Literal As(const ir::Literal& literal, DType dtype) {
  ir::Function f("f");
  const ir::Value x = f.AddParameter("x", literal.type());
  f.SetResults({ir::Builder(&f).Cast(x, dtype)});
  auto out = ir::EvaluateLiterals(ir::Module("m"), f, {literal});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : literal;
}

/// The same attributes for a node whose f32 is another dtype.
inline ir::Attributes WithDType(const ir::Attributes& attributes, DType dtype) {
  ir::Attributes out = attributes;
  for (const auto& [name, value] : attributes.entries()) {
    if (const auto* d = std::get_if<DType>(&value); d != nullptr && *d == kFloat32) out.Set(name, dtype);
    const auto* literal = std::get_if<ir::Literal>(&value);
    if (literal != nullptr && literal->dtype() == kFloat32) out.Set(name, As(*literal, dtype));
  }
  return out;
}

/// Computes in `dtype` what was f32. No op of the graph is f32's alone (a bitcast).
inline Graph WithDType(const Graph& graph, DType dtype) {
  const auto as = [dtype](DType d) { return d == kFloat32 ? dtype : d; };
  Graph out{ir::Module(graph.module.name()), {}};
  for (const auto& f : graph.module.functions()) {  // callees stand before those that call them
    ir::Function g(f->name());
    passes::Copier copier(*f, &g);
    for (int i = 0; i < f->num_parameters(); ++i) {
      const ir::Parameter& p = f->parameter(i);
      copier.Map({i}, g.AddParameter(p.name, {as(p.type.dtype), p.type.shape}));
    }
    ir::Builder b(&g, &out.module);
    for (const ir::Node& node : f->nodes()) {
      const ir::ValueList results = b.EmitAll(node.op, copier(node.operands), WithDType(node.attrs(), dtype));
      EXPECT_TRUE(b.status().ok()) << b.status();
      for (int i = 0; i < node.num_results && b.status().ok(); ++i) {
        copier.Map(node.result(i), results[static_cast<size_t>(i)]);
      }
    }
    passes::CopyResults(*f, &g, copier);
    out.module.AddFunction(std::move(g));
  }
  for (const ir::Literal& l : graph.inputs) out.inputs.push_back(l.dtype() == kFloat32 ? As(l, dtype) : l);
  return out;
}

/// What comes in as f32 comes in as `dtype`, and is widened.
inline Graph WithNarrowInputs(const Graph& graph, DType dtype) {
  const ir::Function& f = *graph.module.FindFunction("main");
  Graph out{graph.module, {}};
  ir::Function g("main");
  passes::Copier copier(f, &g);
  for (int i = 0; i < f.num_parameters(); ++i) {
    const ir::Parameter& p = f.parameter(i);
    g.AddParameter(p.name, {p.type.dtype == kFloat32 ? dtype : p.type.dtype, p.type.shape});
  }
  ir::Builder b(&g);
  for (int i = 0; i < f.num_parameters(); ++i) copier.Map({i}, b.Cast({i}, f.parameter(i).type.dtype));
  copier.CopyNodes();
  passes::CopyResults(f, &g, copier);
  out.module.AddFunction(std::move(g));
  for (const ir::Literal& l : graph.inputs) out.inputs.push_back(l.dtype() == kFloat32 ? As(l, dtype) : l);
  return out;
}

/// A function whose arguments became variables: argument i of the stateless function is variable `state[i]`'s value,
/// replaced by result `next[i]`.
struct Stateful {
  ir::Module module;
  std::vector<int> state;  ///< indices of the arguments that became variables
  std::vector<int> next;   ///< per state entry: the result it takes, or -1 - j: the old value of state j
};

/// Which arguments may become variables: those whose type some result has; further ones are swapped or kept.
inline Stateful PairsOf(const ir::Module& module) {
  const ir::Function& f = *module.FindFunction("main");
  Stateful out{module, {}, {}};
  std::map<std::string, std::vector<int>> results;
  for (int r = 0; r < f.num_outputs(); ++r) {
    results[f.type(f.results()[static_cast<size_t>(r)]).ToString()].push_back(r);
  }
  std::map<std::string, int> last;  // type -> last state entry of it
  for (int i = 0; i < f.num_arguments(); ++i) {
    const std::string type = f.parameter(i).type.ToString();
    auto& options = results[type];
    const bool swap = options.empty() && last.contains(type);
    if (options.empty() && !swap) continue;
    out.state.push_back(i);
    out.next.push_back(swap ? -1 - last[type] : options.back());
    if (!swap) options.pop_back();
    last[type] = static_cast<int>(out.state.size()) - 1;
  }
  return out;
}

/// These arguments as variables, which begin with the inputs.
inline Stateful MakeStateful(const ir::Module& module, const std::vector<ir::Literal>& inputs) {
  const ir::Function& f = *module.FindFunction("main");
  Stateful out = PairsOf(module);
  ir::Function h("main");
  passes::Copier copier(f, &h);
  for (int i = 0; i < f.num_arguments(); ++i) {
    if (std::find(out.state.begin(), out.state.end(), i) != out.state.end()) continue;
    copier.Map({i}, h.AddParameter(f.parameter(i).name, f.parameter(i).type));
  }
  for (int i : out.state) {
    const ir::Parameter& p = f.parameter(i);
    out.module.AddVariable({p.name, p.type, true, inputs[static_cast<size_t>(i)]});
    copier.Map({i}, h.AddState(p.name, p.type));
  }
  copier.CopyNodes();
  std::vector<ir::Value> values;
  for (int r = 0; r < f.num_outputs(); ++r) values.push_back(copier(f.results()[static_cast<size_t>(r)]));
  for (int n : out.next) {
    values.push_back(n >= 0 ? values[static_cast<size_t>(n)]
                            : copier(ir::Value{out.state[static_cast<size_t>(-1 - n)]}));
  }
  h.SetResults(values);
  out.module.AddFunction(std::move(h));
  return out;
}

/// The arguments of a graph that some result may be written over.
inline std::vector<InPlace> InPlaceOf(const Stateful& stateful) {
  std::vector<InPlace> pairs;
  for (size_t s = 0; s < stateful.state.size(); ++s) {
    if (stateful.next[s] >= 0) pairs.push_back({stateful.state[s], stateful.next[s]});
  }
  return pairs;
}

/// As a step that updates variables.
inline Graph WithState(const Graph& graph) {
  Stateful stateful = MakeStateful(graph.module, graph.inputs);
  Graph out{std::move(stateful.module), {}};
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const bool state =
        std::find(stateful.state.begin(), stateful.state.end(), static_cast<int>(i)) != stateful.state.end();
    if (!state) out.inputs.push_back(graph.inputs[i]);
  }
  return out;
}

/// As the body of a loop of two iterations, which hands floats of the types of arguments on to the next one.
inline Graph InLoop(const Graph& graph) {
  Graph out = graph;
  ir::Function step = *out.module.FindFunction("main");
  const Stateful pairs = PairsOf(out.module);
  const int arguments = step.num_arguments(), outputs = step.num_outputs();
  step.set_name("step");
  const ir::Function& f = out.module.AddFunction(std::move(step));
  const auto output = [&f](int r) { return f.type(f.results()[static_cast<size_t>(r)]); };
  ir::Function more("more_steps"), next("next_step"), main("main");
  for (ir::Function* g : {&more, &next}) {
    g->AddParameter("i", {kInt64, {}});
    for (int i = 0; i < arguments; ++i) g->AddParameter(StrCat("x", i), f.parameter(i).type);
    for (int r = 0; r < outputs; ++r) g->AddParameter(StrCat("y", r), output(r));
  }
  ir::Builder c(&more), b(&next, &out.module);
  more.SetResults({c.Less({0}, c.Scalar(kInt64, 2))});
  std::vector<ir::Value> results{b.Add({0}, b.Scalar(kInt64, 1))}, operands;
  for (int i = 0; i < arguments; ++i) results.push_back(operands.emplace_back(ir::Value{1 + i}));
  const ir::ValueList ys = b.Call("step", operands);
  for (const InPlace& pair : InPlaceOf(pairs)) {
    const ir::Value y = ys[static_cast<size_t>(pair.result)];
    if (IsFloat(b.type(y).dtype)) results[static_cast<size_t>(1 + pair.parameter)] = b.Tanh(y);  // it stays small
  }
  results.insert(results.end(), ys.begin(), ys.end());
  next.SetResults(std::move(results));
  for (int i = 0; i < arguments; ++i) main.AddParameter(f.parameter(i).name, f.parameter(i).type);
  std::vector<Type> types;
  for (int r = 0; r < outputs; ++r) types.push_back(output(r));
  out.module.AddFunction(std::move(more));
  out.module.AddFunction(std::move(next));
  ir::Builder d(&main, &out.module);
  std::vector<ir::Value> first{d.Scalar(kInt64, 0)};
  for (int i = 0; i < arguments; ++i) first.push_back({i});
  for (const Type& type : types) first.push_back(d.Zeros(type));
  const ir::ValueList last = d.While("more_steps", "next_step", first, 2);
  EXPECT_TRUE(b.status().ok() && c.status().ok() && d.status().ok()) << b.status() << c.status() << d.status();
  main.SetResults({last.begin() + 1, last.end()});
  out.module.AddFunction(std::move(main));
  return out;
}

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_GRAPH_VARIANTS_H_
