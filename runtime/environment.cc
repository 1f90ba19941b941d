#include "runtime/environment.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace reel::runtime {
namespace {

// A value in an error text: quoted, printable, at most 80 bytes.
std::string Quote(std::string_view value) {
  constexpr size_t kLongest = 80;
  std::string quoted = "'";
  for (const char c : value.substr(0, kLongest)) quoted += (c < ' ' || c > '~') ? '?' : c;
  quoted += value.size() > kLongest ? "'..." : "'";
  return quoted;
}

// COUNT := decimal digits, no sign, within [low, high].
std::optional<int64_t> ParseCount(std::string_view text, int64_t low, int64_t high) {
  int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed_to, failure] = std::from_chars(text.data(), end, count);
  if (failure != std::errc() || parsed_to != end || text[0] == '-') return std::nullopt;
  if (count < low || count > high) return std::nullopt;
  return count;
}

// NAME := [a-z0-9_.-]+
bool IsPassName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
}

// NAME[,NAME...]
std::optional<std::vector<std::string>> ParsePassNames(std::string_view text) {
  std::vector<std::string> names;
  for (;;) {
    const size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    if (!IsPassName(name)) return std::nullopt;
    names.emplace_back(name);
    if (comma == std::string_view::npos) return names;
    text.remove_prefix(comma + 1);
  }
}

// Reads variables through one lookup and collects what is malformed.
class Reader {
 public:
  explicit Reader(const EnvironmentLookup& lookup) : lookup_(lookup) {}

  // Stores parse(value) in `target` when the variable is set and well formed.
  template <typename T, typename Parse>
  void Read(const char* name, std::string_view grammar, T& target, Parse parse) {
    const char* const text = lookup_(name);
    if (text == nullptr || *text == '\0') return;
    if (auto parsed = parse(std::string_view(text))) {
      target = *std::move(parsed);
      return;
    }
    if (!error_.empty()) error_ += '\n';
    error_.append(name).append("=").append(Quote(text));
    error_.append(" is malformed: expected ").append(name).append("=").append(grammar);
  }

  std::string TakeError() { return std::move(error_); }

 private:
  const EnvironmentLookup& lookup_;
  std::string error_;
};

}  // namespace

Environment ParseEnvironment(const EnvironmentLookup& lookup) {
  constexpr std::string_view kNames = "NAME[,NAME...] with NAME of characters a-z 0-9 _ - .";
  const auto path = [](std::string_view text) { return std::optional<std::string>(text); };
  const auto count = [](std::string_view text) { return ParseCount(text, 0, std::numeric_limits<int64_t>::max()); };
  const auto threads = [](std::string_view text) -> std::optional<int> {
    const std::optional<int64_t> parsed = ParseCount(text, 1, kMaxThreads);
    return parsed ? std::optional<int>(static_cast<int>(*parsed)) : std::nullopt;
  };
  const auto profile = [](std::string_view text) -> std::optional<std::string> {
    constexpr std::string_view kSuffix = ".json";
    const bool file = text.size() > kSuffix.size() && text.ends_with(kSuffix);
    return text == "0" || text == "1" || file ? std::optional<std::string>(text) : std::nullopt;
  };

  const auto flag = [](std::string_view text) {
    return text == "0" || text == "1" ? std::optional<bool>(text == "1") : std::nullopt;
  };

  Environment values;
  Reader reader(lookup);
  reader.Read("REEL_DUMP_TO", "DIRECTORY", values.dump_to, path);
  reader.Read("REEL_DUMP_PASSES", kNames, values.dump_passes, ParsePassNames);
  reader.Read("REEL_DISABLE_PASSES", kNames, values.disable_passes, ParsePassNames);
  reader.Read("REEL_PASS_LIMIT", "COUNT, a decimal number >= 0", values.pass_limit, count);
  reader.Read("REEL_PROFILE", "0 or REEL_PROFILE=1 or REEL_PROFILE=FILE.json", values.profile_to, profile);
  values.profile = !values.profile_to.empty() && values.profile_to != "0";
  if (values.profile_to.size() <= 1) values.profile_to.clear();
  reader.Read("REEL_NUM_THREADS", "COUNT, a decimal number from 1 to 1024", values.num_threads, threads);
  reader.Read("REEL_CACHE_DIR", "DIRECTORY", values.cache_dir, path);
  reader.Read("REEL_CPU", "NAME or REEL_CPU=FILE.target", values.cpu, path);
  reader.Read("REEL_SCHEDULES", "FILE", values.schedules, path);
  reader.Read("REEL_TAPE_CACHE", "0 or REEL_TAPE_CACHE=1", values.tape_cache, flag);
  reader.Read("REEL_VERIFY", "0 or REEL_VERIFY=1", values.verify, flag);
  values.error = reader.TakeError();
  return values;
}

const Environment& GetEnvironment() {
  // Never destroyed: static destructors of other files may still ask. No lock: a fork could leave
  // it taken in the child.
  static std::atomic<const Environment*> published{nullptr};
  if (const Environment* const values = published.load(std::memory_order_acquire)) return *values;
  auto mine = std::make_unique<const Environment>(ParseEnvironment([](const char* name) { return std::getenv(name); }));
  const Environment* first = nullptr;
  const bool is_first = published.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel);
  if (!is_first) return *first;
  const Environment& values = *mine.release();
  if (!values.error.empty()) std::fprintf(stderr, "reel: ignored: %s\n", values.error.c_str());
  return values;
}

}  // namespace reel::runtime
