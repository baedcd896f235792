"""Read and write bytes: files, folders, archives, compressed or not."""
