#include "codegen/program/block.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>

#include "codegen/cost/choose.h"
#include "codegen/cost/estimate.h"
#include "codegen/loop/key.h"
#include "codegen/loop/split_chunks.h"
#include "codegen/loop/verify.h"
#include "codegen/plan/plan.h"
#include "codegen/plan/verify.h"
#include "codegen/plan/view.h"
#include "codegen/program/beside.h"
#include "codegen/program/chain.h"
#include "codegen/program/record.h"
#include "codegen/program/verify_items.h"
#include "codegen/program/waits.h"
#include "codegen/schedule/book.h"
#include "codegen/schedule/signature.h"
#include "ir/budget_scope.h"
#include "ir/callback.h"
#include "ir/check.h"
#include "ir/strings.h"
#include "passes/counted_loops.h"
#include "runtime/callback.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;

constexpr int kMaxDepth = 200;          // planning and emission recurse over nested control ops
constexpr size_t kVisitsOfSchedule = 64;  // what scheduling a kernel costs beside its nodes, in visits of nodes
constexpr int64_t kMaxItems = 1 << 20;  // after expansion: a function is placed once for each op that names it

// The value that a kernel only copies, as one buffer; invalid: it computes something. Of an entry point only what may
// be made in the place of the copy: threads share the copy of an argument.
Value CopiedValue(const ir::Function& f, const PlanGraph& plan, const KernelPlan& kernel, bool entry) {
  if (kernel.kind() != KernelKind::kMap || kernel.epilogue.size() != 1) return {};
  const Value v = kernel.epilogue[0];
  const Node& node = *f.producer(v);
  if (node.op != Op::kIdentity && !IsView(node.op)) return {};
  const Value x = node.operands[0];
  if (f.Is(x, Op::kConstant)) return node.op == Op::kIdentity && !entry ? x : Value{};
  const auto& view = plan.views[x.index()];
  const auto shown = view && node.op != Op::kIdentity ? ViewThrough(f, node, *view) : view;
  if (!shown || !IsWhole(f, v, *shown) || f.type(shown->base).dtype != f.type(v).dtype) return {};
  const Value base = shown->base;
  const auto is_base = [base](Value r) { return r == base; };
  const bool elsewhere =
      f.is_parameter(base) || f.Is(base, Op::kConstant) || std::any_of(f.results().begin(), f.results().end(), is_base);
  return entry && elsewhere ? Value{} : base;
}

// The value whose memory v is, as a whole and in order: v itself or the base of its view.
Value BufferOf(const PlanGraph& plan, Value v) {
  const auto& view = plan.views[v.index()];
  return view ? view->base : v;
}

// Puts kernels that write what the loop carries into a table of it, and read nothing else, in front of all others: then
// the new values can take the place of the old ones.
void RecordFirst(Block* block) {
  std::vector<bool> read(static_cast<size_t>(block->f.num_parameters()));  // by items before
  const auto is_parameter = [&](Value v) { return block->f.is_parameter(v); };
  const auto records = [&](const BlockItem& item) {
    if (item.kind != BlockItem::Kind::kKernel || !item.updated.valid() || !is_parameter(item.updated)) return false;
    if (read[item.updated.index()]) return false;
    for (size_t i = 0; i < item.values.size(); ++i) {
      if (!item.writes[i] && !is_parameter(item.values[i]) && !block->f.Is(item.values[i], Op::kConstant)) return false;
    }
    return true;
  };
  std::vector<BlockItem> first, rest;
  for (BlockItem& item : block->items) {
    const bool moves = records(item);
    for (Value v : item.values) {
      if (is_parameter(v)) read[v.index()] = true;
    }
    if (item.updated.valid() && is_parameter(item.updated)) read[item.updated.index()] = true;
    (moves ? first : rest).push_back(std::move(item));
  }
  std::move(rest.begin(), rest.end(), std::back_inserter(first));
  block->items = std::move(first);
}

}  // namespace

struct BlockBuilder::Pending {
  Key key;
  std::unique_ptr<Block> block;
  std::vector<Key> named;  // functions of its control items, in order
  size_t next = 0;
};

absl::StatusOr<const Block*> BlockBuilder::Build(const std::string& function, Role role) {
  std::vector<Pending> stack;
  const auto push = [&](Key key) -> absl::Status {
    Pending pending{std::move(key), nullptr, {}};
    auto block = Prepare(pending.key, &pending.named);
    if (!block.ok()) return block.status();
    pending.block = *std::move(block);
    stack.push_back(std::move(pending));
    return absl::OkStatus();
  };
  const Key root{function, role};
  if (absl::Status s = push(root); !s.ok()) return s;
  while (!stack.empty()) {
    Pending& top = stack.back();
    if (top.next < top.named.size()) {
      const Key key = top.named[top.next++];
      if (blocks_.contains(key)) continue;
      if (absl::Status s = push(key); !s.ok()) return s;
      continue;
    }
    if (absl::Status s = Finish(top.named, top.block.get()); !s.ok()) return s;
    blocks_[top.key] = std::move(top.block);
    stack.pop_back();
  }
  return blocks_[root].get();
}

// A wrong plan is a mistake of ours: where nobody looks for it, the function still compiles, with a kernel for each op.
absl::StatusOr<std::unique_ptr<Block>> BlockBuilder::Prepare(const Key& key, std::vector<Key>* named) {
  auto block = PrepareAs(key, options_.fuse, named);
  if (block.ok() || !absl::IsInternal(block.status()) || !options_.fuse || GetPlanChecks().strict) return block;
  WarnOfWrongPlan(key, block.status());
  named->clear();
  return PrepareAs(key, false, named);
}

void BlockBuilder::WarnOfWrongPlan(const Key& key, const absl::Status& wrong) const {
  absl::Status status = wrong;
  auto again = Normalize(*module_.FindFunction(key.first), module_, key.second, target_.tuning);
  if (again.ok()) {  // which phase it was
    if (auto plan = PhaseRunner(target_, options_).Run(&*again, key.second, true, true); !plan.ok()) {
      status = plan.status();
    }
  }
  std::fprintf(stderr,
               "reel: %s; it is compiled without fusion, with the same results. Please report this with the module\n",
               std::string(status.message()).c_str());
}

absl::StatusOr<std::unique_ptr<Block>> BlockBuilder::PrepareAs(const Key& key, bool fuse, std::vector<Key>* named) {
  std::vector<Value> origins;
  auto normal = [&] {
    const RecordTime time(options_.record, "planning", "normalize");
    return Normalize(*module_.FindFunction(key.first), module_, key.second, target_.tuning,
                     options_.record != nullptr ? &origins : nullptr);
  }();
  if (!normal.ok()) return normal.status();
  auto block = std::make_unique<Block>(Block{*std::move(normal), {}, {}, {}, {}, {}});
  const ir::Function& f = block->f;
  auto planned = phases_.Run(&block->f, key.second, fuse, GetPlanChecks().strict);
  if (!planned.ok()) return planned.status();
  const PlanGraph& plan = *planned;
  block->constants.assign(static_cast<size_t>(f.num_values()), -1);
  // Profiles show kernel by kernel, so there they run one after the other.
  const bool chained = fuse && !options_.profile && phases_.Runs(kTileFusion),
             splits = fuse && phases_.Runs(kInnerChunks),
             beside = fuse && !options_.profile && phases_.Runs(kHorizontalFusion);
  const auto add = [this, splits](Kernel kernel, bool in_chain) {
    if (splits && !in_chain) SplitChunks(&kernel);
    return AddKernel(std::move(kernel));
  };
  ChainBuilder chains(block.get(), key.second == Role::kBody, chained ? target_.machine.l2_bytes : 0, target_.tuning,
                      add);
  for (size_t g = 0; g < plan.kernels.size(); ++g) {
    ir::ChargeVisits(kVisitsOfSchedule + static_cast<size_t>(plan.kernels[g].nodes));
    const KernelPlan& kernel_plan = plan.kernels[g];
    if (kernel_plan.kind() == KernelKind::kControl) {
      chains.Finish();
      const Node& node = *f.producer(kernel_plan.root);
      if (ir::IsCollective(node.op)) {
        AddCollectiveItem(plan, node, block.get());
      } else if (node.op != Op::kCallback) {
        AddControlItem(plan, node, named, block.get());
      } else if (absl::Status s = AddCallbackItem(plan, node, block.get()); !s.ok()) {
        return s;
      }
    } else if (kernel_plan.kind() == KernelKind::kCheck) {
      chains.Finish();
      AddCheckItem(plan, *f.producer(kernel_plan.root), block.get());
    } else {
      auto kernel = AddKernelItem(plan, static_cast<int>(g), key.second == Role::kEntry, block.get());
      if (!kernel.ok()) return kernel.status();
      chains.Add(*std::move(kernel));
    }
  }
  chains.Finish();
  if (fuse && key.second == Role::kBody && block->chains.empty()) RecordFirst(block.get());
  PlaceWaits(program_->collectives, block.get());
  if (beside) {
    const int64_t most_bytes = options_.memory_budget > 0 ? 0 : target_.tuning.beside_bytes;
    FindBeside(target_.tuning, most_bytes, [this](int32_t k) { return CyclesOf(k); }, block.get());
  }
  if (absl::Status s = VerifyItems(*block); !s.ok()) return s;  // kernels of a wrong plan stay, uncalled
  if (options_.record != nullptr) Record(key, plan, origins, block.get());
  AddConstants(block.get());
  return block;
}

void BlockBuilder::AddConstants(Block* block) {
  const auto need = [&](Value v) {
    if (v.valid() && block->f.Is(v, Op::kConstant)) block->constants[v.index()] = AddConstant(*block->f.producer(v));
  };
  for (const BlockItem& item : block->items) {
    for (Value v : item.values) need(v);
    need(item.updated);  // it is copied to where that happens
  }
  for (Value v : block->f.results()) need(v);
}

// Every kernel writes a value of its plan, by which the others of that are known.
void BlockBuilder::Record(const Key& key, const PlanGraph& plan, const std::vector<Value>& origins, Block* block) {
  std::vector<int32_t> kernels(plan.kernels.size(), -1);  // by KernelPlan
  for (const BlockItem& item : block->items) {
    for (size_t i = 0; i < item.writes.size() && item.kind == BlockItem::Kind::kKernel; ++i) {
      const int index = plan.kernel_of[item.values[i].index()];
      if (item.writes[i] && index >= 0) kernels[static_cast<size_t>(index)] = item.kernel;
    }
  }
  block->graph = static_cast<int32_t>(options_.record->graphs.size());
  PlanRecord::Graph graph{key.second, block->f, {}};
  const ir::Function& written = *module_.FindFunction(key.first);
  for (size_t v = 0; v < origins.size(); ++v) {
    if (!origins[v].valid()) continue;
    const std::string_view hint = written.name_hint(origins[v]);
    if (!hint.empty()) graph.f.set_name_hint({static_cast<int32_t>(v)}, std::string(hint));
  }
  for (const int index : plan.kernel_of) graph.kernels.push_back(index < 0 ? -1 : kernels[static_cast<size_t>(index)]);
  options_.record->graphs.push_back(std::move(graph));
}

// The kernel of the item that it adds, if it is one.
absl::StatusOr<Kernel> BlockBuilder::AddKernelItem(const PlanGraph& plan, int index, bool entry, Block* block) {
  BlockItem item;
  Kernel kernel;
  const KernelPlan& g = plan.kernels[static_cast<size_t>(index)];
  if (const Value from = CopiedValue(block->f, plan, g, entry); from.valid()) {
    item.kind = BlockItem::Kind::kCopy;
    item.values = {g.epilogue[0], from};
  } else {
    ScheduledKernel k = Schedule(plan, index, block->f);
    if (!k.status.ok()) {
      return absl::InternalError(
          StrCat("@", block->f.name(), ": the plan is wrong for kernel ", index, ": ", k.status.message()));
    }
    if (GetPlanChecks().strict) {
      Kernel split = k.kernel;  // what stands in no chain
      SplitChunks(&split);
      for (const Kernel* kernel : {&k.kernel, &split}) {
        if (absl::Status s = VerifyKernel(*kernel); !s.ok())
          return absl::InternalError(StrCat("@", block->f.name(), ": ", s.message(), "\n", ToString(*kernel)));
      }
    }
    for (const KernelBuffer& b : k.kernel.buffers) item.writes.push_back(b.is_output);
    item.values = std::move(k.bound);
    item.updated = k.updated;
    kernel = std::move(k.kernel);
  }
  block->items.push_back(std::move(item));
  return kernel;
}

// A kernel plan that is equal to an earlier one gets its kernel.
ScheduledKernel BlockBuilder::Schedule(const PlanGraph& plan, int index, const ir::Function& f) {
  const RecordTime time(options_.record, "planning", "schedule");
  KernelSignature signature = SignatureOf(f, plan, index);
  const auto known = options_.share_kernels ? scheduled_.find(signature.words) : scheduled_.end();
  if (known != scheduled_.end()) {
    ScheduledKernel k = known->second;
    const auto to_value = [&](Value* v) { *v = v->valid() ? signature.values[v->index()] : Value{}; };
    for (Value& v : k.bound) to_value(&v);
    to_value(&k.updated);
    return k;
  }
  std::string problem;
  const Wish* wish = nullptr;
  if (options_.schedules != nullptr || options_.list_schedules) {
    problem = signature.Name();
    wish = options_.schedules != nullptr ? options_.schedules->Find(target_.name, problem) : nullptr;
  }
  ScheduledKernel k = wish == nullptr ? ScheduleByCost(f, plan, index, target_, options_)
                                      : ScheduleKernel(f, plan, index, target_, options_, wish);
  if (wish != nullptr && absl::IsInvalidArgument(k.status)) {
    options_.schedules->CountRefused();
    k = ScheduleByCost(f, plan, index, target_, options_);
  }
  k.kernel.problem = std::move(problem);
  if (!k.kernel.body.empty()) Explain(f, plan, index, &k.kernel);
  ScheduledKernel positions = k;
  bool all_known = true;
  const auto to_position = [&](Value* v) {
    if (!v->valid()) return;
    const auto at = std::find(signature.values.begin(), signature.values.end(), *v);
    all_known = all_known && at != signature.values.end();
    *v = {static_cast<int32_t>(at - signature.values.begin())};
  };
  for (Value& v : positions.bound) to_position(&v);
  to_position(&positions.updated);
  if (all_known) scheduled_.emplace(std::move(signature.words), std::move(positions));
  return k;
}

void BlockBuilder::AddControlItem(const PlanGraph& plan, const Node& node, std::vector<Key>* named, Block* block) {
  BlockItem item;
  for (Value v : node.operands) item.values.push_back(BufferOf(plan, v));
  item.result = node.result();
  item.num_results = node.num_results;
  switch (node.op) {
    case Op::kIf:
      item.kind = BlockItem::Kind::kIf;
      named->emplace_back(node.attr<std::string>("then"), Role::kBranch);
      named->emplace_back(node.attr<std::string>("else"), Role::kBranch);
      break;
    case Op::kWhile:
      item.kind = BlockItem::Kind::kWhile;
      if (options_.fuse) item.overwritten = passes::OverwrittenOperands(block->f, node, module_);
      if (const auto* n = node.attrs().Find("maximum_iterations")) item.maximum_iterations = std::get<int64_t>(*n);
      if (options_.fuse) {  // a bound that the condition keeps by itself is not checked
        const int64_t counted = passes::CountedIterations(block->f, node, module_).value_or(INT64_MAX);
        const bool bounded = counted <= item.maximum_iterations;
        if (counted <= kMaxUnwatched && (bounded || item.maximum_iterations < 0)) {
          item.maximum_iterations = kCounted;
        } else if (bounded) {
          item.maximum_iterations = -1;
        }
      }
      named->emplace_back(node.attr<std::string>("cond"), Role::kBranch);
      named->emplace_back(node.attr<std::string>("body"), Role::kBody);
      break;
    default: item.kind = BlockItem::Kind::kCall; named->emplace_back(node.attr<std::string>("callee"), Role::kBranch);
  }
  block->items.push_back(std::move(item));
}

absl::Status BlockBuilder::AddCallbackItem(const PlanGraph& plan, const Node& node, Block* block) {
  const ir::Function& f = block->f;
  CallbackSite site{runtime::FindCallback(node.attr<int64_t>("id")),
                    node.attr<bool>("guarded"),
                    {f.type(node.result())},
                    node.attr<std::string>("of")};
  if (!site.function) {
    return absl::FailedPreconditionError(StrCat("@", f.name(), ": callback: ", site.of, " is ", ir::CallbackAdvice()));
  }
  BlockItem item;
  item.kind = BlockItem::Kind::kCallback;
  item.result = node.result();
  item.num_results = 1;
  for (Value v : node.operands) {
    item.values.push_back(BufferOf(plan, v));
    site.types.push_back(f.type(v));
  }
  item.maximum_iterations = static_cast<int64_t>(program_->callbacks.size());
  program_->callbacks.push_back(std::move(site));
  block->items.push_back(std::move(item));
  return absl::OkStatus();
}

void BlockBuilder::AddCollectiveItem(const PlanGraph& plan, const Node& node, Block* block) {
  const ir::Function& f = block->f;
  CollectiveSite site{node.op, node.attr<int64_t>("size")};
  BlockItem item;
  item.kind = BlockItem::Kind::kCollective;
  item.result = node.result();
  item.num_results = 1;
  for (Value v : node.operands) item.values.push_back(BufferOf(plan, v));
  if (node.op == Op::kBroadcastFrom) site.root = node.attr<int64_t>("root");
  if (!node.operands.empty()) site.bytes = f.type(node.operands[0]).bytes();
  if (node.op == Op::kAllToAll) site.bytes /= site.size;
  item.maximum_iterations = static_cast<int64_t>(program_->collectives.size());
  program_->collectives.push_back(site);
  block->items.push_back(std::move(item));
}

void BlockBuilder::AddCheckItem(const PlanGraph& plan, const Node& node, Block* block) {
  const ir::Function& f = block->f;
  BlockItem item;
  item.kind = BlockItem::Kind::kCheck;
  item.values = {BufferOf(plan, node.operands[0])};
  item.maximum_iterations = static_cast<int64_t>(program_->checks.size());
  const bool known = node.location >= 0, index = node.op == Op::kCheckIndex;
  program_->checks.push_back({node.op, f.type(node.operands[0]).dtype, index ? ir::CheckedExtent(node.attrs()) : 0,
                              node.attributes,
                              known ? f.locations()[static_cast<size_t>(node.location)] : ir::Location()});
  block->items.push_back(std::move(item));
}

// All blocks that this one names exist: connects them and finds what can be updated in place.
absl::Status BlockBuilder::Finish(const std::vector<Key>& named, Block* block) {
  block->in_place.assign(static_cast<size_t>(block->f.num_values()), {});
  size_t next = 0;
  for (BlockItem& item : block->items) {
    ++block->size;
    const auto take = [&] {
      const Block* inner = blocks_[named[next++]].get();
      block->size = std::min(block->size + inner->size, kMaxItems + 1);
      block->depth = std::max(block->depth, inner->depth + 1);
      return inner;
    };
    const auto result = [&](int k) -> Value& { return block->in_place[item.result.index() + static_cast<size_t>(k)]; };
    switch (item.kind) {
      case BlockItem::Kind::kKernel:
        for (size_t i = 0; item.updated.valid() && i < item.values.size(); ++i) {
          if (item.writes[i]) block->in_place[item.values[i].index()] = item.updated;
        }
        break;
      case BlockItem::Kind::kCallback:
      case BlockItem::Kind::kCollective:
      case BlockItem::Kind::kWait:
      case BlockItem::Kind::kCheck: break;
      case BlockItem::Kind::kCopy: block->in_place[item.values[0].index()] = item.values[1]; break;
      case BlockItem::Kind::kWhile:
        item.first = take();
        item.second = take();
        for (int k = 0; k < item.num_results; ++k) result(k) = item.values[static_cast<size_t>(k)];
        break;
      case BlockItem::Kind::kIf:
      case BlockItem::Kind::kCall: {
        const bool branches = item.kind == BlockItem::Kind::kIf;
        item.first = take();
        if (branches) item.second = take();
        for (const Block* inner : {item.first, item.second}) {
          for (int k = 0; inner && k < item.num_results; ++k) {
            const int from = inner->source[static_cast<size_t>(k)];
            if (from >= 0) result(k) = item.values[static_cast<size_t>(from + branches)];
          }
        }
      }
    }
  }
  if (block->size > kMaxItems) {
    return absl::ResourceExhaustedError(StrCat("@", block->f.name(), ": branches and loops expand to more than ",
                                               kMaxItems, " kernel calls; name each function by fewer ops"));
  }
  if (block->depth > kMaxDepth) {
    return absl::UnimplementedError(
        StrCat("@", block->f.name(), ": branches and loops nested more than ", kMaxDepth, " deep do not compile"));
  }
  std::vector<int> source;  // by value
  for (int v = 0; v < block->f.num_values(); ++v) {
    const Value from = block->in_place[static_cast<size_t>(v)];
    const bool known = from.valid() && from.id < v;  // buffers that phases of planning add come last: no parameter's
    source.push_back(block->f.is_parameter({v}) ? v : known ? source[from.index()] : -1);
  }
  for (Value v : block->f.results()) block->source.push_back(source[v.index()]);
  return absl::OkStatus();
}

int32_t BlockBuilder::AddConstant(const Node& node) {
  const auto& literal = node.attr<ir::Literal>("value");
  const auto bytes = literal.bytes();  // an empty one may begin where another does
  const auto [it, added] =
      constant_index_.emplace(std::pair(bytes.data(), bytes.size()), static_cast<int32_t>(program_->constants.size()));
  if (added) program_->constants.push_back(literal);
  return it->second;
}

int32_t BlockBuilder::AddKernel(Kernel kernel) {
  const auto [it, added] = kernel_index_.emplace(KeyOf(kernel), static_cast<int32_t>(program_->kernels.size()));
  if (added) program_->kernels.push_back(std::move(kernel));
  return it->second;
}

const KernelCycles& BlockBuilder::CyclesOf(int32_t kernel) {
  const auto k = static_cast<size_t>(kernel);
  cycles_.resize(program_->kernels.size());
  if (!cycles_[k]) cycles_[k] = EstimateKernel(program_->kernels[k], target_);
  return *cycles_[k];
}

}  // namespace reel::codegen
