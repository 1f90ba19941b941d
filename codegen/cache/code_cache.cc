#include "codegen/cache/code_cache.h"

#include <sys/stat.h>

#include <cstring>
#include <utility>
#include <vector>

#include "codegen/program/symbols.h"
#include "runtime/shared_library.h"

namespace reel::codegen {
namespace {

/// An unreleased compiler changes without changing its version.
void AddCompiler(Digest* digest) {
  digest->Add(REEL_VERSION_TEXT);
  struct stat status = {};
  ::stat(runtime::PathBeside("libreel_compiler.so").c_str(), &status);
  digest->Add(int64_t{status.st_size});
  digest->Add(int64_t{status.st_mtim.tv_sec});
  digest->Add(int64_t{status.st_mtim.tv_nsec});
}

void AddTarget(const Target& target, Digest* digest) {
  for (const std::string* text : {&target.name, &target.triple, &target.cpu, &target.features})
    digest->Add(*text);
  for (const int64_t x : {int64_t{target.vector_bits}, int64_t{target.vector_registers},
                          int64_t{target.has_fma}, int64_t{target.has_f16c},
                          int64_t{target.has_masks}, int64_t{target.has_scale},
                          int64_t{target.has_bf16}}) {
    digest->Add(x);
  }
}

/// Recursion is as deep as control steps are nested.
void AddSteps(const std::vector<Step>& steps, const std::vector<IndexCheck>& checks, const ConstantLayout& layout,
              Digest* digest) {
  digest->Add(uint64_t{steps.size()});
  for (const Step& step : steps) {
    digest->Add(int64_t{step.kernel});
    digest->Add(step.bytes);
    digest->Add(static_cast<uint64_t>(step.control));
    digest->Add(step.maximum_iterations);
    digest->Add(step.chunks);
    digest->Add(step.lanes);
    digest->Add(uint64_t{step.in_line});
    digest->Add(uint64_t{step.buffers.size()});
    for (const Slot& slot : step.buffers) {
      digest->Add(static_cast<uint64_t>(slot.kind));
      digest->Add(int64_t{slot.index});
      digest->Add(slot.kind == Slot::Kind::kConstant
                      ? layout.offsets[static_cast<size_t>(slot.index)]
                      : slot.offset);
    }
    if (step.control == Step::Control::kCheck) {
      const IndexCheck& check = checks[static_cast<size_t>(step.bytes)];
      digest->Add(static_cast<uint64_t>(check.dtype));
      digest->Add(check.extent);
    }
    if (step.control == Step::Control::kNone) continue;
    AddSteps(step.first, checks, layout, digest);
    AddSteps(step.second, checks, layout, digest);
  }
}

/// count, then length and bytes of each; in the byte order of the machine, whose code it is.
std::string Pack(const std::vector<std::string>& objects) {
  std::string out;
  const auto add = [&out](uint64_t x) { out.append(reinterpret_cast<const char*>(&x), sizeof x); };
  add(objects.size());
  for (const std::string& object : objects) {
    add(object.size());
    out += object;
  }
  return out;
}

std::optional<std::vector<std::string>> Unpack(std::string_view bytes) {
  const auto take = [&bytes]() -> std::optional<uint64_t> {
    uint64_t x = 0;
    if (bytes.size() < sizeof x) return std::nullopt;
    std::memcpy(&x, bytes.data(), sizeof x);
    bytes.remove_prefix(sizeof x);
    return x;
  };
  std::vector<std::string> objects;
  const auto count = take();
  for (uint64_t i = 0; count && i < *count; ++i) {
    const auto size = take();
    if (!size || *size > bytes.size()) return std::nullopt;
    objects.emplace_back(bytes.substr(0, *size));
    bytes.remove_prefix(*size);
  }
  if (!count || !bytes.empty()) return std::nullopt;
  return objects;
}

}  // namespace

std::string CodeKey(const Program& program, const Target& target, int opt_level) {
  Digest digest;
  AddCompiler(&digest);
  AddTarget(target, &digest);
  digest.Add(int64_t{opt_level});
  if (program.profile) digest.Add("profile");
  digest.Add(uint64_t{program.kernels.size()});
  for (const Kernel& kernel : program.kernels) digest.Add(Fingerprint(kernel));
  const ConstantLayout layout = LayOutConstants(program);
  digest.Add(uint64_t{program.entries.size()});
  for (const EntryPoint& entry : program.entries) AddSteps(entry.steps, program.checks, layout, &digest);
  return digest.Text();
}

CodeCache::CodeCache(const std::string& folder, const Program& program, const Target& target,
                     int opt_level)
    : cache_(folder), key_(folder.empty() ? "" : CodeKey(program, target, opt_level)) {}

std::optional<CodeObjects> CodeCache::Get() const {
  const auto bytes = cache_.Get(key_);
  if (!bytes) return std::nullopt;
  auto objects = Unpack(*bytes);
  if (!objects) return std::nullopt;
  CodeObjects code;
  code.objects = *std::move(objects);
  return code;
}

void CodeCache::Put(const CodeObjects& code) const { cache_.Put(key_, Pack(code.objects)); }

}  // namespace reel::codegen
