// Forks at random moments while other threads call, compile, differentiate: the child computes and compiles. The rounds
// are 40, or REEL_FORK_ROUNDS.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>
#include <thread>

#include "frontend/reel/reel.h"
#include "runtime/fork.h"
#include "tests/paths.h"

namespace reel {
namespace {

using std::chrono::microseconds;

// What the child does; the exit status it should have: 0, else the number of what was wrong.
int StatusOfChild(const std::function<int()>& run) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    int status = 99;
    try {
      status = run();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "child: %s\n", e.what());
    }
    ::_exit(status);
  }
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

double First(const Tensor& x) { return Cast(Reshape(x, {x.size()})[0], kFloat64).item<double>(); }

// A program that was not compiled before, whatever n it is called with.
double CompileNew(int64_t n) {
  const Function f = Trace([](const Tensor& x) { return ReduceSum(Tanh(x) * x); }, {Spec(kFloat32, {n % 1000 + 2})});
  return First(Compile(f)("main", Zeros({n % 1000 + 2})));
}

// Everything that a thread may be in when another one forks.
class Load {
 public:
  Load() {
    Add([this](int64_t i) {
      EXPECT_EQ(First(square_(Full({64}, static_cast<double>(i % 7)))), double((i % 7) * (i % 7)));
    });
    Add([this](int64_t) { step_(Ones({4096})); });
    Add([this](int64_t) { shared_("main", Ones({512, 64})); });
    Add([](int64_t i) { EXPECT_EQ(CompileNew(i), 0); });
    Add([](int64_t i) {
      const Tensor x = Ones({i / 8 % 50 + 1});
      GradientTape tape;
      tape.Watch(x);
      EXPECT_EQ(First(*tape.Gradient(ReduceSum(x * x * x), x)), 3);
    });
    Add([](int64_t i) { EXPECT_EQ(First(CumSum(Ones({i % 300 + 3}), 0)), 1); });  // compiled, each by its shape
  }
  ~Load() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

  int RunInChild() {
    if (First(square_(Full({64}, 3.0))) != 9) return 1;
    const Tensor y = shared_("main", Ones({512, 64}))[0];
    if (First(y) != 64) return 2;
    const double before = First(a_.value()), other = First(b_.value());
    if (before != other) return 3;  // a call's assignments come together
    step_(Ones({4096}));
    if (First(a_.value()) != before + 1 || First(b_.value()) != before + 1) return 4;
    if (CompileNew(1003) != 0) return 5;
    const Tensor x = Ones({33});
    for (int i = 0; i < 4; ++i) {
      GradientTape tape;
      tape.Watch(x);
      if (First(*tape.Gradient(ReduceSum(x * x), x)) != 2) return 6;
    }
    if (First(CumSum(Ones({777}), 0)) != 1) return 7;
    std::thread([this] { square_(Ones({64})); }).join();
    return 0;
  }

 private:
  void Add(std::function<void(int64_t)> call) {
    threads_.emplace_back([this, call] {
      for (int64_t i = 0; !stop_; ++i) call(i);
    });
  }

  Variable a_{Zeros({4096})}, b_{Zeros({4096})};
  Function square_ = Trace([](const Tensor& x) { return x * x; }, {Spec(kFloat32, {64})});
  Function step_ = Trace(
      [this](const Tensor& x) {
        a_.AssignAdd(x);
        b_.AssignAdd(x);
        return ReduceSum(Sin(a_));
      },
      {Spec(kFloat32, {4096})});
  Executable shared_ =
      Compile(Trace([](const Tensor& x) { return MatMul(x, Transpose(x)); }, {Spec(kFloat32, {512, 64})}));
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

TEST(ForkUnderLoad, TheChildComputesAndCompiles) {
  const char* const text = std::getenv("REEL_FORK_ROUNDS");
  const int rounds = text ? std::atoi(text) : 40;
  ASSERT_GT(rounds, 0) << "REEL_FORK_ROUNDS=" << text;
  Load load;
  std::mt19937 random(5);
  for (int i = 0; i < rounds; ++i) {
    std::this_thread::sleep_for(microseconds(random() % 5000));
    ASSERT_EQ(StatusOfChild([&] { return load.RunInChild(); }), 0) << "fork " << i;
  }
}

// A call that takes long, of an executable with a variable.
class LongCall : public testing::Test {
 protected:
  Executable Make(bool assigns) {
    return Compile(Trace(
        [&](const Tensor& n) {
          const auto last = WhileLoop([&](const std::vector<Tensor>& s) { return Less(s[0], n); },
                                      [&](const std::vector<Tensor>& s) {
                                        if (assigns) v_.AssignAdd(1.0);
                                        return std::vector<Tensor>{s[0] + int64_t{1}};
                                      },
                                      {Tensor(int64_t{0})});
          return Cast(last[0], kFloat32) + ReduceSum(v_);
        },
        {Spec(kInt64, {})}));
  }
  // Runs `child` in a child that is made while another thread is in such a call: again if it was not (kNotInside).
  static constexpr int kNotInside = 50;
  static int StatusDuring(const Executable& run, const std::function<int()>& child) {
    int status = kNotInside;
    for (int tries = 0; tries < 20 && status == kNotInside; ++tries) {
      std::thread other([&] { run("main", Tensor(int64_t{3'000'000})); });
      std::this_thread::sleep_for(std::chrono::milliseconds(5 * (tries + 1)));
      status = StatusOfChild(child);
      other.join();
    }
    return status;
  }
  Variable v_{Zeros({256}), {.name = "v"}};
};

TEST_F(LongCall, AnInstanceThatOnlyReadsGoesOn) {
  const Executable run = Make(false);
  EXPECT_EQ(StatusDuring(run, [&] { return First(run("main", Tensor(int64_t{5}))[0]) == 5 ? 0 : 1; }), 0);
}

TEST_F(LongCall, TornVariablesAreAnErrorUntilTheyAreSet) {
  const Executable run = Make(true);
  EXPECT_EQ(StatusDuring(run,
                         [&] {
                           try {
                             run("main", Tensor(int64_t{1}));
                             return kNotInside;
                           } catch (const Error& e) {
                             if (e.code() != ErrorCode::kAborted) return 2;
                           }
                           try {
                             run.variable("v");
                             return 3;
                           } catch (const Error&) {
                           }
                           if (First(run.NewInstance()("main", Tensor(int64_t{2}))[0]) != 2 + 256 * 2) return 4;
                           run.set_variable("v", Zeros({256}));
                           return First(run("main", Tensor(int64_t{2}))[0]) == 2 + 256 * 2 ? 0 : 5;
                         }),
            0);
  EXPECT_EQ(std::fmod(First(run.variable("v")), 3'000'000), 0);  // the parent does not notice
}

TEST(Locks, TheOwnerMayForkAndTheChildGoesOnAsOwner) {
  runtime::Mutex mutex;
  runtime::CallMutex calls;
  const std::lock_guard lock(mutex);
  calls.lock();
  EXPECT_EQ(StatusOfChild([&] {
              int taken = 0;
              std::thread([&] { taken = mutex.try_lock(); }).join();
              if (taken) return 1;
              mutex.unlock();
              std::thread([&] {
                taken = mutex.try_lock();
                if (taken) mutex.unlock();
              }).join();
              mutex.lock();  // what lock_guard expects
              calls.lock();
              calls.unlock();
              return taken ? 0 : 2;
            }),
            0);
  calls.unlock();
}

TEST(Locks, AWindowLetsForksPassAndTellsTheChild) {
  runtime::Mutex mutex;
  std::atomic<int> stage{0};
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    const runtime::ForkWindow window(mutex);
    stage = 1;
    while (stage < 2) std::this_thread::yield();
  });
  while (stage < 1) std::this_thread::yield();
  EXPECT_EQ(StatusOfChild([&] {
              const std::lock_guard lock(mutex);
              return mutex.TakeInterrupted() && !mutex.TakeInterrupted() ? 0 : 1;
            }),
            0);
  stage = 2;
  other.join();
  EXPECT_FALSE(mutex.TakeInterrupted());
}

// A lock that fork() does not know is a child that hangs: all of the library's are of runtime/fork.h. The files named
// here say how theirs get over a fork.
TEST(Locks, ThereAreNoOthers) {
  const std::set<std::string> known = {"runtime/fork.h",
                                       "runtime/fork.cc",
                                       "runtime/thread_pool.cc",
                                       "runtime/allocator.h",
                                       "frontend/eager/background.h",
                                       "frontend/values/variable_data.h",
                                       "frontend/program/deadline.h",
                                       "frontend/data/reader.h",
                                       "frontend/data/reader.cc",
                                       "codegen/aot/reserved.cc"};  // the last: words
  const std::regex lock(R"(std::(shared_|recursive_|timed_)*mutex\b|absl::(Mutex|Notification|once_flag)|)"
                        R"(once_flag|call_once|condition_variable|pthread_(mutex|rwlock|cond|once)|sem_wait)");
  int files = 0;
  for (const char* folder : {"ir", "passes", "codegen", "runtime", "frontend"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(SourceDir() + "/" + folder)) {
      const std::string path = std::filesystem::relative(entry.path(), SourceDir());
      if (!path.ends_with(".h") && !path.ends_with(".cc")) continue;
      if (path.starts_with("frontend/cli/") || known.contains(path)) continue;  // the program itself has no threads
      ++files;
      std::ifstream in(entry.path());
      std::stringstream text;
      text << in.rdbuf();
      EXPECT_FALSE(std::regex_search(text.str(), lock)) << path << " has a lock of its own";
    }
  }
  EXPECT_GT(files, 300);
}

// Statics of functions that are made at run time hide a lock: ir/lazy.h has the way without one.
TEST(Locks, NoStaticsOfFunctionsAreMadeUnderOne) {
  int statics = 0;
  for (const char* library : {"libreel.so", "libreel_compiler.so"}) {
    const std::string command = "nm -C " + BinaryDir() + "/lib/" + library + " 2>&1";
    FILE* const pipe = ::popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string text;
    char part[4096];
    while (const size_t n = std::fread(part, 1, sizeof part, pipe)) text.append(part, n);
    ASSERT_EQ(::pclose(pipe), 0) << text.substr(0, 300);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      // b, d: of the process; those of threads wait for nobody. Generated code has names of enums.
      statics += line.find(" reel::") != std::string::npos;
      if (line.find("guard variable for reel") == std::string::npos) continue;
      const bool of_thread =
          std::regex_search(line, std::regex("State\\(\\)::state|::join$|::last$|::writer$|::number$|::own$"));
      const bool generated = line.find("::proto::") != std::string::npos;
      EXPECT_TRUE(of_thread || generated) << library << ": " << line;
    }
  }
  EXPECT_GT(statics, 1000);
}

}  // namespace
}  // namespace reel
