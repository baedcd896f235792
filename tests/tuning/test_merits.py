"""Bounds of merits: no sums between two rows have a larger merit."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric.tuning.merits import Merits

METRICS = [
    *("wer", "wrr", "4-grr", "2-grr", "cer", "bleu", "bleu-sbp", "chrf", "chrf++", "ter", "meteor", "nist", "f1"),
    *("precision", "recall", "fmean", "mer", "wil", "wip", "mixed-er", "sclite"),
]


def texts(chance, least=0):
    return " ".join(chance.choices("abcd", k=chance.randint(least, 6)))


def made(name):
    return lm.BLEU(effective_order=True, smoothing="exp") if name == "effective" else lm.make_metric(name)


@pytest.mark.parametrize("name", [*METRICS, "effective"])
@given(seed=st.integers(0, 2**32))
def test_no_choice_of_strings_exceeds_the_bound(name, seed):
    chance, metric = random.Random(seed), made(name)
    merits = Merits(metric)
    tables = []
    for _ in range(chance.randint(1, 4)):
        references = [texts(chance, 1) for _ in range(chance.choice([1, 1, 2]))]
        strings = [texts(chance) for _ in range(chance.randint(1, 3))]
        tables.append(metric.table(strings, [references] * len(strings)))
    low, high = (sum(side(table, axis=0) for table in tables)[None] for side in (np.min, np.max))
    bound = merits.bounds(low, high)[0]
    for _ in range(5):
        chosen = sum(table[chance.randrange(len(table))] for table in tables)[None]
        assert merits.of(chosen)[0] <= bound + 1e-12
        assert merits.bounds(chosen, chosen)[0] == merits.of(chosen)[0]


def test_every_metric_of_texts_names_columns_that_it_has():
    for name in METRICS:
        metric = lm.make_metric(name)
        effects = metric.effects
        assert effects.up | effects.down | effects.sizes <= set(metric.columns), name
        assert not effects.up & effects.down, name
