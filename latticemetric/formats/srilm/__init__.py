"""SRILM's word graphs, word meshes and n-best lists."""
