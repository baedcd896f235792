"""The command line: one module a verb, which parses options, calls one function and prints its results."""
