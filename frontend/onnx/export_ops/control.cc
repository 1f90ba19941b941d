#include "frontend/onnx/export.h"
#include "frontend/onnx/export_node.h"

namespace reel::onnx {
namespace {

const ir::Function& Callee(const Site& s, std::string_view attribute) {
  return *s.w().state().module->FindFunction(s.node.attr<std::string>(attribute));
}

// The results of a function that is written with these values as its parameters.
Vals Written(GraphWriter& w, const ir::Function& f, const Vals& parameters) {
  Frame frame(f, &w);
  for (size_t i = 0; i < parameters.size(); ++i) frame.Set({static_cast<int32_t>(i)}, parameters[i]);
  WriteNodes(&frame);
  Vals out;
  for (const ir::Value v : f.results()) out.push_back(frame.Get(v));
  return out;
}

// A result of a graph under a name of its own.
void AddOutput(GraphWriter& w, const Val& value, const Type& type) {
  const Val out = w.One("Identity", {value}, value.dtype);
  w.graph().outputs.push_back(InfoOf(*w.state().module, out.name, type));
}

std::vector<DType> ResultDTypes(const Site& s) {
  std::vector<DType> out;
  for (int i = 0; i < s.node.num_results; ++i) out.push_back(s.result(i).dtype);
  return out;
}

Vals Operands(const Site& s, size_t first) {
  Vals out;
  for (size_t i = first; i < s.node.operands.size(); ++i) out.push_back(s.x(i));
  return out;
}

std::shared_ptr<const Graph> Branch(const Site& s, std::string_view attribute, const Vals& operands) {
  auto graph = std::make_shared<Graph>();
  const ir::Function& f = Callee(s, attribute);
  graph->name = s.w().state().names.Unique(f.name());
  GraphWriter w(&s.w().state(), graph.get());
  const Vals results = Written(w, f, operands);
  for (size_t i = 0; i < results.size(); ++i) AddOutput(w, results[i], f.type(f.results()[i]));
  return graph;
}

void If(const Site& s) {
  const Vals operands = Operands(s, 1);
  const Vals results = s.w().Node("If", {s.x(0)}, ResultDTypes(s),
                                  {Attribute{"then_branch", "", Branch(s, "then", operands)},
                                   Attribute{"else_branch", "", Branch(s, "else", operands)}});
  for (size_t i = 0; i < results.size(); ++i) s.Set(results[i], static_cast<int>(i));
}

// Takes the number of the iteration, the condition and what is carried; gives the condition of the next and what is
// carried.
std::shared_ptr<const Graph> Body(const Site& s) {
  auto graph = std::make_shared<Graph>();
  const ir::Function &body = Callee(s, "body"), &cond = Callee(s, "cond");
  ExportState& state = s.w().state();
  graph->name = state.names.Unique(body.name());
  GraphWriter w(&state, graph.get());
  graph->inputs.push_back(InfoOf(*state.module, state.names.Unique("iteration"), {kInt64, {}}));
  graph->inputs.push_back(InfoOf(*state.module, state.names.Unique("condition"), {kBool, {}}));
  Vals carried;
  for (int i = 0; i < body.num_parameters(); ++i) {
    const ir::Parameter& p = body.parameter(i);
    carried.push_back({state.names.Unique(p.name), p.type.dtype});
    graph->inputs.push_back(InfoOf(*state.module, carried.back().name, p.type));
  }
  const Vals results = Written(w, body, carried);
  AddOutput(w, Written(w, cond, results)[0], {kBool, {}});
  for (size_t i = 0; i < results.size(); ++i) AddOutput(w, results[i], body.type(body.results()[i]));
  return graph;
}

void While(const Site& s) {
  GraphWriter& w = s.w();
  const Vals operands = Operands(s, 0);
  Vals inputs{Val{"", kInt64}, Written(w, Callee(s, "cond"), operands)[0]};
  if (s.node.attrs().Find("maximum_iterations"))
    inputs[0] = w.ScalarInt(kInt64, s.node.attr<int64_t>("maximum_iterations"));
  inputs.insert(inputs.end(), operands.begin(), operands.end());
  const Vals results = w.Node("Loop", inputs, ResultDTypes(s), {Attribute{"body", "", Body(s)}});
  for (size_t i = 0; i < results.size(); ++i) s.Set(results[i], static_cast<int>(i));
}

constexpr ExportRow kRows[] = {
    {ir::Op::kIf, If, "If"},
    {ir::Op::kWhile, While, "Loop"},
};

// clang-format off
constexpr std::string_view kNoFunction = "ONNX has no such function, nor what would make it within a known bound";
constexpr std::string_view kGroup = "it talks to the other members of a group; export the step for one machine instead";
constexpr ExportRow kRefused[] = {
    {ir::Op::kErfInv, nullptr, kNoFunction},
    {ir::Op::kErfcInv, nullptr, kNoFunction},
    {ir::Op::kLgamma, nullptr, kNoFunction},
    {ir::Op::kDigamma, nullptr, kNoFunction},
    {ir::Op::kIgamma, nullptr, kNoFunction},
    {ir::Op::kIgammac, nullptr, kNoFunction},
    {ir::Op::kZeta, nullptr, kNoFunction},
    {ir::Op::kPolygamma, nullptr, kNoFunction},
    {ir::Op::kBetainc, nullptr, kNoFunction},
    {ir::Op::kNextAfter, nullptr, kNoFunction},
    {ir::Op::kCallback, nullptr, "a function of this process is in no file; export the graph without it"},
    {ir::Op::kAllReduce, nullptr, kGroup},
    {ir::Op::kAllGather, nullptr, kGroup},
    {ir::Op::kReduceScatter, nullptr, kGroup},
    {ir::Op::kAllToAll, nullptr, kGroup},
    {ir::Op::kBroadcastFrom, nullptr, kGroup},
    {ir::Op::kGroupRank, nullptr, kGroup},
    {ir::Op::kCall, nullptr, "written out where it stands", "more than 4,000,000 nodes are refused", nullptr, true},
    {ir::Op::kRandomBits, nullptr, "the rounds of Philox", "the same bits; constant shapes; slow before opset 18, which has no BitwiseXor", nullptr, true},
    {ir::Op::kComplex, nullptr, "two real values", "at the borders c64[S] is f32[S, 2]", nullptr, true},
    {ir::Op::kReal, nullptr, "two real values", "", nullptr, true},
    {ir::Op::kImag, nullptr, "two real values", "", nullptr, true},
    {ir::Op::kCholesky, nullptr, "loops of other primitives", "", nullptr, true},
    {ir::Op::kTriangularSolve, nullptr, "loops of other primitives", "", nullptr, true},
    {ir::Op::kLu, nullptr, "loops of other primitives", "", nullptr, true},
    {ir::Op::kQr, nullptr, "loops of other primitives", "", nullptr, true},
    {ir::Op::kEigh, nullptr, "loops of other primitives", "from opset 26, which has BitCast", nullptr, true},
    {ir::Op::kSvd, nullptr, "loops of other primitives", "from opset 26, which has BitCast", nullptr, true},
};
// clang-format on

}  // namespace

ExportRows ControlExports() { return kRows; }
ExportRows RefusedExports() { return kRefused; }

}  // namespace reel::onnx
