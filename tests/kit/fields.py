"""The tables of fields in docs/json.md, made from records that commands write and from the docstrings of their classes.

`PYTHONPATH=tests python -m kit.fields` writes them into the page; a test checks that they are those of today's records.
Names and their order come from a record; types and meanings come from `Attributes:` of its class, from its properties,
and from `Fields:` in the docstrings of functions that write values which are no attributes.
"""

import inspect
import json
import re
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from kit.commands import run
from kit.paths import EXAMPLES, ROOT

PAGE = ROOT / "docs" / "json.md"
NOTE = "<!-- Generated -->"
_HEAD = ["| Field | Type | Meaning |", "|---|---|---|"]
_ROW = re.compile(r"^    (\w+)(?: \(([^)]*)\))?: (.*(?:\n(?:     +.*)?(?=\n|$))*)", re.MULTILINE)
_PLAIN = {
    "CheckState": "string",
    "bool": "boolean",
    "int": "integer",
    "float": "number",
    "Fraction": "number",
    "str": "string",
}


class Field(NamedTuple):
    """A documented field: its annotation, its meaning, and whether it is written about Python's values."""

    annotation: str
    meaning: str
    is_attribute: bool


class Records(NamedTuple):
    """Records of a section: the command that writes one, the way to it in the document, and what describes it."""

    heading: str
    command: str
    way: tuple[str | int, ...]
    described_by: tuple[str, ...]
    """Names of classes and functions, below `latticemetric.`."""
    without: str = ""
    """The section whose fields are left out, as this one adds to them."""


_ANSWER = "corpus.tables.table.AnswerTable.answered"
_MEETING = "meeting.lat.txt meeting.ref.txt"
_ORACLES = f"oracle {_MEETING} --metric wer"
_SEARCH = "oracle_search.scored_path"
_LISTED = [("ferry.slf", "words"), ("ferry.slf", "ngrams"), ("ferry.slf", "arcs"), ("lantern.target_graph", "edges")]
_MARGINS = f"{_ORACLES} --nbest 2 --hope 1 --fear 1 --worst"
_SHARDED = f"{_ORACLES} --shard 1/2"
_ORACLE_TABLE = "corpus.tables.oracles.OracleTable"
_SWEEP = f"sweep {_MEETING} --metric wer --beams 1 --by-length 4"
_MBR = "mbr meeting.lat.txt --by"
_TUNE = "tune meeting.lat.txt meeting.ref.txt --decoder mbr -p 0.7 --ratio 0.7"
_LISTS = "lists picnic.json --metric wer --corrected picnic.corrected.txt"
_CALIBRATE = "calibrate kitchen.jsonl kitchen.ref.txt"
_SCORE = "score letters.old.txt letters.ref.txt --system letters.new.txt"
_CORRELATE = "correlate harvest --metric bleu,wer --resamples 20 --group-by human --bin-width=1 --ranks spa"
_TAGS = "tags tide.gold.tags tide.tern.tags tide.wren.tags --synthetic --compare --sampling --sample-sizes 5,10"
_THRESHOLDS = f"tags --from-lattices {_MEETING}"
_AGREEMENT, _GROUPS = "evaluation.agreement", "evaluation.grouping"
_CORRELATION = "evaluation.correlation"
_RANKS = "evaluation.metric_tests.RankTable"
_TABLES = "corpus.tables"
TABLES = [
    Records("The document", _ORACLES, (), (f"{_ORACLE_TABLE}.document",)),
    Records(
        "With several metrics",
        f"oracle {_MEETING} --metric wer,4-grr",
        ("lattices", 0),
        ("corpus.tables.by_metric.MetricsTable.answered",),
        "An item",
    ),
    Records("An item", _ORACLES, ("lattices", 0), (f"{_SEARCH}.Oracle", "corpus.oracles.OracleAnswer")),
    Records(
        "An item of a forest",
        "oracle lantern.target_graph lantern.ref.txt --metric wer",
        ("lattices", 0),
        (f"{_SEARCH}.Oracle", "corpus.oracles.OracleAnswer"),
        "An item",
    ),
    Records("The 1-best of an item", _ORACLES, ("lattices", 0, "one_best"), (f"{_SEARCH}.ScoredPath",)),
    Records(
        "With --nbest, --hope, --fear and --worst",
        _MARGINS,
        ("lattices", 0),
        ("corpus.margins.Margins.asdict",),
        "An item",
    ),
    Records("An answer", _MARGINS, ("lattices", 0, "fear"), ("corpus.margins.by_kind",), "An item"),
    Records(
        "Totals of answers",
        _MARGINS,
        ("corpus", "fear"),
        ("corpus.margins.by_kind", "corpus.margins.MarginTotal"),
    ),
    Records(
        "With an automaton",
        "oracle harbour.fst --metric harbour.fst",
        ("lattices", 0),
        ("corpus.oracles.OracleAnswer", "oracle_search.user_automaton.AutomatonOracle"),
    ),
    Records(
        "With joined words",
        f"oracle {_MEETING} --metric compound-wer",
        ("lattices", 0),
        (_ANSWER, "oracle_search.compounds.CompoundOracle"),
    ),
    Records(
        "With `--metric bleu`",
        f"oracle {_MEETING} --metric bleu",
        ("lattices", 0),
        ("oracle_search.corpus_bleu.CorpusPath",),
        "An item",
    ),
    Records("The corpus", _ORACLES, ("corpus",), ("corpus.oracles.Totals",)),
    Records("The 1-best of the corpus", _ORACLES, ("corpus", "one_best"), ("corpus.oracles.Totals.asdict",)),
    Records(
        "The corpus by BLEU",
        f"oracle {_MEETING} --metric bleu",
        ("corpus",),
        ("metrics.base.CorpusScore", "oracle_search.corpus_bleu.CorpusOracle", "corpus.corpus_bleu.CorpusBLEU"),
    ),
    Records(
        "With `--also-score`",
        f"{_ORACLES} --also-score wrr",
        ("lattices", 0),
        ("corpus.oracles.OracleAnswer",),
        "An item",
    ),
    Records("With `--shard`", _SHARDED, (), ("corpus.shards.document_end",), "The document"),
    Records("A shard", _SHARDED, ("shard",), ("corpus.shards.ShardRun.asdict",)),
    Records(
        "The run of a shard",
        _SHARDED,
        ("shard", "run"),
        ("corpus.fingerprint.common_to_shards", "corpus.shards.ShardRun._digested"),
    ),
    Records(
        "With `--tags` and `--posteriors`",
        f"{_ORACLES} --tags --posteriors",
        ("lattices", 0),
        ("corpus.oracles.OracleAnswer", "corpus.tables.oracles._tags"),
        "An item",
    ),
    Records(
        "Output of `info`",
        "info meeting.lat.txt",
        ("graphs", 0),
        (
            _ANSWER,
            f"{_TABLES}.info.InfoTable.records_of",
            "lattice.statistics.LatticeStatistics",
            "corpus.graphs.described",
        ),
    ),
    Records("Output of `best`", "best ferry.slf", ("lattices", 0), (_ANSWER, "posterior.best.BestPath")),
    Records(
        "A path of `nbest`", "nbest ferry.slf -n 1", ("lattices", 0, "paths", 0), ("corpus.decoding.RankedPath.asdict",)
    ),
    Records(
        "Output of `mbr`",
        f"{_MBR} ngram",
        ("lattices", 0),
        (_ANSWER, "mbr_decoding.settings.ByNgrams", "mbr_decoding.ngram.MBR"),
    ),
    Records("Output of `mbr --by wer`", f"{_MBR} wer", ("lattices", 0), (_ANSWER, "mbr_decoding.word.WordMBR")),
    Records(
        "Output of `mbr --by wer --risk exact`",
        f"{_MBR} wer --risk exact",
        ("lattices", 0),
        (_ANSWER, "mbr_decoding.risk.RiskMBR"),
    ),
    Records(
        "Output of `mbr --by` with a metric",
        f"{_MBR} chrf",
        ("lattices", 0),
        (_ANSWER, "mbr_decoding.metric.MetricMBR"),
    ),
    Records(
        "Output of `tune`",
        "tune meeting.lat.txt meeting.ref.txt --vary acoustic=0.05:0.2 --resamples 9",
        (),
        ("corpus.tuned.Tuned", "corpus.tuned_weights.TunedColumns", "corpus.tuned_weights.TunedWeights"),
    ),
    Records(
        "With `--decoder expected`",
        "tune meeting.lat.txt meeting.ref.txt --decoder expected --vary acoustic=0.05:1 --resamples 9",
        (),
        ("corpus.tuned.Tuned", "corpus.tuned_weights.TunedColumns", "corpus.expected_weights.ExpectedWeights"),
    ),
    Records(
        "Weights with their expected rate",
        "tune meeting.lat.txt meeting.ref.txt --decoder expected --vary acoustic=0.05:1 --resamples 9",
        ("best",),
        ("corpus.tuned_weights.WeightTrial", "corpus.expected_weights.ExpectedTrial"),
    ),
    Records("With `--decoder mbr`", _TUNE, (), ("corpus.tuned.Tuned", "corpus.tuned_mbr.TunedMBR")),
    Records("A setting of MBR", _TUNE, ("best",), ("mbr_decoding.settings.ByNgrams", "corpus.tuned_mbr.MBRTrial")),
    Records("A comparison with 1-bests", _TUNE, ("over_one_best",), ("corpus.tuned_mbr._compared",)),
    Records(
        "Output of `consensus`", "consensus ferry.slf", ("lattices", 0), (_ANSWER, "mbr_decoding.consensus.Consensus")
    ),
    Records(
        "Output of `combine`",
        "combine coast.north.ctm coast.west.txt --scheme mbr",
        ("utterances", 0),
        ("mbr_decoding.combination.Combination", f"{_TABLES}.combine.CombinationTable.records"),
    ),
    Records(
        "Output of `expected`",
        "expected harbour.fst harbour.ref.txt --metric wer",
        ("lattices", 0),
        ("posterior.expected.Expected", "corpus.expectations.ExpectationAnswer"),
    ),
    Records("Output of `calibrate`", _CALIBRATE, (), ("corpus.calibration.Calibration",)),
    Records("A report of `calibrate`", _CALIBRATE, ("development",), ("corpus.calibration.CalibrationReport",)),
    Records(
        "Output of `posteriors`",
        "; ".join(f"posteriors {graph} --of {of}" for graph, of in _LISTED),
        ("lattices", 0),
        (_ANSWER, "posterior.listing.PosteriorListing"),
    ),
    Records(
        "A word with its posterior",
        "posteriors ferry.slf --of words",
        ("lattices", 0, "words", 0),
        ("posterior.listing._ngrams",),
    ),
    Records(
        "An n-gram with its posterior",
        "posteriors ferry.slf --of ngrams",
        ("lattices", 0, "ngrams", 0),
        ("posterior.listing._ngrams",),
    ),
    Records(
        "An arc with its posterior",
        "posteriors ferry.slf --of arcs",
        ("lattices", 0, "arcs", 0),
        ("posterior.listing._arcs",),
    ),
    Records(
        "An edge with its posterior",
        "posteriors lantern.target_graph --of edges",
        ("lattices", 0, "edges", 0),
        ("posterior.listing._edges",),
    ),
    Records(
        "Output of `score`",
        _SCORE,
        (),
        (f"{_TABLES}.score.ScoreTable.head", f"{_TABLES}.score.CorpusScoreTable.document"),
    ),
    Records("A score", _SCORE, ("scores", 0), ("evaluation.scoring.SystemScore",)),
    Records(
        "A comparison",
        _SCORE,
        ("scores", -1, "comparison"),
        ("evaluation.intervals.difference_columns", "evaluation.scoring.Comparison"),
    ),
    Records(
        "Output of `score --level sentence`",
        f"{_SCORE} --level sentence",
        (),
        (f"{_TABLES}.score.ScoreTable.head", f"{_TABLES}.score.SentenceScoreTable.document"),
    ),
    Records(
        "A sentence", f"{_SCORE} --level sentence", ("sentences", 0), (f"{_TABLES}.score.SentenceScoreTable.records",)
    ),
    Records("Output of `tags`", _TAGS, (), (f"{_TABLES}.tags.TagTable.document",)),
    Records("Scores of tags", _TAGS, ("systems", "tide.tern.tags"), ("evaluation.word_tags.metrics.TagScores",)),
    Records("A comparison of metrics of tags", _TAGS, ("comparison",), (f"{_TABLES}.tags.TagTable.document",)),
    Records(
        "Results of a metric of tags",
        _TAGS,
        ("comparison", "metrics", "f1_bad"),
        ("evaluation.word_tags.discrimination.Discrimination",),
    ),
    Records(
        "Repeated sampling",
        _TAGS,
        ("sampling",),
        (f"{_TABLES}.tags.TagTable.document", "evaluation.word_tags.sampling.RepeatedSampling"),
    ),
    Records(
        "Output of `tags --from-lattices`",
        _THRESHOLDS,
        (),
        ("corpus.oracles.ConfidenceEvaluation", f"{_TABLES}.tags.ThresholdTable.document"),
    ),
    Records("Output of `sweep`", _SWEEP, (), ("corpus.sweep.Sweep",)),
    Records("A row of a sweep", _SWEEP, ("rows", 0), ("corpus.sweep.SweepRow",)),
    Records("A bin of lengths", _SWEEP, ("lengths", 0), ("corpus.sweep.LengthBin",)),
    Records("Output of `lists`", _LISTS, (), (f"{_TABLES}.lists.ListTable.document", "corpus.list_results.OracleAtK")),
    Records(
        "A point of `lists`",
        _LISTS,
        ("points", 0),
        ("corpus.list_results.OracleAtK.to_records", "corpus.list_results.Point"),
    ),
    Records("Corrections of `lists`", _LISTS, ("corrections",), ("corpus.list_results.Corrections",)),
    Records(
        "Output of `correlate`",
        _CORRELATE,
        (),
        (f"{_AGREEMENT}.Agreement", f"{_TABLES}.correlate.CorrelationTable.document"),
    ),
    Records("A system's score", _CORRELATE, ("scores", "wer", "alder"), (f"{_AGREEMENT}._scored",)),
    Records("A correlation", _CORRELATE, ("system", "wer"), (f"{_CORRELATION}.Correlation",)),
    Records("An interval", _CORRELATE, ("system", "wer", "interval"), ("evaluation.intervals.Interval",)),
    Records(
        "A correlation of differentials",
        _CORRELATE,
        ("differentials", "wer"),
        (f"{_CORRELATION}.Differentials",),
        "A correlation",
    ),
    Records("A correlation of segments", _CORRELATE, ("segment", "wer"), (f"{_CORRELATION}.SegmentCorrelation",)),
    Records(
        "A comparison of metrics",
        _CORRELATE,
        ("comparisons", "system", 0),
        ("evaluation.intervals.difference_columns", f"{_AGREEMENT}.MetricComparison"),
    ),
    Records(
        "Williams' test", _CORRELATE, ("comparisons", "system", 0, "williams"), ("evaluation.significance.Williams",)
    ),
    Records(
        "Groups", _CORRELATE, ("groups",), (f"{_TABLES}.correlate.CorrelationTable.document", f"{_GROUPS}.Grouping")
    ),
    Records("A group", _CORRELATE, ("groups", "groups", 0), (f"{_GROUPS}.Group",)),
    Records("Ranks", _CORRELATE, ("ranks",), (_RANKS,)),
    Records(
        "Ranks on a task", _CORRELATE, ("ranks", "tasks", "spa:segment"), ("evaluation.metric_tests.TaskRanks", _RANKS)
    ),
    Records(
        "A test of two metrics",
        _CORRELATE,
        ("ranks", "tasks", "spa:segment", "tests", 0),
        ("evaluation.metric_tests.MetricTest", _RANKS),
    ),
    Records("Output of `doctor`", "doctor", (), ("doctor.Installation",)),
    Records("A check", "doctor", ("checks", 0), ("doctor.Check",)),
]


@cache
def read_document(command: str) -> Any:
    """Return the document that a command writes about the examples."""
    words = command.split()
    done = run("latticemetric", *words, "--format", "json", cwd=EXAMPLES)
    assert done.status == 0, done.stderr
    return json.loads(done.stdout)


def record_of(records: Records) -> dict[str, Any]:
    """Return a record of a section; if several commands write it, with the fields of all of them."""
    record: dict[str, Any] = {}
    for command in records.command.split("; "):
        found = read_document(command)
        for step in records.way:
            found = found[step]
        record |= found
    return record


def described(name: str) -> dict[str, Field]:
    """Return the fields that a class or a function of the package describes."""
    parts = name.split(".")
    size = next(n for n in range(len(parts), 0, -1) if _is_module(parts[:n]))
    found: Any = import_module(".".join(["latticemetric", *parts[:size]]))
    for part in parts[size:]:
        found = getattr(found, part)
    if not inspect.isclass(found):
        return _section(found, "Fields", {})
    fields: dict[str, Field] = {}
    types: dict[str, str] = {}
    for kind in reversed(found.__mro__):
        if not kind.__module__.startswith("latticemetric"):
            continue
        types |= vars(kind).get("__annotations__", {})
        fields |= _section(kind, "Attributes", types)
        for title, value in vars(kind).items():
            if isinstance(value, property) or hasattr(value, "func"):
                function = getattr(value, "fget", None) or value.func
                text = (inspect.getdoc(function) or "").partition("\n\n")[0]
                fields[title] = Field(function.__annotations__.get("return", ""), _plain(text), is_attribute=True)
        if "asdict" in vars(kind):
            fields |= _section(vars(kind)["asdict"], "Fields", {})
    return fields


def _is_module(parts: list[str]) -> bool:
    path = ROOT.joinpath("latticemetric", *parts)
    return path.is_dir() or path.with_suffix(".py").is_file()


def _section(owner: Any, title: str, types: dict[str, str]) -> dict[str, Field]:
    text = inspect.getdoc(owner) or ""
    section = re.search(rf"^{title}:\n((?:    .*\n?|\n)+)", text, re.MULTILINE)
    rows = _ROW.findall(section[1]) if section else []
    return {
        name: Field(kind or types.get(name, ""), _plain(meaning), is_attribute=title == "Attributes")
        for name, kind, meaning in rows
    }


def json_type(annotation: str) -> str:
    """Return the type in JSON of a value with this annotation.

    Examples:
        >>> json_type("float | None"), json_type("tuple[str, ...]"), json_type("Times | None")
        ('number or null', 'array of strings', 'array of `[begin, end]` or null')
    """
    kinds = [_json_kind(part.strip()) for part in re.split(r"\|(?![^\[]*\])", annotation) if part.strip() != "None"]
    kinds = list(dict.fromkeys(kinds))
    if set(kinds) == {"integer", "number"}:
        kinds = ["number"]
    return " or ".join([*kinds, *["null"] * (len(kinds) > 0 and "None" in annotation.split(" | "))])


def _json_kind(kind: str) -> str:
    if kind == "Times":
        return "array of `[begin, end]`"
    if match := re.fullmatch(r"(?:tuple|list|Sequence)(?:\[(.+?)(?:, \.\.\.)?\])?", kind):
        inner = _PLAIN.get(match[1])
        return f"array of {inner}s" if inner else "array"
    return _PLAIN.get(kind, "object")


def _plain(text: str) -> str:
    """Return the text of a docstring in the words of JSON, as a cell of a table."""
    text = " ".join(text.split()).removesuffix(".").replace("|", "\\|")
    for python, plain in {
        "`None`": "null",
        "True if": "true if",
        "Always True": "Always true",
        "Always False": "Always false",
        "False if": "false if",
        "If False": "If false",
    }.items():
        text = text.replace(python, plain)
    text = re.sub(r"\. See `[\w.]+`$", "", text.replace(". null", ". Null"))
    return text[:1].upper() + text[1:]


def table(records: Records) -> list[str]:
    """Return the lines of the table of a section."""
    fields: dict[str, Field] = {}
    for name in records.described_by:
        fields |= described(name)
    if "words" in fields:  # which are written as a text
        fields.setdefault("hypothesis", fields["words"]._replace(annotation="str"))
    names = list(record_of(records))
    if records.without:
        known = record_of(next(one for one in TABLES if one.heading == records.without))
        names = [name for name in names if name not in known]
    missing = [name for name in names if name not in fields or not fields[name].annotation]
    assert not missing, f"{records.heading}: describe {', '.join(missing)} in {records.described_by[-1]}"
    return [*_HEAD, *(_row(name, fields[name], names) for name in names)]


def _row(name: str, field: Field, names: list[str]) -> str:
    meaning = field.meaning
    if field.is_attribute and "hypothesis" in names and "words" not in names:
        meaning = meaning.replace("`words`", "`hypothesis`")
    kind = json_type(field.annotation)
    if link := next((heading for owner, heading in _headings().items() if owner in _names(field.annotation)), None):
        kind = re.sub(r"object|array", lambda match: f"[{match[0]}](#{anchor(link)})", kind, count=1)
    return f"| `{name}` | {kind} | {meaning} |"


def _names(annotation: str) -> set[str]:
    return set(re.findall(r"\w+", annotation))


def _headings() -> dict[str, str]:
    """Return the section of each class or function whose records a section shows."""
    found: dict[str, str] = {}
    for one in TABLES:
        for owner in one.described_by:
            names = [part for part in owner.split(".") if part[0].isupper()] or [owner.rpartition(".")[2]]
            found.setdefault(names[-1], one.heading)
    return found


def anchor(heading: str) -> str:
    """Return the anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def written(text: str) -> str:
    """Return the page with the tables of today's records."""
    for records in TABLES:
        pattern = rf"(^#+ {re.escape(records.heading)}\n(?:(?!#|\|).*\n)*?)(?:{re.escape(NOTE)}\n+)?((?:\|.*\n)+)"
        made = "\n".join([NOTE, "", *table(records), ""])
        match = re.search(pattern, text, re.MULTILINE)
        assert match, f"the page has no table under '{records.heading}'"
        text = f"{text[: match.end(1)]}{made}{text[match.end() :]}"
    return text


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
