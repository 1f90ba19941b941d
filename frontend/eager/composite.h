#ifndef REEL_FRONTEND_EAGER_COMPOSITE_H_
#define REEL_FRONTEND_EAGER_COMPOSITE_H_

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "reel/tensor.h"

namespace reel::internal {

/// What `body` makes of the operands by ops. Eagerly, where nothing records, the third call with the same name, numbers
/// and types leaves the graph to be compiled in the background; afterwards one program runs (program_cache). The body
/// depends on nothing else, and reads no values.
using CompositionBody = absl::FunctionRef<Tensor(absl::Span<const Tensor> operands)>;
Tensor Compose(const char* name, absl::Span<const Tensor> operands, absl::Span<const double> numbers,
               CompositionBody body);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_EAGER_COMPOSITE_H_
