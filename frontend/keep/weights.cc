#include "reel/weights.h"

#include <limits>
#include <set>

#include "frontend/keep/formats.h"
#include "frontend/keep/state.h"
#include "frontend/values/status.h"
#include "ir/file/reader.h"
#include "ir/names.h"
#include "ir/strings.h"

// Files of weights: formats by the ending of the path.

namespace reel {
namespace internal {
namespace {

/// A tensor is not larger than its file: what a file may cost is what it has.
Budget OfTheFile() {
  Budget budget;
  budget.max_bytes = budget.max_memory = std::numeric_limits<int64_t>::max();
  budget.max_seconds = std::numeric_limits<double>::infinity();
  return budget;
}

bool IsNpz(const std::string& path) { return path.ends_with(".npz"); }

absl::Status CheckEnding(const std::string& path) {
  if (path.ends_with(".safetensors") || IsNpz(path)) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(QuotedPath(path), ": files of weights end with .safetensors or .npz"));
}

absl::Status In(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), StrCat(QuotedPath(path), ": ", std::string(status.message())));
}

}  // namespace

std::string QuotedPath(const std::string& path) {
  std::string out;
  ir::AppendQuoted(&out, path);
  return out;
}

absl::StatusOr<WeightsFile> ReadWeightsFile(const std::string& path) {
  if (absl::Status s = CheckEnding(path); !s.ok()) return s;
  const auto bytes = ir::ReadFile(path, OfTheFile());
  if (!bytes.ok()) return bytes.status();
  auto file = IsNpz(path) ? ParseNpz(*bytes) : ParseSafetensors(*bytes);
  if (!file.ok()) return In(path, file.status());
  return file;
}

absl::Status WriteWeightsFile(const std::string& path, const WeightsFile& file) {
  if (absl::Status s = CheckEnding(path); !s.ok()) return s;
  std::set<std::string_view> names;
  for (const auto& [name, value] : file.values) {
    if (!value.defined() || value.symbolic())
      return In(path, absl::InvalidArgumentError(StrCat("the value of ", ir::Quoted(name), " is null or symbolic")));
    if (!names.insert(name).second)
      return In(path, absl::InvalidArgumentError(StrCat("two values are called ", ir::Quoted(name))));
  }
  auto out = ir::FileWriter::Open(path);
  if (!out.ok()) return out.status();
  if (absl::Status s = IsNpz(path) ? WriteNpz(file, &*out) : WriteSafetensors(file, &*out); !s.ok()) return In(path, s);
  return out->Commit();
}

}  // namespace internal

void SaveWeights(const std::string& path, const StateDict& values) {
  internal::Check(internal::WriteWeightsFile(path, {.values = values, .metadata = {}}));
}
void SaveWeights(const std::string& path, const StateRef& state) {
  if (const std::vector<std::string> unmade = state.internal_data()->Unmade(); !unmade.empty()) {
    internal::ThrowError(ErrorCode::kFailedPrecondition, StrCat("save: layer ", ir::Quoted(unmade[0]),
                                                                " has no variables yet; call the model once, or "
                                                                "give the layer its sizes"));
  }
  SaveWeights(path, GetState(state));
}

StateDict ReadWeights(const std::string& path) { return internal::Take(internal::ReadWeightsFile(path)).values; }

void LoadWeights(const std::string& path, const StateRef& state, const LoadOptions& options) {
  internal::LoadState(state.internal_data().get(), ReadWeights(path), options.strict, internal::QuotedPath(path));
}

}  // namespace reel
