#include <algorithm>

#include "frontend/values/status.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "reel/data.h"

// Examples: tensors with names or without.

namespace reel {

Example Example::Named(const std::vector<std::pair<std::string, Tensor>>& tensors) {
  Example out;
  for (const auto& [name, tensor] : tensors) {
    if (std::find(out.names_.begin(), out.names_.end(), name) != out.names_.end())
      internal::ThrowInvalid(StrCat("example: two tensors are called ", ir::Quoted(name)));
    out.names_.push_back(name);
    out.tensors_.push_back(tensor);
  }
  return out;
}

const Tensor& Example::operator[](size_t i) const {
  if (i < size()) return tensors_[i];
  internal::ThrowError(ErrorCode::kOutOfRange, StrCat("example: there is no tensor ", i, ", only ", size()));
}

const Tensor& Example::operator[](std::string_view name) const {
  std::string known;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return tensors_[i];
    StrAppend(&known, known.empty() ? "" : ", ", ir::Quoted(names_[i]));
  }
  internal::ThrowError(ErrorCode::kNotFound, StrCat("example: there is no tensor ", ir::Quoted(name), "; ",
                                                    names_.empty() ? StrCat("its ", size(), " tensors have no names")
                                                                   : "there are " + known));
}

void Example::CheckSize(size_t n) const {
  if (n == size()) return;
  internal::ThrowInvalid(StrCat("example: it has ", size(), " tensors, expected ", n));
}

}  // namespace reel
