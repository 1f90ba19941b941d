#include "reel/summary_writer.h"

#include "callback.h"
#include "common.h"
#include "graphs.h"
#include "register.h"

// The writer of event files: what reel/_summary.py is made of.

namespace reel::python {
namespace {

// The name of a curve or of a folder, with no NUL lost.
std::string ToText(nb::handle x, const char* what) {
  if (!PyUnicode_Check(x.ptr())) ThrowType(Text({what, ": expected a str, not ", TypeName(x)}));
  return nb::cast<std::string>(x);
}

SummaryWriter MakeWriter(const std::string& folder, nb::handle clock, double flush_seconds, nb::handle purge_step) {
  SummaryWriterOptions options{.flush_seconds = flush_seconds};
  if (!clock.is_none()) {
    if (!PyCallable_Check(clock.ptr()))
      ThrowType("SummaryWriter: the clock must be a function, such as time.time, not " + TypeName(clock));
    options.clock = [f = SharedObject(clock)] {
      const nb::gil_scoped_acquire lock;
      return ToDouble((*f)(), "clock");
    };
  }
  if (!purge_step.is_none()) options.purge_step = ToInt(purge_step, "purge_step");
  return SummaryWriter(folder, options);
}

}  // namespace

void RegisterSummary(nb::module_& m) {
  nb::class_<SummaryWriter> c(m, "_SummaryWriter");
  c.def(
      "__init__",
      [](SummaryWriter* self, const std::string& folder, nb::handle clock, double flush_seconds,
         nb::handle purge_step) { new (self) SummaryWriter(MakeWriter(folder, clock, flush_seconds, purge_step)); },
      "folder"_a, "clock"_a.none(), "flush_seconds"_a, "purge_step"_a.none());
  c.def("add_scalar", [](SummaryWriter& self, nb::handle name, nb::handle value, nb::handle step) {
    self.AddScalar(ToText(name, "add_scalar"), ToDouble(value, "value"), ToInt(step, "step"));
  });
  c.def("add_histogram", [](SummaryWriter& self, nb::handle name, nb::handle values, nb::handle step) {
    const Tensor tensor =
        Concrete(IsVariable(values.ptr()) ? ToTensor(values) : AsTensor(values, std::nullopt), "add_histogram");
    self.AddHistogram(ToText(name, "add_histogram"), tensor, ToInt(step, "step"));
  });
  c.def("add_text", [](SummaryWriter& self, nb::handle name, nb::handle text, nb::handle step) {
    self.AddText(ToText(name, "add_text"), ToText(text, "add_text"), ToInt(step, "step"));
  });
  c.def("add_graph",
        [](SummaryWriter& self, nb::handle graph) { WithGraph(graph, [&self](const auto& g) { self.AddGraph(g); }); });
  c.def("flush", &SummaryWriter::Flush);
  c.def("close", &SummaryWriter::Close);
  c.def_prop_ro("path", [](const SummaryWriter& self) { return nb::str(self.path().c_str(), self.path().size()); });
}

}  // namespace reel::python
