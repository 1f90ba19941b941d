#ifndef REEL_SUMMARY_H_
#define REEL_SUMMARY_H_

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "reel/layers.h"
#include "reel/module.h"
#include "reel/tensor.h"

// Tables of models: layers, types of their outputs, numbers of parameters.
//
//   std::cout << Summary(model, Spec(kFloat32, {Dim("B", 1, 64), 784}));

namespace reel {

namespace internal {
/// The layer's output, as the next summary shows it.
void NoteOutput(const Layer& layer, const Tensor& y);
}  // namespace internal

/// One line for each layer, indented by what contains it: the type that it gave last (empty before its first call),
/// elements of its own variables, of those with a gradient, and bytes; then totals. A variable that stands there twice
/// counts once, where it is first. A layer that was not called yet has "?" for what its first call will make.
std::string Summary(const Layer& layer);
/// Of a model that consists of these layers, by their names.
std::string Summary(const std::vector<std::pair<std::string, Layer>>& layers);
/// The same after a call with an input of this type: the model is traced, nothing is computed but the first values of
/// variables that its first call makes.
template <typename L>
  requires std::derived_from<L, Layer>
std::string Summary(const L& layer, const Spec& input) {
  Trace(
      [&layer](const Tensor& x) {
        const Tensor y = layer(x);
        internal::NoteOutput(layer, y);
        return y;
      },
      {input});
  return Summary(layer);
}

}  // namespace reel

#endif  // REEL_SUMMARY_H_
