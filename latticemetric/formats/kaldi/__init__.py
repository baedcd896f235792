"""Read and write Kaldi's archives of lattices, and the scripts (.scp) that point into them."""
