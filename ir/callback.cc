#include "ir/callback.h"

#include <utility>

namespace reel::ir {

std::vector<int64_t> CallbackWords(bool guarded, absl::Span<const Type> types) {
  std::vector<int64_t> words{guarded ? 1 : 0, static_cast<int64_t>(types.size())};
  for (const Type& type : types) {
    words.push_back(static_cast<int64_t>(type.dtype));
    words.push_back(type.shape.rank());
    for (int64_t extent : type.shape.dims()) words.push_back(extent);
  }
  return words;
}

CallbackCall ReadCallbackWords(const int64_t* words) {
  CallbackCall call{words[0] != 0, {}};
  const int64_t* next = words + 2;
  for (int64_t i = 0; i < words[1]; ++i) {
    const auto dtype = static_cast<DType>(*next++);
    const int64_t rank = *next++;
    Shape shape;
    for (int64_t k = 0; k < rank; ++k) shape.push_back(*next++);
    call.types.push_back({dtype, std::move(shape)});
  }
  return call;
}

std::string_view CallbackAdvice() { return "a function of the process that traced it; trace it in this one"; }

}  // namespace reel::ir
