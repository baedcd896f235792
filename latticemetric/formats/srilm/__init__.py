"""Read and write SRILM's word graphs (PFSG), word meshes and n-best lists."""
