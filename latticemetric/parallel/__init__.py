"""Many questions answered by processes or clusters: in order, within limits, with a journal."""
