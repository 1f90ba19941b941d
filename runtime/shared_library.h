// Opens the libraries that belong to libreel.so when they are needed first.
#ifndef REEL_RUNTIME_SHARED_LIBRARY_H_
#define REEL_RUNTIME_SHARED_LIBRARY_H_

#include <string>

namespace reel::runtime {

// Path of a library beside libreel.so.
std::string PathBeside(const char* name);

// The file whose symbol of that name the process sees, empty if there is none.
std::string VisibleIn(const char* symbol);

// Has the process a malloc of its own, linked in or preloaded? A library that looks in what it needs first would take
// libc's, and free what the other has given.
bool HasOwnMalloc();

// The library beside libreel.so, else where the loader looks; null, with the loader's text, if there
// is none. `own_first`: it looks for symbols in itself and in what it needs before it takes the process's.
void* OpenBeside(const char* name, std::string* error = nullptr, bool own_first = false);

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_SHARED_LIBRARY_H_
