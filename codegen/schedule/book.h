#ifndef REEL_CODEGEN_SCHEDULE_BOOK_H_
#define REEL_CODEGEN_SCHEDULE_BOOK_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "codegen/schedule/choices.h"

// Schedules that were found to be fast, as a text file:
//
//   reel schedules 1
//   x86-64-v4 3c9f..(32 digits) matmul pack=1 nr=4 mr=6 mc=96 swap=0 chunks=16  # contract_add_max
//
// A line is a target's name, a kernel (KernelSignature::Name) and its schedule. It holds choices alone: each kernel
// asks again whether they are legal, so that no file makes a wrong result. What is not legal or not readable is
// ignored.

namespace reel::codegen {

class ScheduleBook {
 public:
  /// Lines that are none are counted (ignored()), the first is described (problem()). At most 16 MiB are read.
  static ScheduleBook Parse(std::string_view text, std::string_view source);
  /// The lines of all targets, sorted.
  std::string Print() const;

  ScheduleBook() = default;
  ScheduleBook(const ScheduleBook& other);
  ScheduleBook& operator=(const ScheduleBook& other);

  /// The schedule of a kernel on a target; null: none is known.
  const Wish* Find(std::string_view target, std::string_view kernel) const;
  void Set(const std::string& target, const std::string& kernel, Wish wish, std::string comment = "");
  void Erase(const std::string& target, const std::string& kernel);
  size_t size() const { return entries_.size(); }

  int64_t ignored() const { return ignored_; }
  const std::string& problem() const { return problem_; }
  /// A kernel refused its schedule.
  void CountRefused() const { ++refused_; }
  int64_t refused() const { return refused_; }

 private:
  struct Entry {
    Wish wish;
    std::string comment;
  };
  void AddLine(std::string_view line, std::string_view source, int number);

  std::map<std::pair<std::string, std::string>, Entry, std::less<>> entries_;  // by target and kernel
  int64_t ignored_ = 0;
  std::string problem_;
  mutable std::atomic<int64_t> refused_ = 0;
};

/// The book in the text of a file. Lines that are none are said on standard error, the first in full.
ScheduleBook ParseScheduleBook(std::string_view text, std::string_view path);
absl::StatusOr<ScheduleBook> ReadScheduleBook(const std::string& path);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_BOOK_H_
