"""Draw results and write reports. matplotlib is imported only when needed."""
