"""The combination of the outputs of several systems, given as files or in memory: `combine_systems`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from latticemetric.arguments import path_text
from latticemetric.corpus.combination import (
    Combinations,
    Judgment,
    TunedVote,
    combine_all,
    judge,
    split_at,
    tune_vote,
)
from latticemetric.corpus.combination_settings import CombinationSettings
from latticemetric.corpus.system_outputs import given_references, named_systems, read_systems, references_of
from latticemetric.corpus.tabled_result import TabledResult
from latticemetric.errors import UsageError, shortened
from latticemetric.mbr_decoding.combination import Combination
from latticemetric.renamed import says_new_keywords

if TYPE_CHECKING:
    from latticemetric.corpus.tables.combine import CombinationTable
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.line_ids import LineStyle
    from latticemetric.vocabulary import Vocabulary


@dataclass(frozen=True, repr=False)
class CombinedSystems(TabledResult):
    """The combined text of each utterance; printed, it is what `latticemetric combine` prints.

    Attributes:
        combinations: The ids and the combinations of all utterances.
        tuned: The tuned weights; `None` if they are not tuned.
        judgment: The scores of the combination and of its systems; `None` without references.
    """

    combinations: Combinations
    tuned: TunedVote | None = None
    judgment: Judgment | None = None
    _resampling: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Combination:
        """Return the combination of the utterance with this id."""
        names = self.combinations.names
        if names.count(name) != 1:
            how_many = f"{names.count(name)} utterances have" if name in names else "no utterance has"
            listed = ", ".join(shortened(one, 40) for one in names[:3])
            raise UsageError(f"{how_many} the id '{shortened(name)}'", advice=f"the first ids are {listed}")
        return self.combinations.combinations[names.index(name)]

    def __len__(self) -> int:
        return len(self.combinations.names)

    @property
    def totals(self) -> dict[str, Any]:
        """The numbers of all utterances: the fields of the JSON document beside `utterances`."""
        return self.table().totals()

    @says_new_keywords
    def write_lattices(self, path: str | os.PathLike[str], format: str | None = None) -> int:  # noqa: A002
        """Write the confusion networks, and return their number.

        Args:
            path: The file, archive or folder.
            format: The format; by default, the suffix of the file chooses it.
        """
        from latticemetric.formats.writing import write

        networks = (one.to_lattice() for one in self.combinations.combinations)
        return write(path_text(path), zip(self.combinations.names, networks, strict=True), format=format)

    @says_new_keywords
    def table(self, looks: Looks | None = None) -> CombinationTable:
        """Return the table that the command line writes."""
        from latticemetric.corpus.tables.combine import CombinationTable
        from latticemetric.corpus.tables.looks import Looks

        resampling = self._resampling or None
        looks = looks or Looks()
        return CombinationTable(self.combinations, self.tuned, self.judgment, resampling=resampling, looks=looks)

    _table = table


@says_new_keywords
def combine_systems(
    systems: Mapping[str, Any] | Iterable[Any] | str | os.PathLike[str],
    references: Any = None,
    *,
    weights: Any = None,
    symbols: str | os.PathLike[str] | Vocabulary | None = None,
    format: str | None = None,  # noqa: A002  as in `read`
    style: LineStyle = "auto",
    lowercase: bool = False,
    ignore: Collection[str] | str = (),
    keep_marks: bool = False,
    progress: bool = True,
    **settings: Any,
) -> CombinedSystems:
    """Combine the outputs of several systems into one text per utterance, as the verb `combine` does.

    Utterances are matched by id, or by order. For a single utterance, use `combine`.

    Args:
        systems: The outputs of each system, in a list, or by the system's name. They are a file (lines, trn, STM, CTM,
            n-best lists or lattices), or in memory: a mapping from ids, a series of pandas with ids as its index, or a
            list in the same order for all systems. An output in memory is a text, its words, a lattice or an n-best
            list.
        references: The references, by which the combination and the systems are scored: a file, a mapping from ids, or
            a list in the order of the utterances.
        weights: The weight of each score column in the model's cost, by name; or a file of weights.
        symbols: A symbol table, or its file, that maps word numbers to words.
        format: The format of graphs, or `text` for lines of words; detected by default.
        style: `keyed` if lines of text begin with ids, `plain` if not, `auto` to detect this.
        lowercase: Write all words in lower case.
        ignore: Words to remove: a list, a text like `"uh,um"`, or `"@FILE"`.
        keep_marks: Read the sentence marks of a format, such as `<s>` in HTK lattices, as words.
        progress: Show a progress bar if standard error is a terminal.
        settings: The vote (`system_weights`, `null`, `scheme`, `count_share`, `tune_share`), `time_mediated`,
            `posterior_scale`, and how references score it: `subsets`, `resamples`, `seed`, `confidence`; see
            `CombinationSettings`.

    Examples:
        >>> found = combine_systems({"one": {"a": "x y"}, "two": {"a": "x z"}, "three": {"a": "x z"}}, {"a": "x z"})
        >>> found["a"].words, found.judgment.rows[0].errors
        (('x', 'z'), 0)
    """
    from latticemetric.corpus.feature_weights import as_feature_weights
    from latticemetric.formats.reading import as_vocabulary
    from latticemetric.formats.word_lists import given_words

    named = named_systems(systems)
    file = path_text(references, "references") if isinstance(references, str | os.PathLike) else None
    how = CombinationSettings(**settings)
    how.require_fit(len(named), has_references=references is not None)
    ignored = given_words(ignore, "ignore")
    utterances = read_systems(
        named,
        format=format,
        style=style,
        vocabulary=as_vocabulary(symbols),
        lowercase=lowercase,
        ignore=ignored,
        keep_marks=keep_marks,
        beside=[] if file is None else [file],
    )
    found = combine_all(
        utterances,
        watched=progress,
        system_weights=how.system_weights or None,
        null=how.null,
        scheme=how.scheme,
        count_share=how.count_share,
        time_mediated=how.time_mediated,
        posterior_scale=how.posterior_scale,
        weights=as_feature_weights(weights),
    )
    if references is None:
        return CombinedSystems(found)
    if file is None:
        expected = given_references(references, found.names, lowercase=lowercase, ignore=ignored)
    else:
        expected = references_of(file, found.names, lowercase=lowercase, ignore=ignored, style=style)
    tuned, judgeable = None, found
    if how.tune_share is not None:
        (first, known), (judgeable, expected) = split_at(found, expected, how.tune_share)
        tuned = tune_vote(first, known)
        found, judgeable = (one.voting(tuned.system_weights, tuned.null) for one in (found, judgeable))
    judgment = judge(judgeable, expected, subsets=how.subsets, **how.resampling)
    return CombinedSystems(found, tuned, judgment, how.resampling)
