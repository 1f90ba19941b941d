#include "codegen/schedule/book.h"

#include <algorithm>
#include <cstdio>

#include "ir/file/reader.h"
#include "ir/printable.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

constexpr size_t kMaxBytes = 16 << 20;      // of a file: untrusted text
constexpr size_t kMaxWord = 64;             // of a name
constexpr size_t kKernelDigits = 32;        // of a kernel's name
constexpr size_t kMaxComment = 80;
constexpr std::string_view kMagic = "reel schedules 1";

// The first word, which is cut off.
std::string_view TakeWord(std::string_view* line) {
  line->remove_prefix(std::min(line->find_first_not_of(" \t\r"), line->size()));
  const std::string_view word = line->substr(0, line->find_first_of(" \t\r"));
  line->remove_prefix(word.size());
  return word;
}

bool IsKernel(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == kKernelDigits && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

ScheduleBook::ScheduleBook(const ScheduleBook& other) { *this = other; }

ScheduleBook& ScheduleBook::operator=(const ScheduleBook& other) {
  entries_ = other.entries_;
  ignored_ = other.ignored_;
  problem_ = other.problem_;
  refused_ = other.refused_.load();
  return *this;
}

ScheduleBook ScheduleBook::Parse(std::string_view text, std::string_view source) {
  ScheduleBook book;
  int number = 0;
  if (text.size() > kMaxBytes) text = text.substr(0, text.rfind('\n', kMaxBytes) + 1);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    book.AddLine(line, source, ++number);
  }
  return book;
}

void ScheduleBook::AddLine(std::string_view line, std::string_view source, int number) {
  const size_t comment = std::min(line.find('#'), line.size());
  std::string_view rest = line.substr(0, comment), noted = line.substr(std::min(comment + 1, line.size()));
  if (number == 1 && rest.substr(0, rest.find_last_not_of(" \t\r") + 1) == kMagic) return;
  const std::string_view target = TakeWord(&rest);
  if (target.empty()) return;
  const std::string_view kernel = TakeWord(&rest);
  auto wish = ParseWish(rest);
  const bool fits = number > 1 && target.size() <= kMaxWord && IsKernel(kernel) && wish.ok();
  if (fits) {
    noted.remove_prefix(std::min(noted.find_first_not_of(' '), noted.size()));
    return Set(std::string(target), std::string(kernel), *std::move(wish), ir::Printable(noted.substr(0, kMaxComment)));
  }
  if (ignored_++ > 0) return;
  problem_ = StrCat(ir::Printable(source), ":", number, ": ",
                    number == 1         ? StrCat("expected \"", kMagic, "\"")
                    : !IsKernel(kernel) ? "expected TARGET, a KERNEL of 32 hexadecimal digits, and a schedule"
                    : wish.ok()         ? "the target's name is too long"
                                        : std::string(wish.status().message()));
}

std::string ScheduleBook::Print() const {
  std::string out = StrCat(kMagic, "\n");
  for (const auto& [key, entry] : entries_) {
    StrAppend(&out, key.first, " ", key.second, " ", ToString(entry.wish), entry.comment.empty() ? "" : "  # ",
              entry.comment, "\n");
  }
  return out;
}

const Wish* ScheduleBook::Find(std::string_view target, std::string_view kernel) const {
  const auto it = entries_.find(std::pair<std::string, std::string>(target, kernel));
  return it == entries_.end() ? nullptr : &it->second.wish;
}

void ScheduleBook::Set(const std::string& target, const std::string& kernel, Wish wish, std::string comment) {
  entries_[{target, kernel}] = {std::move(wish), std::move(comment)};
}

absl::StatusOr<ScheduleBook> ReadScheduleBook(const std::string& path) {
  const auto text = ir::ReadFile(path, {});
  return text.ok() ? ParseScheduleBook(*text, path) : absl::StatusOr<ScheduleBook>(text.status());
}

ScheduleBook ParseScheduleBook(std::string_view text, std::string_view path) {
  ScheduleBook book = ScheduleBook::Parse(text, path);
  if (book.ignored() > 0) {
    std::fprintf(stderr, "reel: %s (%lld lines of it were ignored)\n", book.problem().c_str(),
                 static_cast<long long>(book.ignored()));
  }
  return book;
}

void ScheduleBook::Erase(const std::string& target, const std::string& kernel) { entries_.erase({target, kernel}); }

}  // namespace reel::codegen
