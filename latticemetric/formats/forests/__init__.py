"""Read and write packed forests of Moses, cdec, Joshua and Travatar."""
