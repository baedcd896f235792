"""Exact oracles, metrics and scores for lattices, forests and n-best lists.

Each name is imported at its first use, so that `import latticemetric` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "Alignment": "metrics.alignment",
    "Answer": "batch.answers",
    "AutomatonOracle": "oracle_search.user_automaton",
    "BLEU": "metrics.bleu",
    "BLEUSBP": "metrics.bleu",
    "Column": "lattice.columns",
    "Consensus": "mbr_decoding.consensus",
    "CorpusOracle": "oracle_search.corpus_bleu",
    "CorpusPath": "oracle_search.corpus_bleu",
    "Derivation": "forest.arrays",
    "DerivationTree": "forest.trees",
    "Drawing": "drawing.api",
    "Fear": "oracle_search.margin",
    "Forest": "forest.forest",
    "ForestPosteriors": "posterior.forest",
    "FormatError": "errors",
    "GRR": "metrics.recognition",
    "Hope": "oracle_search.margin",
    "InputError": "errors",
    "Installation": "doctor",
    "Judgments": "judgments",
    "Labels": "lattice.columns",
    "Lattice": "lattice.lattice",
    "LatticeMetricError": "errors",
    "MBR": "mbr_decoding.ngram",
    "MBRTrial": "batch.tuning",
    "MBRTuning": "batch.tuning",
    "METEOR": "metrics.meteor",
    "MetricMBR": "mbr_decoding.metric",
    "MissingDependencyError": "errors",
    "NBest": "nbest",
    "NIST": "metrics.nist",
    "NgramPosteriors": "posterior.ngrams",
    "NodeLabels": "forest.columns",
    "Oracle": "oracle_search.scored_path",
    "Posteriors": "posterior.posteriors",
    "Ragged": "forest.columns",
    "RankedString": "mbr_decoding.metric",
    "Sclite": "metrics.sclite",
    "ScoredPath": "oracle_search.scored_path",
    "Sweep": "batch.sweep",
    "Unigram": "metrics.unigram",
    "UsageError": "errors",
    "ValuedPath": "oracle_search.user_automaton",
    "Vocabulary": "vocabulary",
    "WER": "metrics.recognition",
    "WRR": "metrics.recognition",
    "Worst": "oracle_search.margin",
    "ask_each": "batch.answers",
    "automaton_oracle": "oracle_search.user_automaton",
    "consensus": "mbr_decoding.consensus",
    "corpus_oracle": "oracle_search.corpus_bleu",
    "diagnose_installation": "doctor",
    "draw": "drawing.api",
    "fear": "oracle_search.margin",
    "fears": "oracle_search.margin",
    "hope": "oracle_search.margin",
    "hopes": "oracle_search.margin",
    "limit_memory": "memory",
    "make_metric": "metrics.registry",
    "mbr": "mbr_decoding.mbr",
    "mbr_grid": "mbr_decoding.mbr",
    "mbr_lattice": "mbr_decoding.lattice",
    "normalize": "normalization.normalize",
    "normalize_reference": "normalization.normalize",
    "oracle": "oracle_search.oracle",
    "oracle_forest": "oracle_search.best_graphs",
    "oracle_lattice": "oracle_search.best_graphs",
    "oracles": "oracle_search.oracle",
    "posteriors": "posterior.posteriors",
    "read": "formats.reading",
    "read_one": "formats.reading",
    "sweep": "batch.sweep",
    "tune_mbr": "batch.tuning",
    "worst": "oracle_search.margin",
    "write": "formats.writing",
    "write_report": "report.page",
}

_PACKAGES = ("evaluation",)

__all__ = ["__version__", *_HOME, *_PACKAGES]  # noqa: PLE0604  the names above


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("latticemetric.signature").VERSION
    if name in _PACKAGES:
        return import_module(f"latticemetric.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'latticemetric' has no attribute '{name}'")
    value = getattr(import_module(f"latticemetric.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
