"""Read and write bytes: files, folders and archives, compressed or not."""
