#ifndef REEL_FRONTEND_RECORD_TRACE_H_
#define REEL_FRONTEND_RECORD_TRACE_H_

#include <memory>
#include <vector>

#include "frontend/record/event_log.h"
#include "frontend/record/event_stream.h"
#include "frontend/record/static_value.h"
#include "frontend/values/location.h"

namespace reel::internal {

/// While it lives, this thread traces into the log and nothing else listens.
class TraceScope {
 public:
  TraceScope(TraceState* trace, std::shared_ptr<EventLog> log);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  StaticLogScope static_values_;
  std::vector<std::shared_ptr<EventSink>> sinks_;
  TraceState* outer_;
  SourceLine location_;
};

/// The type of a spec in a module, which gets the spec's symbols.
Type AddSymbols(const Spec& spec, ir::Module* module);
/// The symbol of a module with this name, added if it has none. Throws where ranges differ.
Extent AddSymbol(const ir::Symbol& symbol, ir::Module* module);

/// A logged event as an entry for RunGradient; assigns give none.
void AppendEntry(const LogEvent& event, const EventLog& log, TypeTable* types, std::vector<TapeEntry>* entries);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_RECORD_TRACE_H_
