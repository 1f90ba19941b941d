#include "frontend/values/npy.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "frontend/data/node.h"
#include "frontend/values/adopt_memory.h"
#include "frontend/values/status.h"
#include "ir/file/folder.h"
#include "ir/names.h"
#include "ir/strings.h"

// NumPy's .npy files as a source: mapped, so that only the rows that batches ask for are read.

namespace reel {
namespace {

// A file in memory that the system reads page by page.
class MappedFile {
 public:
  MappedFile(const std::string& path, const std::string& what) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info;
    const bool opened = file >= 0 && ::fstat(file, &info) == 0;
    if (opened) size_ = static_cast<size_t>(info.st_size);
    if (opened && size_ > 0) memory_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    const int error = errno;
    if (file >= 0) ::close(file);
    if (opened && size_ == 0) internal::ThrowInvalid(StrCat(what, ": the file is empty"));
    if (!opened || memory_ == MAP_FAILED)
      internal::ThrowError(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
                           StrCat(what, ": cannot read it: ", std::strerror(error)));
    ::madvise(memory_, size_, MADV_RANDOM);  // shuffled rows: what lies around them is not wanted
  }
  ~MappedFile() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(memory_), size_}; }

 private:
  void* memory_ = MAP_FAILED;
  size_t size_ = 0;
};

Tensor MapFile(const std::string& path) {
  const std::string what = StrCat("npy: ", ir::QuotedPath(path));
  auto file = std::make_unique<MappedFile>(path, what);
  const NpyLayout layout = internal::Take(ParseNpyLayout(file->bytes(), what));
  const std::string_view elements = file->bytes().substr(layout.offset);
  if (layout.fortran && layout.type.shape.rank() > 1)
    internal::ThrowInvalid(StrCat(what, ": its first axis varies fastest; save numpy.ascontiguousarray of it"));
  if (layout.offset % static_cast<size_t>(SizeOf(layout.type.dtype)) != 0)
    internal::ThrowInvalid(StrCat(what, ": its elements are not aligned; numpy.save writes it anew"));
  if (layout.type.dtype == kBool && elements.find_first_not_of(std::string_view("\0\1", 2)) != elements.npos)
    internal::ThrowInvalid(StrCat(what, ": a bool is neither 0 nor 1"));
  MappedFile* const kept = file.release();
  return internal::AdoptMemory(
      layout.type, elements.data(), [](void* mapped) { delete static_cast<MappedFile*>(mapped); }, kept);
}

}  // namespace

Dataset Dataset::FromNpy(const std::vector<std::string>& paths, const std::vector<std::string>& names) {
  if (!names.empty() && names.size() != paths.size())
    internal::ThrowInvalid(StrCat("npy: ", paths.size(), " files and ", names.size(), " names; give as many, or none"));
  std::string text = "npy(";
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::count(names.begin(), names.end(), names[i]) > 1)
      internal::ThrowInvalid(StrCat("npy: the name ", ir::Quoted(names[i]), " is given twice"));
  }
  std::vector<internal::RowsField> fields;
  for (const std::string& path : paths) {
    StrAppend(&text, fields.empty() ? "" : ", ", ir::Quoted(ir::FileName(path)));
    fields.push_back({MapFile(path)});
  }
  return internal::MakeRows(text + ")", std::move(fields), names, {});
}

}  // namespace reel
