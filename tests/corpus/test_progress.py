"""Progress bars: each question that takes long shows one on a terminal, if it is wanted."""

import io
import sys

import pytest
from kit.paths import EXAMPLES

import latticemetric as lm


def corpus():
    return lm.Corpus.read(*(str(EXAMPLES / name) for name in ("meeting.lat.txt", "meeting.ref.txt")))


def lists():
    return lm.Corpus.read(*(str(EXAMPLES / name) for name in ("kitchen.jsonl", "kitchen.ref.txt")))


def combined(folder, **settings):
    del folder
    systems = [str(EXAMPLES / f"coast.{name}.ctm") for name in ("north", "south")]
    return lm.combine_systems(systems, **settings)


# What each question shows, of what it does after graphs are read; `None`: the bar of the graphs is all.
QUESTIONS = {
    "best": (None, lambda _, **run: len(corpus().best(**run))),
    "calibrate": ("answers at a scale", lambda _, **run: lists().calibrate(resamples=0, **run).result),
    "combine": ("utterances", combined),
    "consensus": (None, lambda _, **run: len(corpus().consensus(**run))),
    "expected": (None, lambda _, **run: len(corpus().expected(**run).together)),
    "info": (None, lambda _, **run: len(corpus().info(**run))),
    "lists": (None, lambda _, **run: lists().lists("wer", resamples=0, **run)),
    "mbr": (None, lambda _, **run: len(corpus().mbr("chrf", **run))),
    "nbest": (None, lambda _, **run: len(corpus().nbest(2, **run))),
    "oracle": (None, lambda _, **run: len(corpus().oracle("wer", **run))),
    "oracle by bleu": (None, lambda _, **run: len(corpus().oracle("bleu", **run))),
    "posteriors": (None, lambda _, **run: len(corpus().posteriors(**run))),
    "report": (None, lambda folder, **run: corpus().report(folder / "x.html", **run)),
    "sweep": (None, lambda _, **run: len(corpus().sweep("wer", beams=[1], **run))),
    "tags": (None, lambda _, **run: len(corpus().tags(**run))),
    "write": (None, lambda folder, **run: corpus().write(folder / "x.lat.txt", **run)),
}


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("wanted", [True, False])
def test_a_question_about_many_graphs_shows_progress_on_a_terminal(name, wanted, monkeypatch, tmp_path):
    written = io.StringIO()
    monkeypatch.setattr(written, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", written)
    shown, ask = QUESTIONS[name]
    ask(tmp_path, progress=wanted)
    assert bool(written.getvalue()) is wanted
    if wanted and shown is not None:
        assert shown in written.getvalue()
