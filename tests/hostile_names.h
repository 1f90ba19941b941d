#ifndef REEL_TESTS_HOSTILE_NAMES_H_
#define REEL_TESTS_HOSTILE_NAMES_H_

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace reel {

/// What users may call things and files of other formats may take for something else: words of languages, of their
/// libraries, of compilers and formats, of our headers; blanks, quotes, control characters, letters of many bytes; then
/// pairs and pieces of them. UTF-8, the same on every machine; some several times.
inline std::vector<std::string> HostileNames() {
  std::istringstream words(
      "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class "
      "compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype "
      "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
      "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register "
      "reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch "
      "template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using "
      "virtual void volatile wchar_t while xor xor_eq _Bool _Complex _Atomic _Generic _Imaginary _Noreturn "
      "_Static_assert _Thread_local _Alignas _BitInt __func__ __FILE__ __LINE__ __x86_64__ __linux_ __cplusplus "
      "__asm__ "
      "NULL EOF I NAN INFINITY INT8_MAX INT64_MAX UINT32_MAX SIZE_MAX INT64_C E2BIG EINTR SEEK_SET BUFSIZ RAND_MAX "
      "M_PI HUGE_VAL FLT_MAX LC_ALL SIGINT CLOCKS_PER_SEC errno stdin stdout stderr environ assert offsetof complex "
      "imaginary signbit isnan linux unix i386 math_errhandling st_mtime sa_handler int8_t int16_t int32_t int64_t "
      "uint8_t uint16_t uint32_t uint64_t size_t ssize_t ptrdiff_t intptr_t uintptr_t intmax_t max_align_t nullptr_t "
      "time_t FILE va_list main std string instance net net_init NET_SIZE NET_ALIGNMENT NET_H_ NET_H memory_ error_ "
      "arg0_ result0_ Run LookupArgIndex x x_ x__ _ __ _1 a.b a/b a:b "
      // windows.h
      "interface small hyper near far pascal cdecl min max IN OUT ERROR DELETE BOOL byte boolean s_addr s_net h_addr "
      "h_errno exception_code rad1 lst16 "
      // Python, MLIR, ONNX
      "None True def lambda self __init__ del %0 %arg0 @main #loc0 !type ^bb0 // func.func module } { ( ) -> , ; "
      "constant Add Add_1 add.1 w w.next w.next.next value value_1 main_1 result0 arg0 $ ~ ../x /etc/passwd -o --help");
  std::vector<std::string> names;
  for (std::string word; words >> word;) names.push_back(word);
  names.insert(names.end(), {"",
                             "1",
                             "\xe2\x80\xae",
                             "\xc3\xa9",
                             "a b",
                             "*/",
                             "\"",
                             "\\",
                             "?\?/",
                             "a\tb",
                             "\n",
                             "\r\n",
                             "\x01",
                             "\x7f",
                             " ",
                             "'",
                             "%s%n",
                             "\xf0\x9f\x98\x80",
                             "\xef\xbb\xbf",
                             "\xe2\x80\xa8",
                             "e\xcc\x81",
                             std::string(300, 'n')});
  std::mt19937 random(18);
  const size_t known = names.size();
  for (int i = 0; i < 300; ++i) {
    std::string name = names[random() % known];
    switch (random() % 4) {
      case 0: name += names[random() % known]; break;
      case 1: name += '_'; break;
      case 2:
        name.resize(random() % (name.size() + 1));
        while (!name.empty() && static_cast<unsigned char>(name.back()) >= 0x80) name.pop_back();  // still UTF-8
        break;
      default:
        std::transform(name.begin(), name.end(), name.begin(),
                       [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace reel

#endif  // REEL_TESTS_HOSTILE_NAMES_H_
