// The listings of codegen/EXAMPLE.md are what the compiler makes. REEL_UPDATE_GOLDEN=1 writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "codegen/compiler.h"
#include "codegen/program/plan.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "passes/pipeline.h"
#include "tests/paths.h"

namespace reel::codegen {
namespace {

std::string Page() { return SourceDir() + "/codegen/EXAMPLE.md"; }
constexpr char kCpu[] = "x86-64-v3";

constexpr char kModule[] = R"(reel 1
module "example"
func @layer(%x: f32[32,48], %w: f32[48,16], %b: f32[16]) -> (y: f32[32,16], norms: f32[32]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[32,16]
  %1 = broadcast %b {axes=[1], shape=[32,16]} : f32[32,16]
  %2 = add %0, %1 : f32[32,16]
  %3 = constant 1 : f32[]
  %4 = broadcast %3 {axes=[], shape=[32,16]} : f32[32,16]
  %5 = mul %2, %4 : f32[32,16]
  %6 = constant 0 : f32[]
  %7 = broadcast %6 {axes=[], shape=[32,16]} : f32[32,16]
  %8 = max %5, %7 : f32[32,16]
  %9 = max %5, %7 : f32[32,16]
  %10 = mul %8, %9 : f32[32,16]
  %11 = reduce_sum %10 {axes=[1]} : f32[32]
  return %8, %11
}
)";

ir::Module Example() { return *ir::ParseModule(kModule, "example"); }

std::string AfterPasses() {
  ir::Module module = Example();
  passes::PipelineOptions options;
  options.context.entry_points = {"layer"};
  options.context.differentiation_done = true;
  EXPECT_TRUE(passes::Expand(&module, options.context).ok());
  EXPECT_TRUE(passes::RunPasses(&module, passes::OptimizationPipeline(), options).ok());
  return ir::Print(*module.FindFunction("layer"));
}

Program Plan() {
  auto program = BuildProgram(Example(), *FindTarget(kCpu), {});
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

std::string Emit(const std::string& kind, const ir::Module& module = Example()) {
  CompilerOptions options;
  options.cpu = kCpu;
  auto text = reel_compiler()->EmitText(module, "example", kind, options);
  EXPECT_TRUE(text.ok()) << text.status();
  return *std::move(text);
}

// The first block of lines, from a label to the next one, in which `op` occurs and that jumps to its own label.
std::string InnermostLoop(const std::string& text, const std::string& op,
                          const std::function<std::string(const std::string&)>& label_of) {
  std::istringstream lines(text);
  std::string block, label;
  for (std::string line; std::getline(lines, line);) {
    if (const std::string next = label_of(line); !next.empty() || line.empty() || line == "}") {
      label = next;
      block.clear();
    }
    StrAppend(&block, line.substr(0, line.find("\t#")), "\n");
    const bool jumps = line.find(label) != std::string::npos && line.find(label) > 0 &&
                       (line.find("\tj") == 0 || line.find("  br ") == 0);
    if (!label.empty() && jumps && block.find(op) != std::string::npos) return block;
  }
  ADD_FAILURE() << "no loop with " << op << " in\n" << text;
  return "";
}

std::string LlvmLoop(const ir::Module& module = Example()) {
  const auto label = [](const std::string& line) {
    const size_t colon = line.find(':');
    const bool is_label = colon != std::string::npos && !line.starts_with(" ") && !line.starts_with(";");
    return is_label ? "%" + line.substr(0, colon) : "";
  };
  return InnermostLoop(Emit("llvm", module), "@llvm.fma", label);
}

std::string AssemblyLoop() {
  const auto label = [](const std::string& line) {
    return line.starts_with(".L") ? line.substr(0, line.find(':')) : "";
  };
  return InnermostLoop(Emit("asm"), "vfmadd", label);
}

std::string Listing(const std::string& name) {
  if (name == "ir") return kModule;
  if (name == "passes") return AfterPasses();
  if (name == "plan") return PlanText(Plan());
  if (name == "loops") return ToString(Plan().kernels.at(0));
  if (name == "llvm") return LlvmLoop();
  if (name == "asm") return AssemblyLoop();
  ADD_FAILURE() << "no listing " << name;
  return "";
}

TEST(Example, ListingsAreWhatTheCompilerMakes) {
  std::ifstream file(Page());
  ASSERT_TRUE(file) << Page();
  const bool update = std::getenv("REEL_UPDATE_GOLDEN") != nullptr;
  std::string page, name, shown;
  int listings = 0;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kMark = "<!-- listing: ";
    if (line.starts_with(kMark)) name = line.substr(kMark.size(), line.find(" -->") - kMark.size());
    const bool fence = line.starts_with("```");
    if (!inside || fence) {
      if (inside && fence) {
        const bool same_llvm = REEL_LLVM_MAJOR == 19 || (name != "llvm" && name != "asm");
        const std::string want = same_llvm ? Listing(name) : shown;
        if (!update) {
          EXPECT_EQ(want, shown) << name << ": REEL_UPDATE_GOLDEN=1 writes it anew";
        }
        page += want;
        name.clear();
        ++listings;
      }
      StrAppend(&page, line, "\n");
      inside = fence && !inside && !name.empty();
      if (inside) shown.clear();
    } else {
      StrAppend(&shown, line, "\n");
    }
  }
  EXPECT_EQ(listings, 6);
  if (update) std::ofstream(Page()) << page;
}

// Rows past the last are read as the last: which one that is changes with the tile, not with k.
TEST(IndexArithmetic, LeavesTheLoopsItDoesNotDependOn) {
  const std::string loop = LlvmLoop(*ir::ParseModule(R"(reel 1
module "rows"
func @main(%x: f32[50,48], %w: f32[48,32]) -> (y: f32[50,32]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[50,32]
  return %0
}
)",
                                                     "rows"));
  EXPECT_EQ(loop.find("smin"), std::string::npos) << loop;
  EXPECT_EQ(loop.find("add nsw i64"), std::string::npos) << loop;
  EXPECT_NE(loop.find("add nuw nsw i64 %k, 1"), std::string::npos) << loop;
}

}  // namespace
}  // namespace reel::codegen
