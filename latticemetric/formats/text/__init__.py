"""What text formats have in common."""
