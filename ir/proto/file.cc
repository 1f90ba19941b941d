#include "ir/proto/file.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include "ir/budget_meter.h"
#include "ir/file/reader.h"
#include "ir/proto/convert.h"
#include "ir/proto/reel.pb.h"
#include "ir/proto/wire_scan.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"

namespace reel::ir {
namespace {

// Field 1 of proto::Module, the magic: what every binary file begins with.
constexpr std::string_view kBinaryPrefix("\x0a\x04REEL", 6);

enum WireMessage { kModule, kFunction, kNode, kConstant, kLeaf };
constexpr WireField kWireSchema[] = {
    {kModule, proto::Module::kStringsFieldNumber, kWireBytes},  {kModule, proto::Module::kSymbolsFieldNumber, kLeaf},
    {kModule, proto::Module::kTypesFieldNumber, kLeaf},         {kModule, proto::Module::kOpsFieldNumber, kLeaf},
    {kModule, proto::Module::kConstantsFieldNumber, kConstant}, {kModule, proto::Module::kVariablesFieldNumber, kLeaf},
    {kModule, proto::Module::kFunctionsFieldNumber, kFunction}, {kFunction, proto::Function::kNodesFieldNumber, kNode},
    {kFunction, proto::Function::kLocationsFieldNumber, kLeaf}, {kNode, proto::Node::kAttributesFieldNumber, kLeaf},
    {kConstant, proto::Constant::kDataFieldNumber, kWireBytes},
};

// What protobuf writes, as it comes.
class Output : public google::protobuf::io::CopyingOutputStream {
 public:
  explicit Output(FileWriter* file) : file_(file) {}
  bool Write(const void* bytes, int size) override {
    status_ = file_->Append({static_cast<const char*>(bytes), static_cast<size_t>(size)});
    return status_.ok();
  }
  const absl::Status& status() const { return status_; }

 private:
  FileWriter* const file_;
  absl::Status status_;
};

// The message of a verified module, with the size that it will have in a file.
absl::StatusOr<const proto::Module*> ToMessage(const Module& module, google::protobuf::Arena* arena) {
  if (absl::Status s = Verify(module); !s.ok()) return s;
  auto* message = google::protobuf::Arena::CreateMessage<proto::Module>(arena);
  if (absl::Status s = ToProto(module, message); !s.ok()) return s;
  message->set_file_size(1);  // takes its eight bytes
  message->set_file_size(message->ByteSizeLong());
  if (message->ByteSizeLong() <= INT32_MAX) return message;
  return absl::ResourceExhaustedError(StrCat("module '", module.name(), "' takes more than 2 GiB in the binary form"));
}

absl::Status WriteBinary(const Module& module, FileWriter* file) {
  const google::protobuf::LogSilencer quiet;
  google::protobuf::Arena arena;
  const auto message = ToMessage(module, &arena);
  if (!message.ok()) return message.status();
  Output output(file);
  google::protobuf::io::CopyingOutputStreamAdaptor stream(&output, 1 << 20);
  if ((*message)->SerializeToZeroCopyStream(&stream) && stream.Flush()) return absl::OkStatus();
  if (!output.status().ok()) return output.status();
  return absl::InternalError(StrCat("module '", module.name(), "' cannot be serialized"));
}

absl::StatusOr<Module> ParseBinary(std::span<const std::byte> bytes, std::string_view name, const Budget& budget) {
  BudgetMeter meter(budget);
  const auto fail = [&](const absl::Status& s) {
    return absl::Status(s.code(), StrCat(name, ": ", std::string(s.message())));
  };
  int64_t memory = 0;
  if (absl::Status s = meter.CheckBytes(static_cast<int64_t>(bytes.size())); !s.ok()) {
    return fail(s);
  }
  const bool well_formed = bytes.size() <= INT32_MAX && EstimateParseMemory(bytes, kWireSchema, &memory);
  if (absl::Status s = meter.AddMemory(memory); !s.ok()) return fail(s);
  const google::protobuf::LogSilencer quiet;
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<proto::Module>(&arena);
  if (!well_formed || !message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return fail(absl::InvalidArgumentError("truncated or damaged: the bytes are not a Reel module"));
  }
  if (message->format_version() > 1 && message->file_size() != bytes.size()) {
    return fail(absl::InvalidArgumentError(
        StrCat("truncated or damaged: ", message->file_size(), " bytes were written, here are ", bytes.size())));
  }
  auto module = FromProto(*message, name, &meter);
  if (!module.ok()) return module;
  if (absl::Status s = Verify(*module); !s.ok()) return fail(s);
  return module;
}

}  // namespace

absl::StatusOr<std::string> SerializeModule(const Module& module) {
  const google::protobuf::LogSilencer quiet;
  google::protobuf::Arena arena;
  const auto message = ToMessage(module, &arena);
  if (!message.ok()) return message.status();
  std::string bytes;
  if ((*message)->SerializeToString(&bytes)) return bytes;
  return absl::InternalError(StrCat("module '", module.name(), "' cannot be serialized"));
}

absl::StatusOr<Module> ParseModuleBytes(std::span<const std::byte> bytes, std::string_view name, const Budget& budget) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with(kBinaryPrefix)) return ParseBinary(bytes, name, budget);
  // A text file begins with "reel", blanks or a comment; a cut binary file with a part of its
  // prefix.
  if (text.empty() || kBinaryPrefix.starts_with(text) || text.find('\0') != std::string_view::npos) {
    return absl::InvalidArgumentError(StrCat(name, ": truncated or damaged: not a Reel module"));
  }
  return ParseModule(text, name, budget);
}

absl::Status WriteModule(const Module& module, bool text, FileWriter* file) {
  if (!text) return WriteBinary(module, file);
  if (absl::Status s = Verify(module); !s.ok()) return s;
  return file->Append(Print(module, {.locations = true}));
}

absl::Status SaveModule(const Module& module, const std::string& path) {
  auto file = FileWriter::Open(path);
  if (!file.ok()) return file.status();
  if (absl::Status s = WriteModule(module, path.ends_with(".txt"), &*file); !s.ok()) return s;
  return file->Commit();
}

absl::StatusOr<Module> LoadModule(const std::string& path, const Budget& budget) {
  const auto data = ReadFile(path, budget);
  if (!data.ok()) return data.status();
  return ParseModuleBytes(std::as_bytes(std::span(*data)), path, budget);
}

}  // namespace reel::ir
