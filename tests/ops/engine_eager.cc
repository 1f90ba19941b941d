#include "frontend/eager/dispatch.h"
#include "frontend/values/tensor_data.h"
#include "reel/indexing.h"
#include "tests/ops/engines.h"

// Eager: a function node by node, each op through the front's dispatcher and its compiled kernel, as
// a user's program runs it. Nothing is fused or simplified across ops, so agreement with the
// compiled engines says that both change no bit.

namespace reel::optable {
namespace {

using internal::TensorList;

class Interpreter {
 public:
  explicit Interpreter(const ir::Module& module) : module_(module) {}

  // Control calls this again, so it recurses as deep as functions of the module nest.
  std::vector<Tensor> Run(std::string_view name, absl::Span<const Tensor> arguments) const {
    const ir::Function& f = *module_.FindFunction(name);
    std::vector<Tensor> values(arguments.begin(), arguments.end());
    for (const ir::Node& node : f.nodes()) {
      std::vector<Tensor> operands;
      for (ir::Value v : node.operands) operands.push_back(values[static_cast<size_t>(v.id)]);
      for (Tensor& t : RunNode(node, operands)) values.push_back(std::move(t));
    }
    std::vector<Tensor> results;
    for (ir::Value v : f.results()) results.push_back(values[static_cast<size_t>(v.id)]);
    return results;
  }

 private:
  std::vector<Tensor> RunNode(const ir::Node& node, absl::Span<const Tensor> x) const {
    switch (node.op) {
      case ir::Op::kConstant: return {internal::FromLiteral(node.attr<ir::Literal>("value"))};
      case ir::Op::kGather:  // checks indices, unlike the kernel alone
        return {Gather(x[0], x[1], node.attr<int64_t>("axis"))};
      case ir::Op::kScatterAdd: return {ScatterAdd(x[0], x[1], x[2], node.attr<int64_t>("axis"))};
      case ir::Op::kScatterSet: return {ScatterSet(x[0], x[1], x[2], node.attr<int64_t>("axis"))};
      case ir::Op::kScatterMax: return {ScatterMax(x[0], x[1], x[2], node.attr<int64_t>("axis"))};
      case ir::Op::kScatterMin: return {ScatterMin(x[0], x[1], x[2], node.attr<int64_t>("axis"))};
      case ir::Op::kScatterMul: return {ScatterMul(x[0], x[1], x[2], node.attr<int64_t>("axis"))};
      case ir::Op::kCall: return Run(node.attr<std::string>("callee"), x);
      case ir::Op::kIf: return Run(node.attr<std::string>(x[0].data<bool>()[0] ? "then" : "else"), x.subspan(1));
      case ir::Op::kWhile: return Loop(node, x);
      default: {
        TensorList results = internal::DispatchAll(node.op, node.attributes, x);
        return {results.begin(), results.end()};
      }
    }
  }

  std::vector<Tensor> Loop(const ir::Node& node, absl::Span<const Tensor> x) const {
    std::vector<Tensor> values(x.begin(), x.end());
    const ir::AttrValue* limit = node.attrs().Find("maximum_iterations");
    for (int64_t i = 0; !limit || i < std::get<int64_t>(*limit); ++i) {
      if (!Run(node.attr<std::string>("cond"), values)[0].data<bool>()[0]) break;
      values = Run(node.attr<std::string>("body"), values);
    }
    return values;
  }

  const ir::Module& module_;
};

class EagerEngine : public Engine {
 public:
  std::string name() const override { return "eager"; }
  bool checks_indices() const override { return true; }

  absl::StatusOr<std::vector<ir::Literal>> Run(const ir::Module& module, std::string_view function,
                                               absl::Span<const ir::Literal> inputs) override {
    try {
      std::vector<Tensor> arguments;
      for (const ir::Literal& l : inputs) arguments.push_back(internal::FromLiteral(l));
      std::vector<ir::Literal> results;
      for (const Tensor& t : Interpreter(module).Run(function, arguments)) {
        results.push_back(internal::ToLiteral(t));
      }
      return results;
    } catch (const Error& e) {
      return absl::Status(static_cast<absl::StatusCode>(e.code()), e.what());
    }
  }
};

}  // namespace

std::unique_ptr<Engine> MakeEagerEngine() { return std::make_unique<EagerEngine>(); }

}  // namespace reel::optable
