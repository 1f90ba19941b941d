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

void* OpenBeside(const char* name, std::string* error, const char* others) {
  const std::string path = PathBeside(name);
  if (void* const open = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return open;
  int flags = RTLD_NOW | RTLD_LOCAL;
#ifdef RTLD_DEEPBIND
  if (others && ::dlsym(RTLD_DEFAULT, others)) flags |= RTLD_DEEPBIND;
#endif
  void* library = ::dlopen(path.c_str(), flags);
  if (library) return library;
  if (error) *error = ::dlerror();
  return ::dlopen(name, flags);
}

}  // namespace reel::runtime
