#ifndef REEL_SUMMARY_WRITER_H_
#define REEL_SUMMARY_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "reel/module.h"
#include "reel/tensor.h"

namespace reel {

/// Options of SummaryWriter.
struct SummaryWriterOptions {
  /// Seconds since 1970, for the time of each record; null: the system's clock. Takes the place of the real one in
  /// tests.
  std::function<double()> clock = nullptr;
  /// Records are written at the latest when the next one comes this many seconds after the last write; 0: at once.
  double flush_seconds = 2;
  /// A run that goes on from a checkpoint of this step: TensorBoard forgets what earlier files of the folder say of
  /// this step and later ones.
  std::optional<int64_t> purge_step = std::nullopt;
};

/// Writes what TensorBoard shows: an event file of its own in a folder, `events.out.tfevents.SECONDS.HOST.PID.N`.
///
///   SummaryWriter writer("runs/first");
///   writer.AddScalar("loss", loss.item<float>(), step);
///   writer.AddHistogram("dense/kernel", kernel.value(), step);
///   writer.AddGraph(module);
///
/// The file can be read while it is written: only whole records are appended, so a run that is killed keeps all that
/// was flushed. Names with slashes are shown in folders. One thread at a time may use a writer.
class SummaryWriter {
 public:
  /// Makes the folder, and those above it, and the file. Throws kUnavailable or kPermissionDenied, naming the path.
  explicit SummaryWriter(const std::string& folder, const SummaryWriterOptions& options = {});
  SummaryWriter(SummaryWriter&&) noexcept;
  SummaryWriter& operator=(SummaryWriter&&) noexcept;
  /// Flushes; what can go wrong there is told of on stderr. Call Close() to have it thrown.
  ~SummaryWriter();

  /// One number of a curve. NaN and infinities are written as they are.
  void AddScalar(const std::string& name, double value, int64_t step);
  /// How real numbers or bools of any shape are distributed, in TensorBoard's buckets: each 1.1 times as wide as the
  /// one before it, from 1e-12 to 1e20, and the same below zero. Throws kInvalidArgument for complex and symbolic
  /// tensors, for NaN and for infinities, saying how many there are.
  void AddHistogram(const std::string& name, const Tensor& values, int64_t step);
  /// Text in UTF-8, shown as Markdown.
  void AddText(const std::string& name, const std::string& text, int64_t step);
  /// A graph with its ops, the types and shapes of their results, and variables, for TensorBoard's page Graphs. Ops are
  /// folded by function, then forward, backward and update (what is computed from gradients), then by the layer whose
  /// variables they read or else by the line of the program. A folder shows the last graph that was written.
  void AddGraph(const Module& module);
  void AddGraph(const Function& function);

  /// Everything that was added is in the file when it returns. Throws kUnavailable where the disk is full.
  void Flush();
  /// Flushes and ends the file; nothing can be added afterwards (kFailedPrecondition). A second call does nothing.
  void Close();
  /// Of the file.
  const std::string& path() const;

 private:
  struct Data;
  Data& Open() const;
  std::unique_ptr<Data> data_;
};

}  // namespace reel

#endif  // REEL_SUMMARY_WRITER_H_
