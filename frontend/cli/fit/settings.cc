#include "frontend/cli/fit/settings.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace reel::cli {

Json RunSettings(const FitSettings& settings) {
  const FitSettings& s = settings;
  Json out = {{"model", s.model},
              {"validation", s.validation},
              {"task", s.task},
              {"labels", s.labels},
              {"columns", s.columns},
              {"optimizer", s.optimizer},
              {"learning-rate", s.learning_rate},
              {"schedule", s.schedule},
              {"warmup", s.warmup},
              {"weight-decay", s.weight_decay},
              {"clip", s.clip},
              {"batch", s.batch},
              {"seed", s.seed},
              {"evaluate-every", s.evaluate_every},
              {"early-stopping", s.early_stopping}};
  if (s.shards > 0) out["shards"] = s.shards;  // others have other bits
  if (s.model == "gpt") {
    out.update({{"layers", s.layers}, {"heads", s.heads}, {"width", s.width}, {"context", s.context}});
  } else {
    out.update({{"hidden", s.hidden}, {"dropout", s.dropout}});
  }
  if (s.model == "conv") out.update({{"channels", s.channels}, {"size", s.size}});
  return out;
}

std::string WithCommas(int64_t n) {
  std::string out = std::to_string(n);
  for (auto at = static_cast<int64_t>(out.size()) - 3; at > (n < 0 ? 1 : 0); at -= 3) {
    out.insert(static_cast<size_t>(at), ",");
  }
  return out;
}

std::string Printed(const char* format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

}  // namespace reel::cli
