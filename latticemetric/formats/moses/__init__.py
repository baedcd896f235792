"""Read and write formats of Moses: lattices (PLF), confusion networks, search graphs, n-best lists."""
