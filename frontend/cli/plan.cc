#include "frontend/cli/plan/model.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "frontend/cli/plan/measure.h"
#include "frontend/cli/plan/network.h"
#include "frontend/program/symbolic_programs.h"
#include "frontend/report/rates.h"
#include "ir/names.h"
#include "reel/distributed.h"
#include "runtime/communicator.h"
#include "runtime/cores.h"
#include "runtime/thread_pool.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string model, function;
  std::vector<std::string> networks;
  std::vector<int64_t> nodes = {1};
  std::vector<std::string> extents;
  int64_t members_per_node = 1, cores = 0, shards = 0;
  double clock = 0;
  bool calibrate = false, measure = false;
};

/// What is predicted for a number of nodes, and what was measured of it.
struct Row {
  int64_t nodes = 1, processes = 1, collectives = 0, wire_bytes = 0, memory_bytes = 0, saved_bytes = 0,
          bucket_bytes = 0;
  double compute = 0, communication = 0, measured_communication = NAN;
  bool shard_optimizer = false;

  double step() const { return compute + communication; }
};

// The smallest number from 8 on that all numbers of processes divide.
int64_t UsualShards(const Options& options) {
  int64_t shards = 8;
  for (const int64_t nodes : options.nodes) {
    const int64_t processes = nodes * options.members_per_node;
    while (shards % processes != 0) shards += 8;
  }
  return shards;
}

Row Predict(const Options& options, const ir::Module& module, const std::string& function, int64_t nodes,
            const Networks& networks) {
  const Cluster cluster{nodes, options.members_per_node,
                        options.cores > 0 ? options.cores : int64_t{runtime::AvailableCores()}};
  const int64_t processes = cluster.processes();
  const MemberStep step = PlanMember(module, function, options.shards, processes, false, options);
  Row row{.nodes = nodes, .processes = processes};
  row.collectives = static_cast<int64_t>(step.collectives.size());
  for (const codegen::CollectiveSite& site : step.collectives) {
    row.communication += networks.SecondsOf(site, cluster);
    row.wire_bytes += WireBytes(site);
  }
  row.memory_bytes = step.memory_bytes;
  row.compute = options.measure ? MeasureCompute(module, function, options.shards, processes)
                                : step.cycles / (options.clock * 1e9);
  row.compute *= cluster.Crowding();
  row.bucket_bytes = BucketBytes(networks.LineFor(processes), processes, TrainedBytes(step.program));
  if (processes > 1)
    row.saved_bytes =
        step.memory_bytes - PlanMember(module, function, options.shards, processes, true, options).memory_bytes;
  constexpr double kWorthwhile = 0.1;  // of the memory; the bytes on the wire are the same
  row.shard_optimizer = static_cast<double>(row.saved_bytes) > kWorthwhile * static_cast<double>(row.memory_bytes);
  const reel_communicator* const group = runtime::CurrentCommunicator();
  if (options.measure && group && group->size == processes)
    row.measured_communication = MeasureCollectives(*group, step.collectives);
  return row;
}

std::string Printed(const char* format, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string TableOf(const std::vector<Row>& rows, const Options& options, const std::string& function) {
  std::string out =
      Printed("%s, %lld shards; %s\n\n%6s %9s %12s %12s %12s %10s %12s %12s %10s %s\n",
              Printable(function, 100).c_str(), static_cast<long long>(options.shards),
              options.measure ? "compute measured here" : "compute estimated", "nodes", "processes", "step ms",
              "compute ms", "network ms", "efficiency", "wire MB", "memory MB", "bucket kB", "shard optimizer");
  for (const Row& r : rows) {
    const double efficiency =
        rows[0].step() * static_cast<double>(rows[0].processes) / (r.step() * static_cast<double>(r.processes));
    out += Printed(
        "%6lld %9lld %12.3f %12.3f %12.3f %10.3f %12.3f %12.3f %10.1f %s\n", static_cast<long long>(r.nodes),
        static_cast<long long>(r.processes), r.step() * 1e3, r.compute * 1e3, r.communication * 1e3, efficiency,
        static_cast<double>(r.wire_bytes) / 1e6, static_cast<double>(r.memory_bytes) / 1e6,
        static_cast<double>(r.bucket_bytes) / 1e3,
        r.shard_optimizer ? Printed("yes, saves %.3f MB", static_cast<double>(r.saved_bytes) / 1e6).c_str() : "no");
    if (!std::isnan(r.measured_communication))
      out += Printed("%16s measured: network %.3f ms\n", "", r.measured_communication * 1e3);
  }
  return out;
}

Json ToJson(const std::vector<Row>& rows, const Options& options, const std::string& function) {
  Json list = Json::array();
  for (const Row& r : rows) {
    list.push_back({{"nodes", r.nodes},
                    {"processes", r.processes},
                    {"step_seconds", r.step()},
                    {"compute_seconds", r.compute},
                    {"communication_seconds", r.communication},
                    {"measured_communication_seconds",
                     std::isnan(r.measured_communication) ? Json() : Json(r.measured_communication)},
                    {"collectives", r.collectives},
                    {"wire_bytes", r.wire_bytes},
                    {"memory_bytes", r.memory_bytes},
                    {"bucket_bytes", r.bucket_bytes},
                    {"shard_optimizer", r.shard_optimizer},
                    {"shard_optimizer_saves_bytes", r.saved_bytes}});
  }
  return {{"function", function},
          {"shards", options.shards},
          {"compute", options.measure ? "measured" : "estimated"},
          {"rows", list}};
}

void Calibrate(const Options& options, Program* program) {
  if (GroupSize() < 2)
    Fail(kUsage,
         "--calibrate measures between processes: run `mpirun -n 2 reel plan --calibrate`, one on each of 2 nodes");
  const int64_t processes = GroupSize();
  const Measured measured = MeasureNetwork(*runtime::CurrentCommunicator());
  if (GroupRank() != 0) return;
  const Network line = LineThrough(measured, processes);
  if (options.json) {
    Json seconds = Json::array();
    for (const auto& [bytes, t] : measured) seconds.push_back({{"bytes", bytes}, {"seconds", t}});
    program->out = JsonText(Json{{"processes", processes},
                                 {"latency", line.latency},
                                 {"seconds_per_byte", line.seconds_per_byte},
                                 {"measured", seconds}}) +
                   "\n";
    return;
  }
  // The line of two is that of any number; of more, which may take turns, it is not.
  program->out = processes == 2 ? Printed("--network %.3g,%.3g ", line.latency, line.seconds_per_byte) : "";
  program->out += StrCat("--network ", ToText(measured, processes), "\n");
}

// The clock at which the measured peak of multiply-adds is that of the target's ports.
double ClockGhz() {
  const codegen::Target target = Take(codegen::FindTarget("native"));
  return reel::internal::MeasurePeaks(1).f32 / (2.0 * target.lanes(4) * static_cast<double>(target.machine.fma_ports));
}

void Run(Options options, Program* program) {
  if (StartedByMpi()) JoinMpi();
  if (options.calibrate) return Calibrate(options, program);
  if (options.model.empty()) Fail(kUsage, "--model is required");
  const reel_communicator* const group = runtime::CurrentCommunicator();
  const bool calibrates = options.networks.empty() && options.measure && group && group->size > 1;
  if (options.networks.empty() && !calibrates) {
    Fail(kUsage, "--network is required: LATENCY,SECONDS_PER_BYTE; or --measure under mpirun, which calibrates first");
  }
  Networks networks = Networks::Parse(options.networks);
  if (calibrates) networks.Add(group->size, MeasureNetwork(*group));
  const ir::Module module =
      reel::internal::FixExtents(ReadModule(options.model, options.budget), ParseExtents(options.extents));
  const std::string named = options.function.empty() && module.FindFunction("train") ? "train" : options.function;
  const std::string function = FindFunction(module, named).name();
  if (options.shards == 0) options.shards = UsualShards(options);
  if (options.clock == 0 && !options.measure) options.clock = ClockGhz();
  if (options.measure) runtime::SetNumThreads(1);
  std::vector<Row> rows;
  for (const int64_t nodes : options.nodes) rows.push_back(Predict(options, module, function, nodes, networks));
  if (GroupRank() != 0) return;
  program->out = options.json ? JsonText(ToJson(rows, options, function), 2) + "\n" : TableOf(rows, options, function);
}

}  // namespace

void AddPlan(Program* program) {
  auto options = std::make_shared<Options>();
  Command command = AddCommand(program, "plan", "Predict a data-parallel training step on many machines",
                               "reel plan --model gpt.reel --nodes 1,10,1000 --network 2e-6,1e-10 --shards 1000",
                               options.get(), [options, program] { Run(*options, program); });
  command.Add("--model", &options->model, "A .reel or .reel.txt file with the step, on the global batch")
      .TypeName("FILE");
  command.Add("--function", &options->function, "The step (default: train, main or the only one)").TypeName("NAME");
  command.Add("--nodes", &options->nodes, "Numbers of machines").Delimiter(',').Range(1, 1 << 20).TypeName("INTS");
  command
      .Add("--network", &options->networks,
           "Seconds of a message without bytes, and for each byte more; or of collectives as measured among so many "
           "processes. --calibrate prints them")
      .OneEach()
      .TypeName("LATENCY,SECONDS|PROCESSES:BYTES=SECONDS,...");
  command.Add("--members-per-node", &options->members_per_node, "Processes on a machine, of one thread each")
      .Positive()
      .TypeName("INT")
      .ShowDefault();
  command.Add("--cores", &options->cores, "Of a machine (default: of this one); more processes than these take turns")
      .Positive()
      .TypeName("INT");
  command
      .Add("--shards", &options->shards,
           "Parts of the global batch, which every number of processes divides (default: the least from 8 on)")
      .Positive()
      .TypeName("INT");
  command.Add("--extent", &options->extents, "NAME=NUMBER: the value of a symbolic extent")
      .OneEach()
      .TypeName("NAME=INT");
  command.Add("--clock", &options->clock, "GHz of estimated computation (default: this machine's, by its peak)")
      .Range(0.01, 100.0)
      .TypeName("GHZ");
  command.Flag(
      "--measure", &options->measure,
      "Runs one process's part of the computation here; under mpirun, the communication of so many, too, by which "
      "it is predicted without --network");
  command.Flag("--calibrate", &options->calibrate, "Under mpirun: measures --network between its processes");
}

}  // namespace reel::cli
