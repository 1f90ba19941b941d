#include "frontend/key.h"

namespace reel::internal {

void AppendKey(std::string* key, int64_t x) {
  key->append(reinterpret_cast<const char*>(&x), sizeof x);
}

namespace {

void AppendKey(std::string* key, const Shape& shape) {
  internal::AppendKey(key, int64_t{shape.rank()});
  for (Extent e : shape) internal::AppendKey(key, e.is_constant() ? e.value() : -1 - int64_t{e.symbol()});
}
void AppendKey(std::string* key, bool x) { internal::AppendKey(key, int64_t{x}); }
void AppendKey(std::string* key, DType x) { internal::AppendKey(key, static_cast<int64_t>(x)); }
void AppendKey(std::string* key, const std::string& x) {
  internal::AppendKey(key, static_cast<int64_t>(x.size()));
  key->append(x);
}
void AppendKey(std::string* key, const std::vector<int64_t>& x) {
  internal::AppendKey(key, static_cast<int64_t>(x.size()));
  for (int64_t i : x) internal::AppendKey(key, i);
}
void AppendKey(std::string* key, const ir::Literal& x) {
  internal::AppendKey(key, x.type());
  key->append(reinterpret_cast<const char*>(x.bytes().data()), x.bytes().size());
}

}  // namespace

void AppendKey(std::string* key, const Type& type) {
  key->push_back(static_cast<char>(type.dtype));
  AppendKey(key, type.shape);
}

void AppendKey(std::string* key, const ir::Attributes& attributes) {
  AppendKey(key, static_cast<int64_t>(attributes.entries().size()));
  for (const auto& [name, value] : attributes.entries()) {
    AppendKey(key, name);
    key->push_back(static_cast<char>(value.index()));
    std::visit([&](const auto& v) { AppendKey(key, v); }, value);
  }
}

}  // namespace reel::internal
