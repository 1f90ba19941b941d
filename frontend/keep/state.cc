#include "frontend/keep/state.h"

#include <map>
#include <set>

#include "frontend/record/event_stream.h"
#include "frontend/values/status.h"
#include "ir/names.h"
#include "ir/strings.h"

// Reading and setting a state as a whole; sources.cc has what states are made of.

namespace reel {
namespace internal {

StateEntry EntryOf(std::string name, const Variable& variable) {
  const auto get = [variable] {
    const SuspendScope eager;
    return variable.value();
  };
  const auto set = [variable](const Tensor& value) {
    const SuspendScope eager;
    variable.Assign(value);
  };
  return {std::move(name), variable.type(), get, set};
}

std::string Joined(std::string_view outer, std::string_view inner) {
  if (outer.empty() || inner.empty()) return std::string(outer.empty() ? inner : outer);
  return StrCat(outer, "/", inner);
}

namespace {

constexpr char kWhole[] = "state";  // a state of one value without a name

std::string NameOf(const StateEntry& entry) { return entry.name.empty() ? kWhole : entry.name; }

/// What is wrong, in sentences.
class Differences {
 public:
  void Add(std::string_view kind, const std::string& text) {
    StrAppend(&text_, text_.empty() ? "" : "; ", kind, " ", text), ++count_;
  }
  void Missing(const std::string& name, const Type& type) {
    Add("missing:", StrCat(ir::Quoted(name), " ", type.ToString()));
  }
  void Throw(std::string_view what) const {
    if (count_ == 0) return;
    ThrowInvalid(
        StrCat(what, ": ", count_, count_ == 1 ? " difference" : " differences", ", nothing was loaded: ", text_));
  }

 private:
  std::string text_;
  int count_ = 0;
};

using ByName = std::map<std::string, Tensor, std::less<>>;

ByName Indexed(const StateDict& values) {
  ByName out;
  for (const auto& [name, value] : values) {
    if (!value.defined()) ThrowInvalid(StrCat("load: the value of ", ir::Quoted(name), " is a null tensor"));
    if (value.symbolic())
      ThrowInvalid(StrCat("load: the value of ", ir::Quoted(name), " is symbolic; load outside of traces"));
    if (!out.emplace(name, value).second) ThrowInvalid(StrCat("load: two values are called ", ir::Quoted(name)));
  }
  return out;
}

std::vector<StateEntry> DistinctEntries(const StateSource& source) {
  std::vector<StateEntry> entries = source.Entries();
  std::set<std::string_view> seen;
  for (const StateEntry& entry : entries) {
    if (!seen.insert(entry.name).second)
      ThrowInvalid(StrCat("state: two variables are called ", ir::Quoted(NameOf(entry)), "; give them distinct names"));
  }
  return entries;
}

/// Optimizers that begin anew: of which the values have what every state of it has, and no slot.
std::set<const void*> BeginAnew(const std::vector<StateEntry>& entries, const ByName& values) {
  std::set<const void*> out, with_slots;
  for (const StateEntry& entry : entries) {
    if (entry.owner && values.contains(NameOf(entry))) (entry.start ? with_slots : out).insert(entry.owner);
  }
  for (const void* owner : with_slots) out.erase(owner);
  return out;
}

/// Undoes what Make() has done unless all is well.
class Made {
 public:
  Made(StateSource* source, const StateDict& values) : source_(source) {
    try {
      source->Make(values);
    } catch (...) {
      source->Unmake();
      throw;
    }
  }
  ~Made() {
    if (source_) source_->Unmake();
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  void Stay() { source_ = nullptr; }

 private:
  StateSource* source_;
};

}  // namespace

void LoadState(StateSource* source, const StateDict& values, bool strict, std::string_view what) {
  const ByName by_name = Indexed(values);
  Made made(source, values);
  Differences differences;
  std::set<std::string, std::less<>> used;
  std::vector<std::pair<StateEntry, Tensor>> found, missing;
  std::vector<StateEntry> entries = DistinctEntries(*source);
  const std::set<const void*> anew = BeginAnew(entries, by_name);
  for (StateEntry& entry : entries) {
    const auto value = by_name.find(NameOf(entry));
    if (value == by_name.end()) {
      const SuspendScope eager;
      const bool fresh = entry.start && anew.contains(entry.owner);
      Tensor start = fresh ? Full(entry.type.shape, *entry.start, entry.type.dtype) : Tensor();
      missing.emplace_back(std::move(entry), std::move(start));
      continue;
    }
    used.insert(value->first);
    const Type& type = value->second.type();
    if (type != entry.type) {
      differences.Add(type.shape != entry.type.shape ? "shape:" : "dtype:",
                      StrCat(ir::Quoted(value->first), " is ", type.ToString(), ", not ", entry.type.ToString()));
    } else if (entry.check) {
      if (const std::string wrong = entry.check(value->second); !wrong.empty())
        differences.Add("value:", StrCat(ir::Quoted(value->first), " ", wrong));
    }
    found.emplace_back(std::move(entry), value->second);
  }
  StateDict waiting;
  for (const auto& [name, value] : values) {
    if (!used.contains(name) && source->Expects(name)) waiting.emplace_back(name, value);
  }
  for (auto& [entry, start] : missing) {
    if (start.defined() && waiting.empty())  // values that wait may be those of slots, under other names
      found.emplace_back(std::move(entry), std::move(start));
    else if (strict)
      differences.Missing(NameOf(entry), entry.type);
  }
  for (const std::string& layer : source->Unmade()) {
    if (strict) differences.Add("missing:", StrCat("all of ", ir::Quoted(layer)));
  }
  for (const auto& [name, value] : values) {
    if (strict && !used.contains(name) && !source->Expects(name))
      differences.Add("extra:", StrCat(ir::Quoted(name), " ", value.type().ToString()));
  }
  differences.Throw(what);
  made.Stay();
  for (const auto& [entry, value] : found) entry.set(value);
  source->Wait(waiting, strict);
}

StateDict ValuesOf(const StateSource& source) {
  StateDict out;
  for (const StateEntry& entry : DistinctEntries(source)) out.emplace_back(NameOf(entry), entry.get());
  for (auto& [name, value] : source.Waiting()) out.emplace_back(std::move(name), std::move(value));
  return out;
}

}  // namespace internal

StateDict GetState(const StateRef& state) { return internal::ValuesOf(*state.internal_data()); }

void LoadState(const StateRef& state, const StateDict& values, const LoadOptions& options) {
  internal::LoadState(state.internal_data().get(), values, options.strict, "load");
}

}  // namespace reel
