"""Exact oracles, metrics and scores for lattices, forests and n-best lists.

Each public name is imported when it is first used, so that `import latticemetric` is fast.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_NAMES = {
    "corpus.answer": "Answer",
    "corpus.answers": "Answers",
    "corpus.calibration": "Calibration CalibrationReport ScaleTrial confidence_calibration",
    "corpus.combined_systems": "CombinedSystems combine_systems",
    "corpus.corpus": "Corpus",
    "corpus.settings": "RunSettings",
    "corpus.list_results": "Corrections OracleAtK",
    "corpus.merged_shards": "MergedShards merge",
    "corpus.expected_weights": "ExpectedTrial ExpectedWeights",
    "corpus.tune": "tune",
    "corpus.tuned_weights": "TunedWeights WeightTrial",
    "corpus.tuned_mbr": "MBRTrial TunedMBR",
    "doctor": "Installation diagnose_installation",
    "drawing.api": "Drawing draw",
    "errors": "FormatError InputError LatticeMetricError MissingDependencyError UsageError",
    "evaluation.error_analysis": "ErrorAnalysis ErrorDetails error_analysis",
    "evaluation.scoring": "MetricScore Scores score",
    "forest.columns": "NodeLabels Ragged",
    "forest.arrays": "Derivation",
    "forest.forest": "Forest",
    "forest.trees": "DerivationTree",
    "formats.reading": "read read_one",
    "formats.weights": "read_weights",
    "formats.writing": "write",
    "graph": "with_word_counts",
    "judgments": "Judgments",
    "lattice.columns": "Column FeatureWeights Labels",
    "lattice.k2": "K2Arrays",
    "lattice.k2_vectors": "lattices_from_k2 lattices_to_k2",
    "lattice.lattice": "Lattice",
    "mbr_decoding.combination": "Combination combine",
    "mbr_decoding.votes": "Vote",
    "mbr_decoding.consensus": "Consensus consensus",
    "mbr_decoding.mbr": "mbr mbr_grid",
    "mbr_decoding.metric": "MetricMBR RankedString",
    "mbr_decoding.confidence_pruning": "PairPruning",
    "mbr_decoding.ngram": "MBR mbr_lattice",
    "mbr_decoding.settings": "ByExactErrors ByMetric ByNgrams ByUtility ByWordErrors",
    "mbr_decoding.utility": "utility_matrix",
    "mbr_decoding.risk": "RiskMBR RiskOfString",
    "memory": "limit_memory",
    "metrics.alignment": "Alignment",
    "metrics.bleu": "BLEU BLEUSBP",
    "metrics.chrf": "CHRF",
    "metrics.compounds": "CompoundWER",
    "metrics.character_rates": "CER GCR MixedErrorRate",
    "metrics.error_rates": "MER WIL WIP",
    "metrics.meteor": "METEOR",
    "metrics.nist": "NIST",
    "metrics.recognition": "GRR WER WRR",
    "metrics.functions": "metric_from_function",
    "metrics.registry": "make_metric",
    "metrics.sclite": "Sclite",
    "metrics.ter": "TER",
    "metrics.unigram": "Unigram",
    "nbest": "NBest",
    "normalization.grammar": "normalize normalize_reference",
    "oracle_search.compounds": "CompoundOracle CompoundPath compound_oracle",
    "oracle_search.corpus_bleu": "CorpusPath",
    "oracle_search.margin": "Fear Hope Worst fear fears hope hopes worst",
    "oracle_search.oracle": "oracle oracle_forest oracle_lattice oracles",
    "oracle_search.scored_path": "Oracle ScoredPath",
    "oracle_search.settings": "ByAutomaton ByCompounds ByCorpusBLEU ByRate",
    "oracle_search.user_automaton": "AutomatonOracle ValuedPath automaton_oracle",
    "posterior.best": "BestPath best",
    "posterior.expected": "Expected expected",
    "posterior.posteriors": "ForestPosteriors NgramPosteriors Posteriors posteriors",
    "vocabulary": "Vocabulary",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

_PACKAGES = ("evaluation", "training")

__all__ = ["__version__", *_HOME, *_PACKAGES]  # noqa: PLE0604  the names above


_EXTENSION = f"{__name__}._native"


def _hidden_installation() -> str | None:
    """Return the folder of the installed latticemetric that is hidden by this source checkout; `None` if there is none.

    Only an installation that has the extension module counts.
    """
    own = Path(__path__[0]).resolve()
    for place in sys.path:
        folder = Path(place or ".").resolve() / __name__
        if folder != own and PathFinder.find_spec(_EXTENSION, [str(folder)]) is not None:
            return str(folder)
    return None


_is_built = find_spec(_EXTENSION) is not None
if not _is_built and (_installed := _hidden_installation()) is not None:
    import warnings

    warnings.warn(
        f"{__path__[0]} is a source checkout without the extension module; the package installed in {_installed} is "
        "used (to avoid this warning, start Python in another folder, or with -P)",
        stacklevel=2,
    )
    __path__[:], _is_built = [_installed], True


def __getattr__(name: str) -> Any:
    if name == "_native" and not _is_built:
        raise ImportError(
            f"{__path__[0]} is a source checkout without the extension module, and no other latticemetric is installed;"
            " build and install this one: pip install ."
        )
    if name == "__version__":
        return import_module("latticemetric.metrics.signature").VERSION
    if name in _PACKAGES:
        return import_module(f"latticemetric.{name}")
    if name not in _HOME:
        from latticemetric.renamed import PUBLIC

        advice = f"; use latticemetric.{PUBLIC[name]}" if name in PUBLIC else ""
        raise AttributeError(f"module 'latticemetric' has no attribute '{name}'{advice}")
    value = getattr(import_module(f"latticemetric.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
