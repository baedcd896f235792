"""Draw plots of results, and write HTML reports; matplotlib is imported on demand."""
