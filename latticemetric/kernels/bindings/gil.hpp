// Other Python threads may run while a kernel does.
#pragma once

#include <Python.h>

#include <cstddef>  // says whose standard library this is

#if defined(__GLIBCXX__) && defined(__unix__)
#include <unistd.h>
#endif

namespace latticemetric {

// Takes the GIL by what it is given.
//
// When the interpreter ends while a daemon thread runs a kernel, Python before 3.14 ends that thread as soon as it
// wants the GIL back: by pthread_exit, which unwinds the stack. No C++ function of the binding lets that pass, so the
// process would be aborted. Here such a thread waits for the end of the process instead, as Python has it from 3.14 on.
template <typename Take>
void take_gil(Take take) {
#if defined(__GLIBCXX__) && defined(__unix__)
  try {
    take();
  } catch (...) {  // nothing but the forced unwinding: C throws nothing
    for (;;) pause();
  }
#else
  take();
#endif
}

// Releases the GIL, and takes it back at the end of the scope.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;
  ~ReleasedGil() {
    take_gil([this] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* state_;
};

// Takes the GIL in the middle of a kernel, and releases it at the end of the scope.
class TakenGil {
 public:
  TakenGil() {
    take_gil([this] { state_ = PyGILState_Ensure(); });
  }
  TakenGil(const TakenGil&) = delete;
  TakenGil& operator=(const TakenGil&) = delete;
  ~TakenGil() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_{};
};

}  // namespace latticemetric
