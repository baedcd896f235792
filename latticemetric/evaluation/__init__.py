"""What scores are worth: intervals by resampling, and whether a difference is one. Reads scores, never graphs."""
