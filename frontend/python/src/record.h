#ifndef REEL_PYTHON_RECORD_H_
#define REEL_PYTHON_RECORD_H_

#include <type_traits>

#include "common.h"
#include "reel/schedules.h"

// Objects remember what they were made of, in the attribute `_made`: (class or function, positional arguments,
// keywords). Pickle and copy make them again of that (reel/_keep.py).

namespace reel::python {

/// Positional arguments and keywords as Python has them, from what C++ got.
class Arguments {
 public:
  template <typename T>
  void Add(const T& x) {
    if constexpr (std::is_same_v<T, nb::kwargs>) {
      keywords_ = nb::borrow<nb::dict>(x);
    } else if constexpr (std::is_same_v<T, nb::args>) {
      for (const nb::handle each : x) positional_.append(each);
    } else if constexpr (requires { x.object; }) {
      positional_.append(nb::handle(x.object));
    } else {
      positional_.append(nb::cast(x));
    }
  }
  /// Into the object's attribute.
  void Keep(nb::handle object, nb::handle maker) const {
    nb::setattr(object, "_made", nb::make_tuple(maker, nb::tuple(positional_), keywords_));
  }

 private:
  nb::list positional_;
  nb::dict keywords_;
};

template <typename F, typename C, typename... A>
auto RecordedAs(F make, void (F::*)(C*, A...) const) {
  return [make](nb::pointer_and_handle<C> self, A... arguments) {
    Arguments kept;
    (kept.Add(arguments), ...);
    make(self.p, std::move(arguments)...);
    kept.Keep(self.h, nb::type<C>());
  };
}
/// The body of an __init__ (C*, arguments...) that also keeps the arguments.
template <typename F>
auto Recorded(F make) {
  return RecordedAs(make, &F::operator());
}

/// A result of type Schedule.
class ScheduleObject : public nb::object {
 public:
  NB_OBJECT_DEFAULT(ScheduleObject, nb::object, "Schedule", PyObject_Type)
};

template <typename F, typename R, typename... A>
auto RecordedScheduleAs(F make, R (F::*)(A...) const, nb::module_ m, const char* name) {
  return [make, m, name](A... arguments) {
    Arguments kept;
    (kept.Add(arguments), ...);
    const nb::object made = nb::cast(Schedule(make(std::move(arguments)...)));
    kept.Keep(made, m.attr(name));
    return nb::borrow<ScheduleObject>(made);
  };
}
/// The body of a function `name` of a module that makes a schedule, which also keeps the arguments.
template <typename F>
auto RecordedSchedule(nb::module_ m, const char* name, F make) {
  return RecordedScheduleAs(make, &F::operator(), m, name);
}

}  // namespace reel::python

#endif  // REEL_PYTHON_RECORD_H_
