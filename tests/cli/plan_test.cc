// `reel plan`: what it predicts of a step, and what it refuses. What it measures is looked at in tests/e2e.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli_testing.h"

namespace reel::cli {
namespace {

// A step with a gradient of 512 floats, an optimizer's state of as many, and a batch that is open.
std::string Step() {
  std::string zeros = "[0";
  for (int i = 1; i < 512; ++i) zeros += ", 0";
  zeros += "]\n";
  return "reel 1\nmodule \"step\"\nsymbol \"B\" in [1, 4096]\nvariable @w: f32[512] = " + zeros +
         "variable @m frozen: f32[512] = " + zeros +
         R"(func @train(%x: f32[B,512]) state(@w: f32[512], @m: f32[512]) -> (loss: f32[]) {
  %0 = reduce_sum %x {axes=[0]} : f32[512]
  %1 = reduce_sum %0 {axes=[0]} : f32[]
  %2 = add @m, %0 : f32[512]
  %3 = sub @w, %2 : f32[512]
  return %1 state(%3, %2)
}
)";
}

class Plan : public testing::Test {
 protected:
  Plan() { Write(file_, Step()); }
  ProcessResult Run(std::vector<std::string> more) const {
    std::vector<std::string> line = {"plan", "--model", file_, "--extent", "B=64", "--clock", "3"};
    line.insert(line.end(), more.begin(), more.end());
    return Reel(line);
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_.path() + "/step.reel.txt";
};

TEST_F(Plan, PredictsByTheNetworkAndTheProgram) {
  const ProcessResult result = Run({"--nodes", "1,2,8", "--network", "1e-3,1e-6", "--cores", "4", "--json"});
  ASSERT_EQ(kOk, result.status) << result.err;
  const Json plan = Json::parse(result.out);
  EXPECT_EQ(plan["function"], "train");
  EXPECT_EQ(plan["shards"], 8);
  const Json& rows = plan["rows"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["wire_bytes"], 0);
  EXPECT_EQ(rows[0]["communication_seconds"], 0);
  for (const Json& row : rows) {
    const auto processes = row["processes"].get<int64_t>();
    EXPECT_GT(row["compute_seconds"], 0);
    EXPECT_GE(row["memory_bytes"].get<int64_t>(), 2 * 512 * 4 + 64 / processes * 512 * 4);
    EXPECT_GE(row["shard_optimizer_saves_bytes"].get<int64_t>(), 512 * 4 * (processes - 1) / processes);
    if (processes == 1) continue;
    // Each sends at least its part of the gradient to each other, and of the sum.
    EXPECT_GE(row["wire_bytes"].get<int64_t>(), 2 * 512 * 4 * (processes - 1) / processes);
    const double rounds = processes == 2 ? 1 : 3;
    EXPECT_NEAR(row["communication_seconds"].get<double>(),
                row["collectives"].get<double>() * rounds * 1e-3 + row["wire_bytes"].get<double>() * 1e-6, 1e-9);
    EXPECT_GT(row["bucket_bytes"], 0);
  }
}

TEST_F(Plan, MoreProcessesThanCoresTakeTurns) {
  const auto seconds = [&](const char* cores) {
    const ProcessResult r = Run({"--members-per-node", "8", "--network", "1e-3,1e-6", "--cores", cores, "--json"});
    EXPECT_EQ(kOk, r.status) << r.err;
    return Json::parse(r.out)["rows"][0]["step_seconds"].get<double>();
  };
  EXPECT_NEAR(seconds("2"), 4 * seconds("8"), 1e-9);
}

// Of as many processes as were measured: between the points, beyond the last of them, and no turns beside theirs.
TEST_F(Plan, PredictsByWhatWasMeasuredAmongAsMany) {
  const auto seconds = [&](const char* members, std::vector<std::string> networks) {
    std::vector<std::string> more = {"--members-per-node", members, "--cores", "2", "--json"};
    for (const std::string& text : networks) more.insert(more.end(), {"--network", text});
    const ProcessResult r = Run(more);
    EXPECT_EQ(kOk, r.status) << r.err;
    return Json::parse(r.out)["rows"][0];
  };
  const std::string line = "1e-3,1e-6", eight = "8:4=3,12=5", flat = "4:1=0.5,100=0.5";
  const Json eights = seconds("8", {line, eight}), fours = seconds("4", {eight, flat});
  const auto collectives = [](const Json& row) { return row["collectives"].get<double>(); };
  const double bytes = eights["wire_bytes"].get<double>() / 7;  // to each other one, in all
  EXPECT_NEAR(eights["communication_seconds"].get<double>(), 2 * collectives(eights) + bytes / 4, 1e-9);
  EXPECT_NEAR(fours["communication_seconds"].get<double>(), collectives(fours) / 2, 1e-9);
  EXPECT_EQ(seconds("2", {line, eight})["communication_seconds"], seconds("2", {line})["communication_seconds"]);
  // Measured among others alone: the line through that, latencies by rounds.
  const Json two = seconds("2", {"8:8=0.30000056,80=0.3000056"});
  EXPECT_NEAR(two["communication_seconds"].get<double>(),
              collectives(two) * 0.1 + two["wire_bytes"].get<double>() * 1e-8, 1e-6);
}

TEST_F(Plan, ATableForPeople) {
  const ProcessResult result = Run({"--nodes", "1,2", "--network", "1e-3,1e-6"});
  EXPECT_EQ(kOk, result.status) << result.err;
  EXPECT_NE(result.out.find("train, 8 shards; compute estimated"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("efficiency"), std::string::npos);
}

TEST_F(Plan, BadInput) {
  ExpectFailure(Run({"--network", "fast"}), kUsage, "--network fast: write LATENCY,SECONDS_PER_BYTE");
  ExpectFailure(Run({"--network", "1e-6,0"}), kUsage, "--network 1e-6,0: write");
  for (const char* text : {"2:8=1e-6", "2:8=1e-6,9", "2:8=0,16=1", "2:0=1,16=1", "1:8=1,16=1", "x:8=1,16=1",
                           "2:8=1,16=inf", "1e-6,1e-9,3", ""}) {
    ExpectFailure(Run({"--network", text}), kUsage, "PROCESSES:BYTES=SECONDS");
  }
  ExpectFailure(Run({}), kUsage, "--network is required");
  ExpectFailure(Run({"--calibrate"}), kUsage, "run `mpirun -n 2 reel plan --calibrate`");
  ExpectFailure(Reel({"plan", "--network", "1e-6,1e-9"}), kUsage, "--model is required");
  ExpectFailure(Run({"--nodes", "3", "--shards", "8", "--network", "1e-6,1e-9"}), kInvalid,
                "3 processes do not divide 8 shards");
  ExpectFailure(Run({"--nodes", "3", "--network", "1e-6,1e-9"}), kInvalid, "24 shards do not divide the batch");
}

}  // namespace
}  // namespace reel::cli
