"""Test sets with outputs of several systems, references, and what people said of them."""
