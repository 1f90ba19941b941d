#include "frontend/eager/composite.h"

#include <algorithm>

#include "frontend/eager/program_cache.h"
#include "frontend/record/event_log.h"
#include "frontend/record/event_stream.h"
#include "ir/key.h"

namespace reel::internal {
namespace {

// Everything that fixes the graph, as bytes.
std::string KeyOf(const char* name, absl::Span<const Tensor> operands, absl::Span<const double> numbers) {
  std::string key = "c";
  key += name;
  key.push_back('\0');
  ir::AppendKey(&key, static_cast<int64_t>(numbers.size()));
  key.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  for (const Tensor& x : operands) ir::AppendKey(&key, x.type());
  return key;
}

// The graph that Make compiles later.
std::shared_ptr<const ModuleData> GraphOf(const char* name, absl::Span<const Tensor> operands, CompositionBody body) {
  std::vector<Spec> specs;
  for (const Tensor& x : operands) specs.emplace_back(x);
  const auto results = [&body](std::span<const Tensor> symbolic) -> NamedTensors {
    return {{"y", body(absl::MakeConstSpan(symbolic.data(), symbolic.size()))}};
  };
  return TraceFunction(name, results, specs).internal_data();
}

}  // namespace

Tensor Compose(const char* name, absl::Span<const Tensor> operands, absl::Span<const double> numbers,
               CompositionBody body) {
  constexpr size_t kMost = 64;  // kinds of one composition; shapes that come once, as of growing caches, do not count
  const bool leaked = std::any_of(operands.begin(), operands.end(), [](const Tensor& x) { return x.symbolic(); });
  if (leaked || !MayRunPrograms()) return body(operands);  // ops say what is wrong with tensors of a trace that is over
  ProgramCache& cache = ProgramCache::Get();
  const ProgramCache::Site site{name, {}, kMost, false};
  if (!cache.Serves(site)) return body(operands);
  ProgramCache::Found found = cache.Find(site, KeyOf(name, operands, numbers));
  if (found.program) {
    absl::InlinedVector<const void*, 4> in;
    for (const Tensor& x : operands) in.push_back(x.raw_data());
    if (auto results = found.program->Run(in)) {
      cache.CountHit();
      return std::move((*results)[0]);
    }
  }
  Tensor y = body(operands);
  if (found.wanted) {
    cache.Add(std::move(found),
              [graph = GraphOf(name, operands, body)](
                  const ProgramCache::Compile& compile) -> absl::StatusOr<std::shared_ptr<const CachedProgram>> {
                auto code = compile(graph->module);
                if (!code.ok()) return code.status();
                return std::make_shared<CachedProgram>(*std::move(code));
              });
  }
  return y;
}

}  // namespace reel::internal
