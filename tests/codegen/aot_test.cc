// Objects: built by hand-made programs, linked with the C compiler alone, and run.
#include "codegen/aot/aot.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "codegen/aot/archive.h"
#include "codegen/aot/header.h"
#include "codegen/aot/names.h"
#include "codegen/target/cpuid.h"
#include "ir/strings.h"
#include "runtime/abi.h"
#include "tests/codegen/kernel_util.h"
#include "tests/codegen/one_level.h"
#include "tests/hostile_names.h"

namespace reel::codegen {
namespace {

/// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "reel_aot_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return StrCat(path_, "/", name); }

 private:
  std::string path_;
};

void Write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// Output and exit status of a shell command.
std::pair<std::string, int> Shell(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string out;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  return {out, pclose(pipe)};
}

/// y[i] = w[i] * x[i], then w[i] += x[i]; w is the variable "layer/w", 100 numbers from 1, in 2
/// chunks.
Program Scale() {
  constexpr int64_t kSize = 100;
  Kernel k;
  k.name = "scale";
  const AxisId c = k.AddAxis("c"), i = k.AddAxis("i");
  const BufferId x = k.AddBuffer("x", kFloat32, false), w = k.AddBuffer("w", kFloat32, true);
  const BufferId y = k.AddBuffer("y", kFloat32, true);
  const Affine at = At({{c, 50}, {i, 1}});
  const ExprId u = Load(k, x, at), v = Load(k, w, at);
  k.body = Block(For(c, LoopKind::kParallel, 2, 1,
                     Block(For(i, LoopKind::kVector, 50, 16,
                               Block(Store(y, at, Apply(k, ir::Op::kMul, kFloat32, {u, v})),
                                     Store(w, at, Apply(k, ir::Op::kAdd, kFloat32, {u, v})))))));
  Program p;
  p.name = "scale";
  p.kernels.push_back(std::move(k));
  std::vector<float> ones(kSize, 1.0f);
  const Type type{kFloat32, Shape({kSize})};
  p.variables.push_back({"layer/w", type, true, 64, ir::Literal::From<float>(Shape({kSize}), ones)});
  p.constants.push_back(ir::Literal::From<float>(Shape({kSize}), ones));
  EntryPoint train{"train", {{"x", type}}, {{"y", type}}, {}, {}};
  train.steps.push_back(
      {0, {{Slot::Kind::kArgument, 0, 0}, {Slot::Kind::kInstance, 0, 64}, {Slot::Kind::kResult, 0, 0}}, 0});
  EntryPoint reset{"reset", {}, {{"double", type}}, {}, {}};
  reset.steps.push_back({-1, {{Slot::Kind::kInstance, 0, 64}, {Slot::Kind::kConstant, 0, 0}}, 400});
  reset.steps.push_back({-1, {{Slot::Kind::kResult, 0, 0}, {Slot::Kind::kInstance, 0, 64}}, 400});
  p.entries = {train, reset};
  p.instance_bytes = 64 + 448;
  return p;
}

constexpr char kMain[] = R"(
#include "scale.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int chunks = 0;
static void parallel_for(void* context, int64_t n, void (*body)(void*, int64_t), void* argument) {
  *(int*)context += 1;
  for (int64_t i = n; i-- > 0;) ++chunks, body(argument, i);
}

int main(void) {
  int error = -1, calls = 0;
  float x[101], y[100], z[100];
  for (int i = 0; i < 101; ++i) x[i] = (float)i;
  void* memory = aligned_alloc(scale_alignment(), scale_size());
  printf("null %d\n", (scale_init(0, SCALE_SIZE, &error), error));
  printf("small %d\n", (scale_init(memory, SCALE_SIZE - 1, &error), error));
  printf("misaligned %d\n", (scale_init((char*)memory + 32, SCALE_SIZE, &error), error));
  memset(memory, 0xFF, SCALE_SIZE);
  printf("not initialized %d\n", scale_train((scale*)memory, x, y));
  scale* s = scale_init(memory, scale_size(), 0);
  printf("ok %d\n", scale_train(s, x, y));
  printf("y %g %g\n", y[0], y[99]);
  printf("w %g %g\n", scale_variable_layer_w(s)[0], scale_variable_layer_w(s)[99]);
  scale_set_parallel_for(s, parallel_for, &calls);
  error = scale_train(s, x, y);
  printf("parallel %d %d %d\n", error, calls, chunks);
  printf("y %g %g\n", y[0], y[99]);
  printf("null %d %d\n", scale_train(0, x, y), scale_train(s, 0, y));
  printf("misaligned %d\n", scale_train(s, (const float*)((char*)x + 1), y));
  printf("overlap %d %d\n", scale_train(s, x, x + 1), scale_train(s, x, scale_variable_layer_w(s)));
  error = scale_reset(s, z);
  printf("reset %d %g %g\n", error, z[99], scale_variable_layer_w(s)[5]);
  printf("%s | %s | %s\n", scale_error(0), scale_error(4), scale_error(99));
  printf("%zu\n", strlen(scale_manifest_json));
  free(memory);
  return 0;
}
)";

constexpr char kCpp[] = R"(
#include "scale.h"
#include <cstdio>
#include <memory>
int main() {
  auto model = std::make_unique<scale>();
  const int x = model->LookupArgIndex("feed_x"), y = model->LookupResultIndex("y");
  for (int i = 0; i < 100; ++i) static_cast<float*>(model->arg_data(x))[i] = float(i);
  const bool ok = model->Run() && model->Run();
  std::printf("%d %d %d %g\n", ok, model->LookupArgIndex("z"), model->error(),
              static_cast<float*>(model->result_data(y))[99]);
  std::printf("%g\n", scale_variable_layer_w(model.get())[99]);
}
)";

/// The same, whose chunks are parts that run beside each other.
Program ScaleBeside() {
  Program p = Scale();
  Step& call = p.entries[0].steps[0];
  Step step{-1, {}, 0, Step::Control::kBeside};
  step.lanes = 2;
  for (int64_t chunk = 0; chunk < 2; ++chunk) {
    step.first.push_back(call);
    step.first.back().bytes = step.first.back().lanes = chunk;
    step.first.back().chunks = 1;
  }
  call = step;
  return p;
}

void ExpectCProgramLinksTheObjectAlone(const Program& program) {
  for (const Target& target : HostTargets()) {
    Folder folder;
    auto files = AotCompile(OneLevel(program, target), "scale", {});
    ASSERT_TRUE(files.ok()) << files.status();
    Write(folder / "scale.o", files->object);
    Write(folder / "scale.h", files->header);
    Write(folder / "main.c", kMain);
    auto [log, failed] = Shell(StrCat("cc -std=c11 -Wall -Wextra -Werror -pedantic -o ", folder / "main", " ",
                                      folder / "main.c", " ", folder / "scale.o"));
    ASSERT_EQ(failed, 0) << log << files->header;
    auto [out, status] = Shell(folder / "main");
    EXPECT_EQ(status, 0);
    EXPECT_EQ(out, StrCat("null 2\nsmall 5\nmisaligned 3\nnot initialized 7\nok 0\ny 0 99\nw 1 "
                          "100\nparallel 0 1 2\ny 0 9900\n"
                          "null 2 2\nmisaligned 3\noverlap 4 4\nreset 0 1 1\n",
                          reel_status_message(0), " | ", reel_status_message(4), " | unknown status\n",
                          files->manifest.size(), "\n"));
  }
}

TEST(Aot, AO02_07_08_09_CProgramLinksTheObjectAlone) { ExpectCProgramLinksTheObjectAlone(Scale()); }
TEST(Aot, CProgramLinksAnObjectWithKernelsBesideEachOther) { ExpectCProgramLinksTheObjectAlone(ScaleBeside()); }

TEST(Aot, AO04_05_CppClassIsWhatLlvmsModelRunnerWants) {
  Folder folder;
  auto files = AotCompile(OneLevel(Scale(), *FindTarget("native")), "scale", {});
  ASSERT_TRUE(files.ok()) << files.status();
  Write(folder / "scale.o", files->object);
  Write(folder / "scale.h", files->header);
  Write(folder / "main.cc", kCpp);
  auto [log, failed] = Shell(StrCat("c++ -std=c++17 -Wall -Wextra -Werror -fno-exceptions -o ", folder / "main", " ",
                                    folder / "main.cc", " ", folder / "scale.o"));
  ASSERT_EQ(failed, 0) << log << files->header;
  EXPECT_EQ(Shell(folder / "main").first, "1 -1 0 9900\n199\n");
}

constexpr char kSpans[] = R"(
#include "scale.h"
#include <cstdio>
#include <memory>
#include <vector>
int main() {
  auto model = std::make_unique<scale>();
  std::vector<float> x(100, 3.0f), y(100), few(99);
  std::printf("%d %d %d ", model->main_(x, few), model->main_(few, y), model->main_(x, y));
  model->variable_layer_w()[99] = 5;
  const int error = model->main_(x, y);
  std::printf("%d %g %zu\n", error, y[99], model->variable_layer_w().size());
}
)";

/// Entry points and variables as members with spans; those whose names C++ keeps have another.
TEST(Aot, CppClassTakesSpans) {
  Folder folder;
  Program p = Scale();
  p.entries[0].name = "main";
  auto files = AotCompile(OneLevel(p, *FindTarget("native")), "scale", {});
  ASSERT_TRUE(files.ok()) << files.status();
  Write(folder / "scale.o", files->object);
  Write(folder / "scale.h", files->header);
  Write(folder / "main.cc", kSpans);
  auto [log, failed] = Shell(StrCat("c++ -std=c++20 -Wall -Wextra -Werror -fno-exceptions -o ", folder / "main", " ",
                                    folder / "main.cc", " ", folder / "scale.o"));
  ASSERT_EQ(failed, 0) << log << files->header;
  EXPECT_EQ(Shell(folder / "main").first, "1 1 0 0 15 100\n");
}

/// A program that cannot run on this machine is not called; one that can is found whatever its place.
TEST(Aot, SeveralLevelsAreOneObject) {
  constexpr char kChoice[] = R"(
#include "scale.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  float x[100] = {2}, y[100];
  int error = -1;
  scale* s = scale_init(aligned_alloc(SCALE_ALIGNMENT, SCALE_SIZE), SCALE_SIZE, &error);
  if (s == 0) return printf("%s\n", scale_error(error)) < 0;
  printf("%d %zu ", *(int*)((char*)s + SCALE_SIZE - 64), scale_size() - SCALE_SIZE);
  error = scale_main(s, x, y);
  printf("%d %g ", error, y[0]);
  *(int*)((char*)s + SCALE_SIZE - 64) = 4;
  printf("%d\n", scale_main(s, x, y));
}
)";
  Folder folder;
  std::vector<Program> programs;
  std::vector<Target> targets;
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-amx"}) {
    programs.push_back(Scale());
    programs.back().entries[0].name = "main";
    targets.push_back(*FindTarget(level));
  }
  std::vector<TargetProgram> levels;
  int highest = -1;
  for (size_t i = 0; i < programs.size(); ++i) {
    levels.push_back({programs[i], targets[i]});
    if (HostSupports(targets[i].level)) highest = static_cast<int>(i);
  }
  const auto files = AotCompile(levels, "scale", {});
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_NE(files->header.find("for x86-64-v2,x86-64-v3,x86-64-v4,x86-64-v4-amx"), std::string::npos);
  const auto library = ArchiveOf(files->object, "scale.o", "linux");
  ASSERT_TRUE(library.ok()) << library.status();
  Write(folder / "libscale.a", *library);
  Write(folder / "scale.h", files->header);
  Write(folder / "main.c", kChoice);
  const auto [log, failed] = Shell(StrCat("cc -std=c11 -Wall -Wextra -Werror -o ", folder / "main", " ",
                                          folder / "main.c", " -L", folder / "", " -lscale"));
  ASSERT_EQ(failed, 0) << log;
  EXPECT_EQ(Shell(folder / "main").first, StrCat(highest, " 0 0 2 7\n"));
  EXPECT_EQ(*library, *ArchiveOf(AotCompile(levels, "scale", {})->object, "scale.o", "linux"));
}

TEST(Aot, AO20_ObjectStandsAlone) {
  Folder folder;
  auto files = AotCompile(OneLevel(Scale(), *FindTarget("native")), "scale", {});
  ASSERT_TRUE(files.ok()) << files.status();
  Write(folder / "scale.o", files->object);
  const std::set<std::string> allowed = {"memcpy", "memmove", "memset"};
  std::istringstream undefined(Shell(StrCat("nm -u ", folder / "scale.o")).first);
  for (std::string kind, symbol; undefined >> kind >> symbol;) EXPECT_TRUE(allowed.count(symbol)) << symbol;
  // no writable or thread-local data, nothing to relocate in data, only prefixed symbols
  std::istringstream sections(Shell(StrCat("readelf -SW ", folder / "scale.o")).first);
  for (std::string line; std::getline(sections, line);) {
    const bool data = line.find(" .data") != std::string::npos || line.find(" .bss") != std::string::npos ||
                      line.find(" .tdata") != std::string::npos || line.find(" .tbss") != std::string::npos;
    EXPECT_FALSE(data) << line;
  }
  std::istringstream defined(Shell(StrCat("nm -g --defined-only ", folder / "scale.o")).first);
  for (std::string at, kind, symbol; defined >> at >> kind >> symbol;) {
    EXPECT_EQ(symbol.rfind("scale_", 0), 0u) << symbol;
  }
}

TEST(Aot, SameInputSameBytes) {
  for (std::string_view name : TargetNames()) {
    const Target target = *FindTarget(name);
    auto a = AotCompile(OneLevel(Scale(), target), "scale", {}), b = AotCompile(OneLevel(Scale(), target), "scale", {});
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(a->object, b->object);
    EXPECT_EQ(a->header, b->header);
    EXPECT_EQ(a->manifest, b->manifest);
  }
}

TEST(Aot, WrappersAreBaselineCode) {
  auto text = AotText(OneLevel(Scale(), *FindTarget("x86-64-v4")), "scale", {}, /*assembly=*/true);
  ASSERT_TRUE(text.ok());
  for (const std::string name : {"scale_init", "scale_save", "scale_load", "scale.word"}) {
    const size_t begin = text->find(StrCat("\n", name, ":")), end = text->find(StrCat(".size\t", name, ","), begin);
    ASSERT_NE(end, std::string::npos) << name;
    const std::string code = text->substr(begin, end - begin);
    EXPECT_EQ(code.find("%ymm"), std::string::npos) << name;
    EXPECT_EQ(code.find("%zmm"), std::string::npos) << name;
  }
  EXPECT_NE(text->find("cpuid"), std::string::npos);
  EXPECT_NE(text->find("%zmm"), std::string::npos);
}

/// Results 0 to n - 1 are copies of as many arguments of 100 numbers.
Program Copies(int n) {
  const Type type{kFloat32, Shape({100})};
  Program p;
  p.name = "copies";
  EntryPoint main{"main", {}, {}, {}, {}};
  for (int i = 0; i < n; ++i) {
    main.arguments.push_back({StrCat("x", i), type});
    main.results.push_back({StrCat("y", i), type});
    main.steps.push_back({-1, {{Slot::Kind::kResult, i, 0}, {Slot::Kind::kArgument, i, 0}}, 400});
  }
  p.entries = {main};
  p.instance_bytes = 64;
  return p;
}

/// Lines of an entry point's wrapper in LLVM IR.
ptrdiff_t WrapperLines(int operands) {
  auto text = AotText(OneLevel(Copies(operands), *FindTarget("x86-64-v3")), "copies", {}, /*assembly=*/false);
  EXPECT_TRUE(text.ok()) << text.status();
  if (!text.ok()) return 0;
  const size_t begin = text->find(" @copies_main("), end = text->find("\n}", begin);
  EXPECT_NE(end, std::string::npos);
  return std::count(text->begin() + static_cast<ptrdiff_t>(begin), text->begin() + static_cast<ptrdiff_t>(end), '\n');
}

TEST(Aot, WrappersDoNotGrowWithOperands) {
  EXPECT_GT(WrapperLines(4), 40);
  EXPECT_LE(WrapperLines(5000), WrapperLines(4) + 2);
}

constexpr char kOverlaps[] = R"(
#include "copies.h"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  float x[400] = {1};
  copies* s = copies_init(aligned_alloc(copies_alignment(), 128), 128, 0);
  printf("%d", copies_main(s, x, x, x + 100, x + 200));
  printf(" %d", copies_main(s, x, x + 100, x + 200, x + 300));
  printf(" %d %d", copies_main(s, x, x + 100, x + 99, x + 300), copies_main(s, x, x + 100, x + 300, x + 199));
  printf(" %d %d\n", copies_main(s, x, x, x + 199, x + 100), copies_main(s, x, x, x + 100, x + 199));
  return x[100] != 1;
}
)";

TEST(Aot, ResultsOverlapNoOperandBeforeThem) {
  Folder folder;
  auto files = AotCompile(OneLevel(Copies(2), *FindTarget("native")), "copies", {});
  ASSERT_TRUE(files.ok()) << files.status();
  Write(folder / "copies.o", files->object);
  Write(folder / "copies.h", files->header);
  Write(folder / "main.c", kOverlaps);
  auto [log, failed] =
      Shell(StrCat("cc -std=c11 -o ", folder / "main", " ", folder / "main.c", " ", folder / "copies.o"));
  ASSERT_EQ(failed, 0) << log << files->header;
  EXPECT_EQ(Shell(folder / "main"), std::make_pair(std::string("0 0 4 4 4 4\n"), 0));
}

/// Copies(n) of rows, whose number the caller gives before the pointers, among other extents.
Program SizedCopies(int n, int symbols) {
  Program p = Copies(n);
  if (symbols == 0) return p;
  ObjectEntry entry{"main", p.entries[0].arguments, p.entries[0].results, {}, {{{}, 0}}};
  for (int i = 0; i < symbols; ++i) {
    entry.symbols.push_back({StrCat("N", i), 1, 100});
    entry.variants[0].extents.push_back(100 - i);
  }
  const Type type{kFloat32, Shape({Extent::Symbol(0)})};
  for (auto* operands : {&entry.arguments, &entry.results}) {
    for (ir::Parameter& o : *operands) o.type = type;
  }
  p.offered = {entry};
  return p;
}

/// Calls Copies(n) with operands that lie well, then makes each null, misaligned, and each result what lies before it.
std::string CallAll(int n, int symbols) {
  std::string sizes, call;
  for (int i = 0; i < symbols; ++i) StrAppend(&sizes, ", N[", i, "]");
  for (int i = 0; i < 2 * n; ++i) StrAppend(&call, ", p[", i, "]");
  return StrCat(
      "#include \"copies.h\"\n#include <stdio.h>\n#include <stdlib.h>\nenum { n = ", n, ", symbols = ", symbols,
      " };\nstatic int64_t N[8];\nstatic float x[2 * n][100], *p[2 * n];\nstatic int call(copies* s) { return "
      "copies_main(s",
      sizes, call, "); }\n", R"(
static int with(copies* s, int i, void* pointer) {
  float* before = p[i];
  p[i] = pointer;
  const int status = call(s);
  p[i] = before;
  return status;
}
int main(void) {
  copies* s = copies_init(aligned_alloc(64, 128), 128, 0);
  for (int i = 0; i < symbols; ++i) N[i] = 100 - i;
  for (int i = 0; i < 2 * n; ++i) p[i] = x[i], x[i][0] = x[i][99] = i + 1;
  int wrong = call(s) != 0;
  for (int i = 0; i < n; ++i) wrong += x[n + i][0] != i + 1 || x[n + i][99] != i + 1;
  for (int i = 0; i < 2 * n; ++i) {
    wrong += with(s, i, 0) != 2;
    wrong += with(s, i, (char*)p[i] + 2) != 3;
    wrong += with(s, i, s) != (i < n ? 0 : 4);
    if (i >= n) wrong += with(s, i, p[i - 1] + 99) != 4;
  }
  for (int i = 0; i < symbols; ++i) {
    N[i] = 101, wrong += call(s) != 1;
    N[i] = 3, wrong += call(s) != 1;
    N[i] = 100 - i;
  }
  wrong += call(s) != 0;
  printf("%d wrong\n", wrong);
  return wrong;
}
)");
}

TEST(Aot, OperandsInRegistersAndOnTheStack) {
  for (const int symbols : {0, 2, 7}) {
    for (const int n : {1, 3, 40}) {
      Folder folder;
      auto files = AotCompile(OneLevel(SizedCopies(n, symbols), *FindTarget("native")), "copies", {});
      ASSERT_TRUE(files.ok()) << files.status();
      Write(folder / "copies.o", files->object);
      Write(folder / "copies.h", files->header);
      Write(folder / "main.c", CallAll(n, symbols));
      auto [log, failed] =
          Shell(StrCat("cc -std=c11 -o ", folder / "main", " ", folder / "main.c", " ", folder / "copies.o"));
      ASSERT_EQ(failed, 0) << log << files->header;
      EXPECT_EQ(Shell(folder / "main"), std::make_pair(std::string("0 wrong\n"), 0)) << n << ", " << symbols;
    }
  }
}

TEST(Aot, NamesMustBeDistinctIdentifiers) {
  const Target target = *FindTarget("native");
  EXPECT_FALSE(AotCompile(OneLevel(Scale(), target), "two words", {}).ok());
  EXPECT_FALSE(AotCompile(OneLevel(Scale(), target), "struct", {}).ok());
  Program p = Scale();
  p.variables.push_back(p.variables[0]);
  p.variables[1].name = "layer:w";
  const absl::Status status = AotCompile(OneLevel(p, target), "scale", {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("layer:w"), std::string::npos);
  p = Scale();
  p.entries[0].name = "init";
  EXPECT_FALSE(AotCompile(OneLevel(p, target), "scale", {}).ok());
}

std::string Includes(const char* names) {
  std::istringstream in(names);
  std::string out;
  for (std::string name; in >> name;) StrAppend(&out, "#include <", name, ">\n");
  return out;
}

constexpr char kCHeaders[] =
    "assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h signal.h "
    "stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h tgmath.h time.h wchar.h wctype.h sys/types.h "
    "sys/stat.h sys/wait.h unistd.h fcntl.h pthread.h";
constexpr char kCppHeaders[] =
    "cassert cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio "
    "cstdlib cstring ctime cwchar cwctype memory string vector sys/stat.h unistd.h fcntl.h pthread.h";

void ExpectCompiles(const std::string& code) {
  Folder folder;
  Write(folder / "n.c", Includes(kCHeaders) + code);
  Write(folder / "n.cc", Includes(kCppHeaders) + code);
  for (const std::string& cc : {"cc -std=c99 -Wall -Wextra -Werror -fsyntax-only " + folder / "n.c",
                                "cc -std=gnu17 -Wall -Wextra -Werror -fsyntax-only " + folder / "n.c",
                                "c++ -std=gnu++20 -Wall -Wextra -Werror -fsyntax-only " + folder / "n.cc"}) {
    const auto [log, failed] = Shell(cc);
    EXPECT_EQ(failed, 0) << cc << "\n" << log.substr(0, 2000);
  }
}

/// Behind Windows's header, which has macros in small letters.
void ExpectCompilesForWindows(const std::string& code) {
  constexpr char kCompiler[] = "x86_64-w64-mingw32-gcc";
  if (Shell(StrCat(kCompiler, " --version")).second != 0) {
    std::printf("not compiled for Windows: there is no %s (third_party/setup interop)\n", kCompiler);
    return;
  }
  Folder folder;
  Write(folder / "n.c", "#include <windows.h>\n" + code);
  const auto [log, failed] =
      Shell(StrCat(kCompiler, " -std=gnu17 -Wall -Wextra -Werror -fsyntax-only ", folder / "n.c"));
  EXPECT_EQ(failed, 0) << log.substr(0, 2000);
}

/// Arguments, results and entry points of any name give a header that compiles behind all standard ones.
TEST(Aot, NoNameOfAParameterBreaksTheHeader) {
  const std::vector<std::string> names = HostileNames();
  const Target target = *FindTarget("native");
  Program p = Scale();
  const Type type{kFloat32, Shape({4})}, counts{kInt64, Shape({4})};
  p.entries.clear();
  for (size_t first = 0; first < names.size(); first += 40) {
    EntryPoint entry{StrCat("e", first), {}, {}, {}, {}};
    for (size_t i = first; i < std::min(first + 40, names.size()); ++i) {
      entry.arguments.push_back({names[i], i % 2 ? type : counts});
      entry.results.push_back({names[i], i % 3 ? type : counts});
    }
    p.entries.push_back(entry);
  }
  std::string code;
  for (const size_t run : {size_t{0}, p.entries.size() - 1}) {
    Program one = p;
    one.entries[run].name = "predict";  // that of the C++ class
    for (const std::string prefix : {"net", "NET", "arg", "e0"}) {
      const auto object = NameObject(one, StrCat(prefix, run ? "_z" : ""));
      ASSERT_TRUE(object.ok()) << object.status();
      code += HeaderText(one, *object, LayoutOf(OneLevel(one, target)));
    }
  }
  ExpectCompiles(code);
  ExpectCompilesForWindows(code);
}

/// Names that would be those of the class's members, of macros or of types of C are refused; others compile.
TEST(Aot, NamesOfObjectsAreRefusedOrCompile) {
  const Target target = *FindTarget("native");
  Program p = Scale();
  std::string code;
  int refused = 0;
  for (const auto& [object, entry] : std::vector<std::pair<std::string, std::string>>{{"arg", "data"},
                                                                                      {"result", "data"},
                                                                                      {"error", "e"},
                                                                                      {"Run", "e"},
                                                                                      {"size", "t"},
                                                                                      {"int64", "t"},
                                                                                      {"INT64", "MAX"},
                                                                                      {"static", "e"},
                                                                                      {"co", "await"},
                                                                                      {"aligned", "alloc"},
                                                                                      {"FOO", "SIZE"},
                                                                                      {"NULL", "e"},
                                                                                      {"FOO", "H_"},
                                                                                      {"FOO", "ALIGNMENT"},
                                                                                      {"char16", "t"},
                                                                                      {"max_align", "t"},
                                                                                      {"memory_", "e"},
                                                                                      {"arg0_", "e"}}) {
    p.entries[0].name = entry;
    const auto names = NameObject(p, object);
    refused += !names.ok();
    if (names.ok()) code += HeaderText(p, *names, LayoutOf(OneLevel(p, target)));
  }
  EXPECT_EQ(refused, 16);
  ExpectCompiles(code);
}

TEST(Aot, UnknownTargetListsTheNames) {
  const absl::Status status = FindTarget("pdp11").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  for (std::string_view name : TargetNames()) {
    EXPECT_NE(status.message().find(name.data()), std::string::npos);
  }
}

}  // namespace
}  // namespace reel::codegen
