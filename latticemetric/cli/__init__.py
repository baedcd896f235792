"""The command line: one module a verb, which parses, asks, and prints."""
