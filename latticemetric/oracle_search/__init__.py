"""The best that a graph could have said, and the worst, by a metric and its references."""
