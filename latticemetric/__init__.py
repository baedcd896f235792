"""Exact oracles, metrics and scores for lattices, forests and n-best lists.

Everything named here is imported when it is first used, so that `import latticemetric` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from latticemetric.signature import VERSION as __version__  # noqa: N811  the name every tool looks for

if TYPE_CHECKING:
    from latticemetric import evaluation as evaluation
    from latticemetric.batch.answers import Answer as Answer
    from latticemetric.batch.answers import ask_each as ask_each
    from latticemetric.batch.sweep import Sweep as Sweep
    from latticemetric.batch.sweep import sweep as sweep
    from latticemetric.batch.tuning import MBRTrial as MBRTrial
    from latticemetric.batch.tuning import MBRTuning as MBRTuning
    from latticemetric.batch.tuning import tune_mbr as tune_mbr
    from latticemetric.doctor import Installation as Installation
    from latticemetric.doctor import diagnose_installation as diagnose_installation
    from latticemetric.drawing.api import Drawing as Drawing
    from latticemetric.drawing.api import draw as draw
    from latticemetric.errors import FormatError as FormatError
    from latticemetric.errors import InputError as InputError
    from latticemetric.errors import LatticeMetricError as LatticeMetricError
    from latticemetric.errors import MissingDependencyError as MissingDependencyError
    from latticemetric.errors import UsageError as UsageError
    from latticemetric.forest.arrays import Derivation as Derivation
    from latticemetric.forest.columns import NodeLabels as NodeLabels
    from latticemetric.forest.columns import Ragged as Ragged
    from latticemetric.forest.forest import Forest as Forest
    from latticemetric.forest.trees import DerivationTree as DerivationTree
    from latticemetric.formats.reading import read as read
    from latticemetric.formats.reading import read_one as read_one
    from latticemetric.formats.writing import write as write
    from latticemetric.judgments import Judgments as Judgments
    from latticemetric.lattice.columns import Column as Column
    from latticemetric.lattice.columns import Labels as Labels
    from latticemetric.lattice.lattice import Lattice as Lattice
    from latticemetric.mbr_decoding.consensus import Consensus as Consensus
    from latticemetric.mbr_decoding.consensus import consensus as consensus
    from latticemetric.mbr_decoding.lattice import mbr_lattice as mbr_lattice
    from latticemetric.mbr_decoding.mbr import mbr as mbr
    from latticemetric.mbr_decoding.mbr import mbr_grid as mbr_grid
    from latticemetric.mbr_decoding.metric import MetricMBR as MetricMBR
    from latticemetric.mbr_decoding.metric import RankedString as RankedString
    from latticemetric.mbr_decoding.ngram import MBR as MBR
    from latticemetric.memory import limit_memory as limit_memory
    from latticemetric.metrics.alignment import Alignment as Alignment
    from latticemetric.metrics.bleu import BLEU as BLEU
    from latticemetric.metrics.bleu import BLEUSBP as BLEUSBP
    from latticemetric.metrics.meteor import METEOR as METEOR
    from latticemetric.metrics.nist import NIST as NIST
    from latticemetric.metrics.recognition import GRR as GRR
    from latticemetric.metrics.recognition import WER as WER
    from latticemetric.metrics.recognition import WRR as WRR
    from latticemetric.metrics.registry import make_metric as make_metric
    from latticemetric.metrics.sclite import Sclite as Sclite
    from latticemetric.metrics.unigram import Unigram as Unigram
    from latticemetric.nbest import NBest as NBest
    from latticemetric.normalization.normalize import normalize as normalize
    from latticemetric.normalization.normalize import normalize_reference as normalize_reference
    from latticemetric.oracle_search.best_graphs import oracle_forest as oracle_forest
    from latticemetric.oracle_search.best_graphs import oracle_lattice as oracle_lattice
    from latticemetric.oracle_search.corpus_bleu import CorpusOracle as CorpusOracle
    from latticemetric.oracle_search.corpus_bleu import CorpusPath as CorpusPath
    from latticemetric.oracle_search.corpus_bleu import corpus_oracle as corpus_oracle
    from latticemetric.oracle_search.margin import Fear as Fear
    from latticemetric.oracle_search.margin import Hope as Hope
    from latticemetric.oracle_search.margin import Worst as Worst
    from latticemetric.oracle_search.margin import fear as fear
    from latticemetric.oracle_search.margin import fears as fears
    from latticemetric.oracle_search.margin import hope as hope
    from latticemetric.oracle_search.margin import hopes as hopes
    from latticemetric.oracle_search.margin import worst as worst
    from latticemetric.oracle_search.oracle import oracle as oracle
    from latticemetric.oracle_search.oracle import oracles as oracles
    from latticemetric.oracle_search.scored_path import Oracle as Oracle
    from latticemetric.oracle_search.scored_path import ScoredPath as ScoredPath
    from latticemetric.oracle_search.user_automaton import AutomatonOracle as AutomatonOracle
    from latticemetric.oracle_search.user_automaton import ValuedPath as ValuedPath
    from latticemetric.oracle_search.user_automaton import automaton_oracle as automaton_oracle
    from latticemetric.posterior.forest import ForestPosteriors as ForestPosteriors
    from latticemetric.posterior.ngrams import NgramPosteriors as NgramPosteriors
    from latticemetric.posterior.posteriors import Posteriors as Posteriors
    from latticemetric.posterior.posteriors import posteriors as posteriors
    from latticemetric.report.writing import write_report as write_report
    from latticemetric.vocabulary import Vocabulary as Vocabulary

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
    "write_report": "report.writing",
}

_PACKAGES = ("evaluation",)

__all__ = ["__version__", *_HOME, *_PACKAGES]  # noqa: PLE0604  the names above


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"latticemetric.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'latticemetric' has no attribute '{name}'")
    value = getattr(import_module(f"latticemetric.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
