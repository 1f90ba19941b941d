#include "frontend/tensorflow/bundle.h"

#include <limits>
#include <utility>

#include "frontend/tensorflow/saved_model.pb.h"
#include "frontend/tensorflow/schema.h"
#include "frontend/tensorflow/table.h"
#include "ir/file/crc32c.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::tensorflow {
namespace {

constexpr std::string_view kDataSuffix = ".data-00000-of-00001", kIndexSuffix = ".index";

std::string_view TextOf(const ir::Literal& literal) {
  return {reinterpret_cast<const char*>(literal.bytes().data()), literal.bytes().size()};
}

template <typename T>
std::string BytesOf(T number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

BundleWriter::BundleWriter(std::string prefix, ir::FileWriter data)
    : prefix_(std::move(prefix)), data_(std::move(data)) {
  proto::BundleHeaderProto header;
  header.set_num_shards(1);
  header.mutable_version()->set_producer(1);
  entries_[""] = Serialized(header);
}

absl::StatusOr<BundleWriter> BundleWriter::Open(std::string prefix) {
  auto data = ir::FileWriter::Open(StrCat(prefix, kDataSuffix));
  if (!data.ok()) return data.status();
  return BundleWriter(std::move(prefix), *std::move(data));
}

absl::Status BundleWriter::AddEntry(const std::string& name, std::string entry) {
  if (entries_.emplace(name, std::move(entry)).second) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("a checkpoint has one tensor of the name ", ir::Quoted(name)));
}

absl::Status BundleWriter::Add(const std::string& name, const ir::Literal& literal) {
  const std::string_view bytes = TextOf(literal);
  proto::BundleEntryProto entry;
  entry.set_dtype(DataTypeOf(literal.dtype()));
  SetShape(literal.shape(), entry.mutable_shape());
  entry.set_offset(size_);
  entry.set_size(static_cast<int64_t>(bytes.size()));
  entry.set_crc32c(ir::MaskedCrc32c(ir::Crc32c(bytes)));
  if (absl::Status s = AddEntry(name, Serialized(entry)); !s.ok()) return s;
  size_ += entry.size();
  return data_.Append(bytes);
}

// Length, masked CRC of the length as a number of 4 or 8 bytes, text; the entry's CRC is of that number, the CRC and
// the text.
absl::Status BundleWriter::AddString(const std::string& name, std::string_view text) {
  const bool small = text.size() <= std::numeric_limits<uint32_t>::max();
  const std::string number = small ? BytesOf(static_cast<uint32_t>(text.size())) : BytesOf(uint64_t{text.size()});
  const uint32_t of_length = ir::Crc32c(number);
  const std::string checksum = BytesOf(ir::MaskedCrc32c(of_length));
  std::string head;
  AppendVarint(&head, text.size());
  head += checksum;
  proto::BundleEntryProto entry;
  entry.set_dtype(proto::DT_STRING);
  entry.mutable_shape();
  entry.set_offset(size_);
  entry.set_size(static_cast<int64_t>(head.size() + text.size()));
  entry.set_crc32c(ir::MaskedCrc32c(ir::Crc32c(text, ir::Crc32c(checksum, of_length))));
  if (absl::Status s = AddEntry(name, Serialized(entry)); !s.ok()) return s;
  size_ += entry.size();
  if (absl::Status s = data_.Append(head); !s.ok()) return s;
  return data_.Append(text);
}

absl::Status BundleWriter::Commit() {
  if (absl::Status s = data_.Commit(); !s.ok()) return s;
  return ir::WriteFile(StrCat(prefix_, kIndexSuffix), WriteTable(entries_));
}

}  // namespace reel::tensorflow
