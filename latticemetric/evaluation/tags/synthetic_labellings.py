"""Labellings that nobody wants, which a good metric rates low (Logacheva et al. 2016, section 3.1)."""

from __future__ import annotations

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.evaluation.resampling import checked_seed
from latticemetric.evaluation.tags.word_tags import Flags, WordTags

SYNTHETIC = ("all-bad", "all-good", "optimistic", "pessimistic", "random")

_OPTIMISTIC_PRECISION, _OPTIMISTIC_RECALL = 0.9, 0.1
_PESSIMISTIC_RECALL_OF_BAD, _PESSIMISTIC_RECALL_OF_OK = 0.9, 0.1


def synthetic_tags(gold: WordTags, kind: str, seed: int = 0) -> WordTags:
    """One of the paper's labellings of the words that gold tags are of.

    - `all-bad`, `all-good`: every tag is BAD, or OK.
    - `optimistic`: BAD has a precision of 0.9 and a recall of 0.1; all else is OK (98 % of the tags, where 18 % of the
      gold is BAD, as in the paper).
    - `pessimistic`: BAD has a recall of 0.9 and OK one of 0.1; so 90 % of the tags are BAD.
    - `random`: each tag is BAD with the probability that one of the gold is.

    Numbers of tags are those asked for, rounded; which tags they are, is drawn.

    Args:
        gold: What is right.
        kind: Which of them.
        seed: The same seed draws the same tags, whatever else is drawn.

    Examples:
        >>> gold = WordTags.of(["OK BAD OK OK"])
        >>> synthetic_tags(gold, "all-bad").strings()
        ['BAD BAD BAD BAD']
    """
    if kind not in SYNTHETIC:
        raise UsageError(f"there is no labelling '{kind}'", advice=f"choose among {', '.join(SYNTHETIC)}")
    generator = np.random.default_rng([checked_seed(seed), SYNTHETIC.index(kind)])
    return gold.replaced(_drawn(gold.bad, kind, generator))


def _drawn(gold: Flags, kind: str, generator: np.random.Generator) -> Flags:
    bad = int(gold.sum())
    ok = len(gold) - bad
    if kind == "random":
        return generator.random(len(gold)) < bad / max(1, len(gold))
    if kind == "optimistic":
        found = _rounded(_OPTIMISTIC_RECALL * bad)
        false = _rounded(found / _OPTIMISTIC_PRECISION) - found
    elif kind == "pessimistic":
        found, false = _rounded(_PESSIMISTIC_RECALL_OF_BAD * bad), _rounded((1 - _PESSIMISTIC_RECALL_OF_OK) * ok)
    else:
        found, false = (bad, ok) if kind == "all-bad" else (0, 0)
    tags = np.zeros(len(gold), np.bool_)
    tags[generator.choice(np.flatnonzero(gold), found, replace=False)] = True
    tags[generator.choice(np.flatnonzero(~gold), min(false, ok), replace=False)] = True
    return tags


def _rounded(number: float) -> int:
    return int(number + 0.5)
