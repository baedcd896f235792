"""The version in outputs: pages and notebooks show `v:...` in its place, so that a release changes no page."""

from latticemetric.metrics.signature import VERSION


def without_version(text: str) -> str:
    """Write signatures as pages show them."""
    return text.replace(f"v:{VERSION}", "v:...")
