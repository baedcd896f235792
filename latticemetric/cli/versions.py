"""`--version`: the program, and what it is made of; nothing of it is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGES = {"pynini": " (OpenFst)", "numpy": "", "nltk": "", "sacrebleu": ""}


def version_option(program: str) -> Callable[[F], F]:
    """The option of a program."""

    def say(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            click.echo("\n".join(_lines(program)))
            context.exit()

    return click.option(
        "--version", is_flag=True, is_eager=True, expose_value=False, callback=say, help="Show versions and exit."
    )


def _lines(program: str) -> list[str]:
    import platform

    from latticemetric.doctor import package_version
    from latticemetric.signature import VERSION

    components = [f"{name} {package_version(name) or 'not installed'}{note}" for name, note in _PACKAGES.items()]
    return [f"{program} {VERSION}", *components, f"python {platform.python_version()}"]
