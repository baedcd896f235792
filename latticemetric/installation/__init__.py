"""What is installed, and whether it works; nothing heavy is imported before it is looked at."""
