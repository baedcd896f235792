"""Hypothesis profiles: HYPOTHESIS_PROFILE=deep searches harder than a developer wants to wait for."""

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# A build must not fail by chance on a change that did not cause it: it tries the same examples each time, at any speed.
settings.register_profile(
    "quick", max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("quick"), max_examples=200, print_blob=True)
# New examples in each run.
settings.register_profile("deep", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_collection_finish() -> None:
    """Leave eleven thousand tests out of garbage collections: to go through them took a tenth of the time of tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def memory_limit():
    """Sets how much memory one search may take, until the test ends."""
    from latticemetric.memory import limit_memory

    yield limit_memory
    limit_memory(None)


@pytest.fixture(autouse=True, scope="session")
def _alone() -> Iterator[None]:
    """Workers are forked, as those of the command line are: the threads of pytest and xdist hold no lock of ours."""
    from latticemetric.parallel import pool

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "other_threads_live", lambda: False)
        yield
