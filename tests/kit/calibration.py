"""Calibrations of graphs in memory."""

import latticemetric as lm


def calibration(graphs, references, *, test=None, weights=None, ignore=(), **settings):
    """The result of `Corpus.calibrate` on graphs and references; `test` has those of a test set."""
    prepared = {"weights": weights, "ignore": ignore}
    tested = {} if test is None else {"test": lm.Corpus(*test, **prepared) if isinstance(test, tuple | list) else test}
    return lm.Corpus(graphs, references, **prepared).calibrate(**tested, **settings).result
