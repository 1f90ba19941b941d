#ifndef REEL_FRONTEND_CLI_PLAN_NETWORK_H_
#define REEL_FRONTEND_CLI_PLAN_NETWORK_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "codegen/program/program.h"

// What collectives cost: by a line of two numbers for any number of processes, or as measured among as many.

namespace reel::cli {

/// A message of n bytes takes latency + n * seconds_per_byte.
struct Network {
  double latency = 0, seconds_per_byte = 0;
};

/// Where a step runs. Processes share out a node's cores.
struct Cluster {
  int64_t nodes = 1, members_per_node = 1, cores = 1;
  int64_t processes() const { return nodes * members_per_node; }
  /// By which factor what keeps a core busy takes longer: there may be more processes than cores.
  double Crowding() const;
};

/// By the bytes that each process sends each other one: the seconds of a collective, ascending.
using Measured = std::map<int64_t, double>;

/// What is known of collectives.
class Networks {
 public:
  /// From texts as `--calibrate` prints them, `LATENCY,SECONDS_PER_BYTE` or `PROCESSES:BYTES=SECONDS,...`. Ends with a
  /// usage error that names the text.
  static Networks Parse(const std::vector<std::string>& texts);
  /// What was measured among so many processes, two at least; several points.
  void Add(int64_t processes, Measured measured) { measured_[processes] = std::move(measured); }

  // One text, or what is measured, must be there for these.
  /// Seconds of a collective: between what was measured among as many processes; without that, by the line, longer by
  /// the turns that processes take.
  double SecondsOf(const codegen::CollectiveSite& site, const Cluster& cluster) const;
  /// The line for so many processes: the one through what was measured among them, or the one for all.
  Network LineFor(int64_t processes) const;

 private:
  bool has_line_ = false;
  Network line_;
  std::map<int64_t, Measured> measured_;  // by processes
};

/// Seconds of a collective among P processes: each sends a message to each other one, of its bytes, which leave one
/// after the other, and whose latencies overlap in ceil(log2 P) rounds.
double SecondsOf(const codegen::CollectiveSite& site, const Network& network);
/// The bytes that one process sends.
int64_t WireBytes(const codegen::CollectiveSite& site);
/// The line of the least relative errors through what was measured among so many processes.
Network LineThrough(const Measured& measured, int64_t processes);
/// As Networks::Parse reads it.
std::string ToText(const Measured& measured, int64_t processes);

/// Bytes of gradients, in one all-reduce, for which latency is a tenth of the time: buckets of these lose little by
/// being several. A power of two, at most `all`.
int64_t BucketBytes(const Network& network, int64_t members, int64_t all);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_PLAN_NETWORK_H_
