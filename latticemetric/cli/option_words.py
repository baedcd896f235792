"""Say settings in messages as options: packages below say the keywords of Python, `style="plain"`."""

from __future__ import annotations

import re

_SETTING = re.compile(r'\b([a-z]+(?:_[a-z]+)*)=(?:True\b|…|"([a-z-]+)")')


def in_options(text: str) -> str:
    """Return a message with each setting of a corpus or of a run as the option that sets it.

    Examples:
        >>> in_options('give style="keyed", or symbols=… (keep_going=True reports the error and continues)')
        'give --style keyed, or --symbols (--keep-going reports the error and continues)'
        >>> in_options("weights=2 and other=True stay")
        'weights=2 and other=True stay'
    """
    return _SETTING.sub(_option, text)


def _option(found: re.Match[str]) -> str:
    from latticemetric.corpus.settings import ReadingSettings, RunSettings

    field = RunSettings.fields.get(found[1]) or ReadingSettings.fields.get(found[1])
    if field is None or not field.option:
        return found[0]
    return " ".join([field.option.split()[0], *([found[2]] if found[2] else [])])
