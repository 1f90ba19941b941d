#include "frontend/cli/bench/workloads.h"

#include "frontend/cli/bench/family.h"
#include "frontend/cli/cli.h"
#include "ir/names.h"
#include "ir/suggest.h"

namespace reel::cli {
namespace {

constexpr char kLarge[] = "gpt2_124m";

const std::vector<Entry>& Entries() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all;
    for (const auto& family :
         {DenseWorkloads(), ConvWorkloads(), SequenceWorkloads(), IntegrationWorkloads(), LayerWorkloads(),
          ElementwiseWorkloads(), MixtureWorkloads(), KernelWorkloads(), FactorWorkloads(), SmallWorkloads()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return entries;
}

}  // namespace

std::vector<std::string> ExpandWorkloads(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const size_t before = out.size();
    for (const Entry& entry : Entries()) {
      const bool large = entry.name == kLarge;
      if (entry.name == name || entry.group == name || (name == "all" && !large)) out.push_back(entry.name);
    }
    if (out.size() == before) {
      std::vector<std::string> all = {"all"};
      for (const Entry& entry : Entries()) all.insert(all.end(), {entry.name, entry.group});
      Fail(kUsage, StrCat("there is no workload ", ir::Quoted(name), "; there are: all, ", DescribeWorkloads(),
                          ir::DidYouMean(name, all)));
    }
  }
  return out;
}

std::string DescribeWorkloads() {
  std::string out, group;
  for (const Entry& entry : Entries()) {
    if (entry.group != group && !group.empty()) out += ")";
    if (!out.empty()) out += ", ";
    if (entry.group != group && !entry.group.empty())
      StrAppend(&out, entry.group, " (", entry.name);
    else
      out += entry.name;
    group = entry.group;
  }
  return group.empty() ? out : out + ")";
}

Workload MakeWorkload(const std::string& name, const std::string& folder) {
  const Inputs inputs(folder, name);
  for (const Entry& entry : Entries()) {
    if (entry.name != name) continue;
    Workload out = entry.make(inputs);
    out.given = inputs.given();
    return out;
  }
  Fail(kUsage, StrCat("there is no workload ", ir::Quoted(name)));
}

}  // namespace reel::cli
