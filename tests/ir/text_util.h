#ifndef REEL_TESTS_IR_TEXT_UTIL_H_
#define REEL_TESTS_IR_TEXT_UTIL_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "ir/proto/file.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/paths.h"

namespace reel::ir {

/// A file of the source tree.
inline std::string ReadSource(const std::string& path) {
  std::ifstream in(SourceDir() + "/" + path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A module with every op, every dtype and everything else a module can hold.
inline std::string EveryOpText() { return ReadSource("tests/ir/text_every_op.reel.txt"); }

inline std::string PrintAll(const Module& module) { return Print(module, {.locations = true}); }

inline absl::StatusOr<Module> ParseBytes(std::string_view bytes, const Budget& budget = {}) {
  return ParseModuleBytes(std::as_bytes(std::span(bytes)), "file", budget);
}

/// The message of an error, "" if there is none.
template <typename T>
std::string Message(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}

/// Header of a text module followed by `body`.
inline std::string Text(std::string_view body) { return "reel 1\nmodule \"m\"\n" + std::string(body); }

/// A function of one f32[4] parameter that is `body`.
inline std::string Body(std::string_view body) {
  return Text("func @f(%x: f32[4]) -> (f32[4]) {\n" + std::string(body) + "\n}\n");
}

/// What hostile bytes may do: give a module that round-trips, or an error that says something
/// printable.
inline void ExpectTypedErrorOrModule(std::string_view bytes) {
  const auto module = ParseBytes(bytes);
  if (module.ok()) {
    const std::string text = PrintAll(*module);
    const auto again = ParseModule(text, "again");
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
    EXPECT_EQ(PrintAll(*again), text);
    return;
  }
  const std::string message = Message(module);
  EXPECT_FALSE(message.empty());
  for (char c : message) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << message;
}

}  // namespace reel::ir

#endif  // REEL_TESTS_IR_TEXT_UTIL_H_
