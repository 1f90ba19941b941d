#include "ir/key.h"

namespace reel::ir {
namespace {

struct AppendAttribute {
  std::string* key;

  void operator()(int64_t x) const { AppendKey(key, x); }
  void operator()(bool x) const { AppendKey(key, int64_t{x}); }
  void operator()(DType x) const { AppendKey(key, static_cast<int64_t>(x)); }
  void operator()(const Shape& x) const { AppendKey(key, x); }
  void operator()(const std::string& x) const { AppendKey(key, std::string_view(x)); }
  void operator()(const std::vector<int64_t>& x) const {
    AppendKey(key, static_cast<int64_t>(x.size()));
    for (int64_t i : x) AppendKey(key, i);
  }
  void operator()(const Literal& x) const {
    AppendKey(key, x.type());
    key->append(reinterpret_cast<const char*>(x.bytes().data()), x.bytes().size());
  }
};

}  // namespace

void AppendKey(std::string* key, std::string_view bytes) {
  AppendKey(key, static_cast<int64_t>(bytes.size()));
  key->append(bytes);
}

void AppendKey(std::string* key, const Shape& shape) {
  AppendKey(key, int64_t{shape.rank()});
  for (Extent e : shape) AppendKey(key, e.is_constant() ? e.value() : -1 - int64_t{e.symbol()});
}

void AppendKey(std::string* key, const Type& type) {
  key->push_back(static_cast<char>(type.dtype));
  AppendKey(key, type.shape);
}

void AppendKey(std::string* key, const Attributes& attributes) {
  AppendKey(key, static_cast<int64_t>(attributes.entries().size()));
  for (const auto& [name, value] : attributes.entries()) {
    AppendKey(key, std::string_view(name));
    key->push_back(static_cast<char>(value.index()));
    std::visit(AppendAttribute{key}, value);
  }
}

}  // namespace reel::ir
