#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "frontend/data/node.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/file/reader.h"
#include "ir/file/writer.h"
#include "ir/hash_map.h"
#include "ir/names.h"
#include "ir/strings.h"

// Tokens of texts.

namespace reel {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxSymbols = 0x110000;  // code points

/// Bytes of the character at the start of a text in UTF-8.
size_t CharacterLength(std::string_view text) {
  const auto c = static_cast<unsigned char>(text.front());
  return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

void CheckUtf8(std::string_view what, std::string_view text) {
  const size_t at = internal::FindNonUtf8(text);
  if (at == text.npos) return;
  const std::string around(text.substr(at, 1));
  internal::ThrowInvalid(StrCat(what, ": the text is no UTF-8: byte ", at, " is ", ir::Quoted(around),
                                "; convert it, or take bytes for tokens (TextUnit::kBytes)"));
}

/// The tokens of a text, which is UTF-8 if the vocabulary has characters.
Tensor Tokens(std::string_view text, const Vocabulary& vocabulary, const std::string& what) {
  std::vector<int64_t> tokens;
  tokens.reserve(text.size());
  std::array<int64_t, 256> of_byte;  // most symbols are one
  of_byte.fill(-1);
  HashMap<std::string_view, int64_t> of_others;
  for (size_t i = 0; i < vocabulary.symbols().size(); ++i) {
    const std::string& symbol = vocabulary.symbols()[i];
    if (symbol.size() == 1)
      of_byte[static_cast<unsigned char>(symbol[0])] = static_cast<int64_t>(i);
    else
      of_others.emplace(symbol, static_cast<int64_t>(i));
  }
  for (size_t at = 0; at < text.size();) {
    const std::string_view c = text.substr(at, vocabulary.bytes() ? 1 : CharacterLength(text.substr(at)));
    int64_t token = c.size() == 1 ? of_byte[static_cast<unsigned char>(c[0])] : -1;
    if (c.size() > 1) {
      const auto found = of_others.find(c);
      if (found != of_others.end()) token = found->second;
    }
    if (token < 0) {
      internal::ThrowInvalid(StrCat(what, ": the character ", ir::Quoted(c), " at byte ", at,
                                    " is not in the vocabulary of ", vocabulary.size()));
    }
    tokens.push_back(token);
    at += c.size();
  }
  return Tensor::FromData(tokens, {static_cast<int64_t>(tokens.size())});
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> symbols, bool bytes)
    : symbols_(std::make_shared<const std::vector<std::string>>(std::move(symbols))), bytes_(bytes) {}

Vocabulary Vocabulary::Bytes() {
  std::vector<std::string> symbols;
  for (int i = 0; i < 256; ++i) symbols.emplace_back(1, static_cast<char>(i));
  return Vocabulary(std::move(symbols), true);
}

Vocabulary Vocabulary::OfCharacters(std::string_view text) {
  CheckUtf8("vocabulary", text);
  std::set<std::string, std::less<>> symbols;  // the order of UTF-8 is that of code points
  while (!text.empty()) {
    const std::string_view c = text.substr(0, CharacterLength(text));
    if (!symbols.contains(c)) symbols.emplace(c);
    text.remove_prefix(c.size());
  }
  return Vocabulary({symbols.begin(), symbols.end()}, false);
}

Vocabulary Vocabulary::Load(const std::string& path) {
  const std::string bytes = internal::Take(ir::ReadFile(path, Budget{.max_bytes = int64_t{1} << 26}));
  const auto wrong = [&](const std::string& why) {
    internal::ThrowError(ErrorCode::kDataLoss,
                         StrCat(ir::QuotedPath(path), ": no vocabulary: ", why,
                                R"(; expected {"unit": "character", "symbols": ["a", ...]} or {"unit": "byte"})"));
  };
  const Json json = Json::parse(bytes, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("unit")) wrong("it is not such JSON");
  if (json["unit"] == "byte") return Bytes();
  if (json["unit"] != "character") wrong("its unit is neither character nor byte");
  if (!json.contains("symbols") || !json["symbols"].is_array()) wrong("it has no symbols");
  if (json["symbols"].size() > kMaxSymbols) wrong("it has more symbols than there are characters");
  std::vector<std::string> symbols;
  std::set<std::string_view> seen;
  for (const Json& symbol : json["symbols"]) {
    const auto* const text = symbol.is_string() ? &symbol.get_ref<const std::string&>() : nullptr;
    if (!text || text->empty() || CharacterLength(*text) != text->size())
      wrong(StrCat("symbol ", symbols.size(), " is not one character"));
    if (!seen.insert(*text).second) wrong(StrCat("symbol ", symbols.size(), " is there twice"));
    symbols.push_back(*text);
  }
  return Vocabulary(std::move(symbols), false);
}

void Vocabulary::Save(const std::string& path) const {
  Json json;
  json["unit"] = bytes_ ? "byte" : "character";
  if (!bytes_) json["symbols"] = *symbols_;
  internal::Check(ir::WriteFile(path, json.dump() + "\n"));
}

int64_t Vocabulary::size() const { return static_cast<int64_t>(symbols_->size()); }

Tensor Vocabulary::Encode(std::string_view text) const {
  if (!bytes_) CheckUtf8("encode", text);
  return Tokens(text, *this, "encode");
}

std::string Vocabulary::Decode(const Tensor& tokens) const {
  if (!IsInteger(tokens.dtype()))
    internal::ThrowInvalid(StrCat("decode: tokens are integers, not ", tokens.type().ToString()));
  const ir::Literal values = internal::ToLiteral(tokens);
  std::string out;
  for (int64_t i = 0; i < values.size(); ++i) {
    const int64_t token = values.AsInt(i);
    if (token < 0 || token >= size())
      internal::ThrowInvalid(StrCat("decode: token ", token, " at ", i, " is not in the vocabulary of ", size()));
    out += (*symbols_)[static_cast<size_t>(token)];
  }
  return out;
}

namespace internal {
namespace {

/// Windows of a text and the tokens that follow.
class TextNode : public DatasetNode {
 public:
  TextNode(std::string text, int64_t size, Tensor tokens, int64_t length, int64_t stride, SourceInfoPtr info)
      : DatasetNode(size, std::move(info)),
        text_(std::move(text)),
        tokens_(std::move(tokens)),
        window_{kInt64, {length}},
        stride_(stride) {}

  Example Fetch(int64_t, std::span<const int64_t> indices, bool batched, FetchMemory*) const override {
    NewRows windows(window_, indices.size(), batched), next(window_, indices.size(), batched);
    const auto* from = static_cast<const int64_t*>(tokens_.raw_data());
    for (size_t i = 0; i < indices.size(); ++i) {
      std::memcpy(windows.row(i), from + indices[i] * stride_, windows.row_bytes);
      std::memcpy(next.row(i), from + indices[i] * stride_ + 1, next.row_bytes);
    }
    return {windows.Done(), next.Done()};
  }
  std::vector<Spec> Specs() const override { return {Spec(kInt64, window_.shape), Spec(kInt64, window_.shape)}; }
  std::string Text() const override { return text_; }
  std::string Identity() const override {
    return StrCat("text of ", tokens_.size(), " in ", size(), " of ", window_.ToString(), " each ", stride_);
  }

 private:
  const std::string text_;
  const Tensor tokens_;
  const Type window_;
  const int64_t stride_;
};

}  // namespace
}  // namespace internal

Dataset Dataset::FromText(const std::string& path, const TextOptions& options) {
  const std::string name = ir::QuotedPath(path);
  const int64_t stride = options.stride == 0 ? options.length : options.stride;
  if (options.length < 1 || options.stride < 0) {
    internal::ThrowInvalid(
        StrCat("text: windows of ", options.length, " tokens, ", options.stride, " apart: both must be positive"));
  }
  const std::string bytes = internal::Take(internal::ReadData(path, options.budget));
  if (bytes.empty()) internal::ThrowInvalid(StrCat(name, ": the file is empty"));
  if (static_cast<int64_t>(bytes.size()) > options.budget.max_memory / static_cast<int64_t>(sizeof(int64_t)))
    internal::ThrowError(ErrorCode::kResourceExhausted, StrCat(name, ": its tokens take more than the memory budget"));
  const bool characters = options.vocabulary ? !options.vocabulary->bytes() : options.unit == TextUnit::kCharacters;
  if (characters) CheckUtf8(name, bytes);
  const Vocabulary vocabulary = options.vocabulary ? *options.vocabulary
                                : characters       ? Vocabulary::OfCharacters(bytes)
                                                   : Vocabulary::Bytes();
  const Tensor tokens = Tokens(bytes, vocabulary, name);
  if (tokens.size() <= options.length) {
    internal::ThrowInvalid(StrCat(name, ": its ", tokens.size(), " tokens are no window of ", options.length,
                                  " and the token that follows; take a smaller length"));
  }
  const int64_t size = (tokens.size() - options.length - 1) / stride + 1;
  internal::SourceInfo info{.vocabulary = vocabulary};
  return Dataset(std::make_shared<internal::TextNode>(internal::SourceText("text", path), size, tokens, options.length,
                                                      stride, std::make_shared<internal::SourceInfo>(info)));
}

}  // namespace reel
