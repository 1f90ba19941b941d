#include "codegen/program/program.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/group/group.h"
#include "codegen/group/normalize.h"
#include "codegen/program/buffers.h"
#include "codegen/schedule/schedule.h"
#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "passes/pipeline.h"
#include "runtime/environment.h"

namespace reel::codegen {
namespace {

constexpr int64_t kHeaderBytes = 64;  // runtime/abi.h
int64_t RoundUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// Functions that neither another function nor a variable's initial value names.
std::vector<std::string> EntryPoints(const ir::Module& module) {
  absl::flat_hash_set<std::string_view> inner;
  for (const ir::Variable& v : module.variables()) {
    if (const auto* init = std::get_if<std::string>(&v.initial)) inner.insert(*init);
  }
  for (const auto& f : module.functions()) {
    for (const ir::Node& node : f->nodes()) {
      for (std::string_view name : CalledFunctions(node)) inner.insert(name);
    }
  }
  std::vector<std::string> entries;
  for (const auto& f : module.functions()) {
    if (!inner.contains(f->name())) entries.push_back(f->name());
  }
  return entries;
}

// Graph passes before grouping; without fusion only what compilation cannot do without.
absl::Status RunGraphPasses(ir::Module* module, const std::vector<std::string>& entries, bool optimize) {
  const runtime::Environment& environment = runtime::GetEnvironment();
  passes::PipelineOptions options;
  options.context.entry_points = entries;
  options.context.differentiation_done = true;
  options.disable = environment.disable_passes;
  options.pass_limit = environment.pass_limit.value_or(-1);
  options.dump_to = environment.dump_to;
  options.dump_passes = environment.dump_passes;
  if (auto expanded = passes::Expand(module, options.context); !expanded.ok()) return expanded.status();
  absl::Span<const passes::PassEntry> pipeline = passes::OptimizationPipeline();
  if (!optimize) {
    static constexpr passes::PassEntry kNeeded[] = {{"inline", passes::Inline, "entry points are compiled flat"}};
    pipeline = kNeeded;
  }
  return passes::RunPasses(module, pipeline, options).status();
}

class ProgramBuilder {
 public:
  ProgramBuilder(const ir::Module& module, std::vector<std::string> entries, const Target& target,
                 const PlanOptions& options)
      : module_(module), entries_(std::move(entries)), target_(target), options_(options) {}

  absl::StatusOr<Program> Build() {
    program_.name = module_.name();
    if (absl::Status s = AddVariables(); !s.ok()) return s;
    for (const std::string& name : entries_) {
      if (absl::Status s = AddEntry(*module_.FindFunction(name)); !s.ok()) return s;
    }
    program_.instance_bytes = arena_offset_ + RoundUp(program_.arena_bytes);
    return std::move(program_);
  }

 private:
  absl::Status AddVariables() {
    auto initial = ir::InitialState(module_);
    if (!initial.ok()) return initial.status();
    int64_t offset = kHeaderBytes;
    for (size_t i = 0; i < module_.variables().size(); ++i) {
      const ir::Variable& v = module_.variables()[i];
      program_.variables.push_back({v.name, v.type, v.trainable, offset, (*initial)[i]});
      variable_offsets_[v.name] = offset;
      offset += RoundUp(std::max<int64_t>(v.type.bytes(), 1));
    }
    arena_offset_ = offset;
    return absl::OkStatus();
  }

  absl::Status AddEntry(const ir::Function& function) {
    auto normal = Normalize(function, module_);
    if (!normal.ok()) return normal.status();
    const ir::Function& f = *normal;
    const Grouping grouping = GroupFunction(f, {.fuse = options_.fuse});
    std::vector<ScheduledKernel> kernels;
    for (size_t g = 0; g < grouping.groups.size(); ++g) {
      kernels.push_back(ScheduleGroup(f, grouping, static_cast<int>(g), target_, options_));
    }
    ConstantIndex constants(static_cast<size_t>(f.num_values()), -1);
    for (const ScheduledKernel& k : kernels) {
      for (ir::Value v : k.bound) {
        if (f.Is(v, ir::Op::kConstant)) constants[static_cast<size_t>(v.id)] = AddConstant(*f.producer(v));
      }
    }
    std::vector<int64_t> offsets;
    for (const std::string& name : f.state()) offsets.push_back(variable_offsets_[name]);
    BufferPlan plan = PlanBuffers(f, kernels, constants, offsets, arena_offset_);
    program_.arena_bytes = std::max(program_.arena_bytes, plan.arena_bytes);
    program_.live_bytes = std::max(program_.live_bytes, plan.live_bytes);

    EntryPoint entry;
    entry.name = f.name();
    for (int i = 0; i < f.num_arguments(); ++i) entry.arguments.push_back(f.parameter(i));
    for (int i = 0; i < f.num_outputs(); ++i) {
      entry.results.push_back({f.result_name(i), f.type(f.results()[static_cast<size_t>(i)])});
    }
    for (ScheduledKernel& k : kernels) {
      if (k.kernel.body.empty()) continue;  // no elements
      Step step;
      for (ir::Value v : k.bound) step.buffers.push_back(plan.slots[static_cast<size_t>(v.id)]);
      step.kernel = AddKernel(std::move(k.kernel));
      entry.steps.push_back(std::move(step));
    }
    for (Step& copy : plan.copies) entry.steps.push_back(std::move(copy));
    program_.entries.push_back(std::move(entry));
    return absl::OkStatus();
  }

  int32_t AddConstant(const ir::Node& node) {
    const auto& literal = node.attr<ir::Literal>("value");
    const auto [it, added] =
        constant_index_.emplace(literal.bytes().data(), static_cast<int32_t>(program_.constants.size()));
    if (added) program_.constants.push_back(literal);
    return it->second;
  }

  int32_t AddKernel(Kernel kernel) {
    const auto [it, added] = kernel_index_.emplace(Fingerprint(kernel), static_cast<int32_t>(program_.kernels.size()));
    if (added) program_.kernels.push_back(std::move(kernel));
    return it->second;
  }

  const ir::Module& module_;
  const std::vector<std::string> entries_;
  const Target& target_;
  const PlanOptions options_;
  Program program_;
  int64_t arena_offset_ = 0;
  absl::flat_hash_map<std::string, int64_t> variable_offsets_;
  absl::flat_hash_map<const std::byte*, int32_t> constant_index_;
  absl::flat_hash_map<uint64_t, int32_t> kernel_index_;
};

std::string SlotText(const Slot& slot) {
  switch (slot.kind) {
    case Slot::Kind::kArgument: return StrCat("argument ", slot.index);
    case Slot::Kind::kResult: return StrCat("result ", slot.index);
    case Slot::Kind::kConstant: return StrCat("constant ", slot.index);
    case Slot::Kind::kInstance: return StrCat("+", slot.offset);
  }
  return "";
}

}  // namespace

absl::StatusOr<Program> BuildProgram(const ir::Module& module, const Target& target, const PlanOptions& options) {
  ir::Module copy = module;
  std::vector<std::string> entries = EntryPoints(copy);
  if (absl::Status s = RunGraphPasses(&copy, entries, options.fuse); !s.ok()) return s;
  return ProgramBuilder(copy, std::move(entries), target, options).Build();
}

std::string ToString(const Program& program) {
  std::string out = StrCat("program ", program.name, ": instance ", program.instance_bytes, " bytes, arena ",
                           program.arena_bytes, ", live ", program.live_bytes, "\n");
  for (const VariableSlot& v : program.variables) {
    StrAppend(&out, "variable ", v.name, ": ", v.type.ToString(), " at +", v.offset, "\n");
  }
  for (const EntryPoint& entry : program.entries) {
    StrAppend(&out, "entry ", entry.name, "\n");
    for (const Step& step : entry.steps) {
      if (step.kernel < 0) {
        StrAppend(&out, "  copy ", step.bytes, " bytes: ", SlotText(step.buffers[0]), " = ",
                  SlotText(step.buffers[1]), "\n");
        continue;
      }
      const Kernel& k = program.kernels[static_cast<size_t>(step.kernel)];
      StrAppend(&out, "  ", k.name, " #", step.kernel, " x", k.chunks(), "(");
      for (size_t i = 0; i < step.buffers.size(); ++i) {
        StrAppend(&out, i ? ", " : "", k.buffers[i].is_output ? "-> " : "", k.buffers[i].name, ": ",
                  SlotText(step.buffers[i]));
      }
      StrAppend(&out, ")\n");
    }
  }
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    StrAppend(&out, "\n#", i, " ", ToString(program.kernels[i]));
  }
  return out;
}

}  // namespace reel::codegen
