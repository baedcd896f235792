"""What a graph should have said, if its own distribution is to be believed."""
