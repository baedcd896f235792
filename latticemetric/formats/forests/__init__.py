"""Packed forests of cdec, Joshua and Travatar."""
