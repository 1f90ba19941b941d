#include "ir/eval/eval.h"
#include "ir/proto/file.h"
#include "ir/structure.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/ops/engines.h"
#include "tests/ops/op_cases.h"

// The reference evaluator, on the module as it is and after round trips through its other forms.

namespace reel::optable {
namespace {

class ReferenceEngine : public Engine {
 public:
  using RoundTrip = absl::StatusOr<ir::Module> (*)(const ir::Module&);
  ReferenceEngine(std::string name, RoundTrip round_trip) : name_(std::move(name)), round_trip_(round_trip) {}

  std::string name() const override { return name_; }
  bool is_reference() const override { return true; }
  absl::StatusOr<std::vector<ir::Literal>> Run(const ir::Module& module, std::string_view function,
                                               absl::Span<const ir::Literal> inputs) override {
    const auto copy = round_trip_(module);
    if (!copy.ok()) return copy.status();
    const ir::Function* f = copy->FindFunction(function);
    if (!f) return absl::InternalError("the round trip lost the function");
    if (!ir::SameStructure(*f, *module.FindFunction(function))) {
      return absl::InternalError("the round trip changed the function");
    }
    return ir::EvaluateLiterals(*copy, *f, inputs, WithCallbacks());
  }

 private:
  std::string name_;
  RoundTrip round_trip_;
};

}  // namespace

std::unique_ptr<Engine> MakeReferenceEngine() {
  return std::make_unique<ReferenceEngine>("reference",
                                           [](const ir::Module& m) -> absl::StatusOr<ir::Module> { return m; });
}

std::unique_ptr<Engine> MakeTextEngine() {
  return std::make_unique<ReferenceEngine>("text", [](const ir::Module& m) { return ir::ParseModule(ir::Print(m)); });
}

std::unique_ptr<Engine> MakeProtoEngine() {
  return std::make_unique<ReferenceEngine>("proto", [](const ir::Module& m) -> absl::StatusOr<ir::Module> {
    const auto bytes = ir::SerializeModule(m);
    if (!bytes.ok()) return bytes.status();
    return ir::ParseModuleBytes(std::as_bytes(std::span(*bytes)), "case");
  });
}

}  // namespace reel::optable
