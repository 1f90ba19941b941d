#ifndef REEL_RESULTS_H_
#define REEL_RESULTS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reel/tensor.h"

namespace reel {

/// What a compiled entry point returned: a tensor if there is one, else by position or name.
class Results {
 public:
  Results(std::vector<Tensor> tensors, std::shared_ptr<const std::vector<std::string>> names)
      : tensors_(std::move(tensors)), names_(std::move(names)) {}

  operator Tensor() const;  // NOLINT: promised
  const Tensor& operator[](size_t i) const;
  const Tensor& operator[](int i) const { return (*this)[static_cast<size_t>(i)]; }
  const Tensor& operator[](std::string_view name) const;
  size_t size() const { return tensors_.size(); }
  auto begin() const { return tensors_.begin(); }
  auto end() const { return tensors_.end(); }
  /// All of them, in order.
  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
  std::shared_ptr<const std::vector<std::string>> names_;
};

}  // namespace reel

#endif  // REEL_RESULTS_H_
