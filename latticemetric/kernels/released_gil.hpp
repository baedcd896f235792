// Other Python threads may run while a kernel does.
#pragma once

#include <Python.h>

#include <cstddef>  // says whose standard library this is

#if defined(__GLIBCXX__) && defined(__unix__)
#include <cxxabi.h>
#include <unistd.h>
#endif

namespace latticemetric {

// Releases the GIL, and takes it back at the end of the scope.
//
// When the interpreter ends while a daemon thread runs a kernel, Python before 3.14 ends that thread as soon as it wants
// the GIL back: by pthread_exit, which unwinds the stack. No C++ function of the binding lets that pass, so the process
// would be aborted. Here such a thread waits for the end of the process instead, as Python has it from 3.14 on.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

  ~ReleasedGil() {
#if defined(__GLIBCXX__) && defined(__unix__)
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      for (;;) pause();
    }
#else
    PyEval_RestoreThread(state_);
#endif
  }

 private:
  PyThreadState* state_;
};

}  // namespace latticemetric
