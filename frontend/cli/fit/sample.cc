#include "frontend/cli/fit/sample.h"

#include <algorithm>

#include "reel/reel.h"

namespace reel::cli {

std::string SampleText(const Function& predict, const Vocabulary& vocabulary, int64_t context, int64_t count,
                       int64_t seed) {
  constexpr double kTemperature = 0.8;
  const auto& symbols = vocabulary.symbols();
  const auto line_end = std::find(symbols.begin(), symbols.end(), "\n");
  std::vector<int64_t> text = {line_end == symbols.end() ? 0 : line_end - symbols.begin()};
  const Generator generator(seed, "sample");
  for (int64_t i = 0; i < count; ++i) {
    const int64_t size = static_cast<int64_t>(text.size()), known = std::min(size, context);
    std::vector<int64_t> window(text.end() - known, text.end());
    window.resize(static_cast<size_t>(context));  // what follows is not attended to
    const Tensor logits = Tensor(predict(Tensor::FromData(window, {1, context})))[0][known - 1];
    text.push_back(RandomCategorical(logits / kTemperature, 1, generator).item<int64_t>());
  }
  text.erase(text.begin());
  return vocabulary.Decode(Tensor::FromData(text, {static_cast<int64_t>(text.size())}));
}

}  // namespace reel::cli
