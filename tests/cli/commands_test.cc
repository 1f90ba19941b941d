#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli_testing.h"
#include "frontend/values/npy.h"
#include "frontend/values/tensor_data.h"
#include "ir/eval/eval.h"
#include "ir/text/parser.h"
#include "reel/weights.h"
#include "tests/paths.h"

namespace reel::cli {
namespace {

const std::vector<std::string> kNames = {"show",  "verify", "diff",  "grad", "opt",  "run",        "compile", "convert",
                                         "train", "ops",    "bench", "tune", "plan", "completion", "man"};

class Commands : public testing::Test {
 protected:
  void SetUp() override {
    Write(file_, kModule);
    const float x[] = {3, 4};
    Write(Path("x.npy"), FormatNpy(ir::Literal::From<float>({2}, x)));
    Write(Path("n.npy"), FormatNpy(ir::Literal::ScalarInt(kInt32, 2)));
  }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  // stdout of a command that must succeed.
  static std::string Ok(const std::vector<std::string>& arguments) {
    const ProcessResult result = Reel(arguments);
    EXPECT_EQ(kOk, result.status) << result.err;
    EXPECT_EQ("", result.err);
    return result.out;
  }
  static Json OkJson(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    return Json::parse(Ok(arguments), nullptr, false);
  }
  ir::Literal Array(const std::string& name) const { return *ParseNpy(Read(Path(name)), name); }

  const TemporaryFolder folder_;
  const std::string file_ = folder_.path() + "/small.reel.txt";
};

TEST_F(Commands, HelpHasAnExample) {
  EXPECT_NE(std::string::npos, Ok({"--help"}).find("Exit status"));
  EXPECT_EQ("reel 0.1.0\n", Ok({"--version"}));
  for (const std::string& name : kNames) {
    const std::string help = Ok({name, "--help"});
    EXPECT_NE(std::string::npos, help.find("Example:\n  reel " + name)) << help;
    EXPECT_NE(std::string::npos, help.find("--json")) << name;
  }
}

TEST_F(Commands, Show) {
  EXPECT_EQ(kModule, Ok({"show", file_, "--full"}));
  EXPECT_TRUE(Ok({"show", file_, "--function", "train"}).starts_with("func @train"));
  EXPECT_NE(std::string::npos, Ok({"show", file_, "--dot"}).find("digraph"));
  const Json summary = OkJson({"show", file_, "--summary"});
  EXPECT_EQ(summary["variables"]["count"], 2);
  EXPECT_GT(summary["entries"][0]["flops"], 0);
  EXPECT_GT(summary["instance_bytes"], 64);
  EXPECT_TRUE(Ok({"show", file_, "--summary"}).starts_with("module "));
  const Json json = OkJson({"show", file_});
  EXPECT_EQ("train", json["functions"][0]["name"]);
  EXPECT_EQ("loss", json["functions"][0]["results"][0]["name"]);
  EXPECT_EQ(Json::parse("[2]"), json["variables"][0]["shape"]);
}

TEST_F(Commands, Convert) {
  const std::string cases = "/usr/share/libonnx-testdata/data/node/";  // of libonnx-testdata
  const Json json = OkJson({"convert", cases + "test_gemm_all_attributes/model.onnx", "-o", Path("gemm.reel")});
  EXPECT_EQ("a", json["functions"][0]["parameters"][0]["name"]);
  EXPECT_EQ(Path("gemm.reel"), json["file"].get<std::string>());
  Ok({"verify", Path("gemm.reel")});
  const int64_t shape[] = {2, -1};
  Write(Path("shape.npy"), FormatNpy(ir::Literal::From<int64_t>({2}, shape)));
  EXPECT_NE(std::string::npos, Ok({"convert", cases + "test_reshape_negative_dim/model.onnx", "--constant",
                                   "shape=" + Path("shape.npy"), "-o", Path("reshape.reel.txt")})
                                   .find("1 functions, 1 nodes"));
  EXPECT_NE(std::string::npos, Read(Path("reshape.reel.txt")).find("f32[2,12]"));
  // Between the two forms of a module.
  Ok({"convert", file_, "-o", Path("small.reel")});
  Ok({"convert", Path("small.reel"), "-o", Path("again.reel.txt")});
  EXPECT_EQ(kModule, Read(Path("again.reel.txt")));
}

TEST_F(Commands, Verify) {
  EXPECT_NE(std::string::npos, Ok({"verify", file_, file_}).find("ok, 1 functions, 8 nodes, 2 variables"));
  EXPECT_EQ(8, OkJson({"verify", file_})["nodes"]);
}

TEST_F(Commands, ConvertToTensorFlow) {
  EXPECT_EQ(Path("small.pb"), OkJson({"convert", file_, "-o", Path("small.pb")})["file"]);
  EXPECT_NE(std::string::npos, Read(Path("small.pb")).find("Placeholder"));
  ExpectFailure(Reel({"convert", file_, "-o", Path("small.pb"), "--function", "none"}), kInvalid, "none");
  ExpectFailure(Reel({"convert", file_, "-o", Path("small.pb"), "--dim", "none=2"}), kInvalid, "none");
}

TEST_F(Commands, ConvertToSavedModel) {
  EXPECT_EQ(Path("small/"), OkJson({"convert", file_, "-o", Path("small/")})["file"]);
  EXPECT_NE(std::string::npos, Read(Path("small/saved_model.pb")).find("train"));
  ExpectFailure(Reel({"convert", file_, "-o", Path("no/where/")}), kIo, "no/where/");
  ExpectFailure(Reel({"convert", file_, "-o", Path("")}), kInvalid, "no saved_model.pb");
  ExpectFailure(Reel({"convert", file_, "-o", Path("small/"), "--function", "none"}), kInvalid, "none");
  ExpectFailure(Reel({"convert", file_, "-o", Path("small/"), "--dim", "none=2"}), kInvalid, "none");
}

TEST_F(Commands, ConvertToStableHlo) {
  const Json json = OkJson({"convert", file_, "-o", Path("small.mlir")});
  EXPECT_EQ(Path("small.mlir"), json["file"]);
  EXPECT_NE(std::string::npos, Read(Path("small.mlir")).find("func.func public @main("));
  ExpectFailure(Reel({"convert", file_, "-o", Path("small.mlir"), "--function", "none"}), kInvalid, "none");
  ExpectFailure(Reel({"convert", file_, "-o", Path("small.mlir"), "--dim", "none=2"}), kInvalid, "none");
  ExpectFailure(Reel({"convert", file_, "-o", Path("small.reel"), "--function", "main"}), kUsage, ".mlir");
  ExpectFailure(Reel({"convert", file_, "-o", Path("small.reel"), "--dim", "B=2"}), kUsage, ".mlir");
}

// Weights beside the model are read again from there; both files appear, or none.
TEST_F(Commands, ConvertToOnnxWithExternalData) {
  std::string numbers = "1";
  for (int i = 2; i <= 512; ++i) numbers += ", " + std::to_string(i);
  const std::string text = "reel 1\nmodule \"m\"\nvariable @w: f32[512] = [" + numbers +
                           "]\nfunc @main(%x: f32[512]) state(@w: f32[512]) -> (y: f32[512]) {\n"
                           "  %0 = mul %x, @w : f32[512]\n  return %0 state(@w)\n}\n";
  Write(Path("m.reel.txt"), text);
  Ok({"convert", Path("m.reel.txt"), "-o", Path("m.onnx"), "--external-data"});
  EXPECT_EQ(2048u, Read(Path("m.onnx.data")).size());
  EXPECT_LT(Read(Path("m.onnx")).size(), 1000u);
  Ok({"convert", Path("m.onnx"), "-o", Path("again.reel.txt")});
  Ok({"convert", Path("m.onnx"), "-o", Path("inline.onnx")});
  EXPECT_GT(Read(Path("inline.onnx")).size(), 2048u);
  const Json again = OkJson({"show", Path("again.reel.txt")});
  EXPECT_EQ("w", again["variables"][0]["name"]);
  ExpectFailure(Reel({"convert", Path("m.reel.txt"), "-o", Path("n.onnx"), "--external-data", "--function", "none"}),
                kInvalid, "none");
  EXPECT_FALSE(std::ifstream(Path("n.onnx.data")).good());
}

TEST_F(Commands, ConvertToWeights) {
  for (const char* ending : {".safetensors", ".npz"}) {
    Ok({"convert", file_, "-o", Path("small") + ending});
    const StateDict values = ReadWeights(Path("small") + ending);
    ASSERT_EQ(values.size(), 2u);
    const ir::Module module = *ir::ParseModule(kModule);
    const std::vector<ir::Literal> want = *ir::InitialState(module);
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i].first, module.variables()[i].name);
      EXPECT_EQ(internal::ToLiteral(values[i].second), want[i]);
    }
  }
  ExpectFailure(Reel({"convert", file_, "-o", Path("none/x.safetensors")}), kIo, "none/x.safetensors");
  ExpectFailure(Reel({"convert", file_, "-o", Path("x.safetensors"), "--function", "main"}), kUsage, ".mlir");
}

TEST_F(Commands, Ops) {
  EXPECT_NE(std::string::npos, Ok({"ops"}).find("contract"));
  const Json add = OkJson({"ops", "add"});
  EXPECT_EQ("add", add["name"]);
  EXPECT_EQ("every order", add["supported"]["gradient"]);
}

// REEL_UPDATE_GOLDEN=1 writes the page and the header anew.
TEST_F(Commands, OpsPageAndHeaderAreTheTables) {
  for (const auto& [file, flag] :
       {std::pair{"/ir/OPS.md", "--markdown"}, {"/frontend/reel/elementary.h", "--header"}}) {
    const std::string path = SourceDir() + file;
    const std::string text = Ok({"ops", flag});
    if (std::getenv("REEL_UPDATE_GOLDEN")) Write(path, text);
    EXPECT_EQ(text, Read(path)) << "REEL_UPDATE_GOLDEN=1 writes it anew";
  }
}

TEST_F(Commands, GradAddsAFunction) {
  const std::string text = Ok({"grad", file_, "--ys", "loss", "--xs", "x,w"});
  EXPECT_TRUE(ir::ParseModule(text).ok());
  Ok({"grad", file_, "--ys", "loss", "--xs", "x,w", "--grad-ys", "seed", "-o", Path("g.reel")});
  const Json grad = OkJson({"show", Path("g.reel"), "--function", "train.grad"});
  EXPECT_EQ("seed", grad["parameters"][2]["name"]);
  EXPECT_EQ("d.x", grad["results"][0]["name"]);
  // d loss / dx = w, d loss / dw = x
  Ok({"grad", file_, "--ys", "loss", "--xs", "x,w", "-o", Path("h.reel")});
  Ok({"run", Path("h.reel"), "--function", "train.grad", "--engine", "interpret", "--input", "x=" + Path("x.npy"),
      "--input", "n=" + Path("n.npy"), "--output-dir", folder_.path()});
  EXPECT_EQ(1, Array("d.x.npy").AsDouble(0));
  EXPECT_EQ(3, Array("d.w.npy").AsDouble(0));
}

TEST_F(Commands, OptWritesAnEquivalentModule) {
  EXPECT_TRUE(ir::ParseModule(Ok({"opt", file_})).ok());
  const Json json = OkJson({"opt", file_, "-o", Path("o.reel")});
  EXPECT_FALSE(json["passes"].empty());
  Ok({"verify", Path("o.reel")});
}

TEST_F(Commands, RunOnEveryEngine) {
  for (const std::string engine : {"interpret", "eager", "jit"}) {
    SCOPED_TRACE(engine);
    const Json json =
        OkJson({"run", file_, "--input", "x=" + Path("x.npy"), "--input", "n=" + Path("n.npy"), "--engine", engine,
                "--output-dir", Path(engine), "--save-state", Path(engine + ".reel")});
    EXPECT_EQ(11, json["results"][0]["values"][0]);
    EXPECT_EQ((std::vector<std::string>{"loss.npy", "scaled.npy"}), List(Path(engine)));
    EXPECT_EQ(16, Array(engine + "/scaled.npy").AsDouble(1));
    const std::string state = Ok({"show", Path(engine + ".reel")});
    EXPECT_NE(std::string::npos, state.find("@w: f32[2] = [4, 6]")) << state;
    EXPECT_NE(std::string::npos, state.find("@steps frozen: i64[] = 1")) << state;
  }
  EXPECT_NE(
      std::string::npos,
      Ok({"run", file_, "--input", "x=" + Path("x.npy"), "--input", "n=" + Path("n.npy")}).find("loss: f32[]\n11"));
}

// A file of each format gives the bits that it always gave (ir/VERSIONS.md).
TEST_F(Commands, OldFilesRunAsTheyDid) {
  const float x[] = {0.5f, -1.5f, 2.25f, 3, -0.0f, 7};
  Write(Path("x.npy"), FormatNpy(ir::Literal::From<float>({3, 2}, x)));
  Write(Path("yes.npy"), FormatNpy(ir::Literal::ScalarInt(kBool, 1)));
  const std::map<std::string, std::string> old = {{"interpret", "3307.4001  ]]"}, {"jit", "3307.4     ]]"}};
  for (const std::string file : {"v1.reel", "v1.reel.txt", "v2.reel"}) {
    for (const std::string engine : {"interpret", "jit"}) {
      SCOPED_TRACE(file + " " + engine);
      const std::string text =
          Ok({"run", SourceDir() + "/tests/data/golden/" + file, "--function", "main program", "--input",
              "x=" + Path("x.npy"), "--input", "odd, name=" + Path("yes.npy"), "--engine", engine});
      EXPECT_NE(std::string::npos,
                text.find("[[  14.0625    144.      ]\n [  53.472656         inf]\n [   0.       " + old.at(engine)))
          << text;
    }
  }
}

TEST_F(Commands, SymbolsThatAFunctionDoesNotUseNeedNoValue) {
  const std::string file = Path("unused.reel.txt");
  Write(file, R"(reel 1
module "unused"
symbol "B" in [1, 9]
symbol "nobody's" in [2, 9]
func @main(%x: f32[2]) -> (y: f32[2]) {
  %0 = add %x, %x : f32[2]
  return %0
}
func @rows(%x: f32[B]) -> (y: f32[B]) {
  %0 = neg %x : f32[B]
  return %0
}
)");
  const float x[] = {1, 2};
  Write(Path("a.npy"), FormatNpy(ir::Literal::From<float>({2}, x)));
  for (const std::string engine : {"interpret", "eager", "jit"}) {
    SCOPED_TRACE(engine);
    const auto values = [&](const std::string& function) {
      const std::string input = "x=" + Path("a.npy");
      return OkJson(
          {"run", file, "--function", function, "--input", input, "--engine", engine})["results"][0]["values"];
    };
    EXPECT_EQ(Json::parse("[2.0, 4.0]"), values("main"));
    EXPECT_EQ(Json::parse("[-1.0, -2.0]"), values("rows"));
  }
}

TEST_F(Commands, SymbolicExtentsAreWhatTheInputsHave) {
  const std::string file = Path("any.reel.txt");
  Write(file, R"(reel 1
module "any"
symbol "B" in [1, 9]
variable @rows frozen: i64[] = 0
func @main(%x: f32[B,2], %y: f32[B]) state(@rows: i64[]) -> (sum: f32[2], scaled: f32[B,2]) {
  %0 = broadcast %y {axes=[0], shape=[B,2]} : f32[B,2]
  %1 = mul %x, %0 : f32[B,2]
  %2 = reduce_sum %1 {axes=[0]} : f32[2]
  %3 = constant 1 : i64[]
  %4 = broadcast %3 {axes=[], shape=[B]} : i64[B]
  %5 = reduce_sum %4 {axes=[0]} : i64[]
  %6 = add @rows, %5 : i64[]
  return %2, %1 state(%6)
}
func @rows(%x: f32[B,2]) -> (y: f32[B,2]) {
  %0 = exp %x : f32[B,2]
  return %0
}
)");
  const float x[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 10, 100}, z[] = {1, 10};
  Write(Path("a.npy"), FormatNpy(ir::Literal::From<float>({3, 2}, x)));
  Write(Path("b.npy"), FormatNpy(ir::Literal::From<float>({3}, y)));
  Write(Path("c.npy"), FormatNpy(ir::Literal::From<float>({2}, z)));
  EXPECT_NE(std::string::npos, Ok({"show", file}).find("symbol \"B\" in [1, 9]"));
  EXPECT_EQ(Json::parse("[\"B\", 2]"), OkJson({"show", file})["functions"][0]["parameters"][0]["shape"]);
  for (const std::string engine : {"interpret", "eager", "jit"}) {
    SCOPED_TRACE(engine);
    const Json json = OkJson({"run", file, "--input", "x=" + Path("a.npy"), "--input", "y=" + Path("b.npy"), "--engine",
                              engine, "--save-state", Path("state.reel.txt")});
    EXPECT_EQ(Json::parse("[531.0, 642.0]"), json["results"][0]["values"]);
    EXPECT_EQ(Json::parse("[3, 2]"), json["results"][1]["shape"]);
    EXPECT_NE(std::string::npos, Read(Path("state.reel.txt")).find("@rows frozen: i64[] = 3"));
    const ProcessResult wrong =
        Reel({"run", file, "--input", "x=" + Path("a.npy"), "--input", "y=" + Path("c.npy"), "--engine", engine});
    EXPECT_EQ(kInvalid, wrong.status);
    EXPECT_NE(std::string::npos, wrong.err.find("argument 1 (\"y\") has B = 2, but argument 0 (\"x\") has 3"))
        << wrong.err;
  }
  Ok({"opt", file, "-o", Path("opt.reel")});
  Ok({"grad", file, "--function", "main", "--ys", "sum", "--xs", "x", "-o", Path("grad.reel.txt")});
  EXPECT_NE(std::string::npos, Read(Path("grad.reel.txt")).find("f32[B,2]"));
  const auto compile = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = {"compile", file, "-o", Path("any")};
    all.insert(all.end(), more.begin(), more.end());
    return Reel(all);
  };
  EXPECT_EQ(kOk, compile({}).status);  // the range is small
  EXPECT_NE(std::string::npos, Read(Path("any.h")).find("int any_main(any* instance, int64_t B, const float* x"));
  EXPECT_EQ(kOk, compile({"--extent", "B=4"}).status);
  EXPECT_NE(std::string::npos, Read(Path("any.h")).find("int any_main(any* instance, const float* x"));
  EXPECT_EQ(kOk, compile({"--extent", "B=4", "--extent", "B=7", "--emit=obj,header,llvm,plan"}).status);
  EXPECT_NE(std::string::npos, Read(Path("any.h")).find("B one of 4, 7"));
  EXPECT_EQ(kInvalid, compile({"--extent", "B=10"}).status);
  EXPECT_EQ(kUsage, compile({"--extent", "B"}).status);
}

TEST_F(Commands, RunProfile) {
  const std::vector<std::string> run = {"run", file_, "--input", "x=" + Path("x.npy"), "--input", "n=" + Path("n.npy")};
  const auto with = [&run](const std::vector<std::string>& more) {
    std::vector<std::string> all = run;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::string text = Ok(with({"--profile"}));
  EXPECT_NE(std::string::npos, text.find("loss: f32[]\n11")) << text;
  EXPECT_NE(std::string::npos, text.find("% of limit")) << text;
  const Json json = OkJson(with({"--profile=" + Path("trace.json")}));
  EXPECT_EQ(1, json["profile"]["calls"]);
  EXPECT_LT(0U, json["profile"]["kernels"].size());
  const Json trace = Json::parse(Read(Path("trace.json")));
  EXPECT_LT(1U, trace["traceEvents"].size());
  EXPECT_EQ(kUsage, Reel(with({"--profile", "--engine", "eager"})).status);
}

TEST_F(Commands, CompileEmitsThePlan) {
  Ok({"compile", file_, "-o", Path("small"), "--emit=plan,dot"});
  EXPECT_NE(std::string::npos, Read(Path("small.plan.txt")).find("entry train"));
  EXPECT_NE(std::string::npos, Read(Path("small.dot")).find("digraph"));
}

TEST_F(Commands, DiffNamesWhatDiffers) {
  EXPECT_EQ("", Ok({"diff", file_, file_}));
  std::string other(kModule);
  const size_t at = other.find(" = add ");
  ASSERT_NE(std::string::npos, at);
  Write(Path("other.reel.txt"), other.replace(at, 7, " = sub "));
  const std::string text = Ok({"diff", file_, Path("other.reel.txt")});
  EXPECT_NE(std::string::npos, text.find("function \"train\": nodes 8 became 8: -1 add, +1 sub")) << text;
  EXPECT_NE(std::string::npos, text.find("first other line: ")) << text;
  EXPECT_TRUE(
      Ok({"diff", file_, Path("other.reel.txt"), "--json"}).starts_with(R"({"kind":"function","name":"train",)"));
}

TEST_F(Commands, OptPrintsThePlanAfterAPhase) {
  const std::string plan = Ok({"opt", file_, "--until", "plan.maps"});
  EXPECT_TRUE(plan.starts_with("plan @train {\n")) << plan;
  EXPECT_NE(std::string::npos, plan.find("\n  map epilogue=[%")) << plan;
  const ProcessResult unknown = Reel({"opt", file_, "--until", "plan.nothing"});
  EXPECT_EQ(kUsage, unknown.status);
  EXPECT_NE(std::string::npos, unknown.err.find("there are plan.maps, plan.row_fusion, ")) << unknown.err;
}

TEST_F(Commands, TuneWritesSchedulesThatCompileTakes) {
  const std::string book = Path("s.schedules"), target = Path("tiny.target");
  const ProcessResult result = Reel({"tune", file_, "-o", book, "--seconds", "0.2", "--json"});
  ASSERT_EQ(kOk, result.status) << result.err;
  const Json report = Json::parse(result.out);
  EXPECT_GE(report["compiled"].get<int>(), 3);
  EXPECT_TRUE(Read(book).starts_with("reel schedules 1\n")) << Read(book);
  const auto object = [&](const std::vector<std::string>& more) {
    std::vector<std::string> line{"compile", file_, "-o", Path("tuned"), "--emit=obj"};
    line.insert(line.end(), more.begin(), more.end());
    Ok(line);
    return Read(Path("tuned.o"));
  };
  EXPECT_EQ(object({"--schedules", book}), object({"--schedules", book}));
  Write(target, "reel target 1\nlevel = x86-64-v3\nl2_bytes = 4096\n");
  EXPECT_EQ(object({"--target-file", target}), object({"--cpu", target}));
}

TEST_F(Commands, CompileWritesWhatIsAsked) {
  Ok({"compile", file_, "-o", Path("small"), "--emit=obj,header,llvm,asm,so"});
  EXPECT_EQ((std::vector<std::string>{"n.npy", "small.h", "small.ll", "small.o", "small.reel.txt", "small.s",
                                      "small.so", "x.npy"}),
            List(folder_.path()));
  EXPECT_NE(std::string::npos, Read(Path("small.h")).find("small_train"));
  EXPECT_NE(std::string::npos, Read(Path("small.ll")).find("define"));
  EXPECT_EQ("obj", OkJson({"compile", file_, "-o", Path("other"), "--emit=obj", "--cpu", "x86-64-v3"})["kind"]);
}

TEST_F(Commands, IsolatedCompilingGivesTheSame) {
  Ok({"compile", file_, "-o", Path("small"), "--emit=obj,header,llvm"});
  const std::string object = Read(Path("small.o")), header = Read(Path("small.h")), llvm = Read(Path("small.ll"));
  Ok({"compile", file_, "-o", Path("small"), "--emit=obj,header,llvm", "--isolate"});
  EXPECT_EQ(object, Read(Path("small.o")));
  EXPECT_EQ(header, Read(Path("small.h")));
  EXPECT_EQ(llvm, Read(Path("small.ll")));
}

}  // namespace
}  // namespace reel::cli
