#include "codegen/group/print.h"

#include "ir/strings.h"

namespace reel::codegen {
namespace {

using ir::Value;

class Printer {
 public:
  Printer(const ir::Function& f, const Grouping& grouping) : f_(f), grouping_(grouping) {}

  std::string Run() {
    StrAppend(&out_, "plan of @", f_.name(), ": ", grouping_.groups.size(), " kernels\n");
    for (size_t g = 0; g < grouping_.groups.size(); ++g) PrintGroup(g, grouping_.groups[g]);
    return std::move(out_);
  }

 private:
  void Add(Value v) {
    StrAppend(&out_, " %", v.id, grouping_.stored[static_cast<size_t>(v.id)] ? "*" : "");
    if (const ir::Node* node = f_.producer(v)) StrAppend(&out_, "=", ir::Info(node->op).name);
  }
  void AddList(std::string_view title, const std::vector<Value>& values) {
    if (values.empty()) return;
    StrAppend(&out_, "; ", title);
    for (Value v : values) Add(v);
  }

  void PrintGroup(size_t number, const Group& group) {
    StrAppend(&out_, "#", number, " ", KindName(group.root_kind));
    if (group.root.valid()) {
      Add(group.root);
      StrAppend(&out_, ": ", f_.type(group.root).ToString());
    } else if (!group.post.empty()) {
      StrAppend(&out_, " over ", f_.type(group.post[0]).ToString());
    }
    AddList("producer", group.pre);
    AddList(group.root.valid() ? "epilogue" : "values", group.post);
    for (const auto& [root, partials] : group.columns) {
      StrAppend(&out_, root == group.root ? "; partial results" : "; row reduction", " %", root.id, " to");
      Add(partials);
      StrAppend(&out_, ": ", f_.type(partials).ToString());
    }
    if (group.partials.valid()) AddList("of", {group.partials});
    if (group.width > 0) StrAppend(&out_, "; rows of ", group.width);
    if (!group.inputs.empty()) StrAppend(&out_, "; reads");
    for (int input : group.inputs) StrAppend(&out_, " #", input);
    StrAppend(&out_, "; ", group.nodes, group.nodes == 1 ? " op\n" : " ops\n");
  }

  const ir::Function& f_;
  const Grouping& grouping_;
  std::string out_;
};

}  // namespace

std::string Print(const ir::Function& function, const Grouping& grouping) { return Printer(function, grouping).Run(); }

}  // namespace reel::codegen
