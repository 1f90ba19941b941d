#include "frontend/stablehlo/operators.h"
#include "ir/strings.h"

// A member of Reel's group is a replica: all of them are one group, in the order of their numbers.

namespace reel::stablehlo {
namespace {

// All members of the node's group.
std::string GroupText(const OpContext& c) {
  const int64_t size = c.attr_int("size");
  std::string ids = "0";
  for (int64_t i = 1; i < size; ++i) StrAppend(&ids, ", ", i);
  return StrCat("replica_groups = dense<[[", ids, "]]> : tensor<1x", size, "xi64>");
}

// The members' x one behind the other along axis 0.
Value Gathered(const OpContext& c, const Value& x, const Type& type) {
  return c.e.Emit("stablehlo.all_gather", {x}, type, StrCat("all_gather_dim = 0 : i64, ", GroupText(c)));
}

// A sum or maximum, whose order is the backend's; a mean is a sum divided.
Values Combined(const OpContext& c, std::string properties) {
  const std::string& kind = c.node.attr<std::string>("kind");
  const std::string_view op = kind == "max" ? "stablehlo.maximum" : "stablehlo.add";
  const Value all = c.e.Emit(c.said, c.x, c.type(), properties + GroupText(c), {c.e.Combiner(c.type().dtype, op)});
  if (kind != "mean") return {all};
  return {c.e.Div(all, c.e.FullLike(all, static_cast<double>(c.attr_int("size"))))};
}

}  // namespace

HANDLER(AllReduce) { return Combined(c, ""); }
HANDLER(ReduceScatter) { return Combined(c, "scatter_dimension = 0 : i64, "); }

HANDLER(AllGather) { return {Gathered(c, c.x[0], c.type())}; }

HANDLER(AllToAll) {
  const std::string properties = StrCat("concat_dimension = 0 : i64, ", GroupText(c),
                                        ", split_count = ", c.attr_int("size"), " : i64, split_dimension = 0 : i64");
  return {c.e.Emit(c.said, c.x, c.type(), properties)};
}

// XLA for CPUs has no collective_broadcast.
HANDLER(BroadcastFrom) {
  NeedConstantShape(c, c.type().shape);
  const Shape& row = c.type().shape;
  Shape rows;
  rows.push_back(c.attr_int("size"));
  for (const Extent extent : row) rows.push_back(extent);
  std::vector<int64_t> starts(static_cast<size_t>(rows.rank()), 0), limits = rows.dims();
  const std::vector<int64_t> strides(starts.size(), 1);
  starts[0] = c.attr_int("root"), limits[0] = starts[0] + 1;
  Shape first = rows;
  first.set(0, 1);
  const Value all = Gathered(c, c.e.Reshape(c.x[0], first), {c.type().dtype, rows});
  return {c.e.Reshape(c.e.Slice(all, starts, limits, strides), row)};
}

HANDLER(GroupRank) { return {c.e.Convert(c.e.Emit(c.said, {}, ScalarType(kUInt32)), c.type().dtype)}; }

}  // namespace reel::stablehlo
