"""Who answers many questions: processes, executors, clusters; in order, within limits, with a journal."""
