"""How much memory there is."""

from __future__ import annotations

import os


def machine_memory() -> int:
    """The machine's memory in bytes; 8 GiB where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 2**33
