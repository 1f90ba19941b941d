#ifndef REEL_CODEGEN_PROGRAM_RECORD_H_
#define REEL_CODEGEN_PROGRAM_RECORD_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/plan/normalize.h"
#include "ir/graph.h"

// What planning knows and a Program does not keep: for reports (frontend/report). Nothing that is compiled depends on
// it.

namespace reel::codegen {

/// Filled where PlanOptions::record asks for it, by one compilation.
struct PlanRecord {
  /// Seconds of all runs of one pass or phase.
  struct Time {
    std::string_view stage, name;  ///< "passes" "simplify"; "planning" "plan.maps"; text that lives for ever
    double seconds = 0;
    int64_t runs = 0;
  };
  /// A function as it is planned: flat, normalised, in the order in which its kernels run.
  struct Graph {
    Role role = Role::kEntry;
    ir::Function f;
    std::vector<int32_t> kernels;  ///< by value: Program::kernels that computes it; -1: part of those that read it
  };
  /// Arena memory of a value of a graph, during steps begin ... end - 1 of an entry point. Steps are numbered in order,
  /// those of branches and loops once: kernels, copies, checks and whole chains.
  struct Life {
    int32_t entry = 0, graph = 0;
    int32_t value = -1;  ///< -1: frames of a chain
    int64_t offset = 0, bytes = 0, begin = 0, end = 0;
  };

  std::vector<Time> times;
  std::vector<Graph> graphs;
  std::vector<Life> lives;

  void AddTime(std::string_view stage, std::string_view name, double seconds) {
    for (Time& t : times) {
      if (t.stage == stage && t.name == name) return void((t.seconds += seconds, ++t.runs));
    }
    times.push_back({stage, name, seconds, 1});
  }
  /// A program is built anew: graphs and lives of an earlier attempt are forgotten, its times are not.
  void Restart() { graphs.clear(), lives.clear(); }
};

/// Adds the time from here to the end of the scope to a record, if there is one.
class RecordTime {
 public:
  RecordTime(PlanRecord* record, std::string_view stage, std::string_view name)
      : record_(record), stage_(stage), name_(name) {
    if (record_ != nullptr) begin_ = std::chrono::steady_clock::now();
  }
  ~RecordTime() {
    if (record_ == nullptr) return;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
    record_->AddTime(stage_, name_, seconds.count());
  }
  RecordTime(const RecordTime&) = delete;
  RecordTime& operator=(const RecordTime&) = delete;

 private:
  PlanRecord* record_;
  std::string_view stage_, name_;
  std::chrono::steady_clock::time_point begin_ = {};
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_RECORD_H_
