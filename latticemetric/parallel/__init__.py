"""Run a function on many inputs in processes or on clusters, in order, with limits and a journal."""
