"""Recognise, read and write formats of graphs, references and other inputs; one module per format."""
