"""Signatures: lines with all settings that are needed to reproduce a score."""

from __future__ import annotations

from dataclasses import dataclass

VERSION = "0.1.0"

_SHORT = {
    "refs": "#",
    "case": "c",
    "tok": "tok",
    "alpha": "a",
    "beta": "b",
    "ignore": "i",
    "wildcard": "w",
    "norm": "n",
}


@dataclass(frozen=True)
class Signature:
    """A metric's name and parameters, with the version last.

    Examples:
        >>> str(Signature("4-grr", {"alpha": "1", "beta": "0", "refs": "1", "case": "mixed", "tok": "none"}))
        '4-grr|alpha:1|beta:0|refs:1|case:mixed|tok:none|v:...'
    """

    name: str
    fields: dict[str, str]

    def __str__(self) -> str:
        return self.format()

    def format(self, *, short: bool = False) -> str:
        """Return the signature in one line, with full or abbreviated field names."""
        names = {name: _SHORT.get(name, name) if short else name for name in self.fields}
        parts = [self.name, *(f"{names[name]}:{value}" for name, value in self.fields.items())]
        return "|".join([*parts, f"v:{VERSION}"])

    def also(self, **fields: str | None) -> Signature:
        """Return the signature with additional fields, except fields that are `None`.

        A grammar (`norm`) stands beside the normalisation of the metric itself, and does not replace it.

        Examples:
            >>> str(Signature("ter", {"norm": "yes"}).also(norm="english"))
            'ter|norm:yes+english|v:...'
        """
        more = {name: value for name, value in fields.items() if value is not None}
        if "norm" in self.fields and "norm" in more:
            more["norm"] = f"{self.fields['norm']}+{more['norm']}"
        return Signature(self.name, {**self.fields, **more})

    def asdict(self) -> dict[str, str]:
        """Return the signature as a flat mapping."""
        return {"metric": self.name, **self.fields, "version": VERSION}


def yes_or_no(value: bool) -> str:  # noqa: FBT001  the only argument
    """Return a flag as `yes` or `no`."""
    return "yes" if value else "no"
