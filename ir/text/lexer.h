#ifndef REEL_IR_TEXT_LEXER_H_
#define REEL_IR_TEXT_LEXER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace reel::ir {

/// Tokens of the text form.
enum class Tok : uint8_t {
  kEnd,
  kError,      // name = what is wrong
  kWord,       // exp, f32, func: name
  kNumber,     // -12, 1.5e-3, 0x7f, -inf: name
  kString,     // "a\n": name, unescaped
  kValue,      // %12 or %12.hint: number, name = hint
  kParameter,  // %x or %"a b": name
  kGlobal,     // @f or @"a b": name
  kArrow,      // ->
  kPunct,      // one of ( ) { } [ ] , : =
};

struct Token {
  Tok kind = Tok::kEnd;
  char punct = 0;
  int32_t number = 0;
  size_t begin = 0, end = 0;  // in the source
  std::string_view name;  // of the source, or of the lexer if it had escapes (until the next token)
};

/// Splits the text form into tokens, one at a time; skips white space and // comments.
class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Token Next();
  size_t position() const { return position_; }
  /// Goes back to (or on to) a position that a token began or ended at.
  void set_position(size_t position) { position_ = position; }
  std::string_view source() const { return source_; }

 private:
  char Peek(size_t ahead = 0) const { return position_ + ahead < source_.size() ? source_[position_ + ahead] : '\0'; }
  void SkipBlanks();
  std::string_view ReadWord();
  std::string_view ReadNumber();
  /// Reads a quoted string; false (error in token->name) if it is malformed.
  bool ReadString(Token* token);
  bool ReadEscape(Token* token);
  /// A name after % or @ or the dot of a hint: plain or quoted.
  bool ReadName(Token* token);
  void ReadValue(Token* token);
  bool Error(Token* token, std::string_view what);

  std::string_view source_;
  size_t position_ = 0;
  std::string unescaped_;
};

}  // namespace reel::ir

#endif  // REEL_IR_TEXT_LEXER_H_
