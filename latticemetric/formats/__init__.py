"""Formats, a module each: how to tell a format from others, read it and write it."""
