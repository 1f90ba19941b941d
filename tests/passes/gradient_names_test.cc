// Names of the nodes that the gradient pass adds.

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "passes/gradient/gradient.h"

namespace reel::passes {
namespace {

using ir::Value;

// Names of the backward nodes come from what they are the gradient of, in called functions too; they are hints, so
// neither the fingerprint nor the text form minds, and gradients of gradients have them as well.
TEST(GradientNames, ComeFromTheForwardNodes) {
  const auto parsed = ir::ParseModule(R"(reel 1
module "m"
func @g(%a: f32[2]) -> (f32[2]) {
  %0 = exp %a : f32[2]
  return %0
}
func @f(%x: f32[2]) -> (y: f32[2]) {
  %0.h = tanh %x : f32[2]
  %1 = sin %0.h : f32[2]
  %2 = call %1 {callee=@g} : f32[2]
  return %2
}
)");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ir::Module named = *parsed, plain = *parsed;
  const auto differentiate = [](ir::Module* m, bool name_nodes) {
    ir::Function* f = m->FindFunction("f");
    const auto d = Gradients(f, m, {f->results()[0]}, {Value{0}}, {.name_nodes = name_nodes});
    ASSERT_TRUE(d.ok()) << d.status();
    f->SetResults({(*d)[0]});
    ASSERT_TRUE(ir::Verify(*m).ok());
  };
  differentiate(&named, true);
  differentiate(&plain, false);
  const auto names = [](const ir::Function& f) {
    std::vector<std::string> out;
    for (int32_t id = f.num_parameters(); id < f.num_values(); ++id) {
      const std::string hint(f.name_hint({id}));
      if (!hint.empty() && (out.empty() || out.back() != hint)) out.push_back(hint);
    }
    return out;
  };
  EXPECT_EQ(names(*named.FindFunction("f")), (std::vector<std::string>{"h", "call.grad", "sin.grad", "h.grad"}));
  EXPECT_EQ(names(*named.FindFunction("g.grad")), (std::vector<std::string>{"exp.grad"}));
  EXPECT_EQ(names(*plain.FindFunction("f")), (std::vector<std::string>{"h"}));
  EXPECT_EQ(ir::Fingerprint(*named.FindFunction("f")), ir::Fingerprint(*plain.FindFunction("f")));
  const std::string text = ir::Print(named);
  const auto again = ir::ParseModule(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(ir::Print(*again), text);
  differentiate(&named, true);
  const auto twice = names(*named.FindFunction("f"));
  EXPECT_NE(std::find(twice.begin(), twice.end(), "h.grad.grad"), twice.end());
}

}  // namespace
}  // namespace reel::passes
