#ifndef REEL_FRONTEND_STABLEHLO_IMPORT_LEXER_H_
#define REEL_FRONTEND_STABLEHLO_IMPORT_LEXER_H_

#include <string>
#include <string_view>

#include "frontend/stablehlo/import/syntax.h"

namespace reel::stablehlo::reading {

enum class TokenKind : uint8_t {
  kEnd,
  kName,    // stablehlo.add, tensor, x
  kValue,   // %0, %0#1: text is "0", "0#1"
  kBlock,   // ^bb0
  kSymbol,  // @main, @"any": text is the name
  kHash,    // #loc1, #stablehlo.gather: text without #
  kBang,    // !stablehlo.token: text without !
  kInt,     // -12, 0x7F
  kFloat,   // 1.0e-3
  kString,  // "...": text is what it means
  kArrow,   // ->
  kPunctuation,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  ///< of names, values and numbers; of punctuation the character
  std::string string;     ///< of strings and quoted symbols
  Place place;
  size_t begin = 0;  ///< where it stands in the text
};

/// Splits MLIR's text into tokens, one ahead. Throws reel::Error with the place of what is no token.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { Read(); }

  const Token& Peek() const { return token_; }
  Token Take();
  bool Is(TokenKind kind) const { return token_.kind == kind; }
  bool IsName(std::string_view name) const { return token_.kind == TokenKind::kName && token_.text == name; }
  bool IsMark(char c) const { return token_.kind == TokenKind::kPunctuation && token_.text[0] == c; }
  /// Takes a name or mark if it comes next.
  bool SkipName(std::string_view name);
  bool SkipMark(char c);
  /// Takes it, or throws.
  void Expect(char c);
  void ExpectName(std::string_view name);
  Token Expect(TokenKind kind, std::string_view what);
  [[noreturn]] void Unexpected(std::string_view wanted) const;

  /// Characters from the next token up to the first of `ends`, which stays; the token after them comes next. For
  /// shapes, whose 2x3xf32 are no tokens.
  std::string_view TakeUntil(std::string_view ends);

 private:
  void Read();
  void SkipSpace();
  void ReadString();
  void ReadNumber();
  std::string_view Word(std::string_view more);
  Place Here() const;

  std::string_view text_;
  size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  Token token_;
};

}  // namespace reel::stablehlo::reading

#endif  // REEL_FRONTEND_STABLEHLO_IMPORT_LEXER_H_
