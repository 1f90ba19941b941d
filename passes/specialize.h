#ifndef REEL_PASSES_SPECIALIZE_H_
#define REEL_PASSES_SPECIALIZE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"

// Symbolic extents become constants: what compilation begins with.

namespace reel::passes {

/// Values of the symbols of a module, in its order; -1: none.
using Extents = std::vector<int64_t>;

/// The values that arguments of these types give the symbols of a call of a function; those that it does not need have
/// none. InvalidArgument, naming the argument: another dtype, rank or constant extent; an extent out of its symbol's
/// range, or not that of an argument before; a symbol that no argument has.
absl::StatusOr<Extents> BindArguments(const ir::Module& module, const ir::Function& function,
                                      absl::Span<const Type> arguments);
/// Values by name: {"B", 64}. InvalidArgument for an unknown name, a value out of range, a name given twice.
absl::StatusOr<Extents> BindNames(const ir::Module& module, absl::Span<const std::pair<std::string, int64_t>> values);

/// The function with other extents in the place of symbols: constants, or symbols of another module.
ir::Function WithExtents(const ir::Function& function, absl::Span<const Extent> by_symbol);

/// The module with constants in the place of the symbols that have values, and verified. The functions `entries` and
/// what they name are kept, all if empty; symbols without values stay.
absl::StatusOr<ir::Module> Specialize(const ir::Module& module, const Extents& extents,
                                      absl::Span<const std::string> entries = {});

/// " B=64 T=8": the values, each behind a space; "" if there are none.
std::string Text(const ir::Module& module, const Extents& extents);

/// Appends an entry point and what it names to a module that has the variables, with constants in the place of symbols,
/// under names with their values: "predict B=64". Returns the entry point's.
absl::StatusOr<std::string> AddSpecialized(const ir::Module& from, const std::string& entry, const Extents& extents,
                                           ir::Module* to);

/// The symbols in types of the function and of what it names: those whose values a call needs.
std::vector<int32_t> SymbolsOf(const ir::Module& module, const ir::Function& function);

}  // namespace reel::passes

#endif  // REEL_PASSES_SPECIALIZE_H_
