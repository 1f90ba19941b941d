#ifndef REEL_FRONTEND_ONNX_OPS_CONV_H_
#define REEL_FRONTEND_ONNX_OPS_CONV_H_

#include "frontend/onnx/node.h"
#include "reel/conv.h"

namespace reel::onnx {

/// The attributes of a convolution of x: channels first.
ConvOptions ReadConv(const NodeContext& c, const Tensor& x);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_OPS_CONV_H_
