#include "reel/compile.h"

#include "frontend/eager/program_cache.h"
#include "frontend/program/compiled_data.h"
#include "frontend/program/interrupt.h"
#include "frontend/program/shared_library.h"
#include "frontend/record/event_log.h"
#include "frontend/values/status.h"
#include "ir/file/folder.h"
#include "ir/file/writer.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel {
namespace {

/// All of the files, or none: path and bytes.
absl::Status WriteFiles(std::initializer_list<std::pair<std::string, const std::string*>> files) {
  std::vector<ir::FileWriter> writers;
  for (const auto& [path, bytes] : files) {
    auto writer = ir::FileWriter::Open(path);
    if (!writer.ok()) return writer.status();
    if (absl::Status s = writer->Append(*bytes); !s.ok()) return s;
    if (absl::Status s = writer->Finish(); !s.ok()) return s;
    writers.push_back(*std::move(writer));
  }
  for (ir::FileWriter& writer : writers) {
    if (absl::Status s = writer.Commit(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

codegen::ObjectFiles ObjectOf(const std::shared_ptr<const internal::ModuleData>& data, const std::string& path,
                              const CompileOptions& options) {
  const std::string name(ir::FileName(path));
  if (!ir::IsIdentifier(name) || name.find('.') != std::string::npos) {
    internal::ThrowInvalid(
        StrCat("compile: '", name, "' cannot begin C symbols; end the path in letters, digits and _"));
  }
  if (options.profile) {
    internal::ThrowInvalid("compile: an object cannot be profiled, it calls nothing; profile what Compile returns");
  }
  if (options.tune != 0) {
    internal::ThrowInvalid("objects: tune is of Compile; give its file here, as `schedules`");
  }
  codegen::CompilerOptions compiler = internal::ToCompiler(options);
  compiler.stop = internal::StopFlag();
  const internal::InterruptScope interrupts;
  internal::CheckPending();
  return internal::Take(reel_compiler()->CompileToObject(internal::NeedModule(data).module, name, compiler));
}

template <typename Graph>
void WriteObject(const Graph& graph, const std::string& path, const CompileOptions& options) {
  const codegen::ObjectFiles files = ObjectOf(graph.internal_data(), path, options);
  internal::Check(WriteFiles({{path + ".o", &files.object}, {path + ".h", &files.header}}));
}

template <typename Graph>
void WriteStaticLibrary(const Graph& graph, const std::string& path, const CompileOptions& options) {
  const codegen::ObjectFiles files = ObjectOf(graph.internal_data(), path, options);
  const std::string member = StrCat(ir::FileName(path), ".o");
  const std::string library =
      internal::Take(reel_compiler()->Archive(files.object, member, internal::ToCompiler(options)));
  internal::Check(WriteFiles({{path + ".a", &library}, {path + ".h", &files.header}}));
}

template <typename Graph>
void WriteSharedLibrary(const Graph& graph, const std::string& path, const CompileOptions& options) {
  internal::Check(internal::CheckLinkable(options.cpu, options.os));
  const codegen::ObjectFiles files = ObjectOf(graph.internal_data(), path, options);
  const std::string library = internal::Take(internal::LinkShared(files.object));
  internal::Check(WriteFiles({{path + ".so", &library}, {path + ".h", &files.header}}));
}

}  // namespace

void CompileToObject(const Module& module, const std::string& path, const CompileOptions& options) {
  WriteObject(module, path, options);
}
void CompileToObject(const Function& function, const std::string& path, const CompileOptions& options) {
  WriteObject(function, path, options);
}
void CompileToStaticLibrary(const Module& module, const std::string& path, const CompileOptions& options) {
  WriteStaticLibrary(module, path, options);
}
void CompileToStaticLibrary(const Function& function, const std::string& path, const CompileOptions& options) {
  WriteStaticLibrary(function, path, options);
}
void CompileToSharedLibrary(const Module& module, const std::string& path, const CompileOptions& options) {
  WriteSharedLibrary(module, path, options);
}
void CompileToSharedLibrary(const Function& function, const std::string& path, const CompileOptions& options) {
  WriteSharedLibrary(function, path, options);
}

}  // namespace reel
