#include <map>

#include "frontend/onnx/node.h"
#include "ir/hash_map.h"
#include "ir/lazy.h"
#include "ir/strings.h"

// The ops of the standard domain: those that have a handler, and why the others have none.

namespace reel::onnx {
namespace {

constexpr char kStrings[] = "strings are not supported";
constexpr char kDataDependent[] = "the shape of the result depends on data";

struct Refusal {
  std::string_view name, reason;
};
constexpr Refusal kRefused[] = {
    {"ImageDecoder", "the shape of the result depends on the bytes of the image; decode it before the model"},
    {"MaxRoiPool", "the bounds of the windows depend on data; RoiAlign is supported"},
    {"NonMaxSuppression", kDataDependent},
    {"RegexFullMatch", kStrings},
    {"StringConcat", kStrings},
    {"StringNormalizer", kStrings},
    {"StringSplit", kStrings},
    {"TfIdfVectorizer", "n-grams of strings or of tokens are counted before the model"},
    {"Unique", kDataDependent},
};

// What a handler needs beyond the standard's own rules, or does not have.
constexpr Refusal kNotes[] = {
    {"AveragePool", "ceil_mode by PyTorch's rule"},
    {"Bernoulli", "Reel's own random sequence"},
    {"Cast",
     "of float8 and float4 as values of f16, of int4 and int2 as of i8: only casts and (de)quantization take them"},
    {"CastLike", "as Cast"},
    {"Compress", "the condition must be known at import"},
    {"Constant", "not strings or sparse tensors"},
    {"DequantizeLinear", "per tensor, axis or block"},
    {"Dropout", "in training Reel's own random sequence; the ratio must be known at import"},
    {"Expand", "the shape must be known at import"},
    {"If", "branches give equal types unless the condition is known at import"},
    {"Loop", "what it stacks needs a trip count that is known at import"},
    {"Multinomial", "Reel's own random sequence"},
    {"NonZero", "of values that are known at import"},
    {"OneHot", "the depth must be known at import"},
    {"Optional", "not an empty one"},
    {"Pad", "the pads must be known at import"},
    {"QuantizeLinear", "per tensor, axis or block"},
    {"RandomNormal", "Reel's own random sequence"},
    {"RandomNormalLike", "Reel's own random sequence"},
    {"RandomUniform", "Reel's own random sequence"},
    {"RandomUniformLike", "Reel's own random sequence"},
    {"Range", "the bounds must be known at import"},
    {"Reshape", "the shape must be known at import"},
    {"Resize", "scales, sizes and roi must be known at import"},
    {"RoiAlign", "sampling_ratio must be set"},
    {"Scan", "in opset 8 with a batch of one and no lengths"},
    {"SequenceAt", "sequences exist at import only, with positions that are known then; not as inputs or outputs"},
    {"Slice", "starts, ends and steps must be known at import, or the body of a Loop is written out"},
    {"SplitToSequence", "the lengths must be known at import"},
    {"Tile", "the repeats must be known at import"},
    {"TopK", "k must be known at import"},
};

using Table = HashMap<std::string_view, const OpRow*>;

const Table& Rows() {
  static constinit Lazy<Table> lazy;
  return lazy.Get([] {
    auto rows = std::make_unique<Table>();
    for (const auto family :
         {AttentionOps(), ContractOps(), ControlOps(), ConvOps(), ElementwiseOps(), IndexOps(), NnOps(), QuantizeOps(),
          RandomOps(), RecurrentOps(), ReduceOps(), ResizeOps(), SampleOps(), SequenceOps(), ShapeOps(), SignalOps()}) {
      for (const OpRow& row : family) rows->emplace(row.name, &row);
    }
    return rows;
  });
}

template <size_t n>
std::string_view Find(const Refusal (&list)[n], std::string_view name) {
  for (const Refusal& row : list) {
    if (row.name == name) return row.reason;
  }
  return "";
}

}  // namespace

const OpRow* FindOp(std::string_view domain, std::string_view op) {
  if (!domain.empty() && domain != "ai.onnx") return nullptr;
  const auto it = Rows().find(op);
  return it == Rows().end() ? nullptr : it->second;
}

std::string WhyNot(std::string_view op) {
  const std::string_view reason = Find(kRefused, op);
  return reason.empty() ? "Reel does not have this operator" : StrCat("refused: ", reason);
}

std::string OperatorsTable() {
  std::map<std::string_view, std::string> lines;
  for (const auto& [name, row] : Rows()) lines[name] = StrCat("| ", row->since, " | ", Find(kNotes, name), " |");
  for (const Refusal& row : kRefused) lines[row.name] = StrCat("| refused | ", row.reason, " |");
  std::string out = StrCat(
      "# ONNX operators\n\nGenerated from the table of handlers by `REEL_UPDATE_GOLDEN=1 "
      "build/tests/onnx_import_test`.\n\nEvery operator of the standard domain up to opset 28, the oldest opset from "
      "which its handler reads it, and what it\nneeds; or why it is refused. ",
      Rows().size(), " of ", lines.size(),
      " are imported. An attribute or input that a handler does not\nread is refused by name, whatever the opset. "
      "Other domains (`ai.onnx.ml`, `ai.onnx.preview`) are refused, unless the\nmodel defines the operator as a "
      "function of its own, which is written out.\n\n| operator | from opset | notes |\n| --- | --- | --- |\n");
  for (const auto& [name, line] : lines) StrAppend(&out, "| ", name, " ", line, "\n");
  return out;
}

}  // namespace reel::onnx
