"""The command line: one module per verb parses the options, calls one function and prints the results."""
