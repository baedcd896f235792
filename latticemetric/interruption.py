"""Stop the kernels of a program that is interrupted."""

from __future__ import annotations

import sys
import threading


def stop_threads() -> None:
    """Raise `KeyboardInterrupt` in threads of a program that is being stopped.

    Running kernels call this (`kernels/budget.hpp`) after the handlers of signals, which Python runs in the main thread
    only. In other threads, a kernel stops when the main thread has ended or handles an interrupt or an exit, as
    `with ThreadPoolExecutor()` does while it waits for its threads.
    """
    main = threading.main_thread()
    if threading.current_thread() is main:
        return
    handled = sys._current_exceptions().get(main.ident or 0)  # noqa: SLF001  documented, if underlined
    error = handled[1] if isinstance(handled, tuple) else handled  # a tuple before Python 3.12
    if not main.is_alive() or isinstance(error, KeyboardInterrupt | SystemExit):
        raise KeyboardInterrupt
