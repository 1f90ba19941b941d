#ifndef REEL_FRONTEND_VALUES_NPY_H_
#define REEL_FRONTEND_VALUES_NPY_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/budget.h"
#include "ir/literal.h"

// NumPy's .npy files: every dtype of Reel, little-endian, C order.

namespace reel {

/// What an .npy file holds, and where its elements begin.
struct NpyLayout {
  Type type;
  bool fortran = false;  ///< the first axis varies fastest
  size_t offset = 0;
};
/// Reads the header alone; the elements must be exactly as many bytes as it says. `name` begins every error.
absl::StatusOr<NpyLayout> ParseNpyLayout(std::string_view bytes, std::string_view name);

/// Reads format versions 1 to 3. The header must be in the form that NumPy writes and the data must
/// be exactly as long as it says. `name` begins every error.
absl::StatusOr<ir::Literal> ParseNpy(std::string_view bytes, std::string_view name, const Budget& budget = {});

/// Format version 1.0, the very bytes that numpy.save writes.
std::string FormatNpy(const ir::Literal& literal);
/// What comes before the bytes of the elements.
std::string NpyHeader(const ir::Literal& literal);

}  // namespace reel

#endif  // REEL_FRONTEND_VALUES_NPY_H_
