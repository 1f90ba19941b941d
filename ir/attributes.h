#ifndef REEL_IR_ATTRIBUTES_H_
#define REEL_IR_ATTRIBUTES_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/literal.h"
#include "ir/types.h"

namespace reel::ir {

/// Value of an attribute. The order of the alternatives is AttrKind's.
using AttrValue = std::variant<int64_t, bool, std::string, std::vector<int64_t>, Shape, DType, Literal>;
enum class AttrKind { kInt, kBool, kString, kInts, kShape, kDType, kLiteral };

/// Attributes of a node, sorted by name; nodes share them.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<std::string_view, AttrValue>> entries);

  /// Adds or replaces.
  void Set(std::string_view name, AttrValue value);
  /// Null if absent.
  const AttrValue* Find(std::string_view name) const;
  /// The value of an attribute the verifier has seen to exist with this kind.
  template <typename T>
  const T& Get(std::string_view name) const {
    return std::get<T>(*Find(name));
  }
  const std::vector<std::pair<std::string, AttrValue>>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  /// Keeps alive what a number among the values stands for, as long as there are copies of these attributes.
  void Hold(std::shared_ptr<const void> held) { held_ = std::move(held); }
  /// Of the values alone.
  friend bool operator==(const Attributes& a, const Attributes& b) { return a.entries_ == b.entries_; }

 private:
  std::vector<std::pair<std::string, AttrValue>> entries_;
  std::shared_ptr<const void> held_;
};

}  // namespace reel::ir

#endif  // REEL_IR_ATTRIBUTES_H_
