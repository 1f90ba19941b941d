#ifndef REEL_FRONTEND_CLI_FIT_SAMPLE_H_
#define REEL_FRONTEND_CLI_FIT_SAMPLE_H_

#include <cstdint>
#include <string>

#include "reel/data.h"
#include "reel/module.h"

namespace reel::cli {

/// What a model of text writes: so many characters, each drawn from what `predict` (text i64[1, context] to logits
/// [1, context, characters]) expects after those before it, at temperature 0.8. It begins after a new line.
std::string SampleText(const Function& predict, const Vocabulary& vocabulary, int64_t context, int64_t count,
                       int64_t seed);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_FIT_SAMPLE_H_
