"""Run a function on many inputs in processes or on clusters; return results in order, set limits, keep a journal."""
