#ifndef REEL_TESTS_CLI_CLI_TESTING_H_
#define REEL_TESTS_CLI_CLI_TESTING_H_

#include <string>
#include <vector>

#include "frontend/cli/cli.h"
#include "ir/file/folder.h"

namespace reel::cli {

using ir::TemporaryFolder;

/// Runs build/bin/reel.
ProcessResult Reel(std::vector<std::string> arguments);

/// What must be true of every failure: its status, one printable message, nothing on stdout.
void ExpectFailure(const ProcessResult& result, int status, const std::string& message = "");

std::string Read(const std::string& path);
void Write(const std::string& path, std::string_view bytes);
/// Names in a folder, sorted.
std::vector<std::string> List(const std::string& folder);

/// A module with variables: train(x: f32[2], n: i32[]) -> loss adds x to @w and counts in @steps.
inline constexpr std::string_view kModule = R"(reel 1
module "small"
variable @w: f32[2] = [1, 2]
variable @steps frozen: i64[] = 0
func @train(%x: f32[2], %n: i32[]) state(@w: f32[2], @steps: i64[]) -> (loss: f32[], scaled: f32[2]) {
  %0 = mul @w, %x : f32[2]
  %1 = reduce_sum %0 {axes=[0]} : f32[]
  %2 = add @w, %x : f32[2]
  %3 = constant 1 : i64[]
  %4 = add @steps, %3 : i64[]
  %5 = cast %n {dtype=f32} : f32[]
  %6 = broadcast %5 {axes=[], shape=[2]} : f32[2]
  %7 = mul %6, %0 : f32[2]
  return %1, %7 state(%2, %4)
}
)";

}  // namespace reel::cli

#endif  // REEL_TESTS_CLI_CLI_TESTING_H_
