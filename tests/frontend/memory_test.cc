// Each allocation of the process, on any thread, fails once in each of these steps: an error of memory or the result,
// never a signal; nothing is lost, the next call gives what it gave. REEL_FAIL_EVERY=1 tries all, which takes hours,
// n every n-th; without it some of them.
#include "tests/frontend/failing_allocator.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/record/event_log.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/eval/eval.h"
#include "ir/proto/file.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "passes/pipeline.h"
#include "reel/reel.h"

#ifdef REEL_NO_FAILING_ALLOCATOR
TEST(Memory, EachAllocationFailsOnce) { GTEST_SKIP() << "the allocator is the sanitizer's"; }
#else

namespace reel {
namespace {

using internal::Take;
using Work = std::function<std::string()>;

// Something to do, and what is there before: made in the process that does it.
struct Step {
  std::string name;
  std::function<Work()> prepare;
  int64_t runs = 100;  // of them without REEL_FAIL_EVERY
  bool cold = true;    // also in processes in which nothing of Reel has run
};
void PrintTo(const Step& step, std::ostream* out) { *out << step.name; }

std::string Bits(const Tensor& t) {
  return {static_cast<const char*>(t.raw_data()), static_cast<size_t>(t.type().bytes())};
}
std::string Bits(const std::vector<Tensor>& tensors) {
  std::string out;
  for (const Tensor& t : tensors) out += Bits(t);
  return out;
}

// What `work` returns in a child, or how the child ended.
struct Answer {
  std::string text;
  int status = -1;
};
Answer InChild(const Work& work) {
  Answer answer;
  int pipes[2];
  if (::pipe(pipes) != 0) return answer;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(600);
    const std::string text = work();
    for (size_t at = 0; at < text.size();) {
      const ssize_t n = ::write(pipes[1], text.data() + at, text.size() - at);
      if (n <= 0) ::_exit(3);
      at += static_cast<size_t>(n);
    }
    ::_exit(0);
  }
  ::close(pipes[1]);
  char buffer[4096];
  for (ssize_t n; child > 0 && (n = ::read(pipes[0], buffer, sizeof buffer)) > 0;)
    answer.text.append(buffer, static_cast<size_t>(n));
  ::close(pipes[0]);
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return answer;
  answer.status = WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
  return answer;
}

// A product, a softmax, a loop, a table that is looked up.
Tensor Body(const Operand& x, const Operand& w) {
  const Tensor h = Softmax(MatMul(x, w), -1);
  const Tensor looped = ForLoop(3, [&](const Tensor&, const Tensor& value) { return Tanh(value * h) + h; }, h);
  return ReduceSum(Square(looped)) + ReduceSum(Gather(w, Tensor{int64_t{0}, int64_t{2}, int64_t{2}}));
}

// Trained by its own gradient.
struct Model {
  Variable w{Full({6, 4}, 0.25), {.name = "w"}};

  Function Traced() const {
    return Trace(
        [this](const Tensor& x) {
          GradientTape tape;
          const Tensor loss = Body(x, w);
          w.AssignSub(0.1 * *tape.Gradient(loss, w));
          return loss;
        },
        {Spec(kFloat32, {5, 6})});
  }
  Module Lifted() const { return Module::Lift({{"main", Traced()}}); }
};

// Those of the process that asks first; the parent of all asks children.
const std::string& Text() {
  static const std::string text = InChild([] { return Model().Lifted().ToText(); }).text;
  return text;
}
const std::string& Forward() {
  static const std::string text =
      InChild([] {
        return Module::Lift({{"main", Body, {Spec(kFloat32, {5, 6}), Spec(kFloat32, {6, 4})}}}).ToText();
      }).text;
  return text;
}
const std::string& Bytes() {
  static const std::string bytes =
      InChild([] { return Take(ir::SerializeModule(Take(ir::ParseModule(Text())))); }).text;
  return bytes;
}

std::string ReadAll(const std::string& path) {  // a stream would swallow std::bad_alloc
  std::string out(static_cast<size_t>(std::filesystem::file_size(path)), '\0');
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw std::bad_alloc();
  if (std::fread(out.data(), 1, out.size(), file.get()) != out.size()) out = "short";
  return out;
}
// Of this process, gone with it.
std::string File(const std::string& name) {
  return testing::TempDir() + "/memory_test_" + std::to_string(::getppid()) + name;
}

// A model of one product and a sum, in the wire format of protocol buffers.
std::string OnnxBytes() {
  const auto field = [](int number, const std::string& bytes) {
    return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
  };
  const auto number = [](int at, int value) {
    return std::string(1, static_cast<char>(at << 3)) + static_cast<char>(value);
  };
  const auto info = [&](const std::string& name) {
    const std::string shape = field(1, number(1, 4)) + field(1, number(1, 4));
    return field(1, name) + field(2, field(1, number(1, 1) + field(2, shape)));
  };
  const auto node = [&](const std::string& op, const std::string& y) {
    return field(1, field(1, "x") + field(1, "x") + field(2, y) + field(3, "n") + field(4, op));
  };
  const std::string graph = node("MatMul", "y") + node("Add", "z") + field(11, info("x")) + field(12, field(1, "y")) +
                            field(12, field(1, "z"));
  return number(1, 8) + field(7, graph) + field(8, number(2, 15));
}

std::string EagerStep(bool twice) {
  const Tensor x = Full({5, 6}, 0.5), w = Full({6, 4}, 0.25);
  GradientTape outer, tape;
  outer.Watch(w);
  tape.Watch(w);
  const Tensor dw = *tape.Gradient(Body(x, w), w);
  return Bits(twice ? *outer.Gradient(ReduceSum(Square(dw)), w) : dw);
}

std::string OptimizerStep() {
  Variable w(Full({6, 4}, 0.25)), b(Full({4}, 0.5));
  Adam adam;
  for (int i = 0; i < 2; ++i) {
    GradientTape tape;
    const Tensor loss = ReduceSum(Square(MatMul(Full({5, 6}, 0.5), w) + b));
    adam.Apply(tape.Gradient(loss, {w, b}));
  }
  return Bits(w.value()) + Bits(b.value());
}

Work OnModule(std::string (*use)(const Module&)) {
  return [module = Module::FromText(Text()), use] { return use(module); };
}
Work OnForward(std::string (*use)(const Function&)) {
  return [f = Module::FromText(Forward()).function("main"), use] { return use(f); };
}
Step CompileStep(int level) {
  return {"compile_" + std::to_string(level),
          [level] {
            const Module module = Module::FromText(Text());
            const auto compile = [module, level] {
              return Bits(Compile(module, {.opt_level = level})("main", Full({5, 6}, 0.5))[0]);
            };
            compile();  // opens LLVM
            return compile;
          },
          60, false};
}

std::vector<Step> Steps() {
  return {
      {"parse_text", [] { return [] { return ir::Print(Take(ir::ParseModule(Text()))); }; }},
      {"parse_proto",
       [] {
         return [] {
           const std::string& bytes = Bytes();
           return ir::Print(Take(ir::ParseModuleBytes(std::as_bytes(std::span(bytes)), "module")));
         };
       }},
      {"verify",
       [] {
         const auto module = std::make_shared<const ir::Module>(Take(ir::ParseModule(Text())));
         return [module] { return Take(absl::StatusOr<int>(ir::Verify(*module).ok() ? 1 : 0)) ? "valid" : "invalid"; };
       }},
      {"serialize",
       [] { return OnModule([](const Module& m) { return Take(ir::SerializeModule(m.internal_data()->module)); }); }},
      {"load",
       [] {
         std::ofstream(File(".reel"), std::ios::binary) << Bytes();
         return [] { return Module::Load(File(".reel")).ToText(); };
       }},
      {"save",
       [] {
         return OnModule([](const Module& m) {
           m.Save(File(".saved.reel"));
           return ReadAll(File(".saved.reel"));
         });
       }},
      {"gradient", [] { return OnForward([](const Function& f) { return Gradients(f).ToText(); }); }},
      {"jvp", [] { return OnForward([](const Function& f) { return Jvp(f).ToText(); }); }},
      {"vectorize", [] { return OnForward([](const Function& f) { return VectorizedMap(f, 3).ToText(); }); }},
      {"optimize",
       [] {
         return [] {
           ir::Module module = Take(ir::ParseModule(Text()));
           Take(passes::Optimize(&module));
           return ir::Print(module);
         };
       }},
      {"evaluate",
       [] {
         const auto module = std::make_shared<const ir::Module>(Take(ir::ParseModule(Text())));
         return [module] {
           const auto result = Take(ir::EvaluateEntry(*module, "main", {ir::Literal::Zeros({kFloat32, {5, 6}})}));
           const auto bytes = result.outputs[0].bytes();
           return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
         };
       }},
      {"trace", [] { return [] { return Model().Lifted().ToText(); }; }},
      {"tape", [] { return [] { return EagerStep(false); }; }},
      {"tape_of_tape", [] { return [] { return EagerStep(true); }; }},
      {"tape_program",
       [] {
         return [] {
           std::string bits;
           for (int i = 0; i < 5; ++i) bits = EagerStep(false);
           WaitForCompiler();
           return bits;
         };
       },
       30, false},
      {"optimizer", [] { return OptimizerStep; }},
      {"onnx", [] { return [] { return ImportOnnxBytes(OnnxBytes(), "model").ToText(); }; }},
      CompileStep(0),
      CompileStep(2),
      {"object",
       [] {
         const auto compile = OnModule([](const Module& m) {
           CompileToObject(m, File("_object"));
           return ReadAll(File("_object.o"));
         });
         compile();
         return compile;
       },
       60, false},
      {"run",
       [] {
         const Executable compiled = Compile(Module::FromText(Text()));
         return [compiled, x = Full({5, 6}, 0.5)] {
           compiled.set_variable("w", Full({6, 4}, 0.25));
           const Tensor loss = compiled("main", x)[0];
           return Bits({loss, compiled.variable("w")});
         };
       },
       100, false},
  };
}

// What it gave, or "" for an error that says that memory ran out, or the text of another, which is a failure.
std::string Try(const Work& run, bool* failed) {
  *failed = true;
  try {
    std::string result = run();
    *failed = false;
    return result;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kResourceExhausted) return std::string("another error: ") + e.what();
  } catch (const std::bad_alloc&) {
  } catch (const std::exception& e) {
    return std::string("another exception: ") + e.what();
  }
  return "";
}

// Allocations first, first + stride, ... (n of them) fail, one in each run; what is wrong.
std::string FailEach(const Step& step, const std::string& expected, int64_t first, int64_t stride, int64_t n) {
  const Work run = step.prepare();
  for (int64_t i = 0; i < n; ++i) {
    bool failed = false;
    failing::allocations = 0;
    failing::failing = first + i * stride;
    const std::string result = Try(run, &failed);
    failing::failing = -1;
    const std::string which = step.name + ", allocation " + std::to_string(first + i * stride) + ": ";
    if (failed && !result.empty()) return which + result;
    if (!failed && result != expected) return which + "the result is another";
    const bool again = i % 8 == 0 || i + 1 == n;
    if (again && Try(run, &failed) != expected) return which + "the next call gives another result";
  }
  return "";
}

class Memory : public testing::TestWithParam<Step> {
 protected:
  // All allocations of `count` by `stride`, `per_child` in a process.
  void Fail(int64_t count, int64_t stride, int64_t per_child) {
    const int64_t runs = (count + stride - 1) / stride;
    for (int64_t i = 0; i < runs; i += per_child) {
      const int64_t n = std::min(per_child, runs - i);
      const Answer answer = InChild([&] { return FailEach(GetParam(), expected_, i * stride, stride, n); });
      EXPECT_TRUE(answer.status == 0 && answer.text.empty())
          << answer.text << " status " << answer.status << ", allocations " << i * stride << " to "
          << (i + n - 1) * stride << " by " << stride;
    }
    std::printf("%s: %jd allocations, %jd failed, %jd in a process\n", GetParam().name.c_str(), intmax_t(count),
                intmax_t(runs), intmax_t(per_child));
  }
  std::string expected_;
};

TEST_P(Memory, EachAllocationFailsOnce) {
  const char* const every = std::getenv("REEL_FAIL_EVERY");
  const Step& step = GetParam();
  Text(), Forward(), Bytes();
  int64_t counts[2] = {};
  const Answer first = InChild([&] { return step.prepare()(); });
  const Answer counted = InChild([&] {
    const Work run = step.prepare();
    for (int64_t& count : counts) {
      failing::allocations = 0;
      run();
      count = failing::allocations;
    }
    return std::to_string(counts[0]) + " " + std::to_string(counts[1]);  // the first of a process, and the next
  });
  ASSERT_EQ(first.status, 0);
  ASSERT_EQ(counted.status, 0);
  ASSERT_FALSE(first.text.empty());
  expected_ = first.text;
  std::istringstream(counted.text) >> counts[0] >> counts[1];
  ASSERT_GT(counts[1], 0);
  const auto stride = [&](int64_t count, int64_t runs) {
    return every ? std::max<int64_t>(1, std::atoi(every)) : std::max<int64_t>(1, count / runs);
  };
  Fail(counts[1], stride(counts[1], step.runs), 50);
  if (step.cold) Fail(counts[0], stride(counts[0], 40), 1);
}

INSTANTIATE_TEST_SUITE_P(Steps, Memory, testing::ValuesIn(Steps()), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace reel
#endif  // REEL_NO_FAILING_ALLOCATOR
