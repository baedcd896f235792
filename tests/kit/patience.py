"""How long tests wait for a process before they call it hung."""

PATIENCE = 300
"""Seconds. The busiest machine is done before; nothing is measured by it."""
