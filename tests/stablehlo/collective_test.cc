// Collectives in StableHLO: the specification's examples run by a group of threads, a step of several members out and
// in again, and what cannot be said.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/strings.h"
#include "reel/distributed.h"
#include "reel/reel.h"
#include "reel/stablehlo.h"
#include "tests/frontend/same_bits.h"

namespace reel {
namespace {

using testing::HasSubstr;
using Rows = std::vector<std::vector<float>>;

constexpr char kAdd[] = R"( ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = "stablehlo.OP"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }))";

std::string With(const std::string& op) {
  std::string region = kAdd;
  return region.replace(region.find("OP"), 2, op);
}

// One operation of x, in a program of so many replicas.
std::string Program(int64_t replicas, const std::string& operation, const std::string& from, const std::string& to,
                    const std::string& module = "") {
  const std::string said = module.empty() ? StrCat("mhlo.num_replicas = ", replicas, " : i32") : module;
  return StrCat("module @m attributes {", said, "} {\n  func.func public @main(%x: tensor<", from, "xf32>) -> tensor<",
                to, "xf32> {\n    %y = ", operation, " : (tensor<", from, "xf32>) -> tensor<", to,
                "xf32>\n    return %y : tensor<", to, "xf32>\n  }\n}\n");
}

// What each member gets.
std::vector<Tensor> RunAll(const Module& module, const std::vector<Tensor>& inputs) {
  const Executable program = Compile(module);
  std::vector<Tensor> out(inputs.size());
  RunMembers(static_cast<int64_t>(inputs.size()), [&](int64_t rank) {
    const auto r = static_cast<size_t>(rank);
    out[r] = Tensor(program.NewInstance()("main", inputs[r]));
  });
  return out;
}

struct Example {
  const char* name;
  std::string operation;
  Shape from, to;
  Rows inputs, results;
};

std::string Dims(const Shape& shape) {
  std::string out;
  for (int i = 0; i < shape.rank(); ++i) StrAppend(&out, i ? "x" : "", shape.dim(i));
  return out;
}

// https://openxla.org/stablehlo/spec, the examples of each operation, and others for what these leave out.
std::vector<Example> Examples() {
  const std::string two = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>";
  const Rows eights = {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}};
  return {
      {"all_gather",
       StrCat("\"stablehlo.all_gather\"(%x) <{all_gather_dim = 1 : i64, ", two, "}>"),
       {2, 2},
       {2, 4},
       {{1, 2, 3, 4}, {5, 6, 7, 8}},
       {{1, 2, 5, 6, 3, 4, 7, 8}, {1, 2, 5, 6, 3, 4, 7, 8}}},
      {"all_reduce",
       StrCat("\"stablehlo.all_reduce\"(%x) <{", two, "}>", With("add")),
       {4},
       {4},
       {{1, 2, 3, 4}, {5, 6, 7, 8}},
       {{6, 8, 10, 12}, {6, 8, 10, 12}}},
      {"all_reduce of maxima",
       StrCat("\"stablehlo.all_reduce\"(%x) <{", two, "}>", With("maximum")),
       {2},
       {2},
       {{1, -2}, {-5, 6}},
       {{1, 6}, {1, 6}}},
      {"all_reduce of products, which Reel has not, of three",
       StrCat("\"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>}>",
              With("multiply")),
       {2},
       {2},
       {{1, 2}, {3, 4}, {5, 6}},
       {{15, 48}, {15, 48}, {15, 48}}},
      {"all_reduce without groups",
       StrCat("\"stablehlo.all_reduce\"(%x) <{replica_groups = dense<> : tensor<0x0xi64>}>", With("minimum")),
       {2},
       {2},
       {{1, 2}, {3, -4}},
       {{1, -4}, {1, -4}}},
      {"all_to_all",
       StrCat("\"stablehlo.all_to_all\"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, "
              "split_count = 2 : i64, ",
              two, "}>"),
       {2, 4},
       {4, 2},
       eights,
       {{1, 2, 5, 6, 9, 10, 13, 14}, {3, 4, 7, 8, 11, 12, 15, 16}}},
      {"all_to_all along one axis",
       StrCat("\"stablehlo.all_to_all\"(%x) <{split_dimension = 1 : i64, concat_dimension = 1 : i64, "
              "split_count = 2 : i64, ",
              two, "}>"),
       {2, 4},
       {2, 4},
       eights,
       {{1, 2, 9, 10, 5, 6, 13, 14}, {3, 4, 11, 12, 7, 8, 15, 16}}},
      {"collective_broadcast",
       "\"stablehlo.collective_broadcast\"(%x) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}>",
       {2},
       {2},
       {{1, 2}, {3, 4}},
       {{3, 4}, {3, 4}}},
      {"collective_permute",
       "\"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}>",
       {2, 2},
       {2, 2},
       {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 9, 9, 9}},
       {{0, 0, 0, 0}, {1, 2, 3, 4}, {5, 6, 7, 8}}},
      {"reduce_scatter",
       StrCat("\"stablehlo.reduce_scatter\"(%x) <{scatter_dimension = 1 : i64, ", two, "}>", With("add")),
       {2, 4},
       {2, 2},
       eights,
       {{10, 12, 18, 20}, {14, 16, 22, 24}}},
      {"reduce_scatter of minima",
       StrCat("\"stablehlo.reduce_scatter\"(%x) <{scatter_dimension = 0 : i64, ", two, "}>", With("minimum")),
       {4},
       {2},
       {{1, 6, 3, 8}, {5, 2, 7, 4}},
       {{1, 2}, {3, 4}}},
  };
}

TEST(StableHloCollectives, ExamplesOfTheSpecification) {
  for (const Example& e : Examples()) {
    SCOPED_TRACE(e.name);
    const auto members = static_cast<int64_t>(e.inputs.size());
    const Module module = ImportStableHlo(Program(members, e.operation, Dims(e.from), Dims(e.to)), e.name);
    std::vector<Tensor> inputs;
    for (const auto& row : e.inputs) inputs.push_back(Tensor::FromData(row, e.from));
    const std::vector<Tensor> got = RunAll(module, inputs);
    for (size_t r = 0; r < got.size(); ++r)
      EXPECT_TRUE(SameBits(got[r], Tensor::FromData(e.results[r], e.to))) << "member " << r;
    // Written again it is the same program.
    const std::vector<Tensor> again = RunAll(ImportStableHlo(ToStableHlo(module), "again"), inputs);
    for (size_t r = 0; r < got.size(); ++r) EXPECT_TRUE(SameBits(got[r], again[r])) << "member " << r << " again";
  }
}

TEST(StableHloCollectives, NumbersOfProcesses) {
  const std::string id = "stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>\n    return %y : tensor<f32>";
  for (const char* kind : {"replica", "partition"}) {
    const std::string text =
        StrCat("module @m attributes {mhlo.num_", kind, "s = 3 : i32} {\n  func.func public @main(%x: tensor<f32>) -> ",
               "tensor<f32> {\n    %i = stablehlo.", kind, "_id : tensor<ui32>\n    %y = ", id, "\n  }\n}\n");
    const std::vector<Tensor> got = RunAll(ImportStableHlo(text, kind), {Zeros({}), Zeros({}), Zeros({})});
    for (size_t r = 0; r < 3; ++r) EXPECT_EQ(got[r].item<float>(), static_cast<float>(r)) << kind;
  }
}

// All of Reel's collectives, with gradients, out and in: the bits of the step itself.
TEST(StableHloCollectives, AStepOfMembersComesBack) {
  constexpr int64_t kMembers = 3;
  std::string text;
  Module module;
  RunMembers(kMembers, [&](int64_t rank) {
    if (rank != 0) return;
    module = Module::Lift({{"step",
                            [](std::span<const Tensor> x) {
                              GradientTape tape;
                              tape.Watch(x[0]);
                              const Tensor all = AllGather(x[0] * x[0]);
                              const Tensor part = ReduceScatter(all, Combine::kMean) + AllToAll(x[0]);
                              const Tensor root = BroadcastFrom(part, 2) * AllReduce(x[0], Combine::kMax);
                              const Tensor loss = AllReduce(ReduceSum(root + part));
                              return NamedTensors{{"loss", loss}, {"gradient", *tape.Gradient(loss, x[0])}};
                            },
                            {Spec(kFloat32, {6, 2})}}});
    text = ToStableHlo(module);
  });
  EXPECT_THAT(text, HasSubstr("mhlo.num_replicas = 3 : i32"));
  for (const char* op : {"all_gather", "all_reduce", "reduce_scatter", "all_to_all"})
    EXPECT_THAT(text, HasSubstr(StrCat("\"stablehlo.", op, "\"")));
  const Executable program = Compile(module), again = Compile(ImportStableHlo(text, "again"));
  const Tensor x = RandomNormal({kMembers, 6, 2});
  RunMembers(kMembers, [&](int64_t rank) {
    const Results want = program.NewInstance()("step", x[rank]), got = again.NewInstance()("step", x[rank]);
    for (const char* name : {"loss", "gradient"}) EXPECT_TRUE(SameBits(want[name], got[name])) << name << rank;
  });
}

// As JAX prints jax.shard_map: what each device does of x [4, 4] in parts, with a name in the place of each difference.
std::string Manual(const std::string& mesh, const std::string& in, const std::string& part, const std::string& body,
                   const std::string& result, const std::string& out, const std::string& whole) {
  return StrCat(
      "module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n  sdy.mesh @mesh = <", mesh,
      ">\n  func.func public @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, ", in, ">}) -> tensor<",
      whole, "xf32> {\n    %y = sdy.manual_computation(%x) in_shardings=[<@mesh, ", in, ">] out_shardings=[<@mesh, ",
      out, ">] manual_axes={\"i\", \"j\"} (%p: tensor<", part, "xf32>) {\n      %r = ", body,
      "\n      sdy.return %r : tensor<", result, "xf32>\n    } : (tensor<4x4xf32>) -> tensor<", whole,
      "xf32>\n    return %y : tensor<", whole, "xf32>\n  }\n}\n");
}

TEST(StableHloCollectives, RegionsOfAMesh) {
  const std::string mesh = "[\"i\"=2, \"j\"=2]", negate = "stablehlo.negate %p : tensor<2x2xf32>";
  const std::string sum = StrCat(
      "\"stablehlo.all_reduce\"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
      "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}>",
      With("add"), " : (tensor<2x2xf32>) -> tensor<2x2xf32>");
  const Tensor x = Cast(Reshape(Iota({16}, 0, kInt64), {4, 4}), kFloat32);
  const Tensor blocks = Reshape(Transpose(Reshape(x, {2, 2, 2, 2}), {0, 2, 1, 3}), {4, 2, 2});  // by device
  const Tensor turned = Reshape(Transpose(Reshape(blocks, {2, 2, 2, 2}), {1, 2, 0, 3}), {4, 4});
  const struct {
    const char* name;
    std::string text;
    Tensor want;
  } cases[] = {
      {"both axes", Manual(mesh, "[{\"i\"}, {\"j\"}]", "2x2", negate, "2x2", "[{\"i\"}, {\"j\"}]", "4x4"), -x},
      {"turned", Manual(mesh, "[{\"i\"}, {\"j\"}]", "2x2", negate, "2x2", "[{\"j\"}, {\"i\"}]", "4x4"), -turned},
      {"summed", Manual(mesh, "[{\"i\"}, {\"j\"}]", "2x2", sum, "2x2", "[{}, {}]", "2x2"), ReduceSum(blocks, 0)},
      {"one axis by both",
       Manual(mesh, "[{\"i\", \"j\"}, {}]", "1x4", "stablehlo.negate %p : tensor<1x4xf32>", "1x4",
              "[{}, {\"j\", \"i\"}]", "1x16"),
       -Reshape(Concat({x[0], x[2], x[1], x[3]}, 0), {1, 16})},
      {"whole", Manual(mesh, "[{}, {}]", "4x4", "stablehlo.negate %p : tensor<4x4xf32>", "4x4", "[{}, {}]", "4x4"), -x},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    for (const Tensor& got : RunAll(ImportStableHlo(c.text, c.name), {x, x, x, x})) EXPECT_TRUE(SameBits(got, c.want));
  }
}

std::string ErrorOf(const std::string& text) {
  try {
    ImportStableHlo(text, "t.mlir");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(StableHloCollectives, Refuses) {
  const auto gather = [](const std::string& groups) {
    return StrCat("\"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<", groups, "}>");
  };
  const auto permute = [](const std::string& pairs) {
    return StrCat("\"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<", pairs, "}>");
  };
  const std::string two = "[[0, 1]]> : tensor<1x2xi64>";
  const struct {
    std::string text, says;
  } cases[] = {
      {Program(4, gather("[[0, 1], [2, 3]]> : tensor<2x2xi64>"), "2", "4"), "among a part of the processes"},
      {Program(4, gather(two), "2", "4"), "among a part of the processes"},
      {Program(2, gather("[[0, 5]]> : tensor<1x2xi64>"), "2", "4"), "among a part of the processes"},
      {Program(2, gather("[[1, 0]]> : tensor<1x2xi64>"), "2", "4"), "another order"},
      {Program(2, gather(two), "2", "5"), "the text says f32[5]"},
      {Program(2, permute("[[0, 1], [0, 1]]> : tensor<2x2xi64>"), "2", "2"), "process 1 has two sources"},
      {Program(2, permute("[[0, 2]]> : tensor<1x2xi64>"), "2", "2"), "a pair of processes 0, 2 of 2"},
      {Program(2, permute("[[0, 1]]> : tensor<1x2xi64>"), "2", "2", "a = 1"), "mhlo.num_replicas"},
      {Program(0, gather(two), "2", "4"), "mhlo.num_replicas is no number"},
      {Program(2, gather(two), "2", "4", "mhlo.num_replicas = 1048576, mhlo.num_partitions = 2"), "more processes"},
      {Program(2,
               StrCat("\"stablehlo.all_to_all\"(%x) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, "
                      "split_count = 3 : i64, replica_groups = dense<",
                      two, "}>"),
               "3", "3"),
       "split_count is 3 for 2 processes"},
      {Program(2,
               StrCat("\"stablehlo.reduce_scatter\"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<", two,
                      "}>", With("add")),
               "3", "2"),
       "no 2 equal parts"},
  };
  const std::string negate = "stablehlo.negate %p : tensor<2x4xf32>", rows = "[{\"i\"}, {}]";
  const auto manual = [&](const std::string& axes, const std::string& in, const std::string& out) {
    return Manual(axes, in, "2x4", negate, "2x4", out, "4x4");
  };
  const struct {
    std::string text, says;
  } regions[] = {
      {manual("[\"i\"=2]", rows, rows), "over a mesh of 2 devices in a program of 4"},
      {manual("[\"i\"=2, \"k\"=2]", rows, rows), "over a part of the mesh's axes"},
      {manual("[\"i\"=4], device_ids=[3, 2, 1, 0]", rows, rows), "whose devices are in another order"},
      {manual("[\"i\"=0]", rows, rows), "an axis of a mesh has 1 to"},
      {manual("[\"i\"=4]", "[{\"k\"}, {}]", rows), "the mesh has no axis \"k\""},
      {manual("[\"i\"=4]", "[{\"i\"}]", rows), "a sharding of 1 axes for a tensor of 2"},
      {manual("[\"i\"=4]", rows, rows), "of a region is f32[2,4] and gets f32[1,4]"},
      {manual("[\"i\"=2, \"j\"=2]", rows, "[{\"i\", \"i\"}, {}]"), "parts that no device has"},
  };
  for (const auto& c : regions) EXPECT_THAT(ErrorOf(c.text), HasSubstr(c.says));
  for (const auto& c : cases) {
    EXPECT_THAT(ErrorOf(c.text), HasSubstr(c.says));
    EXPECT_THAT(ErrorOf(c.text), HasSubstr("t.mlir"));
  }
}

}  // namespace
}  // namespace reel
