"""Draw results and write reports; matplotlib is imported on demand."""
