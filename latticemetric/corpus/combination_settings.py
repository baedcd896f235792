"""The settings of the combination of files of systems. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Sequence

from latticemetric.corpus.question import Resampled, Scaled
from latticemetric.errors import UsageError
from latticemetric.settings import choice, flag, given, number


class CombinationSettings(Scaled, Resampled):
    """Settings of a combination of the outputs of several systems, and of its scores.

    Attributes:
        system_weights: The weight of each system, in the order of the files; all 1 by default.
        null: With the schemes `sum` and `votes`, the factor of the votes for "no word"; with `average` and `maximum`,
            the confidence of "no word".
        scheme: The score of a word; see `combine`.
        count_share: The weight of counts in the schemes `average` and `maximum`.
        tune_share: Tune `system_weights` and `null` on the first utterances (this share of the reference words), and
            score the rest.
        time_mediated: Find columns by words and times; see `combine`.
        subsets: Also compute the oracle of each subset of the systems.
    """

    section = "Vote"

    system_weights: Sequence[float] = given(
        default=(),
        option="--system-weights NUMBERS",
        help="Weight of each system, in the order of FILES (default: 1).",
    )
    null: float = number(
        default=1.0,
        least=0,
        option="--null NUMBER",
        help="Factor of the votes for 'no word'; with --scheme average or maximum: confidence of 'no word'.",
    )
    scheme: str = choice(
        default="sum",
        names=("sum", "votes", "average", "maximum", "mbr"),
        option="--scheme",
        help="sum: add confidences; votes: count systems; average, maximum: mix counts with the mean or largest "
        "confidence; mbr: minimize expected errors by a search, without a vote.",
    )
    count_share: float = number(
        default=0.5,
        least=0,
        most=1,
        option="--count-share SHARE",
        help="Weight of counts in --scheme average and maximum.",
    )
    tune_share: float | None = number(
        default=None,
        above=0,
        below=1,
        option="--tune-share SHARE",
        help="Tune --system-weights and --null on the first utterances (this share of the reference words); evaluate "
        "on the rest.",
    )
    time_mediated: bool = flag(
        default=False,
        option="--time-mediated",
        help="Find columns by words and times: two words in a column also cost the seconds between their begins and "
        "between their ends, at most one error.",
    )
    subsets: bool = flag(
        default=False, option="--subsets", help="Also compute the oracle of each subset of the systems."
    )

    of_references = ("tune_share", "subsets", "resamples", "seed", "confidence")
    """The settings that have no effect without references."""

    def check(self) -> None:
        """Refuse settings that have no effect."""
        super().check()
        if "count_share" in self.changed() and self.scheme not in ("average", "maximum"):
            what = f"count_share has no effect with scheme='{self.scheme}'"
            raise UsageError(what, advice="choose 'average' or 'maximum'")
        if self.tune_share is not None and self.scheme == "mbr":
            what = "tune_share has no effect with scheme='mbr', which does not vote"
            raise UsageError(what, advice="leave it out, or choose another scheme")
        if self.system_weights and not any(self.system_weights):
            raise UsageError("all weights of systems are 0", advice="give at least one system a weight")

    def require_fit(self, files: int, *, has_references: bool) -> None:
        """Refuse settings that do not fit the number of files, or that need references."""
        if not files:
            raise UsageError("there are no files of systems", advice="name at least one")
        if self.system_weights and len(self.system_weights) != files:
            what = f"there are {files} files, but {len(self.system_weights)} weights of systems"
            raise UsageError(what, advice="give one weight for each file")
        for name in self.changed():
            if name in self.of_references and not has_references:
                raise UsageError(f"{name} has no effect without references", advice="leave it out")
