#include "codegen/program/plan.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "codegen/loop/cost.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

// "1.23 k", "45.6 M", "7 ": a unit follows.
std::string Short(double x) {
  static constexpr const char* kUnits[] = {" ", " k", " M", " G", " T", " P"};
  size_t unit = 0;
  while (x >= 999.5 && unit + 1 < std::size(kUnits)) x /= 1000, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return StrCat(text, kUnits[unit]);
}

std::string CostText(const KernelCost& cost) {
  return StrCat(Short(cost.flops), "flop, reads ", Short(static_cast<double>(cost.bytes_read)), "B, writes ",
                Short(static_cast<double>(cost.bytes_written)), "B");
}

size_t Number(const Step& step) { return static_cast<size_t>(step.kernel); }
size_t Which(const Step& step) { return static_cast<size_t>(step.bytes); }

// Recurses as deep as branches and loops nest, like what follows.
void CountCalls(const std::vector<Step>& steps, std::vector<int64_t>* calls) {
  for (const Step& step : steps) {
    if (step.kernel >= 0 && step.bytes == 0) ++(*calls)[Number(step)];  // of parts the first one
    CountCalls(step.first, calls);
    CountCalls(step.second, calls);
  }
}

const char* CheckName(const Program& program, const Step& step) {
  const bool index = program.checks[static_cast<size_t>(step.bytes)].op == ir::Op::kCheckIndex;
  return index ? "check of indices" : "check of integers";
}

void AppendSteps(const Program& program, const std::vector<Step>& steps, const std::string& indent, std::string* out) {
  for (const Step& step : steps) {
    if (step.control == Step::Control::kChain) {
      StrAppend(out, indent, "chain of ", step.chunks, " chunks, frames of ", step.bytes, " bytes\n");
      AppendSteps(program, step.first, indent + "  ", out);
    } else if (step.control == Step::Control::kBeside) {
      StrAppend(out, indent, "beside each other, in ", step.lanes, " runs\n");
      AppendSteps(program, step.first, indent + "  ", out);
    } else if (step.control == Step::Control::kCheck) {
      StrAppend(out, indent, CheckName(program, step), "\n");
    } else if (step.control == Step::Control::kCallback) {
      StrAppend(out, indent, "callback ", program.callbacks[static_cast<size_t>(step.bytes)].of, "\n");
    } else if (step.control == Step::Control::kCollective) {
      const CollectiveSite& site = program.collectives[Which(step)];
      StrAppend(out, indent, step.buffers.size() > 2 ? "start " : "", ir::Name(site.op), " ", site.bytes, " bytes\n");
    } else if (step.control == Step::Control::kWait) {
      StrAppend(out, indent, "wait for ", ir::Name(program.collectives[Which(step)].op), "\n");
    } else if (step.control != Step::Control::kNone) {
      const bool loop = step.control == Step::Control::kWhile;
      StrAppend(out, indent, loop ? "while\n" : "if\n");
      AppendSteps(program, step.first, indent + "  ", out);
      StrAppend(out, indent, loop ? "do\n" : "else\n");
      AppendSteps(program, step.second, indent + "  ", out);
    } else if (step.kernel < 0) {
      StrAppend(out, indent, "copy ", step.bytes, " bytes\n");
    } else {
      if (step.bytes > 0) continue;  // another part of the same call
      StrAppend(out, indent, "#", step.kernel, " ", program.kernels[Number(step)].name, "\n");
    }
  }
}

// Text between quotes of Graphviz source; lines end in \n there.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    const bool control = static_cast<unsigned char>(c) < ' ' || c == 127;
    out.push_back(control ? '?' : c);
  }
  return out;
}

// The graph of one entry point.
class EntryDot {
 public:
  EntryDot(const Program& program, const std::vector<KernelCost>& costs, size_t entry, std::string* out)
      : program_(program), costs_(costs), entry_(program.entries[entry]), prefix_(StrCat("e", entry, "_")), out_(out) {}

  void Run() {
    StrAppend(out_, "  subgraph cluster_", prefix_.substr(0, prefix_.size() - 1), " {\n    label=\"",
              Escaped(entry_.name), "\";\n");
    Steps(entry_.steps, 1);
    for (const auto& [key, writer] : last_) {
      const auto& [kind, place] = key;
      if (kind == Slot::Kind::kResult) {
        const auto i = static_cast<size_t>(place);
        Edge(writer.vertex, Outside("result", entry_.results[i].name, "fillcolor=\"#e4f2dc\""), writer.bytes);
      } else if (const VariableSlot* v = VariableAt(key); v != nullptr && !writer.outside) {
        Edge(writer.vertex, Outside("new_variable", StrCat("new ", v->name), "fillcolor=\"#dbe9f6\""), writer.bytes);
      }
    }
    *out_ += "  }\n";
  }

 private:
  using Key = std::pair<Slot::Kind, int64_t>;  // a place in memory
  struct Writer {
    std::string vertex;
    int64_t bytes = 0;
    bool outside = false;
  };

  static Key KeyOf(const Slot& slot) {
    const bool by_offset = slot.kind == Slot::Kind::kInstance || slot.kind == Slot::Kind::kLane;
    return {slot.kind, by_offset ? slot.offset : slot.index};
  }
  const VariableSlot* VariableAt(const Key& key) const {
    for (const VariableSlot& v : program_.variables) {
      if (key == Key{Slot::Kind::kInstance, v.offset}) return &v;
    }
    return nullptr;
  }

  void Vertex(const std::string& id, const std::string& label, std::string_view style) {
    StrAppend(out_, "    ", id, " [label=\"", label, "\", ", style, "];\n");
  }
  void Edge(const std::string& from, const std::string& to, int64_t bytes) {
    if (!edges_.insert({from, to, bytes}).second) return;
    StrAppend(out_, "    ", from, " -> ", to, " [label=\"", Short(static_cast<double>(bytes)), "B\"];\n");
  }
  // A vertex for memory that is not the arena's.
  std::string Outside(const std::string& kind, const std::string& name, const char* color) {
    const std::string id = StrCat(prefix_, kind, outside_.size());
    const auto [it, added] = outside_.emplace(std::pair(kind, name), id);
    if (added) Vertex(id, Escaped(name), StrCat("shape=box, style=filled, ", color));
    return it->second;
  }

  // Who wrote what is read from a slot.
  Writer WriterOf(const Slot& slot) {
    const Key key = KeyOf(slot);
    if (const auto it = last_.find(key); it != last_.end()) return it->second;
    const auto i = static_cast<size_t>(slot.index);
    switch (slot.kind) {
      case Slot::Kind::kArgument: return {Outside("argument", entry_.arguments[i].name, "fillcolor=white"), 0, true};
      case Slot::Kind::kConstant:
        return {Outside("constant", StrCat("constant ", slot.index), "fillcolor=\"#eeeeee\""), 0, true};
      default: break;
    }
    if (const VariableSlot* v = VariableAt(key)) {
      return {Outside("variable", v->name, "fillcolor=\"#dbe9f6\""), 0, true};
    }
    return {};
  }

  int64_t BytesOf(const Slot& slot, const KernelBuffer* buffer) const {
    const auto i = static_cast<size_t>(slot.index);
    if (slot.kind == Slot::Kind::kArgument) return entry_.arguments[i].type.bytes();
    if (slot.kind == Slot::Kind::kResult) return entry_.results[i].type.bytes();
    if (slot.kind == Slot::Kind::kConstant) return program_.constants[i].type().bytes();
    if (const VariableSlot* v = VariableAt(KeyOf(slot))) return v->type.bytes();
    return buffer == nullptr ? 0 : buffer->elements * SizeOf(buffer->dtype);
  }

  void Read(const Slot& slot, const std::string& vertex, const KernelBuffer* buffer, int64_t bytes = 0) {
    const Writer writer = WriterOf(slot);
    if (!writer.vertex.empty()) Edge(writer.vertex, vertex, bytes > 0 ? bytes : BytesOf(slot, buffer));
  }

  void Steps(const std::vector<Step>& steps, int depth) {
    for (const Step& step : steps) {
      const std::string vertex = StrCat(prefix_, "s", steps_++);
      if (step.kernel >= 0 && step.bytes > 0) continue;  // another part of the same call
      const bool beside = step.control == Step::Control::kBeside;
      if (beside || step.control == Step::Control::kChain) {
        const std::string label = beside ? StrCat("beside each other, in ", step.lanes, " runs")
                                         : StrCat("chain of ", step.chunks, " chunks");
        StrAppend(out_, "    subgraph cluster_", vertex, " {\n    label=\"", label, "\";\n");
        Steps(step.first, depth + 1);
        *out_ += "    }\n";
      } else if (step.control == Step::Control::kCheck) {
        Vertex(vertex, CheckName(program_, step), "shape=diamond");
        Read(step.buffers[0], vertex, nullptr);
      } else if (step.control == Step::Control::kCallback) {
        Vertex(vertex, "callback", "shape=hexagon");
        for (size_t i = 1; i < step.buffers.size(); ++i) Read(step.buffers[i], vertex, nullptr);
      } else if (step.control == Step::Control::kCollective) {
        Vertex(vertex, std::string(ir::Name(program_.collectives[Which(step)].op)), "shape=hexagon");
        if (step.buffers.size() > 1) Read(step.buffers[1], vertex, nullptr);
      } else if (step.control == Step::Control::kWait) {
        Vertex(vertex, StrCat("wait for ", ir::Name(program_.collectives[Which(step)].op)), "shape=hexagon");
      } else if (step.control != Step::Control::kNone) {
        const bool loop = step.control == Step::Control::kWhile;
        Vertex(vertex, loop ? "while" : "if", "shape=diamond");
        StrAppend(out_, "    subgraph cluster_", vertex, " {\n    label=\"", loop ? "loop" : "branches", "\";\n");
        Steps(step.first, depth + 1);
        Read(step.buffers[0], vertex, nullptr, 1);
        Steps(step.second, depth + 1);
        *out_ += "    }\n";
      } else if (step.kernel < 0) {
        Vertex(vertex, StrCat("copy\\n", Short(static_cast<double>(step.bytes)), "B"), "shape=ellipse");
        Read(step.buffers[1], vertex, nullptr, step.bytes);
        last_[KeyOf(step.buffers[0])] = {vertex, step.bytes};
      } else {
        Kernel(step, vertex);
      }
    }
  }

  void Kernel(const Step& step, const std::string& vertex) {
    const codegen::Kernel& kernel = program_.kernels[Number(step)];
    std::string label = StrCat("#", step.kernel, " ", Escaped(kernel.name), "\\n", CostText(costs_[Number(step)]));
    for (const std::string& line : kernel.why) StrAppend(&label, "\\n", Escaped(line));
    Vertex(vertex, label, "shape=box, style=rounded");
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      if (!kernel.buffers[i].is_output) Read(step.buffers[i], vertex, &kernel.buffers[i]);
    }
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      if (!kernel.buffers[i].is_output) continue;
      last_[KeyOf(step.buffers[i])] = {vertex, BytesOf(step.buffers[i], &kernel.buffers[i])};
    }
  }

  const Program& program_;
  const std::vector<KernelCost>& costs_;
  const EntryPoint& entry_;
  const std::string prefix_;
  std::string* out_;
  int64_t steps_ = 0;
  std::map<Key, Writer> last_;  // who wrote a place last
  std::map<std::pair<std::string, std::string>, std::string> outside_;
  std::set<std::tuple<std::string, std::string, int64_t>> edges_;
};

}  // namespace

std::string PlanText(const Program& program, const std::string& note) {
  std::string out = StrCat("program ", program.name, ": ", program.kernels.size(), " kernels, ",
                           program.variables.size(), " variables; instance ", program.instance_bytes, " bytes, arena ",
                           program.arena_bytes, ", live at once ", program.live_bytes, "\n", note);
  std::vector<int64_t> calls(program.kernels.size());
  for (const EntryPoint& entry : program.entries) {
    StrAppend(&out, "entry ", entry.name, ": ", entry.steps.size(), " steps\n");
    AppendSteps(program, entry.steps, "  ", &out);
    CountCalls(entry.steps, &calls);
  }
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    StrAppend(&out, "#", k, " ", kernel.name, ": ", calls[k], calls[k] == 1 ? " call, " : " calls, ", kernel.chunks(),
              kernel.chunks() == 1 ? " chunk, " : " chunks, ", CostText(CostOf(kernel)), "\n");
    for (const std::string& line : kernel.why) StrAppend(&out, "    ", line, "\n");
  }
  return out;
}

std::string PlanDot(const Program& program) {
  std::vector<KernelCost> costs;
  for (const Kernel& kernel : program.kernels) costs.push_back(CostOf(kernel));
  std::string out = StrCat("digraph \"", Escaped(program.name),
                           "\" {\n  node [fontname=\"sans-serif\", fontsize=10];\n"
                           "  edge [fontname=\"sans-serif\", fontsize=9];\n");
  for (size_t e = 0; e < program.entries.size(); ++e) EntryDot(program, costs, e, &out).Run();
  return out + "}\n";
}

}  // namespace reel::codegen
