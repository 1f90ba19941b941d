#include "codegen/schedule/choices.h"

#include <algorithm>

#include "ir/number.h"
#include "ir/printable.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

constexpr size_t kMaxLine = 1024;  // bytes of a schedule: untrusted text

bool IsWord(std::string_view text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

void AppendChoice(std::string_view name, int64_t value, std::string* out) { StrAppend(out, " ", name, "=", value); }

}  // namespace

absl::StatusOr<Wish> ParseWish(std::string_view line) {
  const std::string_view whole = line;
  const auto error = [&](std::string_view at, const std::string& message) {
    return absl::InvalidArgumentError(
        StrCat("column ", at.data() - whole.data() + 1, ": ", message, ", not \"", ir::Printable(at), "\""));
  };
  if (line.size() > kMaxLine) return absl::InvalidArgumentError(StrCat("a schedule has at most ", kMaxLine, " bytes"));
  Wish wish;
  bool first = true;
  while (!line.empty()) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    if (first) {
      if (!IsWord(word)) return error(word, "expected the kind of a schedule, like matmul");
      wish.kind = word;
      first = false;
      continue;
    }
    const size_t equals = word.find('=');
    int64_t value = 0;
    const bool fits = equals != std::string_view::npos && IsWord(word.substr(0, equals)) &&
                      ir::ParseNumber(word.substr(equals + 1), &value);
    if (!fits) return error(word, "expected NAME=NUMBER");
    wish.values.emplace_back(word.substr(0, equals), value);
  }
  if (first) return absl::InvalidArgumentError("an empty schedule; expected one like \"matmul mr=6 nr=4\"");
  return wish;
}

std::string ToString(const Wish& wish) {
  std::string out = wish.kind;
  for (const auto& [name, value] : wish.values) AppendChoice(name, value, &out);
  return out;
}

int64_t Choices::Choose(std::string_view name, int64_t usual, int64_t least, int64_t most,
                        std::initializer_list<int64_t> others) {
  const auto made = std::find_if(made_.begin(), made_.end(), [&](const Choice& c) { return c.name == name; });
  Choice choice{name, usual, least, most, {}};
  for (int64_t other : others) {
    if (other >= least && other <= most && other != usual) choice.others.push_back(other);
  }
  if (wish_ != nullptr) {
    for (const auto& [wished, value] : wish_->values) {
      if (wished != name) continue;
      if (value >= least && value <= most) {
        choice.value = value;
      } else if (status_.ok()) {
        status_ = absl::InvalidArgumentError(StrCat(kind_, ": ", name, "=", value, " is not legal here: ", name,
                                                    least == most ? " is " : " is from ", least,
                                                    least == most ? "" : StrCat(" to ", most)));
      }
    }
  } else if (decide_ != nullptr && *decide_) {
    choice.value = std::clamp(made == made_.end() ? (*decide_)(kind_, choice) : made->value, least, most);
  }
  if (choice.value != usual) {
    std::erase(choice.others, choice.value);
    choice.others.push_back(usual);
  }
  const int64_t value = choice.value;
  if (made == made_.end() && least < most) made_.push_back(std::move(choice));
  return value;
}

absl::Status Choices::status() const {
  if (wish_ == nullptr || !status_.ok()) return status_;
  if (wish_->kind != kind_) {
    return absl::InvalidArgumentError(StrCat("the kernel is a ", kind_, ", not a ", ir::Printable(wish_->kind)));
  }
  for (const auto& [name, value] : wish_->values) {
    const auto is_it = [&name = name](const Choice& c) { return c.name == name; };
    if (std::any_of(made_.begin(), made_.end(), is_it)) continue;
    return absl::InvalidArgumentError(
        StrCat(kind_, ": ", ir::Printable(name), " is no choice of this kernel; it has: ", text()));
  }
  return absl::OkStatus();
}

std::string Choices::text() const {
  if (made_.empty()) return "";
  std::string out(kind_);
  for (const Choice& c : made_) AppendChoice(c.name, c.value, &out);
  return out;
}

std::vector<std::string> Choices::Neighbours() const {
  std::vector<std::string> out;
  std::string before(kind_);
  for (const Choice& changed : made_) {
    for (int64_t other : changed.others) {
      out.push_back(before);
      AppendChoice(changed.name, other, &out.back());
    }
    AppendChoice(changed.name, changed.value, &before);
  }
  return out;
}

}  // namespace reel::codegen
