"""OpenFst's machines and archives of them."""
