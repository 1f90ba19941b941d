#ifndef REEL_PYTHON_WINDOWS_H_
#define REEL_PYTHON_WINDOWS_H_

#include "common.h"
#include "reel/conv.h"

// Options of convolutions and pools as Python has them, for functions and layers.

namespace reel::python {

struct PaddingOption {
  Padding padding;
  std::vector<int64_t> low, high;
};
/// 'valid', 'same', 'same_lower', a number, numbers, or pairs (before, after).
PaddingOption ToPadding(nb::handle x);
DataFormat ToFormat(const char* format);
ConvOptions ToConvOptions(nb::handle strides, nb::handle padding, nb::handle dilation, int64_t groups,
                          const char* format);
ConvTransposeOptions ToTransposeOptions(nb::handle strides, nb::handle padding, nb::handle dilation,
                                        nb::handle output_padding, nb::handle output_size, int64_t groups,
                                        const char* format);
PoolOptions ToPoolOptions(nb::handle strides, nb::handle padding, nb::handle dilation, bool ceil_mode,
                          bool count_include_pad, const char* format);

}  // namespace reel::python

#endif  // REEL_PYTHON_WINDOWS_H_
