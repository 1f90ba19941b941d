#include <algorithm>
#include <array>
#include <cstring>

#include "frontend/data/node.h"
#include "frontend/keep/formats.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/names.h"
#include "ir/strings.h"

// Sources that are rows of tensors in memory, and making tensors of rows.

namespace reel {
namespace internal {

NewRows::NewRows(const Type& row, size_t n, bool batched)
    : type(row), row_bytes(static_cast<size_t>(row.bytes())), buffer(runtime::Buffer::TryAllocate(row_bytes * n)) {
  if (batched) type.shape.insert(0, static_cast<int64_t>(n));
  if (!buffer) throw FetchError{absl::ResourceExhaustedError(StrCat("no memory for a batch ", type.ToString()))};
}

Tensor NewRows::Done() { return MakeTensor(type, std::move(buffer)); }

void ToUnitFloats(const std::byte* bytes, size_t n, float* out) {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> t{};
    for (size_t i = 0; i < t.size(); ++i) t[i] = static_cast<float>(i) / 255.0f;
    return t;
  }();
  for (size_t i = 0; i < n; ++i) out[i] = table[static_cast<size_t>(bytes[i])];
}

namespace {

/// The tensors of one field of all examples, which must be of one type.
std::vector<const Tensor*> Column(std::span<const Example> examples, size_t field, int first_axis,
                                  std::string_view what) {
  std::vector<const Tensor*> out;
  const Example& first = examples.front();
  for (size_t i = 0; i < examples.size(); ++i) {
    if (examples[i].size() != first.size() || examples[i].names() != first.names()) {
      throw FetchError{absl::InvalidArgumentError(StrCat(what, ": example ", i, " has ", examples[i].size(),
                                                         " tensors, the first ", first.size(),
                                                         examples[i].size() == first.size() ? " of other names" : ""))};
    }
    const Tensor& x = examples[i].tensors()[field];
    Type a = x.type(), b = first.tensors()[field].type();
    for (int k = 0; k < first_axis && a.shape.rank() > k && b.shape.rank() > k; ++k) b.shape.set(k, a.shape[k]);
    if (a != b) {
      const std::string name = first.names().empty() ? StrCat(field) : ir::Quoted(first.names()[field]);
      throw FetchError{absl::InvalidArgumentError(StrCat(
          what, ": tensor ", name, " of example ", i, " is ", x.type().ToString(), ", that of the first ",
          first.tensors()[field].type().ToString(), "; examples of a batch must have one shape: map them to one"))};
    }
    out.push_back(&x);
  }
  return out;
}

Example WithNames(std::vector<Tensor> tensors, const std::vector<std::string>& names) {
  if (names.empty()) return Example(std::move(tensors));
  std::vector<std::pair<std::string, Tensor>> pairs;
  for (size_t i = 0; i < names.size(); ++i) pairs.emplace_back(names[i], std::move(tensors[i]));
  return Example::Named(pairs);
}

std::byte* Append(const Tensor& x, std::byte* to) {
  const auto bytes = static_cast<size_t>(x.type().bytes());
  if (bytes > 0) std::memcpy(to, x.raw_data(), bytes);
  return to + bytes;
}

}  // namespace

Example Stack(std::span<const Example> examples, std::string_view what) {
  const Example& first = examples.front();
  std::vector<Tensor> out;
  for (size_t field = 0; field < first.size(); ++field) {
    const auto column = Column(examples, field, 0, what);
    NewRows rows(column.front()->type(), column.size(), true);
    std::byte* to = rows.row(0);
    for (const Tensor* x : column) to = Append(*x, to);
    out.push_back(rows.Done());
  }
  return WithNames(std::move(out), first.names());
}

Example Concat(std::span<const Example> batches) {
  if (batches.size() == 1) return batches.front();
  const Example& first = batches.front();
  std::vector<Tensor> out;
  for (size_t field = 0; field < first.size(); ++field) {
    const auto column = Column(batches, field, 1, "batch");
    Type row = column.front()->type();
    row.shape.erase(0);
    int64_t n = 0;
    for (const Tensor* x : column) n += x->shape().dim(0);
    NewRows rows(row, static_cast<size_t>(n), true);
    std::byte* to = rows.row(0);
    for (const Tensor* x : column) to = Append(*x, to);
    out.push_back(rows.Done());
  }
  return WithNames(std::move(out), first.names());
}

namespace {

class RowsNode : public DatasetNode {
 public:
  RowsNode(std::string text, int64_t size, std::vector<RowsField> fields, std::vector<std::string> names,
           SourceInfoPtr info)
      : DatasetNode(size, std::move(info)),
        text_(std::move(text)),
        fields_(std::move(fields)),
        names_(std::move(names)) {
    for (const RowsField& field : fields_) {
      Type& row = rows_.emplace_back(field.rows.type());
      row.shape.erase(0);
      if (field.unit_floats) row.dtype = kFloat32;
    }
  }

  Example Fetch(int64_t, std::span<const int64_t> indices, bool batched, FetchMemory*) const override {
    std::vector<Tensor> out;
    for (size_t f = 0; f < fields_.size(); ++f) {
      NewRows to(rows_[f], indices.size(), batched);
      const auto* from = static_cast<const std::byte*>(fields_[f].rows.raw_data());
      const size_t bytes = fields_[f].unit_floats ? to.row_bytes / sizeof(float) : to.row_bytes;
      for (size_t i = 0; i < indices.size() && bytes > 0; ++i) {
        const std::byte* row = from + static_cast<size_t>(indices[i]) * bytes;
        if (fields_[f].unit_floats)
          ToUnitFloats(row, bytes, reinterpret_cast<float*>(to.row(i)));
        else
          std::memcpy(to.row(i), row, bytes);
      }
      out.push_back(to.Done());
    }
    return WithNames(std::move(out), names_);
  }
  std::vector<Spec> Specs() const override {
    std::vector<Spec> out;
    for (size_t f = 0; f < rows_.size(); ++f)
      out.emplace_back(rows_[f].dtype, rows_[f].shape, names_.empty() ? "" : names_[f]);
    return out;
  }
  std::string Text() const override { return text_; }
  std::string Identity() const override {
    std::string out = "rows";
    for (const Type& row : rows_) StrAppend(&out, " ", size(), " of ", row.ToString());
    return out;
  }

 private:
  const std::string text_;
  const std::vector<RowsField> fields_;
  const std::vector<std::string> names_;
  std::vector<Type> rows_;
};

class RangeNode : public DatasetNode {
 public:
  explicit RangeNode(int64_t n) : DatasetNode(n, std::make_shared<SourceInfo>()) {}
  Example Fetch(int64_t, std::span<const int64_t> indices, bool batched, FetchMemory*) const override {
    NewRows to({kInt64, Shape()}, indices.size(), batched);
    std::memcpy(to.row(0), indices.data(), indices.size_bytes());
    return to.Done();
  }
  std::vector<Spec> Specs() const override { return {Spec(kInt64, Shape())}; }
  std::string Text() const override { return StrCat("range(", size(), ")"); }
  std::string Identity() const override { return Text(); }
};

std::string FieldName(const std::vector<std::string>& names, size_t i) {
  return names.empty() ? StrCat("array ", i) : ir::Quoted(names[i]);
}

}  // namespace

Dataset MakeRows(std::string text, std::vector<RowsField> fields, std::vector<std::string> names, SourceInfo info) {
  if (fields.empty()) ThrowInvalid(StrCat(text, ": there are no arrays"));
  for (size_t i = 0; i < fields.size(); ++i) {
    const Tensor& x = fields[i].rows;
    if (!x.defined() || x.symbolic())
      ThrowInvalid(StrCat(text, ": ", FieldName(names, i), " has no elements; give values, outside of traces"));
    if (x.rank() == 0)
      ThrowInvalid(
          StrCat(text, ": ", FieldName(names, i), " is a scalar; its first axis must be that of the examples"));
    const int64_t n = x.shape().dim(0), first = fields[0].rows.shape().dim(0);
    if (n != first) {
      ThrowInvalid(StrCat(text, ": ", FieldName(names, i), " ", x.type().ToString(), " has ", n, " rows, but ",
                          FieldName(names, 0), " ", fields[0].rows.type().ToString(), " has ", first,
                          "; first extents must be equal"));
    }
  }
  const int64_t size = fields[0].rows.shape().dim(0);
  return Dataset(std::make_shared<RowsNode>(std::move(text), size, std::move(fields), std::move(names),
                                            std::make_shared<SourceInfo>(std::move(info))));
}

}  // namespace internal

Dataset Dataset::FromArrays(const Example& arrays) {
  std::vector<internal::RowsField> fields;
  for (const Tensor& x : arrays) fields.push_back({x});
  std::string text = "arrays(";
  for (size_t i = 0; i < arrays.size(); ++i) {
    StrAppend(&text, i ? ", " : "", arrays.names().empty() ? "" : StrCat(arrays.names()[i], "="),
              arrays[i].defined() ? arrays[i].type().ToString() : "null");
  }
  return internal::MakeRows(text + ")", std::move(fields), arrays.names(), {});
}

Dataset Dataset::FromNpz(const std::string& path, const NpzOptions& options) {
  const std::string what = StrCat("npz: ", ir::QuotedPath(path));
  const std::string bytes = internal::Take(internal::ReadData(path, options.budget));
  auto file = internal::ParseNpz(bytes);
  if (!file.ok()) internal::Throw(absl::Status(file.status().code(), StrCat(what, ": ", file.status().message())));
  std::string known;
  for (const auto& [name, value] : file->values) StrAppend(&known, known.empty() ? "" : ", ", ir::Quoted(name));
  std::vector<internal::RowsField> fields;
  std::vector<std::string> names = options.names;
  for (const auto& [name, value] : file->values) {
    if (options.names.empty()) names.push_back(name);
  }
  if (names.empty()) internal::ThrowInvalid(StrCat(what, ": the archive has no arrays"));
  for (const std::string& name : names) {
    const auto found =
        std::find_if(file->values.begin(), file->values.end(), [&](const auto& v) { return v.first == name; });
    if (found == file->values.end())
      internal::ThrowError(ErrorCode::kNotFound,
                           StrCat(what, ": there is no array ", ir::Quoted(name), "; there are ", known));
    if (std::count(names.begin(), names.end(), name) > 1)
      internal::ThrowInvalid(StrCat(what, ": the array ", ir::Quoted(name), " is named twice"));
    fields.push_back({found->second});
  }
  return internal::MakeRows(internal::SourceText("npz", path), std::move(fields), std::move(names), {});
}

Dataset Dataset::Range(int64_t n) {
  if (n < 0) internal::ThrowInvalid(StrCat("range: ", n, " is negative"));
  return Dataset(std::make_shared<internal::RangeNode>(n));
}

}  // namespace reel
