"""What Dask loads in the workers of this machine.

An interrupt reaches all processes of a terminal, and is not for them: whoever asked ends them.
"""

from __future__ import annotations

import signal


def dask_setup(_worker: object) -> None:
    """Called in each worker, as it begins."""
    for name in ("SIGINT", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
