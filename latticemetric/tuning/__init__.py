"""Parameters found on a development set: many graphs with references, and what answers to them score."""
