#ifndef REEL_FRONTEND_TENSORFLOW_TABLE_H_
#define REEL_FRONTEND_TENSORFLOW_TABLE_H_

#include <cstdint>
#include <map>
#include <string>

namespace reel::tensorflow {

/// Seven bits a byte, low ones first.
void AppendVarint(std::string* out, uint64_t number);

/// Keys with values as a sorted table of LevelDB, which the index of a checkpoint is: blocks of keys that leave out
/// what they share with the one before, each with a CRC; an index of the blocks; a footer. Nothing is compressed.
std::string WriteTable(const std::map<std::string, std::string>& entries);

}  // namespace reel::tensorflow

#endif  // REEL_FRONTEND_TENSORFLOW_TABLE_H_
