"""Read and write n-best lists of neural toolkits: text, JSON, Parquet and Arrow."""
