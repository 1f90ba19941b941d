#include <dlfcn.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "codegen/compiler.h"
#include "ir/strings.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "tests/ops/engines.h"

// Objects: compiled to a file, linked by the C compiler with a C function that knows only the
// object's header, loaded and called.

namespace reel::optable {
namespace {

// A folder that goes with the run.
class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "reel_object_XXXXXX";
    if (mkdtemp(pattern.data())) path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(std::string_view name) const { return StrCat(path_, "/", name); }

 private:
  std::string path_;
};

class Library {
 public:
  explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (handle_) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  template <typename F>
  F* Find(const char* symbol) const {
    return handle_ ? reinterpret_cast<F*>(dlsym(handle_, symbol)) : nullptr;
  }

 private:
  void* handle_;
};

// C: makes the instance in `memory` and calls the entry point with one argument per pointer.
std::string Caller(std::string_view function, size_t arguments, size_t results) {
  std::string pointers;
  for (size_t i = 0; i < arguments; ++i) StrAppend(&pointers, ", in[", i, "]");
  for (size_t i = 0; i < results; ++i) StrAppend(&pointers, ", out[", i, "]");
  return StrCat("#include \"object.h\"\n", "int run(void* memory, const void* const* in, void* const* out) {\n",
                "  int error = 0;\n  object* o = object_init(memory, object_size(), &error);\n",
                "  (void)in, (void)out;\n", "  return o ? object_", function, "(o", pointers, ") : error;\n}\n");
}

absl::Status Write(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  if (out.flush()) return absl::OkStatus();
  return absl::UnavailableError(StrCat("cannot write ", path));
}

// Makes run.so of the object and its caller.
absl::Status Link(const Folder& folder, const codegen::ObjectFiles& files, const std::string& caller) {
  const std::pair<std::string_view, const std::string*> inputs[] = {
      {"object.o", &files.object}, {"object.h", &files.header}, {"run.c", &caller}};
  for (const auto& [name, bytes] : inputs) {
    if (absl::Status s = Write(folder / name, *bytes); !s.ok()) return s;
  }
  const std::string command = StrCat("cc -std=c99 -Wall -Wextra -Werror -fPIC -shared -o '", folder / "run.so", "' '",
                                     folder / "run.c", "' '", folder / "object.o", "'");
  if (std::system(command.c_str()) == 0) return absl::OkStatus();
  return absl::InternalError(StrCat("failed: ", command));
}

class ObjectEngine : public Engine {
 public:
  std::string name() const override { return "object"; }
  bool is_slow() const override { return true; }

  absl::StatusOr<std::vector<ir::Literal>> Run(const ir::Module& module, std::string_view function,
                                               absl::Span<const ir::Literal> inputs) override {
    const auto files = reel_compiler()->CompileToObject(module, "object", {});
    if (!files.ok()) return files.status();
    const ir::Function& f = *module.FindFunction(function);
    const Folder folder;
    const std::string caller = Caller(function, inputs.size(), static_cast<size_t>(f.num_outputs()));
    if (absl::Status s = Link(folder, *files, caller); !s.ok()) return s;
    return Call(Library(folder / "run.so"), f, inputs);
  }

 private:
  static absl::StatusOr<std::vector<ir::Literal>> Call(const Library& library, const ir::Function& f,
                                                       absl::Span<const ir::Literal> inputs) {
    auto* size = library.Find<size_t()>("object_size");
    auto* run = library.Find<int(void*, const void* const*, void* const*)>("run");
    if (!size || !run) return absl::InternalError(StrCat("cannot load the object: ", dlerror()));
    // Whatever the memory held before must not matter.
    const auto memory = runtime::Buffer::Allocate(size());
    std::memset(memory.data(), 0xAB, size());
    std::vector<const void*> in;
    for (const ir::Literal& l : inputs) in.push_back(l.bytes().data());
    std::vector<std::vector<std::byte>> bytes;
    std::vector<void*> out;
    for (int i = 0; i < f.num_outputs(); ++i) {
      const Type& type = f.type(f.results()[static_cast<size_t>(i)]);
      bytes.emplace_back(static_cast<size_t>(type.bytes()), std::byte{0xCD});
      out.push_back(bytes.back().data());
    }
    if (const int status = run(memory.data(), in.data(), out.data())) {
      return absl::InternalError(StrCat("the object returned ", reel_status_message(status)));
    }
    std::vector<ir::Literal> results;
    for (size_t i = 0; i < bytes.size(); ++i) {
      results.emplace_back(f.type(f.results()[i]), std::move(bytes[i]));
    }
    return results;
  }
};

}  // namespace

std::unique_ptr<Engine> MakeObjectEngine() { return std::make_unique<ObjectEngine>(); }

}  // namespace reel::optable
