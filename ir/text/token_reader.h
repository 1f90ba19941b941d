#ifndef REEL_IR_TEXT_TOKEN_READER_H_
#define REEL_IR_TEXT_TOKEN_READER_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "ir/text/lexer.h"

namespace reel::ir {

/// The current token and the first error. Readers return false once there is an error.
class TokenReader {
 public:
  TokenReader(std::string_view source, std::string_view file_name) : lexer_(source), file_name_(file_name) {
    Advance();
  }

  const Token& token() const { return token_; }
  void Advance() { token_ = lexer_.Next(); }
  /// Continues at the begin of a token seen before or the end of one.
  void Seek(size_t position) {
    lexer_.set_position(position);
    Advance();
  }
  size_t source_size() const { return lexer_.source().size(); }

  bool At(Tok kind) const { return token_.kind == kind; }
  bool At(char punct) const { return token_.kind == Tok::kPunct && token_.punct == punct; }
  bool AtWord(std::string_view word) const { return token_.kind == Tok::kWord && token_.name == word; }
  /// Skips the token if it is the current one.
  bool Accept(char punct) { return At(punct) && (Advance(), true); }
  bool AcceptWord(std::string_view word) { return AtWord(word) && (Advance(), true); }
  /// Skips the token or fails.
  bool Expect(char punct);
  bool ExpectWord(std::string_view word);
  bool Expect(Tok kind, std::string_view expected);
  /// Skips a token of this kind and takes its name.
  bool ReadName(Tok kind, std::string_view expected, std::string* name);
  /// Skips a decimal integer.
  bool ReadInt(std::string_view expected, int64_t* value);

  /// "file:line:col: found <current token>, expected <expected>"
  bool Fail(std::string_view expected);
  /// "file:line:col: <message>"; the position is that of the current token.
  bool FailWith(const absl::Status& status);
  bool FailAt(size_t position, std::string_view message);

  const absl::Status& status() const { return status_; }

 private:
  std::string Where(size_t position) const;
  std::string Describe() const;

  Lexer lexer_;
  Token token_;
  std::string file_name_;
  absl::Status status_;
};

}  // namespace reel::ir

#endif  // REEL_IR_TEXT_TOKEN_READER_H_
