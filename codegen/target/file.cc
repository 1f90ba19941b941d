#include "codegen/target/file.h"

#include <algorithm>
#include <optional>
#include <set>

#include "ir/number.h"
#include "ir/printable.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

constexpr size_t kMaxBytes = 64 << 10;  // of a file: untrusted text
constexpr size_t kMaxName = 64;         // characters
constexpr std::string_view kMagic = "reel target 1";

bool IsName(std::string_view text) {
  const auto within = [](char c, char low, char high) { return c >= low && c <= high; };
  const auto fits = [&](char c) {
    return within(c, 'a', 'z') || within(c, 'A', 'Z') || within(c, '0', '9') || c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= kMaxName && std::all_of(text.begin(), text.end(), fits);
}

std::string_view Stripped(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t begin = text.find_first_not_of(kBlank);
  return begin == std::string_view::npos ? text.substr(text.size())
                                         : text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

// One line of a file: where it is, and what of it is still to be read.
class Parser {
 public:
  explicit Parser(std::string_view source) : source_(source) {}

  absl::StatusOr<Target> Run(std::string_view text) {
    if (text.size() > kMaxBytes) return Error(0, StrCat("a target file has at most ", kMaxBytes, " bytes"));
    for (size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(end + 1, text.size()))) {
      end = text.find('\n');
      ++line_;
      if (absl::Status s = Line(text.substr(0, end)); !s.ok()) return s;
      if (end == std::string_view::npos) break;
    }
    if (!begun_) return Error(0, StrCat("expected \"", kMagic, "\""));
    if (!target_) return Error(0, "expected \"level = x86-64-v3\" or another level");
    if (!name_.empty()) target_->name = name_;
    target_->machine = machine_;
    target_->tuning = tuning_;
    return *target_;
  }

 private:
  absl::Status Error(size_t column, std::string_view message) const {
    return absl::InvalidArgumentError(
        StrCat(ir::Printable(source_), ":", std::max(line_, 1), ":", column + 1, ": ", message));
  }

  absl::Status Line(std::string_view whole) {
    const std::string_view line = Stripped(whole.substr(0, whole.find('#')));
    if (line.empty()) return absl::OkStatus();
    const auto column = static_cast<size_t>(line.data() - whole.data());
    if (!begun_) {
      if (line != kMagic) return Error(column, StrCat("expected \"", kMagic, "\""));
      begun_ = true;
      return absl::OkStatus();
    }
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return Error(column, "expected NAME = VALUE");
    const std::string_view name = Stripped(line.substr(0, equals));
    const std::string_view value = Stripped(line.substr(equals + 1));
    if (!given_.emplace(name).second) return Error(column, StrCat("\"", ir::Printable(name), "\" is given twice"));
    return Set(name, value, column, column + line.size() - value.size());
  }

  absl::Status Set(std::string_view name, std::string_view value, size_t name_at, size_t value_at) {
    if (name == "name") {
      if (!IsName(value)) return Error(value_at, "a name has 1 to 64 letters, digits, - and _");
      name_ = value;
      return absl::OkStatus();
    }
    if (name == "level") {
      auto level = FindLevel(value);
      if (!level.ok()) return Error(value_at, std::string(level.status().message()));
      target_ = *std::move(level);
      return absl::OkStatus();
    }
    if (auto done = SetNumber(MachineTable(), name, value, value_at, &machine_)) return *done;
    if (auto done = SetNumber(TuningTable(), name, value, value_at, &tuning_)) return *done;
    return Error(name_at, StrCat("no threshold is called \"", ir::Printable(name),
                                 "\"; codegen/target/tuning.def and machine.def list them"));
  }

  // None if the table has no row of that name.
  template <typename T>
  std::optional<absl::Status> SetNumber(std::span<const Threshold<T>> table, std::string_view name,
                                        std::string_view value, size_t at, T* out) const {
    for (const Threshold<T>& row : table) {
      if (row.name != name) continue;
      int64_t number = 0;
      if (!ir::ParseNumber(value, &number) || number < row.least || number > row.most) {
        return Error(at, StrCat(name, " is a whole number from ", row.least, " to ", row.most));
      }
      out->*row.field = number;
      return absl::OkStatus();
    }
    return std::nullopt;
  }

  const std::string_view source_;
  int line_ = 0;
  bool begun_ = false;
  std::set<std::string, std::less<>> given_;
  std::string name_;
  std::optional<Target> target_;
  Machine machine_;
  Tuning tuning_;
};

template <typename T>
void PrintChanged(std::span<const Threshold<T>> table, const T& values, std::string* out) {
  for (const Threshold<T>& row : table) {
    const int64_t value = values.*row.field;
    if (value != row.value) StrAppend(out, row.name, " = ", value, "\n");
  }
}

}  // namespace

absl::StatusOr<Target> ParseTarget(std::string_view text, std::string_view source) { return Parser(source).Run(text); }

std::string PrintTarget(const Target& target) {
  std::string out = StrCat(kMagic, "\nname = ", target.name, "\nlevel = ", target.level, "\n");
  PrintChanged(MachineTable(), target.machine, &out);
  PrintChanged(TuningTable(), target.tuning, &out);
  return out;
}

}  // namespace reel::codegen
