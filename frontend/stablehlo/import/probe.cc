#include "frontend/stablehlo/import/probe.h"

#include <algorithm>

#include "frontend/record/event_log.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/status.h"
#include "ir/eval/eval.h"
#include "ir/strings.h"

namespace reel::stablehlo::reading {
namespace {

// What does not look at more than the order of numbers.
constexpr std::string_view kComparing[] = {
    "stablehlo.and", "stablehlo.compare", "stablehlo.constant", "stablehlo.maximum", "stablehlo.minimum",
    "stablehlo.not", "stablehlo.or",      "stablehlo.return",   "stablehlo.select",  "stablehlo.xor"};

}  // namespace

bool Probe::Understands(const Region& region) {
  return std::all_of(region.operations.begin(), region.operations.end(), [](const Operation& op) {
    return std::find(std::begin(kComparing), std::end(kComparing), op.name) != std::end(kComparing);
  });
}

Probe::Probe(const Context& c, const Region& region) : region_(region) {
  if (!Understands(region)) Refuse("with a region that does more than compare and select");
  std::vector<Spec> specs;
  for (const Parameter& p : region.parameters) specs.emplace_back(p.type.dtype, p.type.shape, p.name);
  const internal::SuspendScope suspend;
  function_ = internal::TraceFunction(
      "probe",
      [&](std::span<const Tensor> arguments) {
        const Tensors in(arguments.begin(), arguments.end());
        const Tensors out = c.Run(region, in);
        return NamedTensors(out.begin(), out.end());
      },
      specs);
}

std::vector<double> Probe::operator()(const std::vector<double>& arguments) const {
  std::vector<ir::Literal> in;
  for (size_t i = 0; i < arguments.size(); ++i)
    in.push_back(ir::Literal::Scalar(region_.parameters[i].type.dtype, arguments[i]));
  const internal::ModuleData& data = *function_.internal_data();
  const auto results = internal::Take(
      ir::EvaluateLiterals(data.module, *data.module.FindFunction(data.entry), in, {.round_each_op = true}));
  std::vector<double> out;
  for (const ir::Literal& literal : results) {
    if (literal.size() != 1 || IsComplex(literal.dtype())) Malformed("its region does not return scalars");
    out.push_back(literal.AsDouble(0));
  }
  return out;
}

}  // namespace reel::stablehlo::reading
