#include "frontend/report/layout.h"

#include <algorithm>
#include <cstdlib>

namespace reel::internal {
namespace {

bool IsParameter(const DrawnNode& node) {
  return node.kind == DrawnNode::Kind::kArgument || node.kind == DrawnNode::Kind::kVariable;
}

class Placer {
 public:
  explicit Placer(DrawnGraph* graph) : graph_(*graph), band_(graph->nodes.size()), depth_(graph->nodes.size()) {}

  void Run() {
    FindBands();
    FindDepths();
    const int32_t bands = band_.empty() ? 0 : *std::max_element(band_.begin(), band_.end()) + 1;
    std::vector<std::array<std::vector<int32_t>, 3>> boxes(static_cast<size_t>(bands));
    for (size_t i = 0; i < band_.size(); ++i) {
      boxes[static_cast<size_t>(band_[i])][PartOf(i)].push_back(static_cast<int32_t>(i));
    }
    for (const auto& band : boxes) {
      int32_t height = 0;
      for (const auto& part : band) height = std::max(height, PlaceBand(part));
      graph_.rows += height;
    }
    Compact();
  }

 private:
  DrawnNode& box(int32_t i) { return graph_.nodes[static_cast<size_t>(i)]; }
  size_t PartOf(size_t i) const { return static_cast<size_t>(graph_.nodes[i].part); }
  int32_t& band(int32_t i) { return band_[static_cast<size_t>(i)]; }

  // Forward ops come after what they read. Arguments, variables and what is made of one of them alone stand just before
  // what reads them first: each layer's weights are beside the layer.
  void FindBands() {
    const auto n = static_cast<int32_t>(graph_.nodes.size());
    std::vector<bool> light(graph_.nodes.size());
    for (int32_t i = 0; i < n; ++i) {
      const DrawnNode& node = box(i);
      if (node.part != Part::kForward) continue;
      const bool unary = node.kind == DrawnNode::Kind::kOp && node.operands.size() == 1;
      light[static_cast<size_t>(i)] = IsParameter(node) || (unary && light[static_cast<size_t>(node.operands[0])]);
      band(i) = IsParameter(node) ? 0 : 1;
      for (const int32_t from : node.operands) band(i) = std::max(band(i), band(from) + 1);
    }
    Lower(light, Part::kForward);
    for (int32_t i = 0; i < n; ++i) {
      const DrawnNode& node = box(i);
      if (node.part == Part::kForward || IsParameter(node)) continue;
      if (node.partner >= 0) {
        band(i) = band(node.partner);
        continue;
      }
      for (const int32_t from : node.operands) {
        if (box(from).part != Part::kForward && !IsParameter(box(from))) band(i) = std::max(band(i), band(from));
      }
    }
    for (int32_t i = 0; i < n; ++i) {  // of updates also what is made of slots and rates alone
      const auto& operands = box(i).operands;
      const bool made = box(i).part == Part::kUpdate && box(i).kind == DrawnNode::Kind::kOp && !operands.empty();
      light[static_cast<size_t>(i)] =
          IsParameter(box(i)) || (made && std::all_of(operands.begin(), operands.end(),
                                                      [&](int32_t from) { return light[static_cast<size_t>(from)]; }));
    }
    Lower(light, Part::kUpdate);
  }

  // Moves boxes of a part down: forward ones before their first reader, others into its band.
  void Lower(const std::vector<bool>& light, Part part) {
    std::vector<int32_t> first_reader(graph_.nodes.size(), -1);
    for (auto i = static_cast<int32_t>(graph_.nodes.size()) - 1; i >= 0; --i) {
      if (box(i).part != part) continue;
      const int32_t first = first_reader[static_cast<size_t>(i)];
      if (light[static_cast<size_t>(i)] && first >= 0) band(i) = std::max(first - (part == Part::kForward ? 1 : 0), 0);
      for (const int32_t from : box(i).operands) {
        int32_t& reader = first_reader[static_cast<size_t>(from)];
        if (reader < 0 || band(i) < reader) reader = band(i);
      }
    }
  }

  // Steps from the first op of the same part in the band.
  void FindDepths() {
    for (int32_t i = 0; i < static_cast<int32_t>(graph_.nodes.size()); ++i) {
      for (const int32_t from : box(i).operands) {
        if (band(from) != band(i) || box(from).part != box(i).part) continue;
        depth_[static_cast<size_t>(i)] =
            std::max(depth_[static_cast<size_t>(i)], depth_[static_cast<size_t>(from)] + 1);
      }
    }
  }

  // Rows of boxes of one part of a band; how many there are.
  int32_t PlaceBand(std::vector<int32_t> list) {
    if (list.empty()) return 0;
    std::stable_sort(list.begin(), list.end(), [this](int32_t a, int32_t b) {
      return depth_[static_cast<size_t>(a)] < depth_[static_cast<size_t>(b)];
    });
    std::vector<std::vector<int32_t>> rows;
    int32_t depth = -1;
    for (const int32_t i : list) {
      if (depth_[static_cast<size_t>(i)] != depth || rows.back().size() == kMaxInRow) rows.emplace_back();
      depth = depth_[static_cast<size_t>(i)];
      rows.back().push_back(i);
    }
    if (box(list[0]).part == Part::kGradient) std::reverse(rows.begin(), rows.end());
    for (size_t r = 0; r < rows.size(); ++r) PlaceRow(rows[r], graph_.rows + static_cast<int32_t>(r));
    return static_cast<int32_t>(rows.size());
  }

  // Forward ops keep to the right, next to their gradients, and what they read from outside to the left.
  void PlaceRow(const std::vector<int32_t>& row, int32_t y) {
    std::array<bool, kMaxInRow> taken{};
    const auto settle = [&](int32_t i) {
      const bool forward = box(i).part == Part::kForward;
      int32_t wanted = forward ? kMaxInRow - (IsParameter(box(i)) ? 2 : 1) : 0;
      for (const int32_t from : box(i).operands) {
        if (IsParameter(box(from)) || box(from).part != box(i).part) continue;
        wanted = box(from).x;
        break;
      }
      int32_t best = -1;
      for (int32_t k = 0; k < kMaxInRow; ++k) {
        const int32_t slot = forward ? k : kMaxInRow - 1 - k;  // of equally near ones the outer
        if (taken[static_cast<size_t>(slot)]) continue;
        if (best < 0 || std::abs(slot - wanted) < std::abs(best - wanted)) best = slot;
      }
      taken[static_cast<size_t>(best)] = true;
      box(i).x = best, box(i).y = y;
    };
    for (const int32_t i : row) {
      if (!IsParameter(box(i))) settle(i);
    }
    for (const int32_t i : row) {
      if (IsParameter(box(i))) settle(i);
    }
  }

  // Leaves out columns that nothing is in.
  void Compact() {
    int32_t next = 0;
    for (size_t part = 0; part < 3; ++part) {
      int32_t low = kMaxInRow, high = -1;
      for (const DrawnNode& node : graph_.nodes) {
        if (static_cast<size_t>(node.part) != part) continue;
        low = std::min(low, node.x), high = std::max(high, node.x);
      }
      graph_.first_column[part] = next;
      graph_.columns[part] = std::max(high - low + 1, 0);
      for (DrawnNode& node : graph_.nodes) {
        if (static_cast<size_t>(node.part) == part) node.x += next - low;
      }
      next += graph_.columns[part];
    }
  }

  DrawnGraph& graph_;
  std::vector<int32_t> band_, depth_;  // by box
};

}  // namespace

void Place(DrawnGraph* graph) { Placer(graph).Run(); }

}  // namespace reel::internal
