"""What Moses reads and writes: lattices, search graphs, forests, n-best lists."""
