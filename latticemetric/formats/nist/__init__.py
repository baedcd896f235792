"""Read and write NIST's transcripts: trn, STM and CTM, with alternatives."""
