#include "codegen/program/program.h"

#include <algorithm>

#include "codegen/loop/ceil.h"
#include "codegen/program/block.h"
#include "codegen/program/buffers.h"
#include "codegen/program/in_line.h"
#include "codegen/program/record.h"
#include "codegen/program/verify_items.h"
#include "ir/budget_scope.h"
#include "ir/calls.h"
#include "ir/eval/eval.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "ir/verifier.h"
#include "passes/pipeline.h"
#include "passes/recompute.h"
#include "runtime/environment.h"

namespace reel::codegen {
namespace {

// Their names are those of the pipeline, which live for ever.
void RecordPasses(absl::Span<const passes::PassEntry> pipeline, const std::vector<passes::PassReport>& reports,
                  PlanRecord* record) {
  for (const passes::PassReport& report : reports) {
    const auto entry =
        std::find_if(pipeline.begin(), pipeline.end(), [&](const auto& e) { return e.name == report.name; });
    record->AddTime("passes", entry->name, report.seconds);
  }
}

// Graph passes before planning; without fusion only what compilation cannot do without. How many there were.
absl::StatusOr<int64_t> RunGraphPasses(ir::Module* module, const std::vector<std::string>& entries,
                                       const Target& target, const PlanOptions& plan) {
  const runtime::Environment& environment = runtime::GetEnvironment();
  passes::PipelineOptions options;
  options.context.entry_points = entries;
  options.context.differentiation_done = true;
  options.context.keep_bf16_products = target.tile_products;
  options.context.meter = plan.meter;
  options.context.check_bounds = plan.check_bounds;
  options.disable = environment.disable_passes;
  options.pass_limit = environment.pass_limit.value_or(-1);
  options.dump_to = environment.dump_to;
  options.dump_passes = environment.dump_passes;
  // Each pass is checked where somebody looks into them, else what they leave.
  options.verify = !options.dump_to.empty() || !options.disable.empty() || options.pass_limit >= 0;
  const auto first = plan.fuse ? passes::UnexpandedPipeline() : absl::Span<const passes::PassEntry>();
  const auto before = passes::RunPasses(module, first, options);
  if (!before.ok()) return before.status();
  options.passes_before = static_cast<int64_t>(before->size());
  const auto expanded = [&] {
    const RecordTime time(plan.record, "passes", "expand");
    return ir::Within(plan.meter, [&] { return passes::Expand(module, options.context); });
  }();
  if (!expanded.ok()) return expanded.status();
  absl::Span<const passes::PassEntry> pipeline = passes::OptimizationPipeline();
  if (!plan.fuse) {
    static constexpr passes::PassEntry kNeeded[] = {
        {"inline", passes::Inline, "entry points are compiled flat"},
        {"prove_indices", passes::ProveIndices, "fewer checks, and none if they are not wanted"}};
    pipeline = kNeeded;
  }
  const auto reports = passes::RunPasses(module, pipeline, options);
  if (!reports.ok()) return reports.status();
  if (plan.record != nullptr) {
    RecordPasses(first, *before, plan.record);
    RecordPasses(pipeline, *reports, plan.record);
  }
  if (absl::Status s = options.verify ? absl::OkStatus() : ir::Verify(*module); !s.ok()) return s;
  return options.passes_before + static_cast<int64_t>(reports->size());
}

// The process's, for phases that come after so many passes.
void AddSwitches(int64_t passes, PhaseSwitches* switches) {
  const runtime::Environment& environment = runtime::GetEnvironment();
  const auto& disable = environment.disable_passes;
  switches->disable.insert(switches->disable.end(), disable.begin(), disable.end());
  if (environment.pass_limit) switches->limit = std::max<int64_t>(*environment.pass_limit - passes, 0);
  if (switches->dump_to.empty()) switches->dump_to = environment.dump_to;
  switches->dump_phases = environment.dump_passes;
  switches->first = passes;
}

// What initial values may cost.
ir::EvalOptions EvaluationLimits(const ir::BudgetMeter* meter) {
  constexpr double kOperationsPerSecond = 3e7;  // of the evaluator, at least
  ir::EvalOptions limits;
  if (meter == nullptr) return limits;
  const Budget& budget = meter->budget();
  limits.max_bytes = budget.max_memory;
  limits.max_operations = static_cast<int64_t>(std::min(budget.max_seconds * kOperationsPerSecond, 9e18));
  return limits;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const ir::Module& module, std::vector<std::string> entries, const Target& target,
                 const PlanOptions& options)
      : module_(module),
        target_(target),
        left_in_line_(target.tuning.in_line_total),
        entries_(std::move(entries)),
        options_(options),
        blocks_(module, target, options, &program_) {}

  absl::StatusOr<Program> Build() {
    program_.name = module_.name();
    if (options_.record != nullptr) options_.record->Restart();
    AddVariables();
    for (const std::string& name : entries_) {
      if (absl::Status s = AddEntry(*module_.FindFunction(name)); !s.ok()) return s;
    }
    program_.instance_bytes = arena_offset_ + RoundUp(program_.arena_bytes, 64);
    return std::move(program_);
  }

 private:
  void AddVariables() {
    int64_t offset = kHeaderBytes;
    for (const ir::Variable& v : module_.variables()) {
      const auto& initial = std::get<ir::Literal>(v.initial);
      program_.variables.push_back({v.name, v.type, v.trainable, offset, initial});
      variable_offsets_[v.name] = offset;
      offset += RoundUp(std::max<int64_t>(v.type.bytes(), 1), 64);
    }
    arena_offset_ = offset;
  }

  absl::Status AddEntry(const ir::Function& function) {
    const auto block = blocks_.Build(function.name(), Role::kEntry);
    if (!block.ok()) return block.status();
    const ir::Function& f = (*block)->f;
    std::vector<int64_t> offsets;
    for (const std::string& name : f.state()) offsets.push_back(variable_offsets_[name]);
    BufferPlan plan = [&] {
      const RecordTime time(options_.record, "planning", "buffers");
      return PlanBuffers(**block, program_.kernels, offsets, arena_offset_, options_.in_place, target_.tuning,
                         options_.record);
    }();
    if (options_.record != nullptr) NumberLives(options_.record);
    if (absl::Status s = VerifySlots(plan.steps); !s.ok()) return s;
    if (absl::Status s = VerifyBeside(program_.kernels, plan.steps); !s.ok()) return s;
    program_.arena_bytes = std::max(program_.arena_bytes, plan.arena_bytes);
    program_.live_bytes = std::max(program_.live_bytes, plan.live_bytes);

    EntryPoint entry;
    entry.name = f.name();
    for (int i = 0; i < f.num_arguments(); ++i) entry.arguments.push_back(f.parameter(i));
    for (int i = 0; i < f.num_outputs(); ++i) {
      entry.results.push_back({f.result_name(i), f.type(f.results()[static_cast<size_t>(i)])});
    }
    entry.steps = std::move(plan.steps);
    entry.in_place = options_.in_place;
    MarkChecks(false, &entry.steps);
    // Profiles show kernel by kernel.
    if (options_.fuse && !options_.profile)
      PutLoopsInLine(program_.kernels, target_.tuning, &entry.steps, &left_in_line_);
    program_.entries.push_back(std::move(entry));
    return absl::OkStatus();
  }

  // Those of the entry point that is being added.
  void NumberLives(PlanRecord* record) const {
    const auto entry = static_cast<int32_t>(program_.entries.size());
    for (auto life = record->lives.rbegin(); life != record->lives.rend() && life->entry < 0; ++life)
      life->entry = entry;
  }

  // Which checks come after a variable was written, and whether one has been when the steps have run. What a loop
  // writes, it may have written before all of its own. As deep as control ops are nested.
  bool MarkChecks(bool written, std::vector<Step>* steps) const {
    for (Step& step : *steps) {
      if (step.control == Step::Control::kCheck || step.control == Step::Control::kCallback) step.lanes = written;
      const auto is_variable = [this](const Slot& slot) {
        if (slot.kind == Slot::Kind::kInstance) return slot.offset < arena_offset_;
        return slot.kind == Slot::Kind::kResult && IsInPlace(slot.index);
      };
      if (step.control == Step::Control::kNone) {
        for (size_t i = 0; i < step.buffers.size(); ++i) {
          const bool writes =
              step.kernel < 0 ? i == 0 : program_.kernels[static_cast<size_t>(step.kernel)].buffers[i].is_output;
          written = written || (writes && is_variable(step.buffers[i]));
        }
      }
      const bool first = MarkChecks(written, &step.first);
      const bool second = MarkChecks(step.control == Step::Control::kWhile ? first : written, &step.second);
      if (step.control == Step::Control::kWhile && second && !written) {
        MarkChecks(true, &step.first);
        MarkChecks(true, &step.second);
      }
      written = first || second;
    }
    return written;
  }

  bool IsInPlace(int32_t result) const {
    const auto& pairs = options_.in_place;
    return std::any_of(pairs.begin(), pairs.end(), [&](const InPlace& pair) { return pair.result == result; });
  }

  const ir::Module& module_;
  const Target& target_;
  int64_t left_in_line_;  // instructions of loops that may yet be in line
  const std::vector<std::string> entries_;
  const PlanOptions& options_;
  Program program_;
  BlockBuilder blocks_;
  int64_t arena_offset_ = 0;
  HashMap<std::string, int64_t> variable_offsets_;
};

// What callers see has the types of the module: complex numbers were split, but their bytes did not move.
void RestoreTypes(const ir::Module& module, Program* program) {
  for (size_t i = 0; i < program->variables.size(); ++i) {
    VariableSlot& v = program->variables[i];
    v.type = module.variables()[i].type;
    const auto bytes = v.initial.bytes();
    if (v.initial.type() != v.type) v.initial = ir::Literal(v.type, {bytes.begin(), bytes.end()});
  }
  for (EntryPoint& entry : program->entries) {
    const ir::Function& f = *module.FindFunction(entry.name);
    for (int i = 0; i < f.num_arguments(); ++i) {
      entry.arguments[static_cast<size_t>(i)].type = f.parameter(i).type;
    }
    for (int i = 0; i < f.num_outputs(); ++i) {
      entry.results[static_cast<size_t>(i)].type = f.type(f.results()[static_cast<size_t>(i)]);
    }
  }
}

// A program whose arena is at most options.memory_budget bytes. What Recompute counts is an estimate of what the
// planner needs: where that is more, it is asked for less.
absl::StatusOr<Program> BuildWithin(const ir::Module& module, const std::vector<std::string>& entries,
                                    const Target& target, const PlanOptions& options) {
  auto best = ProgramBuilder(module, entries, target, options).Build();
  int64_t wanted = options.memory_budget;
  PlanRecord of_best;
  if (options.record != nullptr) of_best = *options.record;
  for (int i = 0; i < 6 && best.ok() && best->arena_bytes > options.memory_budget; ++i) {
    ir::Module copy = module;
    for (const std::string& name : entries) passes::Recompute(copy.FindFunction(name), wanted);
    auto next = ProgramBuilder(copy, entries, target, options).Build();
    if (!next.ok()) return next;
    const auto over = static_cast<double>(next->arena_bytes) / static_cast<double>(options.memory_budget);
    wanted = static_cast<int64_t>(static_cast<double>(wanted) / std::max(over, 1.05));
    if (next->arena_bytes >= best->arena_bytes) continue;
    best = std::move(next);
    if (options.record != nullptr) of_best = *options.record;
  }
  if (options.record != nullptr) {
    options.record->graphs = std::move(of_best.graphs);
    options.record->lives = std::move(of_best.lives);
  }
  if (!best.ok() || best->arena_bytes <= options.memory_budget) return best;
  return absl::ResourceExhaustedError(StrCat("program ", module.name(), ": an arena of ", options.memory_budget,
                                             " bytes is not enough; the smallest found is ", best->arena_bytes,
                                             "; raise memory_budget or make the batch smaller"));
}

std::string SlotText(const Slot& slot) {
  switch (slot.kind) {
    case Slot::Kind::kArgument: return StrCat("argument ", slot.index);
    case Slot::Kind::kResult: return StrCat("result ", slot.index);
    case Slot::Kind::kConstant: return StrCat("constant ", slot.index);
    case Slot::Kind::kInstance: return StrCat("+", slot.offset);
    case Slot::Kind::kLane: return StrCat("lane +", slot.offset);
  }
  return "";
}

// What a step does by itself, in a line.
std::string StepText(const Program& program, const Step& step) {
  switch (step.control) {
    case Step::Control::kIf: return StrCat("if ", SlotText(step.buffers[0]), " {");
    case Step::Control::kWhile: {
      const std::string bound = step.maximum_iterations < 0 ? "" : StrCat(" at most ", step.maximum_iterations);
      return StrCat("while ", SlotText(step.buffers[0]), bound, step.in_line ? " in line" : "", " {");
    }
    case Step::Control::kChain:
      return StrCat("chain of ", step.chunks, " chunks in ", step.lanes, " lanes, frames of ", step.bytes, " bytes {");
    case Step::Control::kBeside: return StrCat("beside each other, in ", step.lanes, " runs {");
    case Step::Control::kCheck: {
      const ValueCheck& check = program.checks[static_cast<size_t>(step.bytes)];
      return StrCat("check ", SlotText(step.buffers[0]),
                    check.op == ir::Op::kCheckIndex           ? StrCat(" below ", check.extent)
                    : check.attributes->Get<bool>("negative") ? " not negative"
                                                              : " not 0",
                    step.lanes == 1 ? ", after variables changed" : "");
    }
    default: break;
  }
  std::string out;
  if (step.control == Step::Control::kCallback) {
    StrAppend(&out, "callback ", program.callbacks[static_cast<size_t>(step.bytes)].of, "(");
    for (size_t i = 1; i < step.buffers.size(); ++i) StrAppend(&out, SlotText(step.buffers[i]), ", ");
    return StrCat(out, "-> ", SlotText(step.buffers[0]), ")");
  }
  if (step.control == Step::Control::kCollective) {
    const CollectiveSite& site = program.collectives[static_cast<size_t>(step.bytes)];
    const bool starts = step.buffers.size() > 2;
    StrAppend(&out, starts ? "start " : "", ir::Name(site.op), " among ", site.size, ", ", site.bytes, " bytes(");
    if (step.buffers.size() > 1) StrAppend(&out, SlotText(step.buffers[1]), " ");
    StrAppend(&out, "-> ", SlotText(step.buffers[0]), ")");
    return starts ? StrCat(out, " as ", SlotText(step.buffers[2])) : out;
  }
  if (step.control == Step::Control::kWait) {
    const CollectiveSite& site = program.collectives[static_cast<size_t>(step.bytes)];
    return StrCat("wait for ", ir::Name(site.op), " ", SlotText(step.buffers[0]));
  }
  if (step.kernel < 0) {
    return StrCat("copy ", step.bytes, " bytes: ", SlotText(step.buffers[0]), " = ", SlotText(step.buffers[1]));
  }
  const Kernel& k = program.kernels[static_cast<size_t>(step.kernel)];
  StrAppend(&out, k.name, " #", step.kernel, " x", k.chunks());
  if (step.chunks > 0) StrAppend(&out, ", run ", step.lanes);
  if (step.chunks > 0 && step.chunks != k.chunks()) {
    StrAppend(&out, ", chunks ", step.bytes, " to ", step.bytes + step.chunks - 1);
  }
  StrAppend(&out, "(");
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    StrAppend(&out, i ? ", " : "", k.buffers[i].is_output ? "-> " : "", k.buffers[i].name, ": ",
              SlotText(step.buffers[i]));
  }
  return out + ")";
}

// As deep as control ops are nested.
void PrintSteps(const Program& program, const std::vector<Step>& steps, const std::string& indent, std::string* out) {
  for (const Step& step : steps) {
    StrAppend(out, indent, StepText(program, step), "\n");
    const bool branches = step.control == Step::Control::kIf, loop = step.control == Step::Control::kWhile;
    if (!branches && !loop && step.control != Step::Control::kChain && step.control != Step::Control::kBeside) continue;
    PrintSteps(program, step.first, indent + "  ", out);
    if (branches || loop) StrAppend(out, indent, loop ? "} do {\n" : "} else {\n");
    PrintSteps(program, step.second, indent + "  ", out);
    StrAppend(out, indent, "}\n");
  }
}

// Whether a check may fail when the call has changed a variable, or it calls what may read variables. A collective may
// fail then: nobody goes on after that. As deep as control ops are nested.
bool NeedsOldValues(const std::vector<Step>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& s) {
    const bool checks = s.control == Step::Control::kCheck && s.lanes == 1;
    if (s.control == Step::Control::kCallback || checks) return true;
    return NeedsOldValues(s.first) || NeedsOldValues(s.second);
  });
}

absl::StatusOr<Program> BuildOptimized(const ir::Module& module, const std::vector<std::string>& entries,
                                       const Target& target, const PlanOptions& options) {
  if (options.memory_budget > 0) return BuildWithin(module, entries, target, options);
  return ProgramBuilder(module, entries, target, options).Build();
}

// In place if that changes all or nothing.
absl::StatusOr<Program> BuildInPlace(const ir::Module& module, const std::vector<std::string>& entries,
                                     const Target& target, const PlanOptions& options) {
  if (!options.in_place.empty() && entries.size() == 1) {
    auto program = BuildOptimized(module, entries, target, options);
    if (!program.ok()) return program;
    const std::vector<Step>& steps = program->entries[0].steps;
    if (!NeedsOldValues(steps) && !HaveLongLoop(steps)) return program;
  }
  PlanOptions apart = options;
  apart.in_place.clear();
  return BuildOptimized(module, entries, target, apart);
}

absl::StatusOr<Program> Build(const ir::Module& module, const Target& target, const PlanOptions& options) {
  ir::Module copy = module;
  std::vector<std::string> entries;
  for (const ir::Function* f : ir::EntryFunctions(copy)) entries.push_back(f->name());
  // Of the module as written: what its init functions expand to rounds in other places.
  auto initial = [&] {
    const RecordTime time(options.record, "passes", "initial values");
    return ir::InitialState(module, EvaluationLimits(options.meter));
  }();
  if (!initial.ok()) return initial.status();
  for (size_t i = 0; i < initial->size(); ++i) {
    copy.mutable_variables()[i].initial = std::move((*initial)[i]);
  }
  const auto passes = RunGraphPasses(&copy, entries, target, options);
  if (!passes.ok()) return passes.status();
  PlanOptions plan = options;
  AddSwitches(*passes, &plan.phases);
  auto program = BuildInPlace(copy, entries, target, plan);
  if (!program.ok()) return program;
  RestoreTypes(module, &*program);
  program->profile = options.profile;
  return program;
}

}  // namespace

std::vector<ObjectEntry> ObjectEntries(const Program& program) {
  if (!program.offered.empty()) return program.offered;
  std::vector<ObjectEntry> out;
  for (const EntryPoint& e : program.entries) {
    out.push_back({e.name, e.arguments, e.results, {}, {{{}, static_cast<int32_t>(out.size())}}});
  }
  return out;
}

bool HaveLongLoop(const std::vector<Step>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& s) {
    return (s.control == Step::Control::kWhile && MayBeLong(s)) || HaveLongLoop(s.first) || HaveLongLoop(s.second);
  });
}

int64_t CountSteps(const std::vector<Step>& steps, int64_t limit) {
  int64_t count = 0;
  std::vector<const std::vector<Step>*> lists{&steps};
  while (!lists.empty()) {
    const std::vector<Step>& list = *lists.back();
    lists.pop_back();
    for (const Step& step : list) {
      if (++count >= limit) return limit;
      if (step.control == Step::Control::kNone) continue;
      lists.push_back(&step.first);
      lists.push_back(&step.second);
    }
  }
  return count;
}

absl::StatusOr<Program> BuildProgram(const ir::Module& module, const Target& target, const PlanOptions& options) {
  return ir::Within(options.meter, [&] { return Build(module, target, options); });
}

std::string ToString(const Program& program) {
  std::string out = StrCat("program ", program.name, ": instance ", program.instance_bytes, " bytes, arena ",
                           program.arena_bytes, ", live ", program.live_bytes, "\n");
  for (const VariableSlot& v : program.variables) {
    StrAppend(&out, "variable ", v.name, ": ", v.type.ToString(), " at +", v.offset, "\n");
  }
  for (const EntryPoint& entry : program.entries) {
    StrAppend(&out, "entry ", entry.name, "\n");
    PrintSteps(program, entry.steps, "  ", &out);
  }
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    StrAppend(&out, "\n#", i, " ", ToString(program.kernels[i]));
  }
  return out;
}

}  // namespace reel::codegen
