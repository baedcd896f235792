"""Drawings of results."""
