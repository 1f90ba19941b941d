#include "codegen/cache/code_cache.h"

#include <sys/stat.h>

#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "codegen/loop/key.h"
#include "codegen/program/symbols.h"
#include "ir/key.h"
#include "runtime/shared_library.h"

namespace reel::codegen {
namespace {

/// A field that is added to a target or a step does not compile until it is named here.
class CodeKeyWriter {
 public:
  std::string Run(const Program& program, const Target& target, int opt_level) && {
    AddCompiler();
    AddTarget(target);
    Add(opt_level);
    Add(program.profile);
    Add(program.kernels.size());
    for (const Kernel& kernel : program.kernels) AddText(KeyOf(kernel));
    const ConstantLayout layout = LayOutConstants(program);
    Add(program.entries.size());
    for (const EntryPoint& entry : program.entries) AddSteps(entry.steps, program, layout);
    return std::move(key_);
  }

 private:
  template <typename Number>
    requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void Add(Number x) {
    ir::AppendKey(&key_, static_cast<int64_t>(x));
  }
  void AddText(std::string_view text) { ir::AppendKey(&key_, text); }

  /// An unreleased compiler changes without changing its version.
  void AddCompiler() {
    AddText(REEL_VERSION_TEXT);
    struct stat status = {};
    ::stat(runtime::PathBeside("libreel_compiler.so").c_str(), &status);
    Add(status.st_size);
    Add(status.st_mtim.tv_sec);
    Add(status.st_mtim.tv_nsec);
  }

  void AddTarget(const Target& target) {
    const auto& [name, level, cpu, features, vector_bits, vector_registers, has_fma, has_f16c, has_masks, has_scale,
                 has_bf16, tile_products, has_amx, has_permute, has_register_call, platform, machine, tuning] = target;
    (void)name, (void)machine, (void)tuning;  // what plans go by: lowering does not, and kernels are in the key
    for (const std::string* text : {&level, &platform.triple, &cpu, &features}) AddText(*text);
    for (const bool x :
         {has_fma, has_f16c, has_masks, has_scale, has_bf16, tile_products, has_amx, has_permute, has_register_call})
      Add(x);
    for (const int x : {vector_bits, vector_registers}) Add(int64_t{x});
  }

  /// Recursion is as deep as control steps are nested.
  void AddSteps(const std::vector<Step>& steps, const Program& program, const ConstantLayout& layout) {
    Add(steps.size());
    for (const Step& step : steps) {
      const auto& [kernel, buffers, bytes, control, maximum_iterations, first, second, chunks, lanes, in_line] = step;
      Add(kernel);
      Add(buffers.size());
      for (const Slot& slot : buffers) {
        Add(slot.kind);
        Add(slot.index);
        Add(slot.kind == Slot::Kind::kConstant ? layout.offsets[static_cast<size_t>(slot.index)] : slot.offset);
      }
      Add(bytes);
      Add(control);
      Add(maximum_iterations);
      Add(chunks);
      Add(lanes);
      Add(in_line);
      if (control == Step::Control::kCheck) {
        const ValueCheck& check = program.checks[static_cast<size_t>(bytes)];
        Add(check.op);
        Add(check.dtype);
        Add(check.extent);
        Add(check.op == ir::Op::kCheckInteger && check.attributes->Get<bool>("negative"));
      }
      if (control == Step::Control::kCollective) {
        const CollectiveSite& site = program.collectives[static_cast<size_t>(bytes)];
        Add(site.op);
        for (const int64_t x : {site.size, site.root, site.bytes}) Add(x);
      }
      AddSteps(first, program, layout);
      AddSteps(second, program, layout);
    }
  }

  std::string key_;
};

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
  return CodeKeyWriter().Run(program, target, opt_level);
}

CodeCache::CodeCache(const std::string& folder, const Program& program, const Target& target, int opt_level)
    : cache_(program.callbacks.empty() ? folder : ""),
      key_(folder.empty() || !program.callbacks.empty() ? "" : CodeKey(program, target, opt_level)) {}

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
