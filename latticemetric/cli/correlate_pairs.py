"""Files and metrics of several language pairs, for `latticemetric correlate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from latticemetric.errors import UsageError

_PLACE = "{pair}"


def of_pair(path: str, pair: str | None) -> str:
    """Return the file of a language pair: replace `{pair}` in the name."""
    return path if pair is None else path.replace(_PLACE, pair)


def check_outputs(paths: Mapping[str, str | None], pairs: Sequence[str | None]) -> None:
    """Refuse an output file name without `{pair}`: all language pairs would write the same file."""
    for option, path in paths.items():
        if len(pairs) > 1 and path is not None and _PLACE not in path:
            what = "several language pairs would write the same file"
            raise UsageError(what, where=option, advice=f"write {_PLACE} into the name: scores.{_PLACE}.tsv")


def common_metrics(names: Mapping[str, Sequence[str]]) -> tuple[list[str], tuple[str, ...]]:
    """Return the metrics that all language pairs have, and notes on the metrics left out."""
    first = next(iter(names.values()))
    common = [name for name in first if all(name in others for others in names.values())]
    several = dict.fromkeys(name for own in names.values() for name in own if name not in common)
    if not common:
        advice = "give the same metrics for each language pair"
        raise UsageError("no metric has scores for all language pairs", where="--metric-scores", advice=advice)
    return common, tuple(f"{name}: not ranked, since some language pairs have no scores" for name in several)
