"""Sphinx's configuration."""

import re
import sys
from pathlib import Path
from typing import Any

from latticemetric import __version__

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "latticemetric"
author = "The latticemetric authors"
project_copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "command_pages",
    "mathml",
]
exclude_patterns = [
    "_build",
    "performance/results.md",
    "performance/all-pairs.md",
    "performance/long.md",
    "performance/many-graphs.md",
]  # other pages include these measurements

# Docstrings put code in single backticks, as Markdown does.
default_role = "code"

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

# Libraries that some modules import, and that the pages can be built without.
autodoc_mock_imports = ["torch", "jax"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
# Show the names in the sources, not NumPy's long types.
autodoc_type_aliases = {name: name for name in ("Floats", "References", "Weights", "States", "Text", "Words")}
autodoc_type_aliases["npt.ArrayLike"] = "ArrayLike"
napoleon_attr_annotations = False
napoleon_numpy_docstring = False
# The fields of records that are no attributes of their class; docs/json.md lists them.
napoleon_custom_sections = [("Fields", "params_style")]
# Attributes are fields of their class: autodoc lists them too, and would describe them twice.
napoleon_use_ivar = True
python_maximum_signature_line_length = 100

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"{project} {release}"
html_static_path = ["_static"]
html_css_files = ["width.css"]
html_js_files = ["copy.js"]
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}


def _keep_lengths(_app: Any, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Escape |r| in docstrings: it is a length, not a substitution of reStructuredText."""
    shown = False  # inside an example, where bars are safe
    for number, line in enumerate(lines):
        shown = line.lstrip().startswith(">>>") or (shown and bool(line.strip()))
        if not shown:
            lines[number] = re.sub(r"\|([^|\s`]+)\|", r"\\|\1\\|", line)


def _name_aliases(
    _app: Any, _what: str, _name: str, _object: Any, _options: Any, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Show an alias inside another type by its name, without Sphinx's wrapper."""
    plain = [text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in (signature, result)]
    return plain[0], plain[1]


def _link_by_documented_names(app: Any, page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Make the links from sources to pages lead to the names that objects are documented under.

    Sphinx takes one prefix for all objects of a module, but some are documented as `latticemetric.Name`, and others as
    `latticemetric.folder.module.Name`.
    """
    if not page.startswith("_modules/latticemetric/"):
        return
    objects = app.env.domains["py"].objects
    documented = {name for name, entry in objects.items() if not entry.aliased}
    parts = page.split("/")[1:]
    prefixes = [".".join(parts[:size]) + "." for size in range(len(parts), 0, -1)]

    def documented_name(match: re.Match[str]) -> str:
        name = match[0]
        own = next((name.removeprefix(prefix) for prefix in prefixes if name.startswith(prefix)), name)
        return next((prefix + own for prefix in prefixes if prefix + own in documented), name)

    context["body"] = re.sub(r'(?<=#)latticemetric\.[\w.]+(?=">\[docs\])', documented_name, context["body"])


def setup(app: Any) -> None:
    app.connect("html-page-context", _link_by_documented_names)
    app.connect("autodoc-process-signature", _name_aliases)
    app.connect("autodoc-process-docstring", _keep_lengths)
