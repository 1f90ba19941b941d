#include "frontend/tensorflow/operators.h"

namespace reel::tensorflow {
namespace {

std::vector<DType> DTypesOf(const std::vector<Type>& types) {
  std::vector<DType> out;
  for (const Type& type : types) out.push_back(type.dtype);
  return out;
}

std::vector<Type> TypesOfAll(const Values& values) {
  std::vector<Type> out;
  for (const Value& v : values) out.push_back(v.type);
  return out;
}

Values CallIn(Emitter& e, const std::string& function, const Values& operands, const std::vector<Type>& types) {
  return e.EmitAll("PartitionedCall", operands, types,
                   {{"Tin", DTypesOf(TypesOfAll(operands))}, {"Tout", DTypesOf(types)}, {"f", FunctionName{function}}});
}

}  // namespace

HANDLER(Call) { return CallIn(c.e, c.callee(c.node.attr<std::string>("callee")), c.x, c.types); }

HANDLER(If) {
  std::vector<Shape> shapes;
  for (const Type& type : c.types) shapes.push_back(type.shape);
  const Values operands(c.x.begin() + 1, c.x.end());
  return c.e.EmitAll(c.said, c.x, c.types,
                     {{"Tin", DTypesOf(TypesOfAll(operands))},
                      {"Tout", DTypesOf(c.types)},
                      {"then_branch", FunctionName{c.callee(c.node.attr<std::string>("then"))}},
                      {"else_branch", FunctionName{c.callee(c.node.attr<std::string>("else"))}},
                      {"output_shapes", shapes}});
}

HANDLER(While) {
  const std::string cond = c.callee(c.node.attr<std::string>("cond")),
                    body = c.callee(c.node.attr<std::string>("body"));
  const ir::AttrValue* limit = c.node.attrs().Find("maximum_iterations");
  return c.e.While(
      c.x, [&](Emitter& in, const Values& v) { return CallIn(in, cond, v, {{kBool, {}}}); },
      [&](Emitter& in, const Values& v) { return CallIn(in, body, v, c.types); },
      limit ? std::get<int64_t>(*limit) : -1);
}

}  // namespace reel::tensorflow
