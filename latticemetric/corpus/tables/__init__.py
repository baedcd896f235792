"""Write answers as text, TSV, JSON, JSON lines or CTM: one module a verb."""
