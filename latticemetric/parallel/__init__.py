"""Answer many questions in processes or on clusters: in order, within limits, with a journal."""
