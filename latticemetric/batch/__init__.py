"""Many graphs: which references belong to them, and what becomes of each."""
