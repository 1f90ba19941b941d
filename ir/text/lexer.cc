#include "ir/text/lexer.h"

#include <algorithm>
#include <charconv>

namespace reel::ir {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

bool Lexer::Error(Token* token, std::string_view what) {
  token->kind = Tok::kError;
  token->name = what;
  return false;
}

void Lexer::SkipBlanks() {
  for (;;) {
    const char c = Peek();
    if (position_ < source_.size() && (c == ' ' || c == '\n' || c == '\t' || c == '\r')) {
      ++position_;
    } else if (c == '/' && Peek(1) == '/') {
      position_ = std::min(source_.find('\n', position_), source_.size());
    } else {
      return;
    }
  }
}

std::string_view Lexer::ReadWord() {
  const size_t begin = position_;
  while (IsLetter(Peek()) || IsDigit(Peek()) || Peek() == '.') ++position_;
  return source_.substr(begin, position_ - begin);
}

std::string_view Lexer::ReadNumber() {
  const size_t begin = position_;
  if (Peek() == '-') ++position_;
  // Letters and dots of 0x7f, inf, 1.5e3; the sign of an exponent.
  while (IsDigit(Peek()) || IsLetter(Peek()) || Peek() == '.' ||
         ((Peek() == '-' || Peek() == '+') && source_[position_ - 1] == 'e')) {
    ++position_;
  }
  return source_.substr(begin, position_ - begin);
}

bool Lexer::ReadEscape(Token* token) {
  ++position_;  // backslash
  const char c = Peek();
  ++position_;
  switch (c) {
    case '"':
    case '\\': unescaped_ += c; return true;
    case 'n': unescaped_ += '\n'; return true;
    case 't': unescaped_ += '\t'; return true;
    case 'x': {
      const int high = HexValue(Peek()), low = HexValue(Peek(1));
      if (high < 0 || low < 0) break;
      unescaped_ += static_cast<char>(high * 16 + low);
      position_ += 2;
      return true;
    }
    default: break;
  }
  return Error(token, "a bad escape (known: \\\" \\\\ \\n \\t \\xNN)");
}

bool Lexer::ReadString(Token* token) {
  const size_t begin = ++position_;
  unescaped_.clear();
  bool escaped = false;
  for (;;) {
    const size_t stop = source_.find_first_of("\"\\\n", position_);
    if (stop == std::string_view::npos || source_[stop] == '\n') {
      return Error(token, "a string without end");
    }
    if (source_[stop] == '"' && !escaped) {
      token->name = source_.substr(begin, stop - begin);
      position_ = stop + 1;
      return true;
    }
    unescaped_.append(source_, position_, stop - position_);
    position_ = stop;
    if (source_[stop] == '"') {
      token->name = unescaped_;
      ++position_;
      return true;
    }
    escaped = true;
    if (!ReadEscape(token)) return false;
  }
}

bool Lexer::ReadName(Token* token) {
  if (Peek() == '"') return ReadString(token);
  if (!IsLetter(Peek())) return Error(token, "a name that starts with neither letter nor quote");
  token->name = ReadWord();
  return true;
}

void Lexer::ReadValue(Token* token) {
  token->kind = Tok::kParameter;
  if (!IsDigit(Peek())) {
    ReadName(token);
    return;
  }
  token->kind = Tok::kValue;
  const char* begin = source_.data() + position_;
  const auto [end, error] = std::from_chars(begin, source_.data() + source_.size(), token->number);
  position_ += static_cast<size_t>(end - begin);
  if (error != std::errc() || (*begin == '0' && end != begin + 1)) {
    Error(token, "a bad value number");
  } else if (Peek() == '.') {
    ++position_;
    ReadName(token);
  }
}

Token Lexer::Next() {
  SkipBlanks();
  Token token;
  token.begin = position_;
  const char c = Peek();
  if (position_ >= source_.size()) {
    token.kind = Tok::kEnd;
  } else if (IsLetter(c)) {
    token.kind = Tok::kWord;
    token.name = ReadWord();
  } else if (IsDigit(c) || (c == '-' && Peek(1) != '>')) {
    token.kind = Tok::kNumber;
    token.name = ReadNumber();
  } else if (c == '%') {
    ++position_;
    ReadValue(&token);
  } else if (c == '@') {
    ++position_;
    token.kind = Tok::kGlobal;
    ReadName(&token);
  } else if (c == '"') {
    token.kind = Tok::kString;
    ReadString(&token);
  } else if (c == '-') {
    token.kind = Tok::kArrow;
    position_ += 2;
  } else {
    ++position_;
    token.kind = Tok::kPunct;
    token.punct = c;
    if (c == '\0' || std::string_view("(){}[],:=").find(c) == std::string_view::npos) {
      Error(&token, "a character of no token");
    }
  }
  token.end = position_;
  return token;
}

}  // namespace reel::ir
