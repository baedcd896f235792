"""Read published human scores: folders of mt-metrics-eval (version 2), and Google's tables of MQM."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from latticemetric.errors import FormatError, placed, shortened
from latticemetric.formats.segments import read_lines
from latticemetric.formats.streams.paths import natural_order
from latticemetric.formats.streams.stream import open_stream
from latticemetric.formats.text.fields import is_number

NO_TRANSLATION = "[No translation supplied]"
"""The text in place of a missing output."""

# Kinds of human scores in order of preference: the standard kind of a folder is the first of these that it has.
_KINDS = ("mqm", "esa", "da-sqm", "wmt-z", "wmt", "wmt-raw", "wmt-appraise-z")

_RATER = re.compile(r"\.rater\d+$")


class CampaignFolder(NamedTuple):
    """The files of one language pair in a folder of mt-metrics-eval.

    Attributes:
        pair: The language pair.
        outputs: The file of each system, by its name.
        references: The file of each reference, by its name (`refA`, …).
        scores: The files of human scores, by kind and level (`sys`, `seg`).
        ratings: The files of marked errors, by kind. Files of single raters (`mqm.rater1`, …) are of the kind
            `mqm.raters`.
        unused: Kinds of human scores that exist only for documents or domains.
        documents: The file with domain and document of each segment; `None` if there is none.
    """

    pair: str
    outputs: dict[str, str]
    references: dict[str, str]
    scores: dict[tuple[str, str], str]
    ratings: dict[str, list[str]]
    unused: list[str]
    documents: str | None

    @property
    def kinds(self) -> list[str]:
        """Kinds of human scores. The standard kind comes first; kinds with only marked errors come last."""
        names = {kind for kind, _ in self.scores}
        ordered = sorted(names, key=lambda name: (_KINDS.index(name) if name in _KINDS else len(_KINDS), name))
        return [*ordered, *(name for name in sorted(self.ratings) if name not in names)]


def is_campaign_folder(folder: Path) -> bool:
    """Check whether this looks like a folder of mt-metrics-eval."""
    return (folder / "human-scores").is_dir() and (folder / "system-outputs").is_dir()


def campaign_folder(folder: Path, pair: str) -> CampaignFolder:
    """List the files of a language pair.

    A human translation may be both an output and a reference; it then has the same name in both.
    """
    outputs = _by_stem(folder / "system-outputs" / pair)
    references = {
        path.name.split(".")[-2]: str(path)
        for path in sorted((folder / "references").glob(f"{pair}.*.*"), key=lambda path: natural_order(path.name))
    }
    if not references:
        advice = f"add a file such as {pair}.refA.txt"
        raise FormatError(f"there is no reference for {pair}", where=str(folder / "references"), advice=advice)
    scores, ratings, others = dict[tuple[str, str], str](), dict[str, list[str]](), set[str]()
    for path in sorted((folder / "human-scores").glob(f"{pair}.*"), key=lambda path: natural_order(path.name)):
        _, *name, level, kind = path.name.split(".")
        if name and kind == "score" and level in {"sys", "seg"}:
            scores[".".join(name), level] = str(path)
        elif name and kind == "score":
            others.add(".".join(name))
        elif name and kind == "rating":
            ratings.setdefault(_RATER.sub(".raters", ".".join(name)), []).append(str(path))
    if not scores and not ratings:
        advice = f"add a file such as {pair}.mqm.seg.score"
        raise FormatError(f"there are no human scores for {pair}", where=str(folder / "human-scores"), advice=advice)
    unused = sorted(others - {kind for kind, _ in scores})
    documents = folder / "documents" / f"{pair}.docs"
    return CampaignFolder(
        pair, outputs, references, scores, ratings, unused, str(documents) if documents.is_file() else None
    )


def _by_stem(folder: Path) -> dict[str, str]:
    paths = [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]
    files = sorted(paths, key=lambda path: natural_order(path.name))
    return by_system([path.name.rpartition(".")[0] or path.name for path in files], list(map(str, files)))


def by_system(systems: Sequence[str], files: Sequence[str]) -> dict[str, str]:
    """Return the file of each system; refuse two files of one system, such as `alder.txt` and `alder.tok`."""
    found: dict[str, str] = {}
    for system, file in zip(systems, files, strict=True):
        if (other := found.setdefault(system, file)) != file:
            what = f"there are two files of the system '{shortened(system)}': {Path(other).name} and {Path(file).name}"
            raise FormatError(what, where=str(Path(file).parent), advice="keep one of them")
    return found


def read_texts(path: str) -> list[str]:
    """Return the texts of a file: its lines or, in `.jsonl`, the field `hypothesis` or `target` of each line."""
    if not path.endswith(".jsonl"):
        return read_lines(path)
    texts = []
    for number, line in enumerate(read_lines(path, of_json=True), start=1):
        record = _json(line, f"{path}:{number}")
        text = record.get("hypothesis", record.get("target")) if isinstance(record, dict) else None
        if not isinstance(text, str):
            what, advice = "the line has no text", 'write {"hypothesis": "…"}, or {"target": "…"} in references'
            raise FormatError(what, where=f"{path}:{number}", advice=advice)
        texts.append(text)
    return texts


def _json(text: str, place: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not JSON: {shortened(str(error))}", where=place) from error


def read_documents(path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the domains of all segments, then the documents of all segments."""
    domains, documents = [], []
    with open_stream(path) as stream:
        for line in stream.lines():
            fields = line.split()
            if len(fields) < 2:  # noqa: PLR2004  a domain and a document
                raise FormatError(
                    "the line has no domain and document", where=stream.place(), advice="write DOMAIN, a tab, DOCUMENT"
                )
            domains.append(fields[0])
            documents.append(fields[1])
    return tuple(domains), tuple(documents)


def read_score_lines(path: str) -> Iterator[tuple[str, str, float | None]]:
    """Yield the place, the system and the score of each line; a missing score is `None`."""
    with open_stream(path) as stream:
        for line in stream.lines():
            fields = line.split()
            if len(fields) != 2 or not (fields[1] == "None" or is_number(fields[1])):  # noqa: PLR2004
                what = f"'{shortened(line)}' is not a system and its score"
                raise FormatError(what, where=stream.place(), advice="write SYSTEM, a tab, and a number or None")
            yield stream.place(), fields[0], None if fields[1] == "None" else float(fields[1])


def read_ratings(path: str) -> Iterator[tuple[str, str, str, float | None]]:
    """Read marked errors; yield the place, the system, the rater and the score of each line.

    The score is minus the sum of the weights of all errors; it is `None` if the segment was not rated. The weight of an
    error depends on its severity, as in `read_mqm`. If an error has no severity, or one without a weight, such as
    critical, its weight is the absolute value of its field `score`. If the line names no rater, the file name may give
    the rater: `en-de.mqm.rater1.seg.rating`.
    """
    in_name = _RATER.search(path.removesuffix(".seg.rating"))
    with open_stream(path) as stream:
        for line in stream.lines():
            system, _, rest = line.strip().partition("\t")
            rating, _, rater = rest.partition("\t")
            if rating == "None":
                yield stream.place(), system, "", None
                continue
            record = _json(rating, stream.place())
            errors = record.get("errors") if isinstance(record, dict) else None
            if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
                advice = 'a line is SYSTEM, a tab and {"errors": [{"category": …, "severity": …}, …]} or None'
                raise FormatError("the line is not a rating", where=stream.place(), advice=advice)
            score = 0.0 - sum(_error_weight(error, stream.place()) for error in errors)
            yield stream.place(), system, rater or (in_name[0][1:] if in_name else ""), score


def _error_weight(error: Mapping[str, object], place: str) -> float:
    category, severity, score = (error.get(key) for key in ("category", "severity", "score"))
    own = abs(float(score)) if isinstance(score, (int, float)) and not isinstance(score, bool) else None
    if severity is not None and (own is None or str(severity).strip().lower() in _SEVERITIES):
        with placed(place):
            return mqm_weight(str(category or ""), str(severity))
    if own is None:
        what, advice = "an error has neither a severity nor a score", "give each error a severity or a score"
        raise FormatError(what, where=place, advice=advice)
    return own


# ---- MQM, as Google publishes it ----

_MQM_COLUMNS = ("system", "seg_id", "rater", "category", "severity")
_AVERAGE_COLUMNS = ("system", "mqm_avg_score", "seg_id")
_CRITICAL = "critical"
# Severities of no errors. `HOTW-test` marks the check whether a rater found an error that was put into the text.
_WEIGHTLESS = frozenset({"", "neutral", "no-error", "no_error", "no error", "none", "hotw-test"})
_SEVERITIES = _WEIGHTLESS | {"major", "minor"}
MQM = "mqm"
"""The name of the column of MQM scores. A score is minus the sum of the weights of all errors: higher is better."""


def is_mqm(header: Sequence[str]) -> bool:
    """Check whether a header belongs to a table of MQM annotations, or to a table of averages over raters."""
    return set(_MQM_COLUMNS) <= set(header) or set(_AVERAGE_COLUMNS) <= set(header)


def read_mqm(path: str) -> Iterator[tuple[str, str, str, str, float]]:
    """Yield the place, the system, the segment, the rater and the score of each rated segment.

    The score is minus the sum of the weights of the errors that the rater found in the segment. Weights are those of
    Freitag et al. 2021: Major 5, Non-translation 25, Minor 1, minor punctuation 0.1, Neutral 0.

    In a table of averages over raters, the rater is an empty string. If no average in this table is negative, the
    averages are sums of weights, so they are negated.
    """
    with open_stream(path) as stream:
        lines = stream.lines()
        first = next(lines, "")
        separator = "\t" if "\t" in first else None
        header = first.split(separator)
        sums: dict[tuple[str, str, str], float] = defaultdict(float)
        places: dict[tuple[str, str, str], str] = {}
        lists_errors = set(_MQM_COLUMNS) <= set(header)
        averages: list[tuple[str, str, str, float]] = []
        for line in lines:
            if not line.strip():
                continue
            fields = line.split(separator)
            if len(fields) < len(header):
                what = f"the row has {len(fields)} fields, but the header has {len(header)}"
                raise FormatError(what, where=stream.place(), advice="give every row all fields")
            row = dict(zip(header, fields, strict=False))
            if not lists_errors:
                if not is_number(row["mqm_avg_score"]):
                    if row["mqm_avg_score"] == "None":
                        continue
                    raise FormatError(f"'{shortened(row['mqm_avg_score'])}' is not a number", where=stream.place())
                averages.append((stream.place(), row["system"], row["seg_id"], float(row["mqm_avg_score"])))
                continue
            key = row["system"], row["seg_id"], row["rater"]
            places.setdefault(key, stream.place())
            with placed(stream.place()):
                sums[key] -= mqm_weight(row["category"], row["severity"])
    sign = 1 if any(score < 0 for *_, score in averages) else -1
    for place, system, segment, score in averages:
        yield place, system, segment, "", sign * score + 0.0
    for key, score in sums.items():
        yield places[key], *key, score


def mqm_weight(category: str, severity: str) -> float:
    """Return the weight of an MQM error: 25, 5, 1, 0.1 or 0.

    Raises:
        FormatError: The severity is critical, for which campaigns have different weights, or it is unknown.

    Examples:
        >>> mqm_weight("Accuracy/Mistranslation", "Major"), mqm_weight("Fluency/Punctuation", "minor")
        (5.0, 0.1)
    """
    kind, level = category.strip().lower(), severity.strip().lower()
    if level == "major":
        return 25.0 if re.match(r"non-translation", kind) else 5.0
    if level == "minor":
        return 0.1 if kind.startswith("fluency/punctuation") else 1.0
    if level == _CRITICAL:
        what = "the severity is critical, for which campaigns have different weights"
        raise FormatError(what, advice="give scores instead of errors, or call these errors Major")
    if level not in _WEIGHTLESS:
        what = f"the severity '{shortened(severity)}' has no weight"
        raise FormatError(what, advice="severities are Major, Minor, Neutral and No-error; or give scores")
    return 0.0
