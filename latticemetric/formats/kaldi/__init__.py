"""Read and write Kaldi's archives of lattices, and scripts that point into them."""
