"""Exact oracles, metrics and scores for lattices, forests and n-best lists.

Everything named here is imported when it is first used, so that `import latticemetric` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from latticemetric.signature import VERSION as __version__  # noqa: N811  the name every tool looks for

if TYPE_CHECKING:
    from latticemetric import evaluation as evaluation
    from latticemetric.alignment import Alignment as Alignment
    from latticemetric.batch.answers import Answer as Answer
    from latticemetric.batch.asking import ask_each as ask_each
    from latticemetric.batch.sweep import sweep as sweep
    from latticemetric.batch.sweep_totals import Sweep as Sweep
    from latticemetric.derivation_tree import DerivationTree as DerivationTree
    from latticemetric.drawing.drawings import Drawing as Drawing
    from latticemetric.drawing.drawings import draw as draw
    from latticemetric.errors import FormatError as FormatError
    from latticemetric.errors import InputError as InputError
    from latticemetric.errors import LatticeMetricError as LatticeMetricError
    from latticemetric.errors import MissingDependencyError as MissingDependencyError
    from latticemetric.errors import UsageError as UsageError
    from latticemetric.forest import Forest as Forest
    from latticemetric.forest import NodeLabels as NodeLabels
    from latticemetric.forest import Ragged as Ragged
    from latticemetric.forest_derivations import Derivation as Derivation
    from latticemetric.formats.reading import read as read
    from latticemetric.formats.reading import read_one as read_one
    from latticemetric.formats.writing import write as write
    from latticemetric.installation.checks import Installation as Installation
    from latticemetric.installation.diagnosis import diagnose_installation as diagnose_installation
    from latticemetric.judgments import Judgments as Judgments
    from latticemetric.lattice import Column as Column
    from latticemetric.lattice import Labels as Labels
    from latticemetric.lattice import Lattice as Lattice
    from latticemetric.memory import limit_memory as limit_memory
    from latticemetric.metrics.bleu import BLEU as BLEU
    from latticemetric.metrics.bleu import BLEUSBP as BLEUSBP
    from latticemetric.metrics.meteor import METEOR as METEOR
    from latticemetric.metrics.nist import NIST as NIST
    from latticemetric.metrics.recognition import GRR as GRR
    from latticemetric.metrics.registry import make_metric as make_metric
    from latticemetric.metrics.sclite import Sclite as Sclite
    from latticemetric.metrics.unigram import Unigram as Unigram
    from latticemetric.metrics.word_recognition import WER as WER
    from latticemetric.metrics.word_recognition import WRR as WRR
    from latticemetric.nbest import NBest as NBest
    from latticemetric.questions.decoding.consensus import Consensus as Consensus
    from latticemetric.questions.decoding.consensus import consensus as consensus
    from latticemetric.questions.decoding.mbr import mbr as mbr
    from latticemetric.questions.decoding.mbr import mbr_grid as mbr_grid
    from latticemetric.questions.decoding.mbr_lattice import mbr_lattice as mbr_lattice
    from latticemetric.questions.decoding.metric_mbr import MetricMBR as MetricMBR
    from latticemetric.questions.decoding.metric_mbr import RankedString as RankedString
    from latticemetric.questions.decoding.ngram_mbr import MBR as MBR
    from latticemetric.questions.distributions.forest_posteriors import ForestPosteriors as ForestPosteriors
    from latticemetric.questions.distributions.ngram_posteriors import NgramPosteriors as NgramPosteriors
    from latticemetric.questions.distributions.posteriors import Posteriors as Posteriors
    from latticemetric.questions.distributions.posteriors import posteriors as posteriors
    from latticemetric.questions.normalization import normalize as normalize
    from latticemetric.questions.normalization import normalize_reference as normalize_reference
    from latticemetric.questions.oracles.automaton_oracle import AutomatonOracle as AutomatonOracle
    from latticemetric.questions.oracles.automaton_oracle import ValuedPath as ValuedPath
    from latticemetric.questions.oracles.automaton_oracle import automaton_oracle as automaton_oracle
    from latticemetric.questions.oracles.corpus_oracle import CorpusOracle as CorpusOracle
    from latticemetric.questions.oracles.corpus_oracle import CorpusPath as CorpusPath
    from latticemetric.questions.oracles.corpus_oracle import corpus_oracle as corpus_oracle
    from latticemetric.questions.oracles.fear import Fear as Fear
    from latticemetric.questions.oracles.fear import fear as fear
    from latticemetric.questions.oracles.fear import fears as fears
    from latticemetric.questions.oracles.hope import Hope as Hope
    from latticemetric.questions.oracles.hope import hope as hope
    from latticemetric.questions.oracles.hope import hopes as hopes
    from latticemetric.questions.oracles.k_best import oracles as oracles
    from latticemetric.questions.oracles.oracle import oracle as oracle
    from latticemetric.questions.oracles.oracle_forest import oracle_forest as oracle_forest
    from latticemetric.questions.oracles.oracle_lattice import oracle_lattice as oracle_lattice
    from latticemetric.questions.oracles.scored_path import Oracle as Oracle
    from latticemetric.questions.oracles.scored_path import ScoredPath as ScoredPath
    from latticemetric.questions.oracles.worst import Worst as Worst
    from latticemetric.questions.oracles.worst import worst as worst
    from latticemetric.report.writing import write_report as write_report
    from latticemetric.tuning.mbr_result import MBRTrial as MBRTrial
    from latticemetric.tuning.mbr_result import MBRTuning as MBRTuning
    from latticemetric.tuning.mbr_tuning import tune_mbr as tune_mbr
    from latticemetric.vocabulary import Vocabulary as Vocabulary

_HOME = {
    "Alignment": "alignment",
    "Answer": "batch.answers",
    "AutomatonOracle": "questions.oracles.automaton_oracle",
    "BLEU": "metrics.bleu",
    "BLEUSBP": "metrics.bleu",
    "METEOR": "metrics.meteor",
    "NIST": "metrics.nist",
    "Sclite": "metrics.sclite",
    "Unigram": "metrics.unigram",
    "ValuedPath": "questions.oracles.automaton_oracle",
    "Column": "lattice",
    "Consensus": "questions.decoding.consensus",
    "CorpusOracle": "questions.oracles.corpus_oracle",
    "CorpusPath": "questions.oracles.corpus_oracle",
    "Derivation": "forest_derivations",
    "DerivationTree": "derivation_tree",
    "Drawing": "drawing.drawings",
    "Fear": "questions.oracles.fear",
    "Forest": "forest",
    "ForestPosteriors": "questions.distributions.forest_posteriors",
    "NodeLabels": "forest",
    "Ragged": "forest",
    "FormatError": "errors",
    "GRR": "metrics.recognition",
    "Hope": "questions.oracles.hope",
    "InputError": "errors",
    "Installation": "installation.checks",
    "Judgments": "judgments",
    "Labels": "lattice",
    "Lattice": "lattice",
    "LatticeMetricError": "errors",
    "MissingDependencyError": "errors",
    "MBR": "questions.decoding.ngram_mbr",
    "MBRTrial": "tuning.mbr_result",
    "MBRTuning": "tuning.mbr_result",
    "MetricMBR": "questions.decoding.metric_mbr",
    "NBest": "nbest",
    "NgramPosteriors": "questions.distributions.ngram_posteriors",
    "Oracle": "questions.oracles.scored_path",
    "Posteriors": "questions.distributions.posteriors",
    "RankedString": "questions.decoding.metric_mbr",
    "ScoredPath": "questions.oracles.scored_path",
    "Sweep": "batch.sweep_totals",
    "UsageError": "errors",
    "Vocabulary": "vocabulary",
    "WER": "metrics.word_recognition",
    "WRR": "metrics.word_recognition",
    "Worst": "questions.oracles.worst",
    "ask_each": "batch.asking",
    "automaton_oracle": "questions.oracles.automaton_oracle",
    "consensus": "questions.decoding.consensus",
    "corpus_oracle": "questions.oracles.corpus_oracle",
    "diagnose_installation": "installation.diagnosis",
    "draw": "drawing.drawings",
    "fear": "questions.oracles.fear",
    "fears": "questions.oracles.fear",
    "hope": "questions.oracles.hope",
    "hopes": "questions.oracles.hope",
    "limit_memory": "memory",
    "make_metric": "metrics.registry",
    "mbr": "questions.decoding.mbr",
    "mbr_grid": "questions.decoding.mbr",
    "mbr_lattice": "questions.decoding.mbr_lattice",
    "normalize": "questions.normalization",
    "normalize_reference": "questions.normalization",
    "oracle": "questions.oracles.oracle",
    "oracles": "questions.oracles.k_best",
    "posteriors": "questions.distributions.posteriors",
    "oracle_forest": "questions.oracles.oracle_forest",
    "sweep": "batch.sweep",
    "oracle_lattice": "questions.oracles.oracle_lattice",
    "read": "formats.reading",
    "read_one": "formats.reading",
    "tune_mbr": "tuning.mbr_tuning",
    "worst": "questions.oracles.worst",
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
