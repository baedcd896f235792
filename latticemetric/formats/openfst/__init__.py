"""Read and write OpenFst's machines and archives, and k2's text."""
