#include <algorithm>
#include <numeric>
#include <string>

#include "frontend/eager/dispatch.h"
#include "frontend/stablehlo/import/context.h"
#include "ir/names.h"
#include "ir/strings.h"

// What all processes of a program do together, as Reel's collectives, whose group is all of them: a process of the text
// is a member, in the order of their numbers.

namespace reel::stablehlo::reading {
namespace {

using internal::Dispatch;

// The numbers of the processes as replica_groups orders them: one group, of all.
Ints GroupOf(const Context& c) {
  const Processes& all = c.processes();
  const Attribute* groups = c.op().Find("replica_groups");
  Ints ids = c.ReadInts("replica_groups");
  const bool several =
      groups && groups->dense && groups->dense->type.shape.rank() == 2 && groups->dense->type.shape.dim(0) > 1;
  // A replica that talks across partitions does so with all of them.
  const Attribute* handle = c.Field("channel_handle", "handle");
  const bool across = handle && handle->integer > 0 && !c.Bool("use_global_device_ids", false);
  if (ids.empty() || (across && all.replicas == 1 && ids == Ints{0})) {
    ids.resize(static_cast<size_t>(all.count()));
    std::iota(ids.begin(), ids.end(), 0);
  }
  Ints sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  bool whole = !several && (!all.said || static_cast<int64_t>(ids.size()) == all.count());
  for (size_t i = 0; i < sorted.size(); ++i) whole = whole && sorted[i] == static_cast<int64_t>(i);
  if (!whole) Refuse("among a part of the processes; Reel's collectives are among all of a group");
  return ids;
}

int64_t SizeOf(const Context& c) {
  const Ints ids = GroupOf(c);
  if (!std::is_sorted(ids.begin(), ids.end())) Refuse("with processes in another order than that of their numbers");
  return static_cast<int64_t>(ids.size());
}

// The axis first, the others in order behind it.
Ints AxisFirst(int64_t axis, int rank) {
  CheckAxes({axis}, rank, "its axis");
  Ints order{axis};
  for (int64_t i = 0; i < rank; ++i) {
    if (i != axis) order.push_back(i);
  }
  return order;
}

Tensor Moved(ir::Op op, const Tensor& x, int64_t size) { return size == 1 ? x : Dispatch(op, {x}, {{"size", size}}); }

// [1, ...] of every member as [size, ...].
Tensor Gathered(const Tensor& x, int64_t size) {
  Shape row{1};
  for (const Extent extent : x.shape()) row.push_back(extent);
  return Moved(ir::Op::kAllGather, Reshaped(x, row), size);
}

void NeedParts(const Tensor& x, int axis, int64_t parts) {
  if (x.shape().dim(axis) % parts != 0)
    Malformed(StrCat("its axis of ", x.shape().dim(axis), " elements has no ", parts, " equal parts"));
}

// Sums and maxima are Reel's; for others the members' operands are folded, in the order of their numbers.
Tensor Combined(const Context& c, const Tensor& x, int64_t size, bool scatter) {
  if (size == 1) return x;
  const std::string combiner = CombinerOf(c.region(0), 0);
  const bool real = x.dtype() != kBool && !IsComplex(x.dtype());
  if (real && (combiner == "stablehlo.add" || combiner == "stablehlo.maximum")) {
    const std::string kind = combiner == "stablehlo.add" ? "sum" : "max";
    return Dispatch(scatter ? ir::Op::kReduceScatter : ir::Op::kAllReduce, {x}, {{"kind", kind}, {"size", size}});
  }
  if (!scatter) return FoldRows(c, {Gathered(x, size)})[0];
  Shape parts{size, x.shape().dim(0) / size};
  for (int i = 1; i < x.rank(); ++i) parts.push_back(x.shape()[i]);
  return FoldRows(c, {Reshaped(Moved(ir::Op::kAllToAll, x, size), parts)})[0];
}

Values AllReduce(const Context& c) {
  const int64_t size = static_cast<int64_t>(GroupOf(c).size());
  Values out;
  for (const Tensor& x : c.All()) out.emplace_back(Combined(c, x, size, false));
  return out;
}

Values ReduceScatter(const Context& c) {
  const int64_t size = SizeOf(c);
  const Ints order = AxisFirst(c.NeedInt("scatter_dimension"), c.x(0).rank());
  const Tensor x = Transposed(c.x(0), order);
  NeedParts(x, 0, size);
  return {Transposed(Combined(c, x, size, true), Inverse(order))};
}

Values AllGather(const Context& c) {
  const int64_t size = SizeOf(c), axis = c.NeedInt("all_gather_dim");
  Values out;
  for (const Tensor& x : c.All()) {
    const Ints order = AxisFirst(axis, x.rank());
    out.emplace_back(Transposed(Moved(ir::Op::kAllGather, Transposed(x, order), size), Inverse(order)));
  }
  return out;
}

// Parts of one axis for the others; those for this one stand one behind the other along another axis.
Tensor Exchanged(const Context& c, const Tensor& x, int64_t size) {
  const int64_t split = c.NeedInt("split_dimension"), concat = c.NeedInt("concat_dimension");
  CheckAxes({concat}, x.rank(), "concat_dimension");
  const Ints order = AxisFirst(split, x.rank());
  const Tensor front = Transposed(x, order);
  NeedParts(front, 0, size);
  Shape parts{size, front.shape().dim(0) / size};
  for (int i = 1; i < x.rank(); ++i) parts.push_back(front.shape()[i]);
  const Tensor got = Reshaped(Moved(ir::Op::kAllToAll, front, size), parts);  // [member, part, the other axes]
  Ints axes;
  Shape shape;
  const Ints back = Inverse(order);
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t from = back[static_cast<size_t>(i)] + 1;
    const Extent extent = got.shape()[static_cast<int>(from)];
    if (i == concat) axes.push_back(0);
    axes.push_back(from);
    shape.push_back(i == concat ? Extent(extent.value() * size) : extent);
  }
  return Reshaped(Transposed(got, axes), shape);
}

Values AllToAll(const Context& c) {
  const int64_t size = SizeOf(c);
  if (c.NeedInt("split_count") != size)
    Malformed(StrCat("split_count is ", c.NeedInt("split_count"), " for ", size, " processes"));
  Values out;
  for (const Tensor& x : c.All()) out.emplace_back(Exchanged(c, x, size));
  return out;
}

// The first one of the group sends.
Values CollectiveBroadcast(const Context& c) {
  const Ints ids = GroupOf(c);
  const auto size = static_cast<int64_t>(ids.size());
  if (size == 1) return {c.x(0)};
  return {Dispatch(ir::Op::kBroadcastFrom, {c.x(0)}, {{"root", ids[0]}, {"size", size}})};
}

Tensor RankOf(int64_t size) {
  return size == 1 ? ScalarOf(kInt64, 0) : Dispatch(ir::Op::kGroupRank, {}, {{"size", size}});
}

Tensor Row(const Tensor& x, const Tensor& index, int64_t axis) {
  return Dispatch(ir::Op::kGather, {x, index}, {{"axis", axis}});
}

Tensor Numbers(const Ints& values) {
  const auto count = static_cast<int64_t>(values.size());
  return Dispatch(ir::Op::kConstant, {}, {{"value", ir::Literal::From<int64_t>({count}, values)}});
}

// Each member takes what its source has; those without one have zeros.
Values CollectivePermute(const Context& c) {
  if (!c.processes().said) Refuse("without the number of processes: mhlo.num_replicas of the module");
  const int64_t size = c.processes().count();
  const Ints pairs = c.NeedInts("source_target_pairs");
  if (pairs.size() % 2 != 0) Malformed("source_target_pairs are no pairs");
  std::vector<int64_t> source(static_cast<size_t>(size), size);  // out of range, which reads 0
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (std::min(pairs[i], pairs[i + 1]) < 0 || std::max(pairs[i], pairs[i + 1]) >= size)
      Malformed(StrCat("a pair of processes ", pairs[i], ", ", pairs[i + 1], " of ", size));
    int64_t& from = source[static_cast<size_t>(pairs[i + 1])];
    if (from != size) Malformed(StrCat("process ", pairs[i + 1], " has two sources"));
    from = pairs[i];
  }
  return {Row(Gathered(c.x(0), size), Row(Numbers(source), RankOf(size), 0), 0)};
}

Values Number(const Context& c, int64_t own, int64_t others) {
  if (own > 1 && others > 1) Refuse("in a program of both replicas and partitions");
  return {Cast(RankOf(own), c.type().dtype)};
}
Values ReplicaId(const Context& c) { return Number(c, c.processes().replicas, c.processes().partitions); }
Values PartitionId(const Context& c) { return Number(c, c.processes().partitions, c.processes().replicas); }

// --- regions that each device of a mesh runs on its parts ---

// How a tensor is cut: for each axis of it the mesh's axes that share it.
class Sharding {
 public:
  Sharding(const Attribute& text, const Mesh& mesh, int rank) : mesh_(mesh), axes_(text.list) {
    if (static_cast<int>(axes_.size()) != rank)
      Malformed(StrCat("a sharding of ", axes_.size(), " axes for a tensor of ", rank));
    if (text.text != mesh.name) Refuse("with several meshes");
  }

  bool IsWhole() const {
    return std::all_of(axes_.begin(), axes_.end(), [](const Attribute& axis) { return axis.fields.empty(); });
  }
  int64_t Parts(size_t axis) const { return Walk(axis, 0).first; }
  /// Which part of an axis of the tensor a device has.
  int64_t PartOf(size_t axis, int64_t device) const { return Walk(axis, device).second; }

 private:
  // Parts of an axis, and the one of a device.
  std::pair<int64_t, int64_t> Walk(size_t axis, int64_t device) const {
    int64_t parts = 1, part = 0;
    for (const auto& [name, unused] : axes_[axis].fields) {
      int64_t stride = 1, size = 0;
      for (auto it = mesh_.axes.rbegin(); it != mesh_.axes.rend() && size == 0; ++it) {
        if (it->first == name)
          size = it->second;
        else
          stride *= it->second;
      }
      if (size == 0) Malformed(StrCat("the mesh has no axis ", ir::Quoted(name)));
      parts *= size;
      part = part * size + device / stride % size;
    }
    return {parts, part};
  }

  const Mesh& mesh_;
  const std::vector<Attribute>& axes_;
};

// This device's part.
Tensor PartOf(const Tensor& whole, const Sharding& sharding, int64_t devices) {
  Tensor x = whole;
  for (int axis = 0; axis < whole.rank(); ++axis) {
    const int64_t parts = sharding.Parts(static_cast<size_t>(axis));
    if (parts == 1) continue;
    NeedParts(x, axis, parts);
    Shape shape;
    for (int i = 0; i < x.rank(); ++i) {
      if (i == axis) shape.push_back(parts);
      shape.push_back(i == axis ? Extent(x.shape().dim(i) / parts) : x.shape()[i]);
    }
    Ints part;
    for (int64_t d = 0; d < devices; ++d) part.push_back(sharding.PartOf(static_cast<size_t>(axis), d));
    x = Row(Reshaped(x, shape), Row(Numbers(part), RankOf(devices), 0), axis);
  }
  return x;
}

// The whole of all devices' parts.
Tensor WholeOf(const Tensor& part, const Sharding& sharding, int64_t devices) {
  if (sharding.IsWhole()) return part;
  const int rank = part.rank();
  int64_t parts = 1;
  Shape cut;
  for (int i = 0; i < rank; ++i) {
    cut.push_back(sharding.Parts(static_cast<size_t>(i)));
    parts *= cut.dim(i);
  }
  // The first device that has each part; parts in the order of the tensor's axes.
  Ints first(static_cast<size_t>(parts), -1);
  for (int64_t d = devices - 1; d >= 0; --d) {
    int64_t at = 0;
    for (int i = 0; i < rank; ++i) at = at * cut.dim(i) + sharding.PartOf(static_cast<size_t>(i), d);
    first[static_cast<size_t>(at)] = d;
  }
  if (std::count(first.begin(), first.end(), -1) > 0) Malformed("a sharding with parts that no device has");
  Ints order;
  Shape shape = cut, whole;
  for (int i = 0; i < rank; ++i) {
    order.push_back(i);
    order.push_back(rank + i);
    shape.push_back(part.shape()[i]);
    whole.push_back(cut.dim(i) * part.shape().dim(i));
  }
  const Tensor rows = Row(Gathered(part, devices), Numbers(first), 0);
  return Reshaped(Transposed(Reshaped(rows, shape), order), whole);
}

// The mesh, whose axes must all be the region's own.
const Mesh& MeshOf(const Context& c, const Attribute& ins, const Attribute& outs) {
  const Attribute* manual = c.op().Find("manual_axes");
  if (ins.list.size() != c.size() || outs.list.size() != c.op().types.size())
    Malformed("it has not a sharding for each operand and result");
  const std::string name = !ins.list.empty() ? ins.list[0].text : !outs.list.empty() ? outs.list[0].text : "";
  for (const Mesh& mesh : c.processes().meshes) {
    if (mesh.name != name || name.empty()) continue;
    int64_t devices = 1;
    for (const auto& [axis, size] : mesh.axes) {
      if (devices > c.processes().count()) break;
      devices *= size;
      if (size > 1 && !(manual && manual->Find(axis))) Refuse("over a part of the mesh's axes; name them all");
    }
    if (devices != c.processes().count())
      Refuse(StrCat("over a mesh of ", devices, " devices in a program of ", c.processes().count()));
    return mesh;
  }
  Refuse("without a mesh, or with one whose devices are in another order");
}

Values ManualComputation(const Context& c) {
  const Attribute *ins = c.op().Find("in_shardings"), *outs = c.op().Find("out_shardings");
  if (!ins || !outs || ins->kind != Attribute::Kind::kList || outs->kind != Attribute::Kind::kList)
    Refuse("in the generic form; print it in the pretty one");
  const Mesh& mesh = MeshOf(c, *ins, *outs);
  const int64_t devices = c.processes().count();
  Tensors arguments;
  for (size_t i = 0; i < c.size(); ++i)
    arguments.push_back(PartOf(c.x(i), Sharding(ins->list[i], mesh, c.x(i).rank()), devices));
  const Tensors results = c.Run(c.region(0), arguments);
  if (results.size() != outs->list.size()) Malformed("its region returns another number of values");
  Values out;
  for (size_t i = 0; i < results.size(); ++i)
    out.emplace_back(WholeOf(results[i], Sharding(outs->list[i], mesh, results[i].rank()), devices));
  return out;
}

constexpr ImportRow kRows[] = {
    {"sdy.manual_computation", ManualComputation,
     "over all axes of a mesh; each member has the whole of what comes in and out"},
    {"stablehlo.all_gather", AllGather, "of all processes"},
    {"stablehlo.all_reduce", AllReduce, "of all processes; sums in Reel's order"},
    {"stablehlo.all_to_all", AllToAll, "of all processes"},
    {"stablehlo.collective_broadcast", CollectiveBroadcast, "to all processes"},
    {"stablehlo.collective_permute", CollectivePermute, "all processes send to all"},
    {"stablehlo.partition_id", PartitionId},
    {"stablehlo.reduce_scatter", ReduceScatter, "of all processes; sums in Reel's order"},
    {"stablehlo.replica_id", ReplicaId},
};

}  // namespace

absl::Span<const ImportRow> CollectiveRows() { return kRows; }

}  // namespace reel::stablehlo::reading
