#include "ir/text/token_reader.h"

#include <algorithm>
#include <charconv>

#include "ir/names.h"
#include "ir/strings.h"

namespace reel::ir {

std::string TokenReader::Where(size_t position) const {
  const std::string_view before = lexer_.source().substr(0, position);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t newline = before.rfind('\n');
  const size_t column = newline == std::string_view::npos ? position + 1 : position - newline;
  return StrCat(file_name_, ":", line, ":", column, ": ");
}

std::string TokenReader::Describe() const {
  if (token_.kind == Tok::kEnd) return "end of file";
  const std::string_view source = lexer_.source();
  const std::string text = Quoted(source.substr(token_.begin, token_.end - token_.begin));
  return token_.kind == Tok::kError ? StrCat(token_.name, " in ", text) : text;
}

bool TokenReader::FailWith(const absl::Status& status) {
  if (status_.ok()) {
    status_ = absl::Status(status.code(), StrCat(Where(token_.begin), std::string(status.message())));
  }
  return false;
}

bool TokenReader::FailAt(size_t position, std::string_view message) {
  if (status_.ok()) status_ = absl::InvalidArgumentError(StrCat(Where(position), message));
  return false;
}

bool TokenReader::Fail(std::string_view expected) {
  return FailAt(token_.begin, StrCat("found ", Describe(), ", expected ", expected));
}

bool TokenReader::Expect(char punct) {
  if (Accept(punct)) return true;
  return Fail(StrCat("'", punct, "'"));
}

bool TokenReader::ExpectWord(std::string_view word) {
  if (AcceptWord(word)) return true;
  return Fail(StrCat("'", word, "'"));
}

bool TokenReader::Expect(Tok kind, std::string_view expected) {
  if (!At(kind)) return Fail(expected);
  Advance();
  return true;
}

bool TokenReader::ReadName(Tok kind, std::string_view expected, std::string* name) {
  if (!At(kind)) return Fail(expected);
  name->assign(token_.name);
  Advance();
  return true;
}

bool TokenReader::ReadInt(std::string_view expected, int64_t* value) {
  if (!At(Tok::kNumber)) return Fail(expected);
  const char* end = token_.name.data() + token_.name.size();
  const auto result = std::from_chars(token_.name.data(), end, *value);
  if (result.ec != std::errc() || result.ptr != end) return Fail(expected);
  Advance();
  return true;
}

}  // namespace reel::ir
