"""Normalize references and graphs with rewrite rules, so that they can be compared."""
