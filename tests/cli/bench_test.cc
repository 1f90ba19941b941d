#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

#include "frontend/values/npy.h"
#include "tests/cli/cli_testing.h"

namespace reel::cli {
namespace {

// The lines of `reel bench`, which must succeed.
std::vector<Json> Rows(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--json", "--cap", "0.01"});
  const ProcessResult result = Reel(arguments);
  EXPECT_EQ(kOk, result.status) << result.err;
  std::istringstream lines(result.out);
  std::vector<Json> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line, nullptr, false));
  return rows;
}

TEST(Bench, OneLinePerWorkload) {
  const std::vector<std::pair<std::string, size_t>> kValues = {
                                                                 // of one line
      {"mlp_small", 5},  {"lstm_char", 6},     {"gpt_char", 5},    {"ew_fwd_14", 1},
      {"ew_grad_14", 2}, {"adam_200x10k", 1},  {"gmm_d10_n1k", 4}, {"add_64", 1},
      {"chain1000", 3},  {"call_overhead", 1}, {"matmul_64", 1},   {"rk4_grad_64", 3}};
  std::vector<std::string> names;
  for (const auto& [name, count] : kValues) names.push_back(name);
  const std::vector<Json> rows = Rows(names);
  ASSERT_EQ(kValues.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const Json& row = rows[i];
    SCOPED_TRACE(row.dump());
    EXPECT_EQ(names[i], row["workload"].get<std::string>());
    EXPECT_EQ(names[i] == "add_64" ? "eager" : "jit", row["mode"]);
    EXPECT_EQ("own", row["inputs"]);
    for (const char* key : {"median_s", "best_s", "limit_s", "first_call_s", "rss_mb", "rest_mb"})
      EXPECT_LT(0, row[key].get<double>()) << key;
    EXPECT_EQ(row["mode"] == "jit", row["kernels"].get<int>() > 0);
    EXPECT_LE(row["live_bytes"].get<int64_t>(), row["arena_bytes"].get<int64_t>());
    EXPECT_LE(row["arena_bytes"].get<int64_t>(), row["instance_bytes"].get<int64_t>());
    ASSERT_EQ(kValues[i].second, row["values"].size());
    for (const Json& value : row["values"]) EXPECT_TRUE(std::isfinite(value.get<double>()));
    if (row["values"].size() == 5) {  // losses of training
      EXPECT_LT(row["values"][4].get<double>(), row["values"][0].get<double>());
    }
  }
}

TEST(Bench, Groups) {
  const std::vector<Json> rows = Rows({"add", "matmul_2"});
  ASSERT_EQ(4U, rows.size());
  EXPECT_EQ("add_2", rows[0]["workload"]);
  EXPECT_EQ("add_1024", rows[2]["workload"]);
  EXPECT_EQ("matmul_2", rows[3]["workload"]);
}

TEST(Bench, GivenInputs) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const ir::Literal& value) {
    Write(folder.path() + "/matmul_2/params." + name + ".npy", FormatNpy(value));
  };
  MakeFolder(folder.path() + "/matmul_2");
  const float a[] = {1, 0, 0, 2}, b[] = {0, 3, 2, 0};
  write("a", ir::Literal::From<float>({2, 2}, a));
  write("b", ir::Literal::From<float>({2, 2}, b));
  const std::vector<Json> rows = Rows({"matmul_2", "--data", folder.path()});
  ASSERT_EQ(1U, rows.size());
  EXPECT_EQ("given", rows[0]["inputs"]);
  EXPECT_EQ(5.0, rows[0]["values"][0]);

  write("b", ir::Literal::From<float>({4}, b));
  const ProcessResult wrong = Reel({"bench", "matmul_2", "--data", folder.path()});
  EXPECT_EQ(kInvalid, wrong.status);
  EXPECT_NE(std::string::npos, wrong.err.find("params.b.npy has f32[4]")) << wrong.err;
  // The others are measured all the same.
  const ProcessResult missing = Reel({"bench", "mlp_small", "add_2", "--data", folder.path(), "--json"});
  EXPECT_EQ(kIo, missing.status);
  EXPECT_NE(std::string::npos, missing.err.find("not measured: mlp_small, add_2")) << missing.err;
  write("b", ir::Literal::From<float>({2, 2}, b));
  const ProcessResult part =
      Reel({"bench", "mlp_small", "matmul_2", "--data", folder.path(), "--cap", "0.01", "--json"});
  EXPECT_EQ(kIo, part.status);
  EXPECT_EQ("matmul_2", Json::parse(part.out, nullptr, false)["workload"]) << part.out;
}

// More threads than the machine has cores, for which plans have more chunks: the same bits.
TEST(Bench, ManyThreads) {
  std::vector<std::string> names = {"mlp_small", "mlp_rows",  "attention_b4_t256",
                                    "resblock",  "lstm_char", "gmm_d10_n1k"};
  std::vector<std::vector<Json>> rows;
  for (const char* threads : {"1", "64"}) {
    std::vector<std::string> arguments = names;
    arguments.insert(arguments.end(), {"--threads", threads});
    rows.push_back(Rows(arguments));
    ASSERT_EQ(names.size(), rows.back().size());
  }
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(rows[0][i]["values"], rows[1][i]["values"]) << names[i];
}

// Chunks of a plan: a large product shares out among as many cores as it has chunks, a small one does not, nor do the
// steps of a loop that follow each other.
TEST(Bench, Cores) {
  const std::vector<Json> rows = Rows({"matmul_1024", "matmul_64", "rk4_fwd_1", "--cores", "16"});
  ASSERT_EQ(3U, rows.size());
  EXPECT_LT(12, rows[0]["gain"].get<double>());
  EXPECT_TRUE(rows[0]["few"].empty()) << rows[0];
  EXPECT_EQ(1, rows[0]["barriers"].get<double>());
  EXPECT_LT(1024.0 * 1024 * 1024 / 32, rows[0]["cycles"].get<double>()) << "fewer cycles than fma of 32 lanes";
  EXPECT_GT(4, rows[1]["gain"].get<double>());
  EXPECT_EQ(1U, rows[1]["few"].size()) << rows[1];
  EXPECT_EQ(1, rows[2]["gain"].get<double>());
  EXPECT_EQ(0, rows[2]["barriers"].get<double>());
  const ProcessResult text = Reel({"bench", "add_2", "matmul_64", "--cores", "16"});
  EXPECT_NE(std::string::npos, text.out.find("cycles a chunk")) << text.out;
}

// Whole flops of every call, a limit beside every time, and a trace that parses.
TEST(Bench, Profile) {
  const TemporaryFolder folder;
  const std::string trace = folder.path() + "/trace.json";
  const std::vector<Json> rows = Rows({"matmul_64", "--profile=" + trace});
  ASSERT_EQ(1U, rows.size());
  const Json& profile = rows[0]["profile"];
  EXPECT_LE(3, profile["calls"].get<int64_t>());
  ASSERT_EQ(1U, profile["kernels"].size());
  const Json& kernel = profile["kernels"][0];
  const auto calls = kernel["calls"].get<double>();
  EXPECT_EQ(profile["calls"], kernel["calls"]);
  EXPECT_EQ("contract", kernel["name"]);
  EXPECT_EQ(calls * 2 * 64 * 64 * 64, kernel["flops"].get<double>());
  EXPECT_EQ(calls * 2 * 4 * 64 * 64, kernel["bytes_read"].get<double>());
  EXPECT_EQ(calls * 4 * 64 * 64, kernel["bytes_written"].get<double>());
  EXPECT_LT(0, kernel["limit_s"].get<double>());
  int slices = 0;
  const Json events = Json::parse(Read(trace), nullptr, false)["traceEvents"];
  for (const Json& event : events) slices += event["name"] == "contract";
  EXPECT_EQ(10, slices);

  const ProcessResult text = Reel({"bench", "matmul_2", "add_2", "--cap", "0.01", "--profile"});
  EXPECT_EQ(kOk, text.status) << text.err;
  EXPECT_NE(std::string::npos, text.out.find("% of limit")) << text.out;
  EXPECT_NE(std::string::npos, text.out.find("eager kernels")) << text.out;
  EXPECT_EQ(kUsage, Reel({"bench", "matmul", "--profile=" + trace}).status);
  EXPECT_EQ(kUsage, Reel({"bench", "matmul_2", "--profile=trace.txt"}).status);
}

TEST(Bench, Calibration) {
  const ProcessResult result = Reel({"bench", "--calibrate", "--threads", "2", "--json"});
  ASSERT_EQ(kOk, result.status) << result.err;
  const Json machine = Json::parse(result.out, nullptr, false);
  for (const char* key :
       {"float32", "float64", "l1", "l2", "l3", "dram", "l2_read", "dram_write", "l1_update", "fork_join_us"}) {
    ASSERT_EQ(2U, machine[key].size()) << key;
    for (const Json& value : machine[key]) EXPECT_LT(0, value.get<double>()) << key;
  }
  for (const char* key : {"l1_bytes", "l2_bytes", "l3_bytes"}) EXPECT_LT(0, machine[key]) << key;
  const ProcessResult table = Reel({"bench", "--calibrate"});
  EXPECT_EQ(kOk, table.status) << table.err;
  EXPECT_NE(std::string::npos, table.out.find("dram_update")) << table.out;
}

}  // namespace
}  // namespace reel::cli
