"""Sphinx's configuration."""

from latticemetric import __version__

project = "latticemetric"
author = "The latticemetric authors"
project_copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]

# Docstrings put code in single backticks, as Markdown does.
default_role = "code"

myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
# Attributes as fields of their class: autodoc lists them too, and nothing is to be described twice.
napoleon_use_ivar = True
python_maximum_signature_line_length = 88

html_theme = "furo"
html_title = f"{project} {release}"
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
