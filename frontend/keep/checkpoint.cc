#include "reel/checkpoint.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "frontend/keep/formats.h"
#include "frontend/keep/state.h"
#include "frontend/values/status.h"
#include "ir/file/folder.h"
#include "ir/names.h"
#include "ir/strings.h"

// Numbered files of states.

namespace reel {
namespace {

constexpr std::string_view kEnding = ".safetensors";

bool IsFolder(const std::string& path) {
  struct stat info;
  return path.ends_with('/') || (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode));
}

/// The number in prefix-N.safetensors; 0 if the name is another.
int64_t NumberOf(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(kEnding)) return 0;
  name.remove_prefix(prefix.size());
  if (!name.starts_with('-') || name.size() <= 1 + kEnding.size()) return 0;
  const std::string_view digits = name.substr(1, name.size() - 1 - kEnding.size());
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && digits[0] != '0';
  return whole && number > 0 ? number : 0;
}

std::string FileOf(const std::string& prefix, int64_t number) { return StrCat(prefix, "-", number, kEnding); }

/// The numbers of a checkpoint's files, ascending.
std::vector<int64_t> Numbers(const std::string& prefix) {
  std::vector<int64_t> out;
  const std::string folder(ir::ParentOf(prefix));
  const bool at_root = folder.empty() && prefix.starts_with('/');
  DIR* const dir = ::opendir(at_root ? "/" : folder.empty() ? "." : folder.c_str());
  if (!dir) {
    if (errno == ENOENT) return out;
    internal::ThrowError(ErrorCode::kUnavailable,
                         StrCat("checkpoint: cannot list ", ir::Quoted(folder), ": ", std::strerror(errno)));
  }
  while (const dirent* const entry = ::readdir(dir)) {
    if (const int64_t n = NumberOf(entry->d_name, ir::FileName(prefix)); n > 0) out.push_back(n);
  }
  ::closedir(dir);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Checkpoint::Checkpoint(const std::string& prefix, std::vector<std::pair<std::string, StateRef>> parts,
                       CheckpointOptions options)
    : prefix_(prefix), state_(std::move(parts)), options_(options) {
  if (prefix.empty()) internal::ThrowInvalid("checkpoint: the path is empty");
  if (options.keep < 0) internal::ThrowInvalid(StrCat("checkpoint: keep ", options.keep, " is negative"));
  if (IsFolder(prefix)) prefix_ = StrCat(prefix, prefix.ends_with('/') ? "" : "/", "checkpoint");
}

std::vector<std::string> Checkpoint::files() const {
  std::vector<std::string> out;
  for (const int64_t n : Numbers(prefix_)) out.push_back(FileOf(prefix_, n));
  return out;
}

std::string Checkpoint::Save() const {
  const internal::WeightsFile file{.values = GetState(state_), .metadata = {}, .checksums = true};
  if (const std::string folder(ir::ParentOf(prefix_)); !folder.empty()) {
    if (const int failure = ir::MakeFolders(folder); failure != 0)
      internal::ThrowError(ErrorCode::kUnavailable,
                           StrCat("checkpoint: cannot create ", ir::Quoted(folder), ": ", std::strerror(failure)));
  }
  std::vector<int64_t> numbers = Numbers(prefix_);
  const int64_t next = numbers.empty() ? 1 : numbers.back() + 1;
  const std::string path = FileOf(prefix_, next);
  internal::Check(internal::WriteWeightsFile(path, file));
  numbers.push_back(next);
  const auto keep = static_cast<size_t>(options_.keep);
  for (size_t i = 0; keep > 0 && i + keep < numbers.size(); ++i) ::unlink(FileOf(prefix_, numbers[i]).c_str());
  return path;
}

std::string Checkpoint::Restore() const {
  std::vector<std::string> paths = files();
  std::reverse(paths.begin(), paths.end());
  std::string damaged;
  for (const std::string& path : paths) {
    const auto file = internal::ReadWeightsFile(path);
    if (!file.ok()) {
      std::fprintf(stderr, "reel: checkpoint: passed over: %s\n", std::string(file.status().message()).c_str());
      StrAppend(&damaged, damaged.empty() ? "" : "; ", std::string(file.status().message()));
      continue;
    }
    internal::LoadState(state_.internal_data().get(), file->values, true, internal::QuotedPath(path));
    return path;
  }
  if (!damaged.empty()) internal::ThrowError(ErrorCode::kDataLoss, StrCat("checkpoint: no file is whole: ", damaged));
  return "";
}

void Checkpoint::Restore(const std::string& path) const { LoadWeights(path, state_); }

}  // namespace reel
