"""The command line: one module per verb parses the options, calls one function and prints the results."""

import gc

# Imports and the first thousands of answers create many lasting objects and little garbage: collect rarely.
gc.set_threshold(100_000, 20, 20)
