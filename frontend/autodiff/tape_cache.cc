#include "frontend/autodiff/tape_cache.h"

#include <cstring>

#include "frontend/values/location.h"
#include "frontend/values/tensor_data.h"
#include "ir/builder.h"
#include "ir/hash_map.h"
#include "ir/key.h"
#include "ir/strings.h"
#include "passes/rewrite.h"
#include "runtime/per_thread.h"

namespace reel::internal {
namespace {

// Small numbers for ids, by first appearance. Results have ids in the order in which they were made, so that most are
// looked up in an array.
class Numbering {
 public:
  void Start(absl::Span<const TapeEntry> entries) {
    count_ = 0;
    first_ = entries.empty() ? 0 : entries.front().results.front();
    const uint64_t last = entries.empty() ? 0 : entries.back().results.back();
    const uint64_t range = last - first_ + 1;  // wraps if there is no order
    dense_.assign(range <= 16 * entries.size() + 1024 ? range : 0, 0);
    others_.clear();
  }
  void Add(uint64_t id) { At(id) = ++count_; }
  // *is_new: it had no number.
  uint64_t Of(uint64_t id, bool* is_new) {
    uint64_t& number = At(id);
    *is_new = number == 0;
    if (*is_new) number = ++count_;
    return number;
  }

 private:
  uint64_t& At(uint64_t id) { return id - first_ < dense_.size() ? dense_[id - first_] : others_[id]; }

  uint64_t first_ = 0, count_ = 0;
  std::vector<uint64_t> dense_;  // 0: none yet
  HashMap<uint64_t, uint64_t> others_;
};

// Writes a structure as bytes: equal if and only if the backward graphs are.
class StructureWriter {
 public:
  // False if the request cannot be compiled.
  bool Write(absl::Span<const TapeEntry> entries, const GradientRequest& request) {
    if (entries.size() > static_cast<size_t>(ProgramCache::kMaxOps)) return false;
    key_ = "t";
    ir::AppendKey(&key_, static_cast<int64_t>(entries.size()));
    numbers_.Start(entries);
    for (const TapeEntry& entry : entries) {
      constexpr size_t kMost = 1 << 20;  // has room in WriteEntry's word
      if (entry.custom || ir::Info(entry.op).Has(ir::kControl)) return false;
      if (entry.operands.size() > kMost || entry.results.size() > kMost) return false;
      WriteEntry(entry);
    }
    ir::AppendKey(&key_, int64_t{request.zero_unconnected} | int64_t{request.sparse} << 1);
    for (const auto* ends : {&request.targets, &request.sources, &request.stops}) {
      ir::AppendKey(&key_, static_cast<int64_t>(ends->size()));
      for (const GradientEnd& end : *ends) WriteValue(end.id, end.type);
    }
    ir::AppendKey(&key_, static_cast<int64_t>(request.seeds.size()));
    for (const auto& seed : request.seeds) {
      ir::AppendKey(&key_, int64_t{seed.has_value()} + (seed && IsNumber(*seed)));
      if (seed) WriteValue(seed->id(), seed->type());
    }
    return true;
  }
  const std::string& key() const { return key_; }

 private:
  void WriteEntry(const TapeEntry& entry) {
    constexpr size_t kWord = sizeof(uint64_t);
    const size_t operands = entry.operands.size(), begin = key_.size();
    key_.resize(begin + (1 + operands) * kWord);
    const auto write = [&](size_t i, uint64_t word) { std::memcpy(key_.data() + begin + i * kWord, &word, kWord); };
    write(0, static_cast<uint64_t>(entry.op) | uint64_t{entry.attributes != nullptr} << 15 | operands << 16 |
                 entry.results.size() << 40);
    for (size_t i = 0; i < operands; ++i) {
      const uint64_t id = entry.operands[i];
      bool is_new;
      write(1 + i, numbers_.Of(id & ~kDetached, &is_new) | (id & kDetached));
      if (is_new) ir::AppendKey(&key_, *entry.operand_types[i]);
    }
    if (entry.attributes) ir::AppendKey(&key_, *entry.attributes);
    for (uint64_t id : entry.results) numbers_.Add(id);
    for (const Tensor& x : entry.kept) key_ += IsNumber(x) ? '1' : '0';
  }

  // Types of results follow from the op, its operands and attributes.
  void WriteValue(uint64_t id, const Type& type) {
    bool is_new;
    ir::AppendKey(&key_, static_cast<int64_t>(numbers_.Of(id, &is_new)));
    if (is_new) ir::AppendKey(&key_, type);
  }

  std::string key_;
  Numbering numbers_;
};

const Tensor* Find(const KeptAt& at, absl::Span<const TapeEntry> entries, const GradientRequest& request) {
  const auto slot = static_cast<size_t>(at.slot);
  return at.entry < 0 ? &*request.seeds[slot] : &entries[static_cast<size_t>(at.entry)].kept[slot];
}

KeptAt KeptOf(const GradientGraph& graph, ir::Value v) {
  const auto at = static_cast<size_t>(v.id);
  return at < graph.kept.size() ? graph.kept[at] : KeptAt{};
}

// The nodes from graph.first_node on that the roots need. Parameters: the values from before that these use, numbers as
// scalars.
ir::Function BackwardFunction(const GradientGraph& graph, std::vector<ir::Value>* given,
                              std::vector<ir::Value>* results) {
  const ir::Function& f = graph.function;
  const auto& nodes = f.nodes();
  const int32_t before = graph.first_node < nodes.size() ? nodes[graph.first_node].first_result : f.num_values();
  std::vector<bool> used(static_cast<size_t>(f.num_values()));
  for (ir::Value v : graph.roots.values) {
    if (v.id >= before && !used[static_cast<size_t>(v.id)]) results->push_back(v);
    if (v.id >= before) used[static_cast<size_t>(v.id)] = true;
  }
  std::vector<bool> live(nodes.size());
  for (size_t n = nodes.size(); n-- > graph.first_node;) {
    for (int i = 0; i < nodes[n].num_results; ++i) {
      if (used[static_cast<size_t>(nodes[n].result(i).id)]) live[n] = true;
    }
    for (ir::Value v : nodes[n].operands) {
      if (live[n]) used[static_cast<size_t>(v.id)] = true;
    }
  }
  ir::Function out("gradient");
  passes::Copier copier(f, &out);
  for (ir::Value v{0}; v.id < before; ++v.id) {
    if (!used[static_cast<size_t>(v.id)]) continue;
    const Type& type = f.type(v);
    const bool number = KeptOf(graph, v).number;
    const ir::Value p = out.AddParameter(StrCat("p", given->size()), number ? Type{type.dtype, {}} : type);
    copier.Map(v, p);
    given->push_back(v);
  }
  for (ir::Value v : *given) {
    if (KeptOf(graph, v).number) copier.Map(v, ir::Builder(&out).Broadcast(copier(v), f.type(v).shape, {}));
  }
  for (size_t n = graph.first_node; n < nodes.size(); ++n) {
    if (live[n]) copier.CopyNode(nodes[n]);
  }
  const ir::ValueList copied = copier(*results);
  out.SetResults({copied.begin(), copied.end()});
  return out;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const CachedProgram>> GradientProgram::Make(const GradientGraph& graph,
                                                                           const ProgramCache::Compile& compile) {
  std::vector<ir::Value> given, results;
  ir::Module module("tape");
  module.AddFunction(BackwardFunction(graph, &given, &results));
  if (results.empty()) return nullptr;
  std::vector<KeptAt> inputs;
  for (ir::Value v : given) {
    inputs.push_back(KeptOf(graph, v));
    if (inputs.back().slot < 0) return absl::InternalError("the tape did not keep a value");
  }
  HashMap<int32_t, int> result_of;
  for (size_t i = 0; i < results.size(); ++i) result_of[results[i].id] = static_cast<int>(i);
  std::vector<Root> of_root;
  for (ir::Value v : graph.roots.values) {
    const auto result = result_of.find(v.id);
    of_root.push_back({KeptOf(graph, v), result == result_of.end() ? -1 : result->second});
  }
  auto code = compile(module);
  if (!code.ok()) return code.status();
  return std::make_shared<GradientProgram>(*std::move(code), graph.roots, std::move(inputs), std::move(of_root));
}

std::optional<std::vector<std::optional<Tensor>>> GradientProgram::RunOn(absl::Span<const TapeEntry> entries,
                                                                         const GradientRequest& request) const {
  std::vector<const void*> in;
  in.reserve(inputs_.size());
  for (const KeptAt& at : inputs_) {
    const Tensor* x = Find(at, entries, request);
    if (x->symbolic()) return std::nullopt;  // of a trace that is gone
    const TensorData& data = *x->internal_data();
    in.push_back(at.number ? data.number() : data.buffer().data());
  }
  const auto results = Run(in);
  if (!results) return std::nullopt;
  std::vector<std::optional<Tensor>> roots;
  roots.reserve(of_root_.size());
  for (const Root& r : of_root_) {
    roots.emplace_back(r.result < 0 ? *Find(r.kept, entries, request) : (*results)[static_cast<size_t>(r.result)]);
  }
  return roots;
}

ProgramCache::Found FindGradient(absl::Span<const TapeEntry> entries, const GradientRequest& request) {
  auto& writer = runtime::PerThread<StructureWriter>();
  constexpr size_t kMost = 16;
  const ProgramCache::Site site{"a tape's gradient", UserLine(), kMost, true};
  ProgramCache& cache = ProgramCache::Get();
  return cache.Serves(site) && writer.Write(entries, request) ? cache.Find(site, writer.key()) : ProgramCache::Found{};
}

void AddGradient(ProgramCache::Found found, GradientGraph graph) {
  const auto shared = std::make_shared<const GradientGraph>(std::move(graph));  // a std::function has to be copyable
  ProgramCache::Get().Add(std::move(found), [shared](const ProgramCache::Compile& compile) {
    return GradientProgram::Make(*shared, compile);
  });
}

}  // namespace reel::internal
