#include "codegen/program/verify_items.h"

#include <algorithm>
#include <tuple>

#include "ir/budget_scope.h"
#include "ir/hash_map.h"
#include "ir/strings.h"

namespace reel::codegen {

using ir::Value;

namespace {

// The value that one of these kernels reads and another writes.
Value NeededBeside(const Block& block, const Beside& beside) {
  HashSet<int32_t> written;
  Value needed;
  for (int32_t i = beside.first; i <= beside.last; ++i) {
    block.items[static_cast<size_t>(i)].VisitWrites([&](Value v) { written.insert(v.id); });
  }
  for (int32_t i = beside.first; i <= beside.last; ++i) {
    block.items[static_cast<size_t>(i)].VisitReads([&](Value v) { needed = written.contains(v.id) ? v : needed; });
  }
  return needed;
}

// Memory that a kernel of a step has as a buffer. What is not the instance's is apart by its number.
struct Used {
  Slot::Kind kind;
  int32_t index;
  int64_t begin, end;
  bool writes;
  int64_t call;
};

std::vector<Used> UsedBeside(const std::vector<Kernel>& kernels, const Step& step) {
  std::vector<Used> used;
  int64_t call = 0;
  for (const Step& part : step.first) {
    call += part.bytes == 0;  // the first part of its kernel
    const Kernel& kernel = kernels[static_cast<size_t>(part.kernel)];
    for (size_t b = 0; b < part.buffers.size(); ++b) {
      const Slot& slot = part.buffers[b];
      const KernelBuffer& buffer = kernel.buffers[b];
      const bool in_instance = slot.kind == Slot::Kind::kInstance;
      const int64_t begin = in_instance ? slot.offset : 0;
      const int64_t bytes = in_instance ? std::max<int64_t>(buffer.elements * SizeOf(buffer.dtype), 1) : 1;
      used.push_back({slot.kind, slot.index, begin, begin + bytes, buffer.is_output, call});
    }
  }
  return used;
}

// Whether some memory is written by one call and used by another: of what overlaps, all is one call's or read.
bool Clash(std::vector<Used> used) {
  const auto place = [](const Used& u) { return std::make_tuple(u.kind, u.index, u.begin); };
  std::sort(used.begin(), used.end(), [&](const Used& a, const Used& b) { return place(a) < place(b); });
  for (size_t first = 0, i = 0; first < used.size(); first = i) {
    int64_t end = used[first].end;
    bool writes = false, one_call = true;
    for (; i < used.size() && used[i].kind == used[first].kind && used[i].index == used[first].index; ++i) {
      if (used[i].begin >= end) break;
      end = std::max(end, used[i].end);
      writes = writes || used[i].writes;
      one_call = one_call && used[i].call == used[first].call;
    }
    if (writes && !one_call) return true;
  }
  return false;
}

}  // namespace

absl::Status VerifyItems(const Block& block) {
  std::vector<bool> written(static_cast<size_t>(block.f.num_values()), false);
  size_t number = 0;
  absl::Status error;
  const auto fail = [&](Value v, const char* what) {
    if (!error.ok()) return;
    error = absl::InternalError(
        StrCat("@", block.f.name(), ": the plan is wrong at step ", number, ": %", v.id, " ", what));
  };
  const auto read = [&](Value v) {
    if (written[v.index()] || block.f.is_parameter(v) || block.f.Is(v, ir::Op::kConstant)) return;
    if (block.f.type(v).bytes() != 0) fail(v, "is read before it is written");  // without elements there is nothing to
  };
  const auto write = [&](Value v) {
    if (written[v.index()]) fail(v, "is written twice");
    written[v.index()] = true;
  };
  for (const BlockItem& item : block.items) {
    for (size_t i = 0; i < item.values.size(); ++i) {
      if (!item.Writes(i)) read(item.values[i]);
    }
    if (item.updated.valid()) read(item.updated);
    item.VisitWrites(write);
    ++number;
  }
  for (Value v : block.f.results()) read(v);
  for (const Beside& beside : block.beside) {
    number = static_cast<size_t>(beside.first);
    if (const Value v = NeededBeside(block, beside); v.valid()) fail(v, "is read beside the kernel that writes it");
  }
  return error;
}

absl::Status VerifySlots(const std::vector<Step>& steps) {
  ir::ChargeVisits(steps.size());
  for (const Step& step : steps) {
    for (const Slot& slot : step.buffers) {
      if (slot.kind == Slot::Kind::kInstance && slot.offset < kHeaderBytes)
        return absl::InternalError("the plan is wrong: a step uses a value that has no memory");
    }
    for (const auto* inner : {&step.first, &step.second}) {
      if (absl::Status s = VerifySlots(*inner); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyBeside(const std::vector<Kernel>& kernels, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (step.control == Step::Control::kBeside) {
      std::vector<Used> used = UsedBeside(kernels, step);
      ir::ChargeVisits(used.size());
      if (!Clash(std::move(used))) continue;
      return absl::InternalError("the plan is wrong: kernels that run beside each other share memory that one writes");
    }
    for (const auto* inner : {&step.first, &step.second}) {
      if (absl::Status s = VerifyBeside(kernels, *inner); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

}  // namespace reel::codegen
