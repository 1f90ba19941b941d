#ifndef REEL_REEL_H_
#define REEL_REEL_H_

// Everything a user of Reel needs.

#include "reel/activations.h"
#include "reel/attention.h"
#include "reel/compile.h"
#include "reel/error.h"
#include "reel/initializers.h"
#include "reel/layers.h"
#include "reel/linalg.h"
#include "reel/loops.h"
#include "reel/losses.h"
#include "reel/module.h"
#include "reel/normalization.h"
#include "reel/onnx.h"
#include "reel/ops.h"
#include "reel/optimizers.h"
#include "reel/random.h"
#include "reel/recording.h"
#include "reel/recurrent.h"
#include "reel/resize.h"
#include "reel/schedules.h"
#include "reel/special.h"
#include "reel/tape.h"
#include "reel/tensor.h"
#include "reel/training.h"
#include "reel/variable.h"

#endif  // REEL_REEL_H_
