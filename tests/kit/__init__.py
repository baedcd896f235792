"""What tests share: brute force, strategies, files of every format, commands."""
