#ifndef REEL_CHECKPOINT_H_
#define REEL_CHECKPOINT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reel/weights.h"

namespace reel {

/// Options of Checkpoint.
struct CheckpointOptions {
  int keep = 3;  ///< how many files stay; 0: all
};

/// A run that can be killed: everything it goes on from, in numbered files.
///
///   int64_t step = 0;
///   Checkpoint checkpoint("run/", {{"model", model}, {"optimizer", adam}, {"generator", Generator::Default()},
///                                  {"step", &step}});
///   checkpoint.Restore();
///   for (; step < 1000;) { Train(...); ++step; checkpoint.Save(); }
class Checkpoint {
 public:
  /// Files are called prefix-1.safetensors, ...; of a folder (it exists, or the path ends with /)
  /// folder/checkpoint-1.safetensors. Missing folders are made by Save().
  Checkpoint(const std::string& prefix, std::vector<std::pair<std::string, StateRef>> parts,
             CheckpointOptions options = {});

  /// Writes the next file, whole or not at all, and then removes all but the newest. Gives its path.
  std::string Save() const;
  /// Loads the newest file that is whole; gives its path, or "" where there is none. Files that are damaged are told of
  /// on stderr and passed over; if all are, that is an error.
  std::string Restore() const;
  /// Loads this file.
  void Restore(const std::string& path) const;
  /// The files that there are, the oldest first.
  std::vector<std::string> files() const;

 private:
  std::string prefix_;
  StateRef state_;
  CheckpointOptions options_;
};

}  // namespace reel

#endif  // REEL_CHECKPOINT_H_
