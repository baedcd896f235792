"""Formulas as MathML, which browsers render themselves: pages need no script and no download."""

from __future__ import annotations

import re
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math import MathError, latex2mathml
from sphinx.errors import SphinxError


def setup(app: Any) -> dict[str, Any]:
    """Register MathML as a renderer of formulas in HTML."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(writer: Any, node: Any) -> None:
    writer.body.append(_drawn(node, as_block=False))
    raise SkipNode


def _block(writer: Any, node: Any) -> None:
    writer.body.append(f'<div class="math">{_drawn(node, as_block=True)}</div>')
    raise SkipNode


def _drawn(node: Any, *, as_block: bool) -> str:
    try:
        drawn: str = latex2mathml.tex2mathml(node.astext().strip(), as_block=as_block)
    except MathError as error:
        raise SphinxError(f"{node.source}:{node.line}: {node.astext()!r}: {error}") from None
    # |r| is a length: its bars are brackets, close to what is between them.
    return re.sub(r"<mo[^>]*>\|</mo>", '<mo stretchy="false" lspace="0" rspace="0">|</mo>', drawn)
