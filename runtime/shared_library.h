// Opens the libraries that belong to libreel.so when they are needed first.
#ifndef REEL_RUNTIME_SHARED_LIBRARY_H_
#define REEL_RUNTIME_SHARED_LIBRARY_H_

#include <string>

namespace reel::runtime {

// Path of a library beside libreel.so.
std::string PathBeside(const char* name);

// Does the process see a symbol of that name, whatever library it is from?
bool IsVisible(const char* symbol);

// Has the process a malloc of its own, linked in or preloaded? A library that looks in what it needs first would take
// libc's, and free what the other has given.
bool HasOwnMalloc();

// The library beside libreel.so, else where the loader looks; null, with the loader's text, if there
// is none. If the process sees the symbol `others` of one that it needs, that is another program's copy: the library
// then looks in what it needs itself first.
void* OpenBeside(const char* name, std::string* error = nullptr, const char* others = nullptr);

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_SHARED_LIBRARY_H_
