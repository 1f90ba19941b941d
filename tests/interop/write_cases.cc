// write_cases FORMAT FOLDER: the cases of the op table, random graphs and random loops as StableHLO or TensorFlow's
// graphs, with their inputs, what the reference evaluator gives and how far from it a backend may be. interop.py runs
// them.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "frontend/stablehlo/operators.h"
#include "frontend/stablehlo/writer.h"
#include "frontend/tensorflow/operators.h"
#include "frontend/tensorflow/writer.h"
#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "ir/text/float_bits.h"
#include "ir/verifier.h"
#include "tests/hostile_names.h"
#include "tests/ops/compare.h"
#include "tests/ops/op_cases.h"
#include "tests/ops/random_graph.h"

namespace reel::optable {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kGraphs = 60;

struct Format {
  const char *name, *extension;
  bool (*has)(ir::Op);
  std::string (*write)(const ir::Module&);
};

constexpr Format kFormats[] = {
    {"stablehlo", ".mlir", [](ir::Op op) { return stablehlo::RowOf(op).handler != nullptr; },
     [](const ir::Module& m) { return stablehlo::Write(m, {.entry = "main"}); }},
    {"tensorflow", ".pb", [](ir::Op op) { return tensorflow::RowOf(op).handler != nullptr; },
     [](const ir::Module& m) { return tensorflow::WriteGraphDef(m, "main", {}); }},
};

class Folder {
 public:
  Folder(const Format& format, std::string path)
      : format_(format),
        path_(std::move(path)),
        bytes_(path_ + "/values.bin", std::ios::binary),
        list_(path_ + "/cases.jsonl") {}

  const Format& format() const { return format_; }
  bool Add(Json about, const ir::Module& module, const std::vector<ir::Literal>& inputs,
           const std::vector<ir::Literal>& wanted, const std::vector<std::vector<double>>& allowed) {
    const std::string file = StrCat(count_++, format_.extension);
    std::ofstream(path_ + "/" + file, std::ios::binary) << format_.write(module);
    about["file"] = file;
    for (const ir::Literal& l : inputs) about["inputs"].push_back(Describe(l));
    for (size_t i = 0; i < wanted.size(); ++i) {
      Json result = Describe(wanted[i]);
      if (!allowed[i].empty()) result["allowed"] = Write(std::as_bytes(std::span(allowed[i])));
      about["results"].push_back(result);
    }
    list_ << about.dump() << "\n";
    return bytes_.good() && list_.good();
  }

 private:
  uint64_t Write(std::span<const std::byte> bytes) {
    const uint64_t at = offset_;
    bytes_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    offset_ += bytes.size();
    return at;
  }
  Json Describe(const ir::Literal& l) {
    return {{"dtype", NumPyName(l.dtype())}, {"shape", l.shape().dims()}, {"at", Write(l.bytes())}};
  }

  const Format& format_;
  std::string path_;
  std::ofstream bytes_, list_;
  uint64_t offset_ = 0, count_ = 0;
};

double Magnitude(const ir::EvalTensor& t, size_t i) { return t.c.empty() ? std::fabs(t.f[i]) : std::abs(t.c[i]); }

// XLA on CPUs and TensorFlow take denormal numbers for zeros: no input has any. Those of f16 are not, as they
// compute in f32.
ir::Literal WithoutDenormals(const ir::Literal& literal) {
  const DType part = RealOf(literal.dtype());
  if (!IsFloat(part) || part == kFloat16) return literal;
  std::vector<std::byte> bytes(literal.bytes().begin(), literal.bytes().end());
  const auto size = static_cast<size_t>(SizeOf(part));
  const ir::FloatFormat format = ir::FormatOf(part);
  for (size_t at = 0; at < bytes.size(); at += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[at], size);
    if ((bits & format.infinity()) == 0) bits &= format.sign_bit();
    std::memcpy(&bytes[at], &bits, size);
  }
  return ir::Literal(literal.type(), std::move(bytes));
}

// Per element what the tolerance of the table allows; empty: the same bits.
std::vector<double> Allowed(const ir::EvalTensor& reference, const ir::EvalTensor& magnitude, const Tolerance& t) {
  std::vector<double> out;
  if (reference.f.empty() && reference.c.empty()) return out;
  const FloatFormat format = FormatOf(RealOf(reference.type.dtype));
  double largest = 0;
  for (size_t i = 0; i < reference.size(); ++i) largest = std::fmax(largest, Magnitude(reference, i));
  for (size_t i = 0; i < reference.size(); ++i) {
    out.push_back(t.ulps * format.epsilon * Magnitude(reference, i) +
                  t.terms * format.epsilon * Magnitude(magnitude, i) + t.norm * format.epsilon * largest);
  }
  return out;
}

std::vector<ir::EvalTensor> Evaluate(const OpCase& c, bool absolute) {
  std::vector<ir::EvalTensor> inputs;
  for (const ir::Literal& l : c.inputs) inputs.push_back(*ir::FromLiteral(absolute ? Absolute(l) : l));
  return *ir::Evaluate(c.module, c.main(), inputs, WithCallbacks());
}

bool AddOp(ir::Op op, Folder* folder) {
  for (OpCase& c : CasesFor(op)) {
    for (ir::Literal& input : c.inputs) input = WithoutDenormals(input);
    const auto reference = Evaluate(c, false), magnitude = Evaluate(c, true);
    std::vector<ir::Literal> wanted;
    std::vector<std::vector<double>> allowed;
    for (size_t i = 0; i < reference.size(); ++i) {
      wanted.push_back(ir::ToLiteral(reference[i]));
      allowed.push_back(Allowed(reference[i], magnitude[i], c.tolerance));
    }
    Json about{{"op", Name(op)}, {"name", c.name}};
    if (!folder->Add(about, c.module, c.inputs, wanted, allowed)) return false;
  }
  return true;
}

bool HasRefused(const Format& format, const ir::Module& module) {
  for (const auto& f : module.functions()) {
    for (const ir::Node& node : f->nodes()) {
      if (!format.has(node.op)) return true;
    }
  }
  return false;
}

bool AddGraph(uint64_t seed, Folder* folder) {
  const RandomGraph g = MakeRandomGraph(seed);
  if (HasRefused(folder->format(), g.module)) return true;
  const auto wanted =
      *ir::EvaluateLiterals(g.module, *g.module.FindFunction("main"), g.inputs, {.round_each_op = true});
  std::vector<std::vector<double>> allowed;
  for (size_t i = 0; i < wanted.size(); ++i)
    allowed.push_back(std::vector<double>(static_cast<size_t>(wanted[i].size()), g.allowed[i]));
  return folder->Add({{"op", "graphs"}, {"name", StrCat("graph ", seed)}}, g.module, g.inputs, wanted, allowed);
}

// One name, of any text, for all that has one.
bool AddNames(Folder* folder) {
  const Type type{kFloat32, {2}};
  const ir::Literal ones = ir::Literal::From<float>({2}, std::vector<float>{1, 1});
  for (const std::string& name : HostileNames()) {
    ir::Module module{name};
    module.AddVariable({name, type, true, ones});
    ir::Function f("main");
    f.AddParameter(name, type);
    f.AddState(name, type);
    f.AddLocation({name, 3});
    const ir::Value sum = f.AddNode(ir::Op::kAdd, {ir::Value{0}, ir::Value{1}}, nullptr, {type}, 0).result();
    f.set_name_hint(sum, name);
    f.SetResults({sum, sum});
    f.set_result_names({name});
    module.AddFunction(std::move(f));
    if (!ir::Verify(module).ok()) continue;  // "" is no name of a variable
    const ir::Literal twos = ir::Literal::From<float>({2}, std::vector<float>{2, 2});
    if (!folder->Add({{"op", "names"}, {"name", StrCat("name ", name)}}, module, {ones, ones}, {twos, twos}, {{}, {}}))
      return false;
  }
  return true;
}

}  // namespace
}  // namespace reel::optable

int main(int argc, char** argv) {
  using namespace reel;
  const optable::Format* format = nullptr;
  for (const optable::Format& f : optable::kFormats) {
    if (argc == 3 && std::string_view(argv[1]) == f.name) format = &f;
  }
  if (!format) {
    std::fprintf(stderr, "usage: write_cases stablehlo|tensorflow FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[2]);
  optable::Folder folder(*format, argv[2]);
  bool good = optable::AddNames(&folder);
  for (const ir::Op op : ir::AllOps()) {
    if (format->has(op)) good = good && optable::AddOp(op, &folder);
  }
  for (uint64_t seed = 1; seed <= optable::kGraphs; ++seed) good = good && optable::AddGraph(seed, &folder);
  if (!good) std::fprintf(stderr, "write_cases: cannot write into %s\n", argv[2]);
  return good ? 0 : 1;
}
