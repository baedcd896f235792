"""Where bytes come from and go to: files, folders, archives, compressed or not."""
