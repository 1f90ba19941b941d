#include "codegen/aot/reserved.h"

#include <algorithm>
#include <iterator>

namespace reel::codegen {
namespace {

/// Sorted.
// clang-format off
constexpr std::string_view kWords[] = {
    "EOF", "FILE", "I", "INFINITY", "NAN", "NULL", "alignas", "aligned_alloc", "alignof", "and", "and_eq", "asm",
    "at_quick_exit", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t",
    "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "complex", "concept", "const", "const_cast",
    "consteval", "constexpr", "constinit", "continue", "contract_assert", "decltype", "default", "delete", "div_t",
    "do", "double", "double_t", "dynamic_cast", "else", "enum", "environ", "errno", "explicit", "export", "extern",
    "false", "fenv_t", "fexcept_t", "float", "float_t", "for", "fpos_t", "friend", "goto", "i386", "if", "imaginary",
    "imaxdiv_t", "inline", "int", "int16_t", "int32_t", "int64_t", "int8_t", "int_fast16_t", "int_fast32_t",
    "int_fast64_t", "int_fast8_t", "int_least16_t", "int_least32_t", "int_least64_t", "int_least8_t", "intmax_t",
    "intptr_t", "jmp_buf", "ldiv_t", "linux", "lldiv_t", "long", "main", "math_errhandling", "max_align_t",
    "mbstate_t", "mutable", "namespace", "new", "noexcept", "noreturn", "not", "not_eq", "nullptr", "nullptr_t",
    "once_flag", "operator", "or", "or_eq", "private", "protected", "ptrdiff_t", "public", "quick_exit", "reflexpr",
    "register", "reinterpret_cast", "requires", "restrict", "return", "sa_handler", "sa_sigaction", "short",
    "sig_atomic_t", "signed", "size_t", "sizeof", "ssize_t", "st_atime", "st_ctime", "st_mtime", "static",
    "static_assert", "static_cast", "std", "stderr", "stdin", "stdout", "struct", "switch", "synchronized",
    "template", "this", "thread_local", "throw", "time_t", "true", "try", "typedef", "typeid", "typename", "typeof",
    "typeof_unqual", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uint_fast16_t", "uint_fast32_t", "uint_fast64_t",
    "uint_fast8_t", "uint_least16_t", "uint_least32_t", "uint_least64_t", "uint_least8_t", "uintmax_t", "uintptr_t",
    "union", "unix", "unsigned", "using", "va_list", "virtual", "void", "volatile", "wchar_t", "wctrans_t",
    "wctype_t", "while", "wint_t", "xor", "xor_eq"};

/// Macros of windows.h in small letters; some of other systems, too. Sorted.
constexpr std::string_view kOfSystems[] = {
    "abnormal_termination", "cdecl", "exception_code", "exception_info", "far", "h_addr", "h_errno", "hyper",
    "interface", "near", "pascal", "s_addr", "s_host", "s_imp", "s_impno", "s_lh", "s_net", "small"};
// clang-format on
static_assert(std::is_sorted(std::begin(kWords), std::end(kWords)));
static_assert(std::is_sorted(std::begin(kOfSystems), std::end(kOfSystems)));

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

/// __x and _X.
bool IsOfTheImplementation(std::string_view word) {
  return word.size() > 1 && word[0] == '_' && (word[1] == '_' || IsUpper(word[1]));
}

/// NULL, INT64_MAX, E2BIG, M_PI; of single letters only I, the imaginary unit.
bool IsLikeAMacro(std::string_view word) {
  const bool upper =
      std::all_of(word.begin(), word.end(), [](char c) { return IsUpper(c) || c == '_' || (c >= '0' && c <= '9'); });
  return upper && IsUpper(word[0]) && (word.size() > 1 || word == "I");
}

/// rad1, lst16: windows.h has numbers for parts of dialogs.
bool IsPartOfDialog(std::string_view word) {
  constexpr std::string_view kParts = "chx cmb ctl edt frm grp ico lst psh rad rct scr stc";
  return (word.size() == 4 || word.size() == 5) && kParts.find(word.substr(0, 3)) % 4 == 0 &&
         word.find_first_not_of("0123456789", 3) == word.npos;
}

bool IsOfSystems(std::string_view word) {
  return std::binary_search(std::begin(kOfSystems), std::end(kOfSystems), word) || IsPartOfDialog(word);
}

}  // namespace

bool IsReservedWord(std::string_view identifier) {
  return std::binary_search(std::begin(kWords), std::end(kWords), identifier) || IsOfTheImplementation(identifier);
}

bool IsReserved(std::string_view identifier) {
  return IsReservedWord(identifier) || IsLikeAMacro(identifier) || IsOfSystems(identifier);
}

std::string Unreserved(std::string_view identifier) {
  std::string name(identifier);
  if (!IsReserved(identifier)) return name;
  if (IsOfTheImplementation(identifier)) return "v" + name;
  return name + (IsLikeAMacro(identifier) ? "_v" : "_");
}

}  // namespace reel::codegen
