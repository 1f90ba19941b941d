#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "codegen/compiler.h"
#include "codegen/schedule/book.h"
#include "codegen/target/target.h"
#include "frontend/cli/cli.h"
#include "frontend/program/shared_library.h"
#include "ir/file/folder.h"
#include "ir/names.h"
#include "ir/verifier.h"
#include "passes/shard/shard.h"
#include "runtime/environment.h"

namespace reel::cli {
namespace {

const std::vector<std::string> kKinds = {"obj", "header", "a", "so", "llvm", "asm", "plan", "dot"};

struct Options : Common {
  std::string file, out, target_file, schedules;
  std::vector<std::string> emit = {"obj", "header"};
  std::vector<std::string> extents;
  bool isolate = false, targets = false;
  std::string distribute;  // the entry point
  bool shard_optimizer = false;
  int64_t bucket_bytes = passes::ShardOptions().bucket_bytes;
  int64_t shards = 8, members = 1;
  codegen::CompilerOptions compiler;

  bool Emits(std::string_view kind) const { return std::find(emit.begin(), emit.end(), kind) != emit.end(); }
};

// The prefix of all symbols: the last part of the path.
std::string SymbolName(const std::string& path) {
  const std::string name(ir::FileName(path));
  if (!ir::IsIdentifier(name) || name.find('.') != std::string::npos) {
    Fail(kUsage,
         StrCat("-o ", path, ": ", ir::Quoted(name), " becomes the prefix of C functions; use letters, digits and _"));
  }
  return name;
}

template <typename Texts>
std::string Joined(const Texts& texts) {
  std::string all;
  for (const auto& text : texts) StrAppend(&all, all.empty() ? "" : ", ", text);
  return all;
}

/// Files to write, by kind.
using Outputs = std::vector<std::pair<std::string, std::string>>;

// One entry point becomes what one of the members runs; arguments of rank 1 or more are batches.
void Distribute(const Options& options, ir::Module* module) {
  const ir::Function& f = FindFunction(*module, options.distribute);
  passes::ShardOptions shard{options.shards, options.members};
  shard.shard_optimizer = options.shard_optimizer;
  shard.bucket_bytes = options.bucket_bytes;
  for (int i = 0; i < f.num_arguments(); ++i) shard.split.push_back(f.parameter(i).type.shape.rank() > 0);
  const std::string name = f.name();
  const auto parts = Take(passes::Shard(module, name, shard));
  if (!parts.empty()) {
    Check(passes::AddGather(module, parts, "gather_state"));
    Check(passes::AddScatter(module, parts, "scatter_state"));
  }
  const auto alike = [](const passes::PartedVariable& v) { return v.begins_alike; };
  if (!std::all_of(parts.begin(), parts.end(), alike)) Check(passes::AddBegin(module, parts, "begin_state"));
  Check(ir::Verify(*module));
}

Outputs Compile(const Options& options, const std::string& name) {
  codegen::CompilerOptions compiler = options.compiler;
  if (!options.target_file.empty()) {
    ReadFile(options.target_file, options.budget);  // status 4 if it cannot be
    compiler.cpu = options.target_file;
  }
  if (!options.schedules.empty()) {
    compiler.schedules = std::make_shared<codegen::ScheduleBook>(
        codegen::ParseScheduleBook(ReadFile(options.schedules, options.budget), options.schedules));
  }
  compiler.dump_to = runtime::GetEnvironment().dump_to;
  compiler.budget = options.budget;
  compiler.start = options.start;
  compiler.extents = ParseExtents(options.extents);
  ir::Module module = ReadModule(options.file, options.budget);
  if (!options.distribute.empty()) Distribute(options, &module);
  Outputs outputs;
  for (const std::string kind : {"llvm", "asm", "plan", "dot"}) {
    if (!options.Emits(kind)) continue;
    outputs.emplace_back(kind, Take(reel_compiler()->EmitText(module, name, kind, compiler)));
  }
  if (options.Emits("obj") || options.Emits("header") || options.Emits("a") || options.Emits("so")) {
    const codegen::ObjectFiles files = Take(reel_compiler()->CompileToObject(module, name, compiler));
    if (options.Emits("a"))
      outputs.emplace_back("a", Take(reel_compiler()->Archive(files.object, name + ".o", compiler)));
    if (options.Emits("obj")) outputs.emplace_back("obj", files.object);
    if (options.Emits("header")) outputs.emplace_back("header", files.header);
    if (options.Emits("so")) outputs.emplace_back("so", files.object);
  }
  return outputs;
}

/// The same in a process of its own; kinds and bytes come back as one string, each after its length.
Outputs CompileIsolated(const Options& options, const std::string& name) {
  const std::string packed = RunIsolated(options.budget, [&] {
    std::string all;
    for (const auto& [kind, bytes] : Compile(options, name)) {
      for (const std::string& text : {kind, bytes}) {
        const uint64_t size = text.size();
        all.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
      }
    }
    return all;
  });
  Outputs outputs;
  std::string_view rest = packed;
  const auto take = [&rest] {
    uint64_t size = 0;
    std::memcpy(&size, rest.data(), sizeof size);
    const std::string text(rest.substr(sizeof size, size));
    rest.remove_prefix(sizeof size + size);
    return text;
  };
  while (!rest.empty()) {
    std::string kind = take();
    outputs.emplace_back(std::move(kind), take());
  }
  return outputs;
}

std::string Linked(const std::string& object) {
  absl::StatusOr<std::string> library = reel::internal::LinkShared(object);
  if (absl::IsUnavailable(library.status())) Fail(kIo, std::string(library.status().message()));
  return Take(std::move(library));
}

std::string ListOfTargets(bool json) {
  std::string out;
  for (const std::string_view name : codegen::TargetNames()) {
    const std::vector<std::string_view> systems = codegen::SystemsOf(name);
    StrAppend(&out, json ? JsonText(Json{{"target", name}, {"os", systems}}) : StrCat(name, ": ", Joined(systems)),
              "\n");
  }
  return out;
}

void Run(const Options& options, Program* program) {
  if (options.targets) {
    program->out += ListOfTargets(options.json);
    return;
  }
  if (options.file.empty()) Fail(kUsage, "file is required");
  if (options.out.empty()) Fail(kUsage, "--output is required");
  static const std::map<std::string_view, std::string_view> kSuffixes = {
      {"obj", ".o"},   {"header", ".h"}, {"a", ".a"},           {"so", ".so"},
      {"llvm", ".ll"}, {"asm", ".s"},    {"plan", ".plan.txt"}, {"dot", ".dot"}};
  const std::string name = SymbolName(options.out);
  if (options.Emits("so")) Check(reel::internal::CheckLinkable(options.compiler.cpu, options.compiler.os));
  OutputFiles files;
  for (const auto& [kind, bytes] : options.isolate ? CompileIsolated(options, name) : Compile(options, name)) {
    const std::string path = StrCat(options.out, kSuffixes.at(kind));
    const std::string linked = kind == "so" ? Linked(bytes) : "";
    const std::string& file = kind == "so" ? linked : bytes;
    files.Add(path, file);
    const Json row = {{"kind", kind}, {"file", path}, {"bytes", file.size()}};
    StrAppend(&program->out, options.json ? JsonText(row) : path, "\n");
  }
  files.Commit();
}

void AddGroupOptions(Command* command, Options* options) {
  const char* group = "For a group of processes";
  const Option distribute =
      command
          ->Add(
              "--distribute", &options->distribute,
              "A training step: each of --members processes runs it on its part of the batch, axis 0 of its arguments; "
              "NAME_set_communicator takes the group")
          .Group(group)
          .TypeName("FUNCTION");
  command->Add("--members", &options->members, "Processes of the group")
      .Needs(distribute)
      .Positive()
      .Group(group)
      .TypeName("INT")
      .ShowDefault();
  command->Add("--shards", &options->shards, "Parts of the batch: the bits depend on them, not on --members")
      .Needs(distribute)
      .Positive()
      .Group(group)
      .TypeName("INT")
      .ShowDefault();
  command
      ->Add("--bucket-bytes", &options->bucket_bytes,
            "Gradients of less than half of it travel together, about so many bytes at a time; no bits depend on it")
      .Needs(distribute)
      .Positive()
      .Group(group)
      .TypeName("INT")
      .ShowDefault();
  command
      ->Flag("--shard-optimizer", &options->shard_optimizer,
             "Each process updates its part of the variables, and holds its part of the optimizer's slots alone: "
             "NAME_gather_state gives the whole ones")
      .Needs(distribute)
      .Group(group);
}

}  // namespace

void AddCompile(Program* program) {
  auto options = std::make_shared<Options>();
  Command command = AddCommand(program, "compile", "Compile a module to an object that a C program links",
                               "reel compile mnist.reel -o mnist --cpu x86-64-v3 --emit=obj,header", options.get(),
                               [options, program] { Run(*options, program); });
  command.Add("file", &options->file, "A .reel or .reel.txt file").TypeName("FILE");
  command.Add("-o,--output", &options->out, "NAME: writes NAME.o, NAME.h, ...; NAME is the prefix of the functions")
      .TypeName("NAME");
  command
      .Add("--target,--cpu", &options->compiler.cpu,
           StrCat("native (the best this machine has), a level (", Joined(codegen::TargetNames()),
                  "; with amx products of bf16 have bits of their own), a class of CPUs (",
                  Joined(codegen::ClassNames()),
                  "), or several levels of x86-64 for an object that chooses when it starts (v2,v3,v4)"))
      .TypeName("CPU")
      .ShowDefault();
  command.Add("--os", &options->compiler.os, "Operating system of an object: linux, windows, macos, or none (no libc)")
      .TypeName("OS");
  command.Flag("--targets", &options->targets, "List targets and their operating systems");
  command
      .Add("--target-file", &options->target_file,
           "A file that ends in .target, with caches and thresholds: codegen/target/file.h")
      .TypeName("FILE");
  command.Add("--schedules", &options->schedules, "A file that `reel tune` wrote; the same file gives the same object")
      .TypeName("FILE");
  command.Add("--emit", &options->emit, StrCat("What to write, of ", Joined(kKinds)))
      .Delimiter(',')
      .TypeName("KINDS")
      .OneOf(kKinds)
      .ShowDefault();
  command
      .Add("--extent", &options->extents,
           "NAME=NUMBER: a value of a symbolic extent; once fixes it, several times lets the caller choose")
      .OneEach()
      .TypeName("NAME=INT");
  AddGroupOptions(&command, options.get());
  command.Flag("--no-bounds-checks{false}", &options->compiler.check_bounds,
               "Indices out of range read 0 and write nothing, unreported");
  command
      .Add("--cores", &options->compiler.cores,
           "Cores that will share a call: above 8, kernels have more parts that run at once; an instance takes more "
           "memory")
      .Range(1, 1024);
  command.Flag("--isolate", &options->isolate,
               "Compile in a process of its own, with the memory and the time of --budget-*");
  command.Add("-O,--opt-level", &options->compiler.opt_level, "0: one scalar loop per op; 2: fused, vectorised")
      .OneOf({"0", "2"})
      .ShowDefault();
}

}  // namespace reel::cli
