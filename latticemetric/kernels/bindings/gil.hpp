// Releases and takes the GIL (Python's global lock), so that other Python threads may run while a kernel does.
#pragma once

#include <Python.h>

#include <cstddef>  // defines __GLIBCXX__ if this is GCC's standard library

#if defined(__GLIBCXX__) && defined(__unix__)
#include <unistd.h>
#endif

namespace latticemetric {

// Takes the GIL by calling `take`.
//
// If the interpreter ends while a daemon thread runs a kernel, Python before 3.14 ends that thread when it wants the
// GIL back. It does so by pthread_exit, which unwinds the stack. The C++ functions of the binding do not let that pass,
// so the process would be aborted. Here such a thread waits for the end of the process instead, as it does in Python
// from 3.14 on.
template <typename Take>
void take_gil(Take take) {
#if defined(__GLIBCXX__) && defined(__unix__)
  try {
    take();
  } catch (...) {  // only the forced unwinding gets here: `take` calls C, which throws nothing
    for (;;) pause();
  }
#else
  take();
#endif
}

// Releases the GIL. Takes it back at the end of the scope.
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

// Takes the GIL in the middle of a kernel. Releases it at the end of the scope.
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
