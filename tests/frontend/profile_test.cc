// Profiles: what is counted and timed, that timing changes no code and no bit, the Chrome trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "codegen/backend.h"
#include "codegen/cache/code_cache.h"
#include "codegen/compiler.h"
#include "frontend/record/event_log.h"
#include "reel/reel.h"
#include "runtime/thread_pool.h"

namespace reel {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

constexpr int64_t kM = 256, kN = 200, kK = 300;

struct Threads {
  explicit Threads(int n) { runtime::SetNumThreads(n); }
  ~Threads() { runtime::SetNumThreads(0); }
};

// A product in chunks, its epilogue, a reduction.
Function Model() {
  return Trace(
      [](std::span<const Tensor> in) {
        const Tensor y = Tanh(MatMul(in[0], in[1]));
        return std::vector<Tensor>{y, ReduceSum(y)};
      },
      {Spec(kFloat32, {kM, kK}), Spec(kFloat32, {kK, kN})});
}
const std::vector<Tensor>& Inputs() {
  static const auto* inputs = new std::vector<Tensor>{RandomNormal({kM, kK}), RandomNormal({kK, kN})};
  return *inputs;
}

const KernelProfile& Find(const ExecutionProfile& profile, const std::string& name) {
  for (const KernelProfile& k : profile.kernels) {
    if (k.name.find(name) != std::string::npos) return k;
  }
  ADD_FAILURE() << "no kernel " << name << " in\n" << profile.Table();
  static const KernelProfile none;
  return none;
}

TEST(Profile, CountsCallsFlopsAndBytes) {
  for (const int threads : {1, 2, 3}) {
    const Threads scope(threads);
    const Executable run = Compile(Model(), {.profile = true});
    EXPECT_EQ(run.Profile().calls, 0);
    EXPECT_TRUE(run.Profile().kernels.empty());
    for (int i = 0; i < 5; ++i) run("main", Inputs());
    const ExecutionProfile profile = run.Profile();
    EXPECT_EQ(profile.calls, 5);
    const KernelProfile& product = Find(profile, "contract");
    EXPECT_EQ(product.calls, 5);
    EXPECT_EQ(product.name, "contract_tanh");
    EXPECT_EQ(product.flops, 5.0 * kM * kN * (2 * kK + 20));
    EXPECT_EQ(product.bytes_read, 5.0 * 4 * (kM * kK + kK * kN));
    EXPECT_EQ(product.bytes_written, 5.0 * 4 * kM * kN);
    EXPECT_EQ(product.dtype, kFloat32);
    double sum = 0;
    for (const KernelProfile& k : profile.kernels) {
      EXPECT_GT(k.seconds, 0) << k.name;
      EXPECT_GT(k.best, 0) << k.name;
      EXPECT_LE(k.best * static_cast<double>(k.calls), k.seconds * 1.000001) << k.name;
      sum += k.seconds;
    }
    EXPECT_LE(sum, profile.seconds);
    EXPECT_THAT(profile.Table(), HasSubstr("contract_tanh"));
    run.ResetProfile();
    EXPECT_EQ(run.Profile().calls, 0);
  }
}

TEST(Profile, InstancesHaveTheirOwn) {
  const Executable a = Compile(Model(), {.profile = true}), b = a.NewInstance();
  a("main", Inputs());
  EXPECT_EQ(a.Profile().calls, 1);
  EXPECT_EQ(b.Profile().calls, 0);
}

// Loops call their kernels many times; copies are a row of their own.
TEST(Profile, LoopsAndCopies) {
  const Function f = Trace(
      [](std::span<const Tensor> in) {
        return std::vector<Tensor>{ForLoop(
            10, [&](const Tensor&, const std::vector<Tensor>& c) { return std::vector<Tensor>{MatMul(c[0], in[1])}; },
            {in[0]})[0]};
      },
      {Spec(kFloat32, {8, 8}), Spec(kFloat32, {8, 8})});
  const Executable run = Compile(f, {.profile = true});
  run("main", Ones({8, 8}), Ones({8, 8}));
  const ExecutionProfile profile = run.Profile();
  EXPECT_EQ(Find(profile, "contract").calls, 10);
  EXPECT_EQ(Find(profile, "contract").flops, 10.0 * 2 * 8 * 8 * 8);
  const KernelProfile& copy = Find(profile, "copy");
  EXPECT_EQ(copy.kernel, -1);
  EXPECT_EQ(copy.bytes_read, copy.bytes_written);
  EXPECT_GE(copy.bytes_read, 4 * 8 * 8);
}

TEST(Profile, BitsAreTheSame) {
  const std::vector<Tensor> in = Inputs();
  const Results plain = Compile(Model())("main", in);
  for (const int threads : {1, 3}) {
    const Threads scope(threads);
    for (const int level : {0, 2}) {
      const Results timed = Compile(Model(), {.opt_level = level, .profile = true})("main", in);
      for (size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(plain[i].ToVector<float>(), timed[i].ToVector<float>());
    }
  }
}

// Off: the code and its key are those of a compiler that knows no profiles. On: the same kernels.
TEST(Profile, OffChangesNoCode) {
  const ir::Module module = Model().internal_data()->module;
  const auto program = [&](bool profile) {
    codegen::CompilerOptions options;
    options.profile = profile;
    auto code = reel_compiler()->Compile(module, options);
    EXPECT_TRUE(code.ok()) << code.status();
    return (*code)->program();
  };
  const codegen::Program off = program(false), on = program(true);
  EXPECT_FALSE(off.profile);
  ASSERT_TRUE(on.profile);
  const codegen::Target target = *codegen::FindTarget("native");
  const auto objects = [&](const codegen::Program& p) {
    auto code = (*codegen::GetBackend())->CompileObjects(p, target, {});
    EXPECT_TRUE(code.ok()) << code.status();
    return code->objects;
  };
  codegen::Program same = on;
  same.profile = false;
  EXPECT_EQ(codegen::CodeKey(off, target, 2), codegen::CodeKey(same, target, 2));
  EXPECT_NE(codegen::CodeKey(off, target, 2), codegen::CodeKey(on, target, 2));
  EXPECT_EQ(objects(off), objects(same));
  EXPECT_NE(objects(off), objects(on));
  for (const std::string& object : objects(off)) EXPECT_EQ(object.find("reel_profile"), std::string::npos);
  // Objects that stand alone never have any.
  codegen::CompilerOptions options;
  const auto plain = reel_compiler()->CompileToObject(module, "model", options);
  options.profile = true;
  const auto asked = reel_compiler()->CompileToObject(module, "model", options);
  ASSERT_TRUE(plain.ok() && asked.ok());
  EXPECT_EQ(plain->object, asked->object);
}

TEST(Profile, Errors) {
  const Executable run = Compile(Model());
  for (const auto& ask :
       std::vector<std::function<void()>>{[&] { run.Profile(); }, [&] { run.Trace(); }, [&] { run.ResetProfile(); }}) {
    try {
      ask();
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kFailedPrecondition);
      EXPECT_THAT(error.what(), HasSubstr(".profile = true"));
    }
  }
  EXPECT_THROW(CompileToObject(Model(), "/tmp/reel_profile_never_written", {.profile = true}), Error);
}

// Slices of a thread nest: each lies within the one before it on its thread, or after it.
void ExpectNested(const Json& trace) {
  constexpr double kRounding = 1e-3;
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> open;
  double run_begin = 0, run_end = -1;
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] != "X") continue;
    const double begin = e["ts"], end = begin + e["dur"].get<double>();
    if (e["cat"] == "run") std::tie(run_begin, run_end) = std::pair(begin, end);
    EXPECT_GE(begin, run_begin - kRounding) << e;
    EXPECT_LE(end, run_end + kRounding) << e;
    auto& stack = open[{e["pid"], e["tid"]}];
    while (!stack.empty() && stack.back().second <= begin + kRounding) stack.pop_back();
    if (!stack.empty()) {
      EXPECT_LE(end, stack.back().second + kRounding) << e;
    }
    stack.emplace_back(begin, end);
  }
}

TEST(Profile, TraceParsesAndNests) {
  const Threads scope(3);
  const Executable run = Compile(Model(), {.profile = true});
  const std::vector<Tensor> in = Inputs();
  for (int i = 0; i < 20; ++i) run("main", in);
  const Json trace = Json::parse(run.Trace());
  std::map<std::string, int> slices;
  std::set<int> threads;
  std::map<double, int> chunks;
  int64_t product_chunks = 0, of = 0;
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] == "M") continue;
    ++slices[e["name"]];
    threads.insert(e["tid"].get<int>());
    if (e["name"] != "contract_tanh") continue;
    product_chunks += e["args"]["chunks"].get<int64_t>();
    of = e["args"]["of"];
    EXPECT_EQ(e["args"]["flops"], kM * kN * (2 * kK + 20));
  }
  EXPECT_EQ(slices["main"], 20);
  EXPECT_GE(slices["contract_tanh"], 20);  // one a call and thread
  EXPECT_GT(of, 1);
  EXPECT_EQ(product_chunks, 20 * of);  // each chunk is somebody's
  EXPECT_LE(threads.size(), 3u);
  ExpectNested(trace);
}

std::string Read(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

// REEL_PROFILE is read once: each value needs a process of its own.
std::string RunWith(const std::string& value, const std::string& err) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("REEL_PROFILE", value.c_str(), 1);
    if (!std::freopen(err.c_str(), "w", stderr) || !std::freopen("/dev/null", "w", stdout)) ::_exit(126);
    ::execl("/proc/self/exe", "profile", "--gtest_also_run_disabled_tests",
            "--gtest_filter=Profile.DISABLED_TwoInstances", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return Read(err);
}

TEST(Profile, DISABLED_TwoInstances) {
  const Executable a = Compile(Model()), b = a.NewInstance();
  a("main", Inputs());
  b("main", Inputs());
}

TEST(Profile, Environment) {
  std::string folder = std::filesystem::temp_directory_path() / "reel_profile_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string err = RunWith("1", folder + "/err");
  EXPECT_THAT(err, HasSubstr("profile of"));
  EXPECT_THAT(err, HasSubstr("contract_tanh"));
  EXPECT_EQ(RunWith("0", folder + "/err"), "");
  EXPECT_EQ(RunWith(folder + "/trace.json", folder + "/err"), "");
  const Json trace = Json::parse(Read(folder + "/trace.json"));
  std::set<int> processes;
  int runs = 0;
  for (const Json& e : trace["traceEvents"]) {
    processes.insert(e["pid"].get<int>());
    runs += e["ph"] == "X" && e["cat"] == "run";
  }
  EXPECT_EQ(processes.size(), 2u);
  EXPECT_EQ(runs, 2);
  EXPECT_THAT(RunWith(folder + "/missing/trace.json", folder + "/err"), HasSubstr("cannot write"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace reel
