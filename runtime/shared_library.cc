#include "runtime/shared_library.h"

#include <dlfcn.h>

namespace reel::runtime {

std::string PathBeside(const char* name) {
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&PathBeside), &info) == 0 || !info.dli_fname) return name;
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
}

std::string VisibleIn(const char* symbol) {
  Dl_info info;
  const void* const address = ::dlsym(RTLD_DEFAULT, symbol);
  return address && ::dladdr(address, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

bool HasOwnMalloc() {
  // One of malloc's family, whatever replaces it replaces all; the address of malloc may be a program's stub.
  Dl_info malloc, libc;
  return ::dladdr(::dlsym(RTLD_DEFAULT, "posix_memalign"), &malloc) != 0 &&
         ::dladdr(::dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &libc) != 0 && malloc.dli_fbase != libc.dli_fbase;
}

void* OpenBeside(const char* name, std::string* error, bool own_first) {
  const std::string path = PathBeside(name);
  if (void* const open = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return open;
  int flags = RTLD_NOW | RTLD_LOCAL;
#ifdef RTLD_DEEPBIND
  if (own_first) flags |= RTLD_DEEPBIND;
#endif
  void* library = ::dlopen(path.c_str(), flags);
  if (library) return library;
  if (error) *error = ::dlerror();
  return ::dlopen(name, flags);
}

}  // namespace reel::runtime
