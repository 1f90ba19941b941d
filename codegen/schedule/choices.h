#ifndef REEL_CODEGEN_SCHEDULE_CHOICES_H_
#define REEL_CODEGEN_SCHEDULE_CHOICES_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

// A schedule as a value: what kind of loops a kernel has, and the whole numbers that its kind leaves open. As text, one
// line: "matmul pack=1 nr=4 mr=6 mc=120 swap=0 chunks=16". No choice changes a bit of what the kernel computes.

namespace reel::codegen {

/// One number of a schedule.
struct Choice {
  std::string_view name;
  int64_t value = 0;
  int64_t least = 0, most = 0;  ///< what is legal here
  std::vector<int64_t> others;  ///< legal ones that a search may try
};

/// What is asked of a kernel's schedule: numbers by name, those that matter.
struct Wish {
  std::string kind;
  std::vector<std::pair<std::string, int64_t>> values;
  friend bool operator==(const Wish&, const Wish&) = default;
};
/// From the text of a schedule, or of a part of one. InvalidArgument with the column for what is none.
absl::StatusOr<Wish> ParseWish(std::string_view line);
std::string ToString(const Wish& wish);

/// Made while a kernel is scheduled: each schedule asks for its numbers in order, and says what is legal where it asks.
class Choices {
 public:
  /// Decides in the place of the schedule: for fuzzers and searches.
  using Decide = std::function<int64_t(std::string_view kind, const Choice& choice)>;

  /// `wish`, `decide`: null = as usual.
  Choices(const Wish* wish, const Decide* decide) : wish_(wish), decide_(decide) {}

  void SetKind(std::string_view kind) { kind_ = kind; }
  /// The number: what is wished for, else `usual`. Asked for again, the same if it was wished for.
  int64_t Choose(std::string_view name, int64_t usual, int64_t least, int64_t most,
                 std::initializer_list<int64_t> others);
  bool Flag(std::string_view name, bool usual, bool may_be_set = true) {
    return Choose(name, usual && may_be_set, 0, may_be_set, {0, 1}) != 0;
  }

  /// InvalidArgument if a wish was not legal: it names the choice and what it may be.
  absl::Status status() const;
  /// The line; empty if there was nothing to choose.
  std::string text() const;
  /// Lines that differ from it in one number, and leave open those after it: what is legal there may be another.
  std::vector<std::string> Neighbours() const;

 private:
  const Wish* wish_;
  const Decide* decide_;
  std::string_view kind_;
  std::vector<Choice> made_;
  absl::Status status_;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CHOICES_H_
