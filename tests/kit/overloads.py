"""The overloads of `mbr` for names and keywords, made from the settings.

`python tests/kit/overloads.py` writes them into the module; a test checks that they are those of today's settings.
"""

import sys
from pathlib import Path

from latticemetric.mbr_decoding import mbr as module
from latticemetric.mbr_decoding import settings

BEGIN = "# The overloads of names are made from the settings: python tests/kit/overloads.py\n\n\n"
END = "# End of the overloads of names\n"

# The type of `by`, further parameters, the kind of settings, and the class of results.
_NAMES = [
    ('Literal["wer"]', 'risk: Literal["bound"] = ...', settings.ByWordErrors, "WordMBR"),
    ('Literal["wer"]', 'risk: Literal["exact"]', settings.ByExactErrors, "RiskMBR"),
    ('Literal["ngram"] = ...', "", settings.ByNgrams, "MBR"),
    ("str | Metric[Any]", "", settings.ByMetric, "MetricMBR"),
    ('Literal["ngram"] = ...', "", settings.ByUtility, "MetricMBR"),
]
# A name may be that of a method or of a metric: the first overload that fits is right.
_NOTE = "  # type: ignore[overload-overlap]  # two names mean methods, all others metrics"
_OVERLAPS = {"WordMBR", "MBR"}


def overloads() -> str:
    """Return the text of the overloads."""
    return "".join(map(_overload, *zip(*_NAMES, strict=True)))


def _overload(by, more, kind, result):
    evidence = ["evidence", "hypotheses"]
    parameters = [f"{name}: Graph | None = ..." for name in evidence if name in kind.takes]
    parameters += ["weights: Weights | None = ...", *filter(None, [more]), *_keywords(kind)]
    first = f"    graph: Graph,\n    by: {by},\n    *,\n"
    note = (
        "  # type: ignore[overload-overlap]  # two names mean methods, all others metrics"
        if result in _OVERLAPS
        else ""
    )
    papers = "  # noqa: N803  as all papers have it"
    lines = "".join(f"    {one},{papers if one.startswith('T:') else ''}\n" for one in parameters)
    return f"@overload\ndef mbr({note}\n{first}{lines}) -> {result}: ...\n\n\n"


def _keywords(kind):
    types = {}
    for base in reversed(kind.__mro__):
        types |= vars(base).get("__annotations__", {})
    for name in kind.fields:
        if name == "metric":  # the argument `by`
            continue
        if name == "utility":  # what chooses this kind
            yield f"utility: {types[name].removesuffix(' | None')}"
        else:
            yield f"{name}: {types[name]} = ..."


def written(source: str) -> str:
    """Return the source of the module with the overloads of today's settings."""
    before, _, rest = source.partition(BEGIN)
    return before + BEGIN + overloads() + END + rest.partition(END)[2]


if __name__ == "__main__":
    path = Path(module.__file__)
    path.write_text(written(path.read_text()))
    sys.exit(0)
