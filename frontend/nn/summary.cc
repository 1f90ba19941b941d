#include "frontend/nn/summary.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <set>
#include <string_view>
#include <utility>

#include "frontend/nn/layer_data.h"
#include "frontend/record/event_stream.h"
#include "ir/printable.h"
#include "ir/strings.h"
#include "ir/text/printer.h"
#include "reel/activations.h"
#include "reel/elementary.h"
#include "reel/summary.h"

// Models as texts: trees of layers, and tables of what they give and hold.

namespace reel {
namespace {

using Unary = Tensor (*)(const Operand&);
constexpr std::pair<std::string_view, Unary> kActivationNames[] = {
    {"Relu", Relu},
    {"Relu6", Relu6},
    {"Sigmoid", Sigmoid},
    {"Tanh", Tanh},
    {"Selu", Selu},
    {"Silu", Silu},
    {"Gelu", Gelu},
    {"GeluTanh", GeluTanh},
    {"Softplus", Softplus},
    {"Softsign", Softsign},
    {"Mish", Mish},
    {"HardSigmoid", HardSigmoid},
    {"HardSwish", HardSwish},
    {"HardTanh", HardTanh},
    {"TanhShrink", TanhShrink},
    {"LogSigmoid", LogSigmoid},
    {"LeakyRelu", LeakyRelu},
    {"Elu", Elu},
    {"Celu", Celu},
    {"Swish", Swish},
    {"Exp", Exp},
    {"HardShrink", HardShrink},
    {"SoftShrink", SoftShrink},
};

// Classes by the kinds of layers.
constexpr std::pair<std::string_view, std::string_view> kClasses[] = {
    {"dense", "Dense"},
    {"embedding", "Embedding"},
    {"sequential", "Sequential"},
    {"residual", "Residual"},
    {"conv1d", "Convolution1D"},
    {"conv2d", "Convolution2D"},
    {"conv3d", "Convolution3D"},
    {"depthwise_conv2d", "DepthwiseConvolution2D"},
    {"conv1d_transpose", "ConvolutionTranspose1D"},
    {"conv2d_transpose", "ConvolutionTranspose2D"},
    {"conv3d_transpose", "ConvolutionTranspose3D"},
    {"layer_norm", "LayerNorm"},
    {"rms_norm", "RmsNorm"},
    {"group_norm", "GroupNorm"},
    {"instance_norm", "InstanceNorm"},
    {"batch_norm", "BatchNorm"},
    {"rnn", "Rnn"},
    {"lstm", "Lstm"},
    {"gru", "Gru"},
    {"bidirectional", "Bidirectional"},
    {"multi_head_attention", "MultiHeadAttention"},
};

}  // namespace

std::string Activation::name() const {
  if (!function_) return "";
  if (const OverLastAxis* f = function_.target<OverLastAxis>()) {
    if (f->function == Softmax) return "Softmax";
    return f->function == LogSoftmax ? "LogSoftmax" : "function";
  }
  const Unary* f = function_.target<Unary>();
  for (const auto& [name, known] : kActivationNames) {
    if (f && *f == known) return std::string(name);
  }
  return "function";
}

namespace internal {

std::string WithActivation(std::string arguments, const Activation& activation) {
  return activation ? StrCat(arguments, ", ", activation.name()) : arguments;
}

void LastOutput::Note(const Tensor& y) {
  const TraceState* trace = y.symbolic() ? State().trace : nullptr;
  std::string text = trace && !y.shape().is_constant() ? ir::Print(y.type(), *trace->module) : "";
  const std::lock_guard lock(mutex_);
  type_ = y.type();
  text_ = std::move(text);
  known_ = true;
}

std::string LastOutput::Text() const {
  const std::lock_guard lock(mutex_);
  if (!known_) return "";
  return text_.empty() ? type_.ToString() : text_;
}

std::string LayerData::Text() const {
  const auto found = std::find_if(std::begin(kClasses), std::end(kClasses), [&](auto& c) { return c.first == kind; });
  const std::string name(found == std::end(kClasses) ? std::string_view(kind) : found->second);
  const std::string arguments = Arguments();
  return arguments.empty() ? name : StrCat(name, "(", arguments, ")");
}

bool LayerData::Built() {
  const std::lock_guard lock(mutex);
  return built;
}

namespace {

void AddRows(LayerData* layer, int depth, std::string name, std::string output, std::vector<SummaryRow>* rows) {
  if (output.empty()) output = layer->output.Text();
  const std::string text = layer->Text();
  name = name.substr(name.rfind('/') + 1);
  rows->push_back({depth, name.empty() ? text : StrCat(ir::Printable(name), ": ", text), std::move(output),
                   layer->variables, layer->Built()});
  if (const auto* sequential = dynamic_cast<SequentialData*>(layer)) {
    for (const Step& step : sequential->steps) {
      if (step.layer)
        AddRows(step.layer.get(), depth + 1, step.layer->options.name, step.output->Text(), rows);
      else
        rows->push_back({depth + 1, step.label, step.output->Text(), {}, true});
    }
    return;
  }
  for (const auto& child : layer->children) AddRows(child.get(), depth + 1, child->options.name, "", rows);
}

struct Totals {
  int64_t parameters = 0, trainable = 0, bytes = 0;
  void Add(const Totals& other) {
    parameters += other.parameters;
    trainable += other.trainable;
    bytes += other.bytes;
  }
};

// Of variables that are not in `seen` yet.
Totals CountNew(const std::vector<Variable>& variables, std::set<uint64_t>* seen) {
  Totals out;
  for (const Variable& v : variables) {
    if (!seen->insert(v.id()).second) continue;
    out.parameters += v.shape().size();
    if (v.trainable()) out.trainable += v.shape().size();
    out.bytes += v.type().bytes();
  }
  return out;
}

std::string Grouped(int64_t n) {
  std::string digits = std::to_string(n);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

using Cells = std::array<std::string, 5>;

Cells Line(std::string label, std::string output, const Totals& n) {
  return {std::move(label), std::move(output), Grouped(n.parameters), Grouped(n.trainable), Grouped(n.bytes)};
}

// Texts left, numbers right.
std::string Aligned(const std::vector<Cells>& lines) {
  std::array<size_t, 5> width{};
  for (const Cells& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
  }
  std::string out;
  for (const Cells& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string space(width[i] - line[i].size(), ' ');
      StrAppend(&text, i == 0 ? "" : "  ", i < 2 ? line[i] + space : space + line[i]);
    }
    StrAppend(&out, text.substr(0, text.find_last_not_of(' ') + 1), "\n");
  }
  return out;
}

}  // namespace

std::string SummaryTable(const std::vector<SummaryRow>& rows) {
  std::vector<Cells> lines = {{"layer", "output", "parameters", "trainable", "bytes"}};
  std::set<uint64_t> seen;
  Totals total;
  bool built = true;
  for (const SummaryRow& row : rows) {
    const Totals own = CountNew(row.variables, &seen);
    total.Add(own);
    const std::string label = std::string(static_cast<size_t>(row.depth) * 2, ' ') + row.label;
    if (!row.built)
      lines.push_back({label, row.output, "?", "?", "?"});
    else if (row.variables.empty())
      lines.push_back({label, row.output, "", "", ""});
    else
      lines.push_back(Line(label, row.output, own));
    built = built && row.built;
  }
  lines.push_back(Line("total", "", total));
  return Aligned(lines) + (built ? "" : "?: made by the first call; not in the total\n");
}

void NoteOutput(const Layer& layer, const Tensor& y) { layer.internal_data()->output.Note(y); }

}  // namespace internal

std::string Layer::str() const {
  std::vector<internal::SummaryRow> rows;
  internal::AddRows(data_.get(), 0, "", "", &rows);
  std::string out;
  for (const auto& row : rows) {
    StrAppend(&out, out.empty() ? "" : "\n", std::string(static_cast<size_t>(row.depth) * 2, ' '), row.label);
  }
  return out;
}

std::ostream& operator<<(std::ostream& stream, const Layer& layer) { return stream << layer.str(); }

std::string Summary(const Layer& layer) {
  std::vector<internal::SummaryRow> rows;
  internal::AddRows(layer.internal_data().get(), 0, "", "", &rows);
  return internal::SummaryTable(rows);
}

std::string Summary(const std::vector<std::pair<std::string, Layer>>& layers) {
  std::vector<internal::SummaryRow> rows;
  for (const auto& [name, layer] : layers) internal::AddRows(layer.internal_data().get(), 0, name, "", &rows);
  return internal::SummaryTable(rows);
}

}  // namespace reel
