"""Read and write OpenFst's machines, archives of them, and k2's text."""
