"""The settings of a run over a corpus, and of reading one. Nothing here imports NumPy."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

from latticemetric.arguments import whole_number
from latticemetric.errors import UsageError
from latticemetric.settings import Settings, choice, flag, given, number

if TYPE_CHECKING:
    from latticemetric.parallel.map import Workers


class RunSettings(Settings):
    """The settings of a run over many graphs.

    Attributes:
        workers: The number of processes, or the client of a Dask cluster. With 1, no process starts, unless there is a
            `timeout` or `max_memory`.
        keep_going: If a graph fails, return an answer that has the error in `problem`, and continue.
        timeout: Seconds per graph; if a graph takes longer, it fails.
        max_memory: Bytes per graph, or a text like `2G`; if a graph needs more, it fails. Linux only.
        resume: The file of a journal, which stores answers as they arrive. If it has answers of an interrupted run of
            the same question, continue that run. It is removed when all answers were read.
        progress: Show a progress bar if standard error is a terminal.
    """

    section = "Large runs"

    workers: Workers = given(default=1, help="Number of processes or threads.", option="--workers N")
    keep_going: bool = flag(
        default=False,
        help="Report graphs that fail, and continue with the others; the exit status is then 1.",
        option="--keep-going",
    )
    timeout: float | None = number(
        default=None,
        above=0,
        help="Time limit per graph (default: none); above it, the graph fails.",
        option="--timeout SECONDS",
    )
    max_memory: int | str | None = given(
        default=None,
        help="Memory limit per graph, such as 2G (default: 1.5 GiB, or less if little memory is free); above it, the "
        "graph fails.",
        option="--max-memory SIZE",
    )
    resume: str | os.PathLike[str] | None = given(
        default=None, help="Keep a journal beside the output; continue an interrupted run from it."
    )
    progress: bool = flag(default=True, help="Show a progress bar if standard error is a terminal.")

    def check(self) -> None:
        """Check the workers, that the memory is a size, and that the journal is a file."""
        if not hasattr(self.workers, "get_executor"):
            advice = "give a number of processes, or a distributed.Client of a Dask cluster"
            whole_number(self.workers, f"the workers are {self.workers!r}", advice, least=1)
        journal: Any = self.resume
        if journal is not None and not isinstance(journal, str | os.PathLike):
            advice = "give the file of the journal, such as resume='answers.journal'"
            raise UsageError(f"resume is {journal!r}", advice=advice)
        self.most_memory()

    def most_memory(self) -> int | None:
        """Return the bytes of `max_memory`."""
        if not isinstance(self.max_memory, str):
            given_bytes: Any = self.max_memory
            advice = "give a number of bytes, or a size like '2G'"
            what = f"the memory is {given_bytes!r}"
            return None if given_bytes is None else whole_number(given_bytes, what, advice, least=1)
        from latticemetric.memory import parse_size

        size = parse_size(self.max_memory)
        if size is None:
            raise UsageError(f"the memory is '{self.max_memory}'", advice="give a size like '500M' or '2G'")
        return size


class ReadingSettings(Settings):
    """The settings of reading and preparing graphs and references.

    Attributes:
        weights: The weight of each score column in the model's cost, by name; or a file of weights.
        symbols: A symbol table, or its file, that maps word numbers to words.
        format: The format of the graphs; detected by default.
        keep_marks: Read the sentence marks of a format, such as `<s>` in HTK lattices, as words.
        style: `keyed` if lines of references begin with ids, `plain` if not, `auto` to detect this.
        reference_field: Without files of references: the field of each graph's record that holds its references.
        lowercase: Write all words in lower case.
        tokenize: A tokenizer of sacrebleu.
        normalize: A grammar, or its name, that rewrites all texts.
        ignore: Words to remove from graphs and references: a list, a text like `"uh,um"`, or `"@FILE"`.
    """

    section = "Input"

    weights: Any = given(
        default=None,
        holds="weights",
        option="--weights NAME=NUMBER,…",
        help="Weights of score columns in the model's cost (default: as the file says, mostly 1); repeatable. Or a "
        "FILE of weights of cdec, Moses or HiFST, of lines NAME=NUMBER, or JSON; columns that it lacks count 0.",
    )
    symbols: Any = given(
        default=None,
        holds="tables",
        option="--symbols FILE",
        help="Symbol table (words.txt) to turn word numbers of graphs and references into words.",
    )
    format: str | None = given(
        default=None, option="--from FORMAT", help="Format of the graphs (default: detected from content)."
    )
    keep_marks: bool = flag(
        default=False,
        option="--keep-marks",
        help="Read the sentence marks of a format, such as <s> and !SENT_START in HTK lattices, as words.",
    )
    style: Literal["auto", "plain", "keyed"] = choice(
        default="auto",
        names=("auto", "plain", "keyed"),
        option="--style",
        help="keyed: reference lines begin with ids; plain: they do not; auto: detect.",
    )
    reference_field: str | None = given(
        default=None,
        option="--reference-field NAME",
        help="Without REFERENCES: the field of each graph's record that holds its references (default: detected).",
    )
    lowercase: bool = flag(default=False, option="--lowercase -lc", help="Lowercase before tokenization.")
    tokenize: str | None = given(
        default=None,
        option="--tokenize -tok NAME",
        help="Tokenizer of sacrebleu: 13a, intl, char, zh, none … (default: split at ASCII white space).",
    )
    normalize: Any = given(
        default=None,
        holds="grammars",
        option="--normalize GRAMMAR",
        help="Normalize hypotheses and references with this grammar first: english, your own rules.far:RULE, or "
        "rules.glm.",
    )
    ignore: Collection[str] | str = given(
        default=(),
        holds="words",
        option="--ignore WORDS",
        help="Words to remove from hypotheses and references first: '<s>,</s>'; @FILE reads them from a file.",
    )

    def check(self) -> None:
        """Read the words to ignore, so that a file of them is read once."""
        if not self._is_default("ignore", self.ignore):
            from latticemetric.formats.word_lists import given_words

            vars(self)["ignore"] = given_words(self.ignore, "ignore")

    @property
    def steps(self) -> list[str]:
        """The steps that rewrite texts, as signatures name them."""
        tokenized = [self.tokenize] if self.tokenize not in (None, "none") else []
        normalized = [] if self.normalize is None else [getattr(self.normalize, "name", self.normalize)]
        return [*(["lc"] if self.lowercase else []), *tokenized, *normalized]

    def ignored(self) -> frozenset[str]:
        """Return the words of `ignore`."""
        return frozenset(self.ignore)
