#include "frontend/stablehlo/import/lexer.h"

#include <utility>

#include "ir/strings.h"

namespace reel::stablehlo::reading {
namespace {

// Errors quote no more of a text than this many characters.
constexpr size_t kMostQuoted = 40;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

Place Lexer::Here() const { return {line_, static_cast<int>(at_ - line_start_) + 1}; }

Token Lexer::Take() {
  Token out = std::move(token_);
  Read();
  return out;
}

bool Lexer::SkipName(std::string_view name) {
  if (!IsName(name)) return false;
  Read();
  return true;
}

bool Lexer::SkipMark(char c) {
  if (!IsMark(c)) return false;
  Read();
  return true;
}

void Lexer::Unexpected(std::string_view wanted) const {
  const std::string_view shown = text_.substr(token_.begin, std::min(at_ - token_.begin, kMostQuoted));
  Wrong(token_.place, StrCat("expected ", wanted, token_.kind == TokenKind::kEnd ? ", the text ends" : ", got ",
                             token_.kind == TokenKind::kEnd ? "" : StrCat("'", std::string(shown), "'")));
}

void Lexer::Expect(char c) {
  if (!SkipMark(c)) Unexpected(StrCat("'", std::string(1, c), "'"));
}

void Lexer::ExpectName(std::string_view name) {
  if (!SkipName(name)) Unexpected(StrCat("'", name, "'"));
}

Token Lexer::Expect(TokenKind kind, std::string_view what) {
  if (!Is(kind)) Unexpected(what);
  return Take();
}

void Lexer::SkipSpace() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      line_start_ = ++at_;
      ++line_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else {
      return;
    }
  }
}

std::string_view Lexer::Word(std::string_view more) {
  const size_t begin = at_;
  while (at_ < text_.size() &&
         (IsLetter(text_[at_]) || IsDigit(text_[at_]) || more.find(text_[at_]) != std::string_view::npos)) {
    ++at_;
  }
  return text_.substr(begin, at_ - begin);
}

// \n, \t, \", \\ and two hexadecimal digits.
void Lexer::ReadString() {
  const Place place = Here();
  std::string out;
  for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    char c = text_[at_];
    if (c == '\n') break;
    if (c == '\\' && at_ + 1 < text_.size()) {
      c = text_[++at_];
      const int high = HexDigit(c), low = at_ + 1 < text_.size() ? HexDigit(text_[at_ + 1]) : -1;
      if (high >= 0 && low >= 0) {
        c = static_cast<char>(high * 16 + low);
        ++at_;
      } else if (c == 'n' || c == 't') {
        c = c == 'n' ? '\n' : '\t';
      } else if (c != '"' && c != '\\') {
        Wrong(Here(), "an escape in a string is \\n, \\t, \\\", \\\\ or two hexadecimal digits");
      }
    }
    out += c;
  }
  if (at_ >= text_.size() || text_[at_] != '"') Wrong(place, "a string without its end");
  ++at_;
  token_.string = std::move(out);
}

void Lexer::ReadNumber() {
  const size_t begin = at_;
  token_.kind = TokenKind::kInt;
  if (text_[at_] == '-') ++at_;
  if (text_[at_] == '0' && at_ + 2 < text_.size() && text_[at_ + 1] == 'x' && HexDigit(text_[at_ + 2]) >= 0) {
    at_ += 2;
    while (at_ < text_.size() && HexDigit(text_[at_]) >= 0) ++at_;
    token_.text = text_.substr(begin, at_ - begin);
    return;
  }
  const auto digits = [&] {
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
  };
  digits();
  if (at_ < text_.size() && text_[at_] == '.') {
    token_.kind = TokenKind::kFloat;
    ++at_;
    digits();
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      const size_t sign = at_ + 1 < text_.size() && (text_[at_ + 1] == '-' || text_[at_ + 1] == '+') ? 2 : 1;
      if (at_ + sign < text_.size() && IsDigit(text_[at_ + sign])) {
        at_ += sign;
        digits();
      }
    }
  }
  token_.text = text_.substr(begin, at_ - begin);
}

void Lexer::Read() {
  SkipSpace();
  token_ = {};
  token_.place = Here();
  token_.begin = at_;
  if (at_ >= text_.size()) return;
  const char c = text_[at_], next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (IsLetter(c)) {
    token_.kind = TokenKind::kName;
    token_.text = Word(".$");
  } else if (IsDigit(c) || (c == '-' && IsDigit(next))) {
    ReadNumber();
  } else if (c == '"') {
    token_.kind = TokenKind::kString;
    ReadString();
  } else if (c == '-' && next == '>') {
    token_.kind = TokenKind::kArrow;
    at_ += 2;
  } else if (c == '%' || c == '^' || c == '@' || c == '#' || c == '!') {
    ++at_;
    token_.kind = c == '%'   ? TokenKind::kValue
                  : c == '^' ? TokenKind::kBlock
                  : c == '@' ? TokenKind::kSymbol
                  : c == '#' ? TokenKind::kHash
                             : TokenKind::kBang;
    if (c == '@' && next == '"') return ReadString();
    token_.text = Word(c == '%' ? "$.-#" : "$.-");
    if (c == '@') token_.string = std::string(token_.text);
    if (token_.text.empty()) Wrong(token_.place, StrCat("'", std::string(1, c), "' without a name"));
  } else if (std::string_view("(){}[]<>,=:?*+-/|;").find(c) != std::string_view::npos) {
    token_.kind = TokenKind::kPunctuation;
    token_.text = text_.substr(at_++, 1);
  } else {
    Wrong(token_.place, "a character that MLIR has no use for");
  }
}

std::string_view Lexer::TakeUntil(std::string_view ends) {
  const size_t begin = token_.begin;
  at_ = begin;
  // Shapes stand on one line: this leaves the count of lines right.
  while (at_ < text_.size() && ends.find(text_[at_]) == std::string_view::npos) {
    if (text_[at_] == '\n') Wrong(Here(), "a type without its end");
    ++at_;
  }
  const std::string_view out = text_.substr(begin, at_ - begin);
  Read();
  return out;
}

}  // namespace reel::stablehlo::reading
