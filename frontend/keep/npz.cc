#include <zip.h>

#include <memory>

#include "frontend/keep/formats.h"
#include "frontend/values/npy.h"
#include "frontend/values/tensor_data.h"
#include "ir/names.h"
#include "ir/strings.h"

// NumPy's .npz: a zip archive of .npy files, by libzip.

namespace reel::internal {
namespace {

using ir::Quoted;

constexpr std::string_view kEnding = ".npy";
constexpr uint64_t kBestRatio = 1032;  // of deflate: what an entry may hold for each of its bytes
constexpr char kNothing[] =
    "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";  // an archive without entries, which libzip does not write
constexpr uint64_t kChunk = uint64_t{1} << 20;

struct Close {
  void operator()(zip_t* zip) const { zip_discard(zip); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Archive = std::unique_ptr<zip_t, Close>;
using ZipEntry = std::unique_ptr<zip_file_t, Close>;
using Source = std::unique_ptr<zip_source_t, Close>;  // while no archive owns it

absl::Status DamagedNpz(const std::string& what) { return absl::DataLossError(StrCat("damaged .npz: ", what)); }
absl::Status DamagedNpz(std::string_view entry, const std::string& what) {
  return DamagedNpz(StrCat("entry ", Quoted(entry), ": ", what));
}

absl::StatusOr<Archive> OpenBytes(std::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  Source source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error));
  Archive archive(source ? zip_open_from_source(source.get(), ZIP_RDONLY | ZIP_CHECKCONS, &error) : nullptr);
  if (archive) {
    std::ignore = source.release();
    zip_error_fini(&error);
    return archive;
  }
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  return DamagedNpz(why);
}

/// The bytes of an entry: as many as it says, and no more than its part of the file can make.
absl::StatusOr<std::string> ReadEntry(zip_t* archive, uint64_t index, const zip_stat_t& stat) {
  const std::string_view name = stat.name;
  if (stat.size / kBestRatio > stat.comp_size)
    return DamagedNpz(name, StrCat(stat.size, " bytes of ", stat.comp_size, " compressed ones"));
  const ZipEntry entry(zip_fopen_index(archive, index, 0));
  if (!entry) return DamagedNpz(name, zip_strerror(archive));
  std::string out;
  for (;;) {
    const size_t have = out.size();
    out.resize(have + std::min(kChunk, stat.size - have + 1));
    const int64_t n = zip_fread(entry.get(), out.data() + have, out.size() - have);
    if (n < 0) return DamagedNpz(name, zip_file_strerror(entry.get()));
    out.resize(have + static_cast<size_t>(n));
    if (n == 0 && out.size() == stat.size) return out;
    if (n == 0 || out.size() > stat.size)
      return DamagedNpz(name, StrCat("it is not the ", stat.size, " bytes that it says"));
  }
}

}  // namespace

absl::StatusOr<WeightsFile> ParseNpz(std::string_view bytes) {
  if (bytes.empty()) return DamagedNpz("the file is empty");  // libzip takes that for an archive
  const auto archive = OpenBytes(bytes);
  if (!archive.ok()) return archive.status();
  const int64_t count = zip_get_num_entries(archive->get(), 0);
  uint64_t left = bytes.size();  // that no entry has claimed: entries that share bytes are a bomb
  WeightsFile out;
  for (int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<uint64_t>(i);
    zip_stat_t stat;
    constexpr uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip_stat_index(archive->get(), index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded)
      return DamagedNpz(StrCat("entry ", i, ": ", zip_strerror(archive->get())));
    std::string_view name = stat.name;
    if (!name.ends_with(kEnding)) return DamagedNpz(name, "it is no .npy file");
    if (stat.comp_size > left) return DamagedNpz(name, "it shares bytes with another");
    left -= stat.comp_size;
    const auto entry = ReadEntry(archive->get(), index, stat);
    if (!entry.ok()) return entry.status();
    const auto literal = ParseNpy(*entry, StrCat("entry ", Quoted(name)));
    if (!literal.ok()) return literal.status();
    name.remove_suffix(kEnding.size());
    out.values.emplace_back(name, FromLiteral(*literal));
  }
  return out;
}

absl::Status WriteNpz(const WeightsFile& file, ir::FileWriter* out) {
  if (file.values.empty()) return out->Append({kNothing, sizeof kNothing - 1});
  zip_error_t error;
  zip_error_init(&error);
  const Source whole(zip_source_buffer_create(nullptr, 0, 0, &error));
  Archive archive(whole ? zip_open_from_source(whole.get(), ZIP_TRUNCATE, &error) : nullptr);
  const auto failed = [&](const char* why) {
    return absl::ResourceExhaustedError(StrCat("cannot make a .npz archive: ", why));
  };
  if (!archive) return failed(zip_error_strerror(&error));
  zip_source_keep(whole.get());       // closing the archive drops one
  std::vector<ir::Literal> literals;  // live until the archive is written
  std::vector<std::string> headers;
  literals.reserve(file.values.size());
  headers.reserve(file.values.size());
  for (const auto& [name, value] : file.values) {
    if (!ir::IsValidName(name))
      return absl::InvalidArgumentError(StrCat("variable ", Quoted(name), ": no name of a file"));
    const ir::Literal& literal = literals.emplace_back(ToLiteral(value));
    std::string& header = headers.emplace_back(NpyHeader(literal));
    zip_buffer_fragment_t parts[] = {
        {reinterpret_cast<zip_uint8_t*>(header.data()), header.size()},
        {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(literal.bytes().data())), literal.bytes().size()}};
    Source source(zip_source_buffer_fragment(archive.get(), parts, literal.bytes().empty() ? 1 : 2, 0));
    const int64_t at =
        source ? zip_file_add(archive.get(), StrCat(name, kEnding).c_str(), source.get(), ZIP_FL_ENC_UTF_8) : -1;
    if (at < 0) return failed(zip_strerror(archive.get()));
    std::ignore = source.release();
    const auto index = static_cast<uint64_t>(at);
    zip_set_file_compression(archive.get(), index, ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive.get(), index, 0, 0x21, 0);  // 1980: equal values are equal files
  }
  if (zip_close(archive.get()) != 0) return failed(zip_strerror(archive.get()));
  std::ignore = archive.release();
  if (zip_source_open(whole.get()) != 0) return failed("it cannot be read back");
  std::string chunk(kChunk, '\0');
  for (;;) {
    const int64_t n = zip_source_read(whole.get(), chunk.data(), chunk.size());
    if (n < 0) return failed("it cannot be read back");
    if (n == 0) break;
    if (absl::Status s = out->Append({chunk.data(), static_cast<size_t>(n)}); !s.ok()) return s;
  }
  zip_source_close(whole.get());
  return absl::OkStatus();
}

}  // namespace reel::internal
