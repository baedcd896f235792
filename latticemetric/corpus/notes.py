"""Note at the end of a run what its settings named, but no text had."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from latticemetric.corpus.unseen_words import IGNORED
from latticemetric.formats.text.fields import EPSILON_SYMBOLS

if TYPE_CHECKING:
    from latticemetric.corpus.question import Task
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run


@contextmanager
def noting_unseen(corpus: ReadCorpus, task: Task, run: Run) -> Iterator[None]:
    """Note, after the block, the words to ignore that no text of the run has."""
    # A tokenizer makes words that no text has, and readers remove symbols of ε.
    words = frozenset[str]() if corpus.reading.tokenize is not None else corpus.ignored | task.uncounted()
    IGNORED.begin(words.difference(EPSILON_SYMBOLS), folded=corpus.reading.lowercase)
    yield
    # Other shards, earlier runs and other machines may have the words.
    if run.shard is None and run.journal is None and isinstance(run.workers, int):
        IGNORED.note()
