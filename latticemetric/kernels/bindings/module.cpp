// The extension module. The other files of bindings check the shapes and bounds of arrays, and release the GIL. No
// policy is made here.
#include "bindings/binding.hpp"

namespace {

namespace nb = nanobind;

// Translates `OverBudget` into Python's error, which says how much a call may take and how to allow more.
void raise_over_budget(const std::exception_ptr& problem, void*) {
  try {
    std::rethrow_exception(problem);
  } catch (const latticemetric::OverBudget& error) {
    const nb::object told = nb::module_::import_("latticemetric.memory").attr("over_budget")(error.most());
    PyErr_SetObject(told.type().ptr(), told.ptr());
  }
}

}  // namespace

NB_MODULE(_native, m) {
  // At the end of the interpreter, other threads may still search graphs: these are no leaks.
  nb::set_leak_warnings(false);
  nb::register_exception_translator(raise_over_budget);
  m.attr("VERSION") = LATTICEMETRIC_VERSION;
  m.attr("COMPILER") = LATTICEMETRIC_COMPILER;
  m.attr("FLAGS") = LATTICEMETRIC_FLAGS;
  m.def("keep_freed_memory", &latticemetric::keep_freed_memory);
  latticemetric::bind_graphs(m);
  latticemetric::bind_lattices(m);
  latticemetric::bind_summaries(m);
  latticemetric::bind_forests(m);
  latticemetric::bind_forest_ngrams(m);
  latticemetric::bind_formats(m);
  latticemetric::bind_written_rows(m);
  latticemetric::bind_record_lines(m);
  latticemetric::bind_ngrams(m);
  latticemetric::bind_strings(m);
  latticemetric::bind_meteor(m);
  latticemetric::bind_mbr(m);
  latticemetric::bind_string_lattices(m);
  latticemetric::bind_loss_augmented(m);
  latticemetric::bind_networks(m);
  latticemetric::bind_blocks(m);
  latticemetric::bind_expectations(m);
  latticemetric::bind_tuning(m);
}
