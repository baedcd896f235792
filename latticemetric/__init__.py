"""Exact oracles, metrics and scores for lattices, forests and n-best lists.

Each name is imported at its first use, so that `import latticemetric` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {
    "batch.answers": "Answer ask_each",
    "batch.corrections": "Corrections corrections",
    "batch.lists": "Lists read_lists",
    "batch.oracle_at_k": "OracleAtK oracle_at_k",
    "batch.sweep": "Sweep sweep",
    "batch.tuning": "MBRTrial MBRTuning tune_mbr",
    "doctor": "Installation diagnose_installation",
    "drawing.api": "Drawing draw",
    "errors": "FormatError InputError LatticeMetricError MissingDependencyError UsageError",
    "expectation.expected": "Expected expected",
    "forest.columns": "NodeLabels Ragged",
    "forest.arrays": "Derivation",
    "forest.forest": "Forest",
    "forest.trees": "DerivationTree",
    "formats.reading": "read read_one",
    "formats.writing": "write",
    "judgments": "Judgments",
    "lattice.columns": "Column Labels",
    "lattice.lattice": "Lattice",
    "mbr_decoding.consensus": "Consensus consensus",
    "mbr_decoding.mbr": "mbr mbr_grid",
    "mbr_decoding.metric": "MetricMBR RankedString",
    "mbr_decoding.ngram": "MBR mbr_lattice",
    "memory": "limit_memory",
    "metrics.alignment": "Alignment",
    "metrics.bleu": "BLEU BLEUSBP",
    "metrics.chrf": "CHRF",
    "metrics.error_rates": "CER MER MixedErrorRate WIL WIP",
    "metrics.meteor": "METEOR",
    "metrics.nist": "NIST",
    "metrics.recognition": "GRR WER WRR",
    "metrics.registry": "make_metric",
    "metrics.sclite": "Sclite",
    "metrics.ter": "TER",
    "metrics.unigram": "Unigram",
    "nbest": "NBest",
    "normalization.grammar": "normalize normalize_reference",
    "oracle_search.corpus_bleu": "CorpusOracle CorpusPath corpus_oracle",
    "oracle_search.margin": "Fear Hope Worst fear fears hope hopes worst",
    "oracle_search.oracle": "oracle oracle_forest oracle_lattice oracles",
    "oracle_search.scored_path": "Oracle ScoredPath",
    "oracle_search.user_automaton": "AutomatonOracle ValuedPath automaton_oracle",
    "posterior.posteriors": "ForestPosteriors NgramPosteriors Posteriors posteriors",
    "report.page": "write_report",
    "vocabulary": "Vocabulary",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

_PACKAGES = ("evaluation",)

__all__ = ["__version__", *_HOME, *_PACKAGES]  # noqa: PLE0604  the names above


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("latticemetric.metrics.signature").VERSION
    if name in _PACKAGES:
        return import_module(f"latticemetric.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'latticemetric' has no attribute '{name}'")
    value = getattr(import_module(f"latticemetric.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
