"""Find the paths of a graph with the best or worst score by a metric and references."""
