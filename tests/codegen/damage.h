#ifndef REEL_TESTS_CODEGEN_DAMAGE_H_
#define REEL_TESTS_CODEGEN_DAMAGE_H_

#include <algorithm>
#include <cctype>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/plan/plan.h"

// Plans that are wrong, and texts that are none.

namespace reel::codegen {

/// Makes a plan wrong in one of several ways, each of which VerifyPlan must see; false: the plan offers no place for
/// it.
class PlanDamage {
 public:
  PlanDamage(const ir::Function& f, PlanGraph* plan, std::mt19937* random) : f_(f), plan_(*plan), random_(*random) {}

  bool Run() {
    if (plan_.kernels.empty()) return false;
    switch (Below(8)) {
      case 0: return Forget();
      case 1: return Swap();
      case 2: return Drop();
      case 3: return Repeat();
      case 4: return InPlaceOfMemory();
      case 5: return OfAnother();
      case 6: return WaitsForItself();
      default: return plan_.stored.pop_back(), true;
    }
  }

 private:
  using Value = ir::Value;
  size_t Below(size_t n) { return random_() % n; }
  KernelPlan& Kernel() { return plan_.kernels[Below(plan_.kernels.size())]; }
  // A member of a kernel without a root of its own; invalid: there is none.
  Value Member() {
    const KernelPlan& kernel = Kernel();
    return kernel.epilogue.empty() ? Value() : kernel.epilogue[Below(kernel.epilogue.size())];
  }
  // A value that the caller reads and a kernel has as a map.
  Value Result(KernelPlan** kernel) {
    const Value v = f_.results().empty() ? Value() : f_.results()[Below(f_.results().size())];
    const auto* view = v.valid() && plan_.views[v.index()] ? &*plan_.views[v.index()] : nullptr;
    const Value base = view != nullptr ? view->base : v;
    if (!base.valid() || plan_.kernel_of[base.index()] < 0) return {};
    *kernel = &plan_.kernels[static_cast<size_t>(plan_.kernel_of[base.index()])];
    return base;
  }

  bool Forget() {
    KernelPlan* kernel = nullptr;
    const Value v = Result(&kernel);
    if (v.valid()) plan_.stored[v.index()] = false;
    return v.valid();
  }
  // A kernel and one that it waits for, with all that names them.
  bool Swap() {
    const size_t g = Below(plan_.kernels.size());
    const std::vector<int> inputs = plan_.kernels[g].inputs;
    if (inputs.empty()) return false;
    const int a = static_cast<int>(g), b = inputs[Below(inputs.size())];
    const auto other = [a, b](int k) { return k == a ? b : k == b ? a : k; };
    for (int& k : plan_.kernel_of) k = other(k);
    for (KernelPlan& kernel : plan_.kernels) {
      for (int& d : kernel.inputs) d = other(d);
    }
    std::swap(plan_.kernels[g], plan_.kernels[static_cast<size_t>(b)]);
    return true;
  }
  bool Drop() {
    KernelPlan* kernel = nullptr;
    const Value v = Result(&kernel);
    return v.valid() && std::erase(kernel->epilogue, v) > 0;
  }
  bool Repeat() {
    KernelPlan& kernel = Kernel();
    if (kernel.epilogue.empty()) return false;
    kernel.epilogue.push_back(kernel.epilogue[0]);
    return true;
  }
  bool InPlaceOfMemory() {
    const Value v = Member();
    if (v.valid()) plan_.materialized[v.index()] = false;
    return v.valid();
  }
  bool OfAnother() {
    const Value v = Member();
    if (v.valid()) ++plan_.kernel_of[v.index()];
    return v.valid();
  }
  bool WaitsForItself() {
    const size_t g = Below(plan_.kernels.size());
    plan_.kernels[g].inputs.push_back(static_cast<int>(g));
    return true;
  }

  const ir::Function& f_;
  PlanGraph& plan_;
  std::mt19937& random_;
};

/// A text whose words were changed: one dropped, replaced by another one, by a number or by part of itself.
inline std::string DamagedText(std::string_view text, std::mt19937* random) {
  std::vector<std::pair<size_t, size_t>> words;  // begin, size
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t i = 0; i < text.size();) {
    size_t n = 1;
    while (is_word(text[i]) && i + n < text.size() && is_word(text[i + n])) ++n;
    if (text[i] != ' ') words.emplace_back(i, n);
    i += n;
  }
  std::string out(text);
  if (words.empty()) return out;
  const auto [at, size] = words[(*random)() % words.size()];
  const auto [from, length] = words[(*random)() % words.size()];
  constexpr std::string_view kNumbers[] = {"0", "-1", "1", "7", "64", "4096", "99999999999", "123456789012345678901"};
  switch ((*random)() % 4) {
    case 0: return out.erase(at, size);
    case 1: return out.replace(at, size, kNumbers[(*random)() % std::size(kNumbers)]);
    case 2: return out.replace(at, size, std::string(text.substr(from, length)));
    default: return out.substr(0, at + (*random)() % size);
  }
}

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_DAMAGE_H_
