// What ends a kernel from outside: signals, and the end of the program.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/gil.hpp"

namespace latticemetric {

// Returns whether the program is being stopped: its main thread has ended, or is handling an interrupt or an exit (as
// in `with ThreadPoolExecutor()`, which waits for its threads meanwhile).
inline bool is_stopping(const nanobind::object& main_thread) {
  namespace nb = nanobind;
  if (!nb::cast<bool>(main_thread.attr("is_alive")())) return true;
  const nb::object handled = nb::module_::import_("sys").attr("_current_exceptions")();
  nb::object error = handled.attr("get")(main_thread.attr("ident"));
  if (nb::isinstance<nb::tuple>(error)) error = error[1];  // before Python 3.12: its type, the error, the traceback
  return PyObject_IsInstance(error.ptr(), PyExc_KeyboardInterrupt) == 1 ||
         PyObject_IsInstance(error.ptr(), PyExc_SystemExit) == 1;
}

// Lets Python run its signal handlers, which it does only in the main thread, and throws what they raise. In another
// thread, throws KeyboardInterrupt once the program is being stopped: then nobody waits for the kernel's answer any
// more.
inline void check_signals() {
  namespace nb = nanobind;
  const TakenGil taken;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  const nb::object threading = nb::module_::import_("threading"), main_thread = threading.attr("main_thread")();
  if (threading.attr("current_thread")().is(main_thread) || !is_stopping(main_thread)) return;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

}  // namespace latticemetric
