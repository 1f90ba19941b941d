#include <csv.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "frontend/data/node.h"
#include "frontend/values/status.h"
#include "ir/hash_map.h"
#include "ir/names.h"
#include "ir/strings.h"

// Tables in files: comma-separated values by libcsv (RFC 4180), features to numbers and labels to classes.

namespace reel {
namespace internal {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr int64_t kMaxNames = 20;  // in an error

/// "a", "b", ...
std::string NameList(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (static_cast<int64_t>(i) == kMaxNames) return StrCat(out, ", ... (", names.size(), " in all)");
    StrAppend(&out, i ? ", " : "", ir::Quoted(names[i]));
  }
  return out;
}

/// The number that a whole text is, with or without a sign.
template <typename T>
bool ParseNumber(std::string_view text, T* out) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Rows of cells of a file, one after the other; libcsv calls it back.
class TableReader {
 public:
  /// Takes the cells of a row, and the line that it begins on.
  using OnRow = std::function<absl::Status(std::vector<std::string>& cells, int64_t line)>;
  TableReader(const CsvOptions& options, OnRow on_row) : on_row_(std::move(on_row)) {
    ready_ = csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) == 0;
    if (ready_) csv_set_delim(&parser_, static_cast<unsigned char>(options.delimiter));
  }
  ~TableReader() {
    if (ready_) csv_free(&parser_);
  }
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  absl::Status Read(std::string_view text) {
    if (!ready_) return absl::ResourceExhaustedError("no memory to read it");
    while (!text.empty()) {
      // A line at a time, to know where a row is; rows with line breaks in quotes have several.
      size_t end = text.find_first_of("\r\n");
      end = end == text.npos ? text.size() : end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
      if (csv_parse(&parser_, text.data(), end, &TableReader::Cell, &TableReader::Row, this) != end) return Malformed();
      if (!status_.ok()) return status_;
      text.remove_prefix(end);
      ++line_;
      if (cells_.empty() && !InCell()) row_line_ = line_;
    }
    if (csv_fini(&parser_, &TableReader::Cell, &TableReader::Row, this) != 0)
      return absl::InvalidArgumentError(StrCat("line ", row_line_, ": a quote is not closed before the file ends"));
    return status_;
  }

 private:
  /// A quoted cell goes on in the next line.
  bool InCell() const { return parser_.quoted != 0 && parser_.entry_pos > 0; }
  absl::Status Malformed() {
    if (csv_error(&parser_) != CSV_EPARSE) return absl::ResourceExhaustedError(csv_strerror(csv_error(&parser_)));
    return absl::InvalidArgumentError(
        StrCat("line ", line_,
               ": a quote within a cell; a cell with quotes is written in quotes, with each of its own "
               "doubled"));
  }
  static void Cell(void* text, size_t size, void* self) {
    auto* const reader = static_cast<TableReader*>(self);
    reader->cells_.emplace_back(static_cast<const char*>(text), size);
  }
  static void Row(int, void* self) {
    auto* const reader = static_cast<TableReader*>(self);
    if (reader->status_.ok()) reader->status_ = reader->on_row_(reader->cells_, reader->row_line_);
    reader->cells_.clear();
  }

  const OnRow on_row_;
  csv_parser parser_;
  bool ready_ = false;
  absl::Status status_;
  std::vector<std::string> cells_;
  int64_t line_ = 1, row_line_ = 1;
};

/// A label column as text.
struct LabelColumn {
  size_t column = 0;
  std::vector<std::string> text = {};
};

class CsvTable {
 public:
  explicit CsvTable(const CsvOptions& options) : options_(options) {}

  absl::Status Read(std::string_view text) {
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (text.empty()) return absl::InvalidArgumentError("the file is empty");
    TableReader reader(options_, [this](std::vector<std::string>& cells, int64_t line) { return AddRow(cells, line); });
    if (absl::Status s = reader.Read(text); !s.ok()) return s;
    if (names_.empty()) return absl::InvalidArgumentError("the file has no lines but blank ones");
    if (lines_.empty()) return absl::InvalidArgumentError("there is no line below the header");
    return absl::OkStatus();
  }

  absl::StatusOr<Dataset> Make(std::string text) {
    std::vector<RowsField> fields;
    SourceInfo info;
    for (const size_t c : features_) info.columns.push_back(names_[c]);
    if (!features_.empty()) fields.push_back({Numbers(values_, {rows(), static_cast<int64_t>(features_.size())})});
    for (size_t i = 0; i < labels_.size(); ++i) {
      auto label =
          Label(labels_[i], i == 0 ? options_.class_names : std::vector<std::string>(), &info.labels.emplace_back());
      if (!label.ok()) return label.status();
      fields.push_back({*label});
    }
    return MakeRows(std::move(text), std::move(fields), {}, std::move(info));
  }

 private:
  int64_t rows() const { return static_cast<int64_t>(lines_.size()); }
  std::string Place(int64_t line, size_t column) const {
    return StrCat("line ", line, ", column ", column + 1,
                  options_.header ? StrCat(" (", ir::Quoted(names_[column]), ")") : "");
  }
  static absl::Status Wrong(const std::string& what) { return absl::InvalidArgumentError(what); }

  absl::Status AddRow(std::vector<std::string>& cells, int64_t line) {
    if (names_.empty()) {
      for (size_t i = 0; i < cells.size(); ++i) {
        if (FindNonUtf8(cells[i]) != std::string_view::npos)
          return Wrong(StrCat("line ", line, ", column ", i + 1, ": the name ", ir::Quoted(cells[i]), " is no UTF-8"));
        names_.push_back(options_.header ? std::move(cells[i]) : StrCat(i));
      }
      if (absl::Status s = ChooseColumns(); !s.ok() || options_.header) return s;
    }
    if (cells.size() != names_.size()) {
      return Wrong(StrCat("line ", line, " has ", cells.size(), cells.size() == 1 ? " cell" : " cells", ", expected ",
                          names_.size(), options_.header ? " as in the header" : " as in the first line"));
    }
    lines_.push_back(line);
    for (const size_t c : features_) {
      double value = 0;
      if (absl::Status s = Number(cells[c], line, c, &value); !s.ok()) return s;
      values_.push_back(value);
    }
    for (LabelColumn& label : labels_) label.text.push_back(std::move(cells[label.column]));
    return absl::OkStatus();
  }

  absl::Status Number(const std::string& cell, int64_t line, size_t column, double* out) const {
    if (cell.empty() && options_.missing) {
      *out = *options_.missing;
      return absl::OkStatus();
    }
    if (cell.empty())
      return Wrong(
          StrCat(Place(line, column), ": the cell is empty; expected a number, or give a value for missing ones"));
    if (!ParseNumber(cell, out))
      return Wrong(
          StrCat(Place(line, column), ": ", ir::Quoted(cell), " is no number; is it a label, or to be left out?"));
    if (options_.dtype == kFloat32 && std::isfinite(*out) && std::isinf(static_cast<float>(*out)))
      return Wrong(StrCat(Place(line, column), ": ", ir::Quoted(cell), " is too large for kFloat32; take kFloat64"));
    return absl::OkStatus();
  }

  /// The column of a name, or of a number in its place.
  absl::StatusOr<size_t> Find(const std::string& wanted) const {
    const auto found = std::find(names_.begin(), names_.end(), wanted);
    if (found != names_.end()) {
      if (std::count(names_.begin(), names_.end(), wanted) > 1)
        return Wrong(StrCat("several columns are called ", ir::Quoted(wanted), "; give the number, from 0"));
      return static_cast<size_t>(found - names_.begin());
    }
    int64_t i = 0;
    const auto n = static_cast<int64_t>(names_.size());
    if (ParseNumber(wanted, &i) && i >= -n && i < n) return static_cast<size_t>(i < 0 ? i + n : i);
    return absl::NotFoundError(StrCat("there is no column ", ir::Quoted(wanted), "; there are ", NameList(names_)));
  }

  absl::Status ChooseColumns() {
    std::set<size_t> taken;
    const auto choose = [&](const std::string& name) -> absl::StatusOr<size_t> {
      const auto column = Find(name);
      if (column.ok() && !taken.insert(*column).second)
        return Wrong(StrCat("the column ", ir::Quoted(name), " is chosen twice"));
      return column;
    };
    for (const std::string& name : options_.labels) {
      const auto column = choose(name);
      if (!column.ok()) return column.status();
      labels_.push_back({*column});
    }
    for (const std::string& name : options_.columns) {
      const auto column = choose(name);
      if (!column.ok()) return column.status();
      features_.push_back(*column);
    }
    for (size_t c = 0; c < names_.size() && options_.columns.empty(); ++c) {
      if (!taken.contains(c)) features_.push_back(c);
    }
    return absl::OkStatus();
  }

  Tensor Numbers(const std::vector<double>& values, const Shape& shape) const {
    if (options_.dtype == kFloat64) return Tensor::FromData(values, shape);
    return Tensor::FromData(std::vector<float>(values.begin(), values.end()), shape);
  }

  absl::StatusOr<Tensor> Label(const LabelColumn& label, const std::vector<std::string>& names,
                               SourceInfo::Label* info) {
    std::vector<int64_t> whole(label.text.size());
    bool all_whole = names.empty(), all_numbers = names.empty();
    double number = 0;
    for (size_t i = 0; i < label.text.size(); ++i) {
      if (label.text[i].empty()) return Wrong(StrCat(Place(lines_[i], label.column), ": the label is empty"));
      all_whole = all_whole && ParseNumber(label.text[i], &whole[i]);
      all_numbers = all_numbers && (all_whole || ParseNumber(label.text[i], &number));
    }
    const bool numbers = options_.label_kind == LabelKind::kNumbers ||
                         (options_.label_kind == LabelKind::kAuto && all_numbers && !all_whole);
    if (numbers) return NumberLabels(label);
    if (!all_whole) return NamedClasses(label, names, info);
    return NumberedClasses(label, whole, info);
  }

  absl::StatusOr<Tensor> NumberLabels(const LabelColumn& label) const {
    std::vector<double> values(label.text.size());
    for (size_t i = 0; i < values.size(); ++i) {
      if (absl::Status s = Number(label.text[i], lines_[i], label.column, &values[i]); !s.ok()) return s;
    }
    return Numbers(values, {rows()});
  }

  absl::StatusOr<Tensor> NumberedClasses(const LabelColumn& label, const std::vector<int64_t>& whole,
                                         SourceInfo::Label* info) const {
    for (size_t i = 0; i < whole.size(); ++i) {
      const std::string place = StrCat(Place(lines_[i], label.column), ": the label ", whole[i]);
      if (whole[i] < 0)
        return Wrong(StrCat(place, " is negative; classes are 0 and more (LabelKind::kNumbers: numbers to predict)"));
      if (options_.classes > 0 && whole[i] >= options_.classes)
        return Wrong(
            StrCat(place, " is out of range: there are ", options_.classes, " classes, 0 to ", options_.classes - 1));
      info->classes =
          std::max(info->classes, whole[i] == std::numeric_limits<int64_t>::max() ? whole[i] : whole[i] + 1);
    }
    if (options_.classes > 0) info->classes = options_.classes;
    return Tensor::FromData(whole, {rows()});
  }

  absl::StatusOr<Tensor> NamedClasses(const LabelColumn& label, const std::vector<std::string>& names,
                                      SourceInfo::Label* info) const {
    info->names = names;
    if (names.empty()) {
      const std::set<std::string> sorted(label.text.begin(), label.text.end());
      info->names.assign(sorted.begin(), sorted.end());
    }
    HashMap<std::string_view, int64_t> number;
    for (const std::string& name : info->names) number.emplace(name, static_cast<int64_t>(number.size()));
    if (number.size() != info->names.size()) return Wrong("two class names are equal");
    std::vector<int64_t> classes;
    for (size_t i = 0; i < label.text.size(); ++i) {
      const std::string& text = label.text[i];
      const auto found = number.find(text);
      if (found == number.end())
        return Wrong(
            StrCat(Place(lines_[i], label.column), ": the label ", ir::Quoted(text), " is none of ", NameList(names)));
      if (FindNonUtf8(text) != std::string_view::npos)
        return Wrong(StrCat(Place(lines_[i], label.column), ": the label ", ir::Quoted(text), " is no UTF-8"));
      classes.push_back(found->second);
    }
    info->classes = static_cast<int64_t>(info->names.size());
    if (options_.classes > 0 && info->classes > options_.classes) {
      return Wrong(StrCat("the column ", ir::Quoted(names_[label.column]), " has ", info->classes,
                          " classes, expected at most ", options_.classes, ": ", NameList(info->names)));
    }
    return Tensor::FromData(classes, {rows()});
  }

  const CsvOptions& options_;
  std::vector<std::string> names_;
  std::vector<size_t> features_;
  std::vector<LabelColumn> labels_;
  std::vector<double> values_;
  std::vector<int64_t> lines_;  // of the rows
};

void CheckCsvOptions(const CsvOptions& options) {
  if (options.dtype != kFloat32 && options.dtype != kFloat64)
    ThrowInvalid(StrCat("csv: numbers are kFloat32 or kFloat64, not ", Name(options.dtype)));
  if (options.classes < 0) ThrowInvalid(StrCat("csv: classes ", options.classes, " is negative"));
  if (std::string_view("\"\r\n\0", 4).find(options.delimiter) != std::string_view::npos)
    ThrowInvalid("csv: the delimiter is a quote or ends a line");
  if (!options.class_names.empty() && options.labels.empty()) ThrowInvalid("csv: there are class names, but no label");
}

}  // namespace
}  // namespace internal

Dataset Dataset::FromCsv(const std::string& path, const CsvOptions& options) {
  internal::CheckCsvOptions(options);
  const std::string bytes = internal::Take(internal::ReadData(path, options.budget));
  const auto named = [&](const absl::Status& s) {
    return absl::Status(s.code(), StrCat(ir::QuotedPath(path), ": ", s.message()));
  };
  internal::CsvTable table(options);
  if (absl::Status s = table.Read(bytes); !s.ok()) internal::Throw(named(s));
  auto dataset = table.Make(internal::SourceText("csv", path));
  if (!dataset.ok()) internal::Throw(named(dataset.status()));
  return *std::move(dataset);
}

}  // namespace reel
