#ifndef REEL_TESTS_CODEGEN_AMX_EMULATOR_H_
#define REEL_TESTS_CODEGEN_AMX_EMULATOR_H_

#if defined(__x86_64__) && defined(__linux__)

#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cstdint>
#include <cstring>

// Runs code for AMX on a machine without it: each of its instructions raises SIGILL, and a handler does what it would
// have done (Intel's Software Developer's Manual, volume 2, LDTILECFG to TDPBF16PS).

namespace reel::amx {

/// MXCSR as AMX's instructions have it, whatever the thread's is: denormals are zeros, ties go to even.
class FlushedScope {
 public:
  FlushedScope() {
    const uint32_t flushed = 0x9FC0;
    __asm__ volatile("stmxcsr %0\n\tldmxcsr %1" : "=m"(before_) : "m"(flushed) : "memory");
  }
  ~FlushedScope() { __asm__ volatile("ldmxcsr %0" : : "m"(before_) : "memory"); }
  FlushedScope(const FlushedScope&) = delete;
  FlushedScope& operator=(const FlushedScope&) = delete;

 private:
  uint32_t before_ = 0;
};

// In assembly: the compiler does not know of MXCSR, and could move others across its change.
inline float Fma(float a, float b, float c) {
  __asm__ volatile("vfmadd231ss %2, %1, %0" : "+x"(c) : "x"(a), "x"(b) : "memory");
  return c;
}
inline float Add(float a, float b) {
  __asm__ volatile("vaddss %1, %0, %0" : "+x"(a) : "x"(b) : "memory");
  return a;
}
inline float Widened(uint16_t bf16) {
  const uint32_t bits = uint32_t{bf16} << 16;
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// A thread's tiles.
struct State {
  uint8_t rows[8] = {};
  uint16_t bytes[8] = {};  // of a row
  uint8_t tiles[8][16][64] = {};
};
inline State& Tiles() {
  static thread_local State state;
  return state;
}
/// How many instructions have been emulated.
inline std::atomic<int64_t>& Count() {
  static std::atomic<int64_t> count{0};
  return count;
}

/// Parts of an instruction: VEX with three bytes, opcode, ModRM, perhaps SIB and a displacement.
struct Instruction {
  int prefix = 0, opcode = 0, mod = 0, reg = 0, rm = 0, vvvv = 0;
  uint64_t base = 0, index = 0;  // of a memory operand; index: scaled
  int length = 0;                // 0: none of AMX's
};

inline uint64_t Register(const ucontext_t& context, int number) {
  static constexpr int kOrder[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                   REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return static_cast<uint64_t>(context.uc_mcontext.gregs[kOrder[number]]);
}

inline Instruction Decode(const ucontext_t& context) {
  const auto* at = reinterpret_cast<const uint8_t*>(context.uc_mcontext.gregs[REG_RIP]);
  Instruction i;
  if (at[0] != 0xC4 || (at[1] & 0x1F) != 2) return i;  // VEX, opcodes 0F 38
  const int x = (at[1] & 0x40) != 0 ? 0 : 8, b = (at[1] & 0x20) != 0 ? 0 : 8;
  i.vvvv = ~(at[2] >> 3) & 15;
  i.prefix = at[2] & 3;
  i.opcode = at[3];
  i.mod = at[4] >> 6;
  i.reg = at[4] >> 3 & 7;
  i.rm = at[4] & 7;
  int length = 5;
  if (i.mod != 3) {
    int base = i.rm;
    if (i.rm == 4) {
      const uint8_t sib = at[length++];
      base = sib & 7;
      const int index = (sib >> 3 & 7) + x;
      if (index != 4) i.index = Register(context, index) << (sib >> 6);
    }
    const bool absolute = i.mod == 0 && base == 5, relative = absolute && i.rm == 5;
    int32_t displacement = 0;
    if (i.mod == 1) displacement = static_cast<int8_t>(at[length++]);
    if (i.mod == 2 || absolute) {
      std::memcpy(&displacement, at + length, sizeof displacement);
      length += 4;
    }
    i.base = relative ? reinterpret_cast<uint64_t>(at + length) : absolute ? 0 : Register(context, base + b);
    i.base += static_cast<uint64_t>(int64_t{displacement});
  }
  i.length = length;
  return i;
}

/// sums += a * b, row by row: TDPBF16PS.
inline void Multiply(int to, int x, int y) {
  const FlushedScope flushed;
  State& s = Tiles();
  const auto half = [&s](int tile, int row, int i) {
    uint16_t bits;
    std::memcpy(&bits, &s.tiles[tile][row][2 * i], sizeof bits);
    return Widened(bits);
  };
  for (int m = 0; m < s.rows[to]; ++m) {
    for (int n = 0; n < s.bytes[to] / 4; ++n) {
      float chains[2] = {0, 0}, sum;
      for (int k = 0; k < s.bytes[x] / 4; ++k) {
        for (int i = 0; i < 2; ++i) chains[i] = Fma(half(x, m, 2 * k + i), half(y, k, 2 * n + i), chains[i]);
      }
      std::memcpy(&sum, &s.tiles[to][m][4 * n], sizeof sum);
      sum = Add(sum, Add(chains[0], chains[1]));
      std::memcpy(&s.tiles[to][m][4 * n], &sum, sizeof sum);
    }
  }
}

/// False if it is none of those that there are.
inline bool Execute(const Instruction& i) {
  constexpr int kNone = 0, kF3 = 2, kF2 = 3;  // prefixes
  State& s = Tiles();
  const auto memory = [&i](int row) {
    return reinterpret_cast<uint8_t*>(i.base + i.index * static_cast<uint64_t>(row));
  };
  if (i.opcode == 0x49 && i.prefix == kNone && i.mod != 3 && i.reg == 0) {  // LDTILECFG
    const uint8_t* from = memory(0);
    if (from[0] != 1) return false;
    s = State();
    std::memcpy(s.bytes, from + 16, sizeof s.bytes);
    std::memcpy(s.rows, from + 48, sizeof s.rows);
  } else if (i.opcode == 0x49 && i.prefix == kNone && i.mod == 3) {  // TILERELEASE
    s = State();
  } else if (i.opcode == 0x49 && i.prefix == kF2 && i.mod == 3) {  // TILEZERO
    std::memset(s.tiles[i.reg], 0, sizeof s.tiles[0]);
  } else if (i.opcode == 0x4B && (i.prefix == kF2 || i.prefix == kF3) && i.mod != 3) {  // TILELOADD, TILESTORED
    if (s.rows[i.reg] == 0) return false;  // not configured
    for (int row = 0; row < s.rows[i.reg]; ++row) {
      uint8_t* tile = s.tiles[i.reg][row];
      std::memcpy(i.prefix == kF2 ? tile : memory(row), i.prefix == kF2 ? memory(row) : tile, s.bytes[i.reg]);
    }
  } else if (i.opcode == 0x5C && i.prefix == kF3 && i.mod == 3) {  // TDPBF16PS
    if (s.rows[i.reg] == 0) return false;
    Multiply(i.reg, i.rm, i.vvvv);
  } else {
    return false;
  }
  return true;
}

inline void Handle(int, siginfo_t*, void* data) {
  auto* context = static_cast<ucontext_t*>(data);
  const Instruction i = Decode(*context);
  if (i.length > 0 && Execute(i)) {
    context->uc_mcontext.gregs[REG_RIP] += i.length;
    Count().fetch_add(1);
    return;
  }
  signal(SIGILL, SIG_DFL);  // it is raised once more, and ends the process
}

/// While it lives, the process runs AMX's instructions.
class Emulator {
 public:
  Emulator() {
    struct sigaction action = {};
    action.sa_sigaction = Handle;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGILL, &action, &before_);
  }
  ~Emulator() { sigaction(SIGILL, &before_, nullptr); }
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

 private:
  struct sigaction before_ = {};
};

}  // namespace reel::amx

#endif
#endif  // REEL_TESTS_CODEGEN_AMX_EMULATOR_H_
