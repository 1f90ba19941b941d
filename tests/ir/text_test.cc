#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "ir/builder.h"
#include "ir/text/base64.h"
#include "ir/text/float_bits.h"
#include "tests/ir/text_util.h"

namespace reel::ir {
namespace {

TEST(Text, EveryOpRoundTrips) {
  const std::string text = EveryOpText();
  const auto module = ParseModule(text, "every_op");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(PrintAll(*module), text);
  std::set<Op> seen;
  for (const auto& f : module->functions()) {
    for (const Node& node : f->nodes()) seen.insert(node.op);
  }
#define OP(...)
#define UNARY(...)
#define BINARY(...)
#define FUNCTION(Enum, ...) seen.insert(Op::k##Enum);  // all are written as exp, which is there
#include "ir/ops.def"
#undef OP
  for (Op op : AllOps()) EXPECT_TRUE(seen.contains(op)) << "add an example of " << Name(op);
}

TEST(Text, LocationsPrintOnRequest) {
  const auto module = ParseModule(EveryOpText());
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(Print(*module).find("loc("), std::string::npos);
  const auto again = ParseModule(Print(*module));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(Print(*again), Print(*module));
}

TEST(Text, FunctionPrintsAlone) {
  Function f("f");
  Builder b(&f);
  const Value x = f.AddParameter("x", {kFloat32, {2, Extent::Symbol(0)}});
  f.SetResults({b.Exp(x)});
  ASSERT_TRUE(b.status().ok());
  EXPECT_EQ(Print(f), "func @f(%x: f32[2,?0]) -> (f32[2,?0]) {\n  %0 = exp %x : f32[2,?0]\n  return %0\n}\n");
  Module module;
  module.symbols().push_back({"N", 0, 9});
  EXPECT_EQ(Print(f, {}, &module), "func @f(%x: f32[2,N]) -> (f32[2,N]) {\n  %0 = exp %x : f32[2,N]\n  return %0\n}\n");
}

TEST(Text, TheExampleOfTheReadmeIsAsPrinted) {
  const std::string readme = ReadSource("ir/FORMAT.md"), fence = "```reel\n";
  const size_t begin = readme.find(fence) + fence.size();
  const std::string text = readme.substr(begin, readme.find("```", begin) - begin);
  const auto module = ParseModule(text, "README");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(PrintAll(*module), text);
}

TEST(Text, CommentsAndBlanksAreSkipped) {
  const auto module =
      ParseModule("// a comment\nreel 1 module \"m\" func @f(%x:f32[4])->(f32[4]){return %x} // the end");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(Print(*module), Body("  return %x"));
}

// A module whose only function returns this literal.
Module ConstantModule(const Literal& literal) {
  Module module("m");
  Function f("f");
  Builder b(&f);
  const Value c = b.Constant(literal);
  f.SetResults({c});
  module.AddFunction(std::move(f));
  return module;
}

TEST(Text, LargeConstantsAreBase64AndElideInDumps) {
  std::vector<float> values(2000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::bit_cast<float>(0x7f7ffff0u + static_cast<uint32_t>(i));
  const Literal literal = Literal::From<float>({2000}, values);  // finite, inf and NaN payloads
  const Module module = ConstantModule(literal);
  const std::string text = Print(module);
  EXPECT_NE(text.find("constant base64\""), std::string::npos);
  const auto again = ParseModule(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->functions()[0]->nodes()[0].attr<Literal>("value"), literal);

  const std::string dump = Print(module, {.elide_large_constants = true});
  EXPECT_NE(dump.find("constant elided(8000) : f32[2000]"), std::string::npos) << dump;
  EXPECT_LT(dump.size(), 300u);
  EXPECT_EQ(Message(ParseModule(dump, "dump")),
            "dump:5:17: found \"elided\", expected a value: this is a dump without its large constants");
}

// Random bits of every dtype come back bit for bit.
TEST(Text, RandomBitsRoundTrip) {
  uint64_t state = 1;
  for (int d = 0; d < kNumDTypes; ++d) {
    const Type type{static_cast<DType>(d), {7, 11}};
    std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
    for (std::byte& b : bytes) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      b = static_cast<std::byte>(type.dtype == kBool ? state >> 63 : state >> 56);
    }
    const Literal literal(type, bytes);
    const auto again = ParseModule(Print(ConstantModule(literal)));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->functions()[0]->nodes()[0].attr<Literal>("value"), literal) << Name(type.dtype);
  }
}

template <typename T>
void ExpectExactRoundTrip() {
  const FloatFormat format = FormatOf(DTypeOf<T>::value);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    T x;
    x.bits = static_cast<uint16_t>(bits);
    ASSERT_EQ(std::isnan(float{x}), format.IsNan(bits));
    if (format.IsNan(bits)) continue;
    ASSERT_EQ(T(float{x}).bits, bits) << float{x};
  }
}

TEST(Half, WideningIsExactAndRoundingGoesToTheNearest) {
  ExpectExactRoundTrip<Float16>();
  ExpectExactRoundTrip<BFloat16>();
  EXPECT_EQ(Float16(2049).bits, Float16(2048).bits);  // ties to even
  EXPECT_EQ(Float16(2051).bits, Float16(2052).bits);
  EXPECT_EQ(Float16(65520).bits, 0x7C00);
  EXPECT_EQ(Float16(65519.99999).bits, 0x7BFF);
  EXPECT_EQ(Float16(-0x1p-25).bits, 0x8000);  // a tie with the least denormal
  EXPECT_EQ(Float16(0x1.0000001p-25).bits, 0x0001);
  EXPECT_EQ(Float16(std::nan("")).bits, 0x7E00);
  EXPECT_EQ(BFloat16(std::nan("")).bits, 0x7FC0);
  EXPECT_EQ(BFloat16(1 + 0x1p-8 + 0x1p-40).bits, 0x3F81);  // not rounded to float first
  EXPECT_EQ(BFloat16(0x1.FFp127).bits, 0x7F80);
}

TEST(Text, Base64IsStrict) {
  std::vector<std::byte> bytes;
  for (size_t n = 0; n < 10; ++n) {
    std::string text;
    AppendBase64(&text, bytes);
    std::vector<std::byte> back;
    ASSERT_TRUE(DecodeBase64(text, &back)) << text;
    EXPECT_EQ(back, bytes);
    bytes.push_back(static_cast<std::byte>(251 * n + 255));
  }
  for (const char* bad : {"A", "AA=", "AAA", "=AAA", "AA=A", "A===", "AAB=", "AB==", "AA A", "AA==AAAA", "A-_A"}) {
    EXPECT_FALSE(DecodeBase64(bad, &bytes)) << bad;
  }
}

TEST(Text, NamesAreQuotedAndEscaped) {
  Module module("a \"module\"");
  module.symbols().push_back({"1st", 1, 2});
  Function f("λ f");
  f.AddParameter("0", {kFloat32, {Extent::Symbol(0)}});
  f.AddParameter("-> x", {kFloat32, {}});
  f.SetResults({{1}, {0}});
  f.set_result_names({"", "f32"});
  module.AddFunction(std::move(f));
  const std::string text = Print(module);
  EXPECT_EQ(text,
            "reel 1\nmodule \"a \\\"module\\\"\"\nsymbol \"1st\" in [1, 2]\n"
            "func @\"λ f\"(%\"0\": f32[\"1st\"], %\"-> x\": f32[]) -> (f32[], f32: f32[\"1st\"]) {\n"
            "  return %\"-> x\", %\"0\"\n}\n");
  const auto again = ParseModule(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Print(*again), text);
  EXPECT_EQ(again->functions()[0]->result_name(0), "result0");
  EXPECT_EQ(again->functions()[0]->result_name(1), "f32");
}

TEST(Text, Errors) {
  const struct {
    std::string text, message;
  } kCases[] = {
      {"", "t:1:1: found end of file, expected 'reel'"},
      {"reel", "t:1:5: found end of file, expected the version of the text form"},
      {"reel 2\n", "t:1:6: text version 2, this reader knows 1; use a newer Reel"},
      {"reel 1 module m", "t:1:15: found \"m\", expected the module's name in quotes"},
      {"reel 1 module \"m", "t:1:15: found a string without end in \"\\\"\", expected the module's name in quotes"},
      {Text("func @f()\n"), "t:4:1: found end of file, expected '->'"},
      {Text("meta \"\\q\" = \"\""),
       "t:3:6: found a bad escape (known: \\\" \\\\ \\n \\t \\xNN) in \"\\\"\\\\q\", "
       "expected a key in quotes"},
      {Text("symbol \"B\" in [1, 2] symbol \"B\" in [1, 2]"), "t:3:29: symbol \"B\" is declared twice"},
      {Text("variable @w: f32[2] = [1]"), "t:3:23: found 1 elements, expected 2 of a literal f32[2]"},
      {Text("variable @w: f32[2] = [1, 2, 3]"), "t:3:30: found \"3\", expected ']' after 2 elements"},
      {Text("variable @w: i8[1] = [128]"), "t:3:23: found \"128\", expected a number of i8"},
      {Text("variable @w: f32[] = 1e99"), "t:3:22: found \"1e99\", expected a number of f32"},
      {Text("variable @w: bool[] = 1"), "t:3:23: found \"1\", expected true or false"},
      {Text("variable @w: f32[] = nan(0x1)"), "t:3:26: the bits are not a NaN of f32"},
      {Text("variable @w: f32[] = base64\"AAAA\""),
       "t:3:28: found \"\\\"AAAA\\\"\", expected base64 of the 4 bytes of f32[]"},
      {Text("variable @w: f32[-1] = [1]"), "t:3:18: found \"-1\", expected an extent that is not negative"},
      {Text("variable @w: f32[99999999999999999999] = [1]"),
       "t:3:18: found \"99999999999999999999\", expected an extent or a declared symbol"},
      {Text("variable @w: f32[4294967296,4294967296] = []"),
       "t:3:43: a literal cannot be f32[4294967296,4294967296]: its shape must be constant and fit "
       "in memory"},
      {Text("variable @w: f32[N] = []"), "t:3:18: found \"N\", expected an extent or a declared symbol"},
      {Text("variable @w: f16x[2] = []"), "t:3:14: found \"f16x\", expected a type such as f32[2,3]"},
      {Text("variable @w: f32[1,1,1,1,1,1,1,1,1,1,1] = []"), "t:3:38: found \"1\", expected at most 10 extents"},
      {Body("%0 = exq %x : f32[4]"), "t:4:6: found \"exq\", expected an op"},
      {Body("%1 = exp %x : f32[4]"), "t:4:1: found \"%1\", expected %0"},
      {Body("%0 = exp %0 : f32[4]"), "t:4:10: found \"%0\", expected a value defined above"},
      {Body("%0 = exp %y : f32[4]"), "t:4:10: found \"%y\", expected a parameter or state of this function"},
      {Body("%0.a = exp %x : f32[4]\nreturn %0.b"),
       "t:5:8: found \"%0.b\", expected the name of its definition, \"a\""},
      {Body("%0 = exp %x {axes=[0]} : f32[4]"), "t:4:14: found \"axes\", expected an attribute of exp"},
      {Body("%0 = reduce_sum %x {axes=[0], axes=[0]} : f32[]"), "t:4:31: found \"axes\", expected each attribute once"},
      {Body("%0 = reduce_sum %x {axes=0} : f32[]"), "t:4:26: found \"0\", expected '['"},
      {Body("return"), "t:5:1: found 0 results, expected 1"},
      {Body("%0 = reduce_sum %x {axes=[0]} : f32[] return %0"), "t:4:46: result 0 is f32[], declared f32[4]"},
      {Body("return %x") + Body("").substr(18), "t:6:6: function \"f\" is defined twice"},
      {Body("return %x\n}\nvariable @w: f32[] = 1 {"),
       "t:6:1: found \"variable\", expected meta, symbol, variable and func in this order, or the "
       "end"},
      {Text("func @f(%x: f32[], %x: f32[]) -> () { return }"), "t:3:20: \"x\" is declared twice"},
      // What the syntax allows and the verifier does not.
      {Body("%0 = exp %x : f32[5]\nreturn %x"), "t: @f, node %0: exp: result is f32[4], declared f32[5]"},
      {Text("variable @\"a\\nb\": f32[] = 1"),
       "t: variable name \"a\\nb\" is not printable UTF-8 of at most 4096 bytes"},
  };
  for (const auto& c : kCases) {
    const auto module = ParseModule(c.text, "t");
    ASSERT_FALSE(module.ok()) << c.text;
    EXPECT_EQ(Message(module), c.message) << c.text;
    EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument) << c.text;
  }
}

TEST(Text, Budget) {
  const std::string text = Body("%0 = exp %x : f32[4] %1 = exp %0 : f32[4] return %1");
  EXPECT_TRUE(ParseModule(text, "t", {.max_ops = 2}).ok());
  const auto error = [](const std::string& t, const Budget& budget) {
    const auto module = ParseModule(t, "t", budget);
    EXPECT_EQ(module.status().code(), absl::StatusCode::kResourceExhausted) << module.status();
    return Message(module);
  };
  EXPECT_EQ(error(text, {.max_ops = 1}), "t:4:34: more than 1 ops, the budget (max_ops)");
  EXPECT_EQ(error(text, {.max_bytes = 50}), "t:1:1: input is larger than the budget of 50 bytes (max_bytes)");
  EXPECT_NE(error(text, {.max_memory = 500}).find("(max_memory)"), std::string::npos);
  // Refused before a byte of it is allocated.
  EXPECT_NE(error(Text("variable @w: f32[1000000000000] = []"), {}).find("(max_memory)"), std::string::npos);
}

}  // namespace
}  // namespace reel::ir
