#include <map>
#include <memory>

#include "frontend/stablehlo/import/context.h"
#include "ir/hash_map.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "reel/stablehlo.h"

// The table: families of handlers, what is not done, and the page that lists them.

namespace reel::stablehlo::reading {
namespace {

constexpr std::string_view kSends = "talks to one other device; Reel's collectives are among all of a group";
constexpr std::string_view kTuples = "a value of several tensors; print the program without tuples";
constexpr std::string_view kOpen = "the shape of its result is known only when it runs";

constexpr ImportRow kRefused[] = {
    {"stablehlo.after_all", nullptr, "tokens order what a program sends and reads, which Reel's programs do not"},
    {"stablehlo.async_done", nullptr, "runs beside the program"},
    {"stablehlo.async_start", nullptr, "runs beside the program"},
    {"stablehlo.create_token", nullptr, "tokens order what a program sends and reads, which Reel's programs do not"},
    {"stablehlo.cross-replica-sum", nullptr, "of an older version; write all_reduce"},
    {"stablehlo.dynamic_conv", nullptr, kOpen},
    {"stablehlo.dynamic_gather", nullptr, kOpen},
    {"stablehlo.dynamic_pad", nullptr, kOpen},
    {"stablehlo.get_tuple_element", nullptr, kTuples},
    {"stablehlo.infeed", nullptr, "reads from outside while it runs; make it an argument"},
    {"stablehlo.outfeed", nullptr, "writes to outside while it runs; make it a result"},
    {"stablehlo.real_dynamic_slice", nullptr, kOpen},
    {"stablehlo.recv", nullptr, kSends},
    {"stablehlo.rng", nullptr,
     "its numbers are each backend's own; draw by keys (jax.random), which are integer operations"},
    {"stablehlo.rng_bit_generator", nullptr,
     "its bits are each backend's own; draw by keys (jax.random with threefry2x32), which are integer operations"},
    {"stablehlo.send", nullptr, kSends},
    {"stablehlo.set_dimension_size", nullptr, kOpen},
    {"stablehlo.trace", nullptr, "a marker of a profiler"},
    {"stablehlo.tuple", nullptr, kTuples},
    {"stablehlo.uniform_dequantize", nullptr, "Reel has no quantized element types"},
    {"stablehlo.uniform_quantize", nullptr, "Reel has no quantized element types"},
    {"chlo.bessel_i1e", nullptr, "Reel has no Bessel functions"},
    {"chlo.dynamic_reshape", nullptr, kOpen},
    {"chlo.ragged_dot", nullptr, "Reel has no product of ragged groups; write it as a masked dot_general"},
};

// Written out by the importer itself.
Values ByImporter(const Context&) { Malformed("the importer runs it"); }
constexpr ImportRow kCalls[] = {
    {"func.call", ByImporter, "written out where it is called"},
    {"func.return", ByImporter},
    {"stablehlo.composite", ByImporter, "its decomposition"},
    {"stablehlo.custom_call", ByImporter, "of the functions that are listed as custom_call @name"},
    {"stablehlo.return", ByImporter},
};

using Table = HashMap<std::string, const ImportRow*>;

const Table& Rows() {
  static constinit Lazy<Table> lazy;
  return lazy.Get([] {
    auto rows = std::make_unique<Table>();
    for (const auto family :
         {ElementwiseRows(), ComposedRows(), ShapeRows(), ReduceRows(), ContractRows(), IndexRows(), ControlRows(),
          LinalgRows(), CollectiveRows(), RefusedRows(), absl::Span<const ImportRow>(kCalls)}) {
      for (const ImportRow& row : family) rows->emplace(std::string(row.name), &row);
    }
    for (const ImportRow& row : CustomCallRows()) rows->emplace(StrCat("custom_call @", row.name), &row);
    return rows;
  });
}

}  // namespace

absl::Span<const ImportRow> RefusedRows() { return kRefused; }

const ImportRow* FindRow(const Operation& op) {
  std::string name = op.name;
  if (name == "stablehlo.custom_call") {
    const Attribute* target = op.Find("call_target_name");
    name = StrCat("custom_call @", target ? target->text : "");
  }
  const auto it = Rows().find(name);
  return it == Rows().end() ? nullptr : it->second;
}

std::string ImportTable() {
  size_t done = 0;
  std::string lines;
  const std::vector<StableHloOperation> rows = StableHloOperations();
  for (const auto& [name, is_done, note] : rows) {
    done += is_done ? 1 : 0;
    StrAppend(&lines, "| `", name, "` | ", is_done ? "done" : "no", " | ", note, " |\n");
  }
  return StrCat("\n## In\n\nEvery operation of the specification, of CHLO, and what `custom_call` may name: ", done,
                " of ", rows.size(), ".\n\n| operation | | |\n| --- | --- | --- |\n", lines);
}

}  // namespace reel::stablehlo::reading

namespace reel {

std::vector<StableHloOperation> StableHloOperations() {
  std::map<std::string, StableHloOperation> sorted;
  for (const auto& [name, row] : stablehlo::reading::Rows())
    sorted[name] = {name, row->handler != nullptr, std::string(row->note)};
  std::vector<StableHloOperation> out;
  for (auto& [name, row] : sorted) out.push_back(std::move(row));
  return out;
}

}  // namespace reel
