#include "frontend/program/agreement.h"

#include <cstdio>
#include <cstring>

#include "codegen/target/target.h"
#include "frontend/values/status.h"
#include "ir/calls.h"
#include "ir/siphash.h"
#include "ir/strings.h"
#include "reel/distributed.h"
#include "runtime/communicator.h"

namespace reel::internal {
namespace {

constexpr ir::SipHash::Key kGraphs = {0x13198a2e03707344u, 0xa4093822299f31d0u};

// Of what the entry reaches, without what computes initial values. Names of its variables count: checkpoints have them.
uint64_t HashOfGraph(const ir::Module& module, const std::string& entry) {
  ir::Module reached(module);
  for (ir::Variable& v : reached.mutable_variables()) v.initial = ir::Literal();
  ir::KeepReached(&reached, {reached.FindFunction(entry)});
  ir::SipHash hash(kGraphs);
  for (const auto& f : reached.functions()) hash.Add(ir::Fingerprint(*f));
  for (const ir::Symbol& s : reached.symbols()) {
    hash.Add(static_cast<uint64_t>(s.min));
    hash.Add(static_cast<uint64_t>(s.max));
  }
  return hash.Sum()[0];
}

std::string MachineClass() {
  const codegen::Target target = Take(codegen::FindTarget("native"));
  return StrCat(target.platform.triple.substr(0, target.platform.triple.find('-')),
                target.has_fma ? " with" : " without", " fused multiply-add");
}

// "process 2", "processes 1, 2, 3 and 12 others"
std::string Listed(const std::vector<size_t>& ranks) {
  constexpr size_t kMost = 8;
  std::string out = ranks.size() == 1 ? "process " : "processes ";
  for (size_t i = 0; i < ranks.size() && i < kMost; ++i) StrAppend(&out, i == 0 ? "" : ", ", ranks[i]);
  if (ranks.size() > kMost) StrAppend(&out, " and ", ranks.size() - kMost, " others");
  return out;
}

}  // namespace

std::vector<Trait> TraitsOf(const ir::Module& module, const std::string& entry, const DataParallelOptions& options) {
  char graph[Trait::kBytes];
  std::snprintf(graph, sizeof graph, "%016llx of %lld nodes",
                static_cast<unsigned long long>(HashOfGraph(module, entry)),
                static_cast<long long>(module.FindFunction(entry)->nodes().size()));
  return {{"version of Reel", REEL_VERSION_TEXT, "install one version everywhere"},
          {"class of machine", MachineClass(), "give all the same: REEL_CPU=x86-64-v2 runs on every x86-64"},
          {"number of shards", StrCat(options.shards), "give all the same"},
          {"way to communicate",
           StrCat("buckets of ", options.bucket_bytes, " bytes, ", options.shard_optimizer ? "parts of" : "whole",
                  " optimizers"),
           "give all the same bucket_bytes and shard_optimizer"},
          {"graph", graph, "all must build the same step for the same global batch, with the same constants"}};
}

void RequireAgreement(std::span<const Trait> traits) {
  const reel_communicator* const group = runtime::CurrentCommunicator();
  if (!group || group->size == 1) return;
  const size_t members = static_cast<size_t>(group->size), bytes = traits.size() * Trait::kBytes;
  std::vector<char> own(bytes, '\0'), all(members * bytes, '\0');
  for (size_t i = 0; i < traits.size(); ++i)
    std::snprintf(&own[i * Trait::kBytes], Trait::kBytes, "%s", traits[i].text.c_str());
  if (group->all_gather(group->context, own.data(), all.data(), static_cast<int64_t>(bytes)) != REEL_OK) {
    ThrowError(ErrorCode::kUnavailable,
               StrCat("distributed: the processes cannot compare what they run: ", runtime::TakeCommunicationError()));
  }
  for (size_t i = 0; i < traits.size(); ++i) {
    const auto text = [&](size_t rank) { return &all[rank * bytes + i * Trait::kBytes]; };
    std::vector<size_t> others;
    for (size_t rank = 1; rank < members; ++rank) {
      if (std::strncmp(text(0), text(rank), Trait::kBytes) != 0) others.push_back(rank);
    }
    if (others.empty()) continue;
    ThrowError(ErrorCode::kFailedPrecondition,
               StrCat("distributed: ", Listed(others), " of ", members, others.size() == 1 ? " has" : " have",
                      " another ", traits[i].what, " than process 0: ", std::string(text(others[0])), ", not ",
                      std::string(text(0)), "; ", traits[i].fix));
  }
}

}  // namespace reel::internal
