"""The parameters in `_native.pyi`, made from the extension.

`python tests/kit/native_stub.py` writes them; a test checks that they are those of today's extension. nanobind knows
the names, the defaults and the types of parameters, also of arrays. It does not know what is in a tuple, a list or a
dictionary that a function returns, nor which strings a parameter allows: these stay as they are written, as do the
descriptions.
"""

import ast
import re
from collections.abc import Sequence
from pathlib import Path

from latticemetric import _native

FILE = Path(_native.__file__).parent / "_native.pyi"

# Types that say less than a person can write.
_WEAK = {"object", "tuple", "list", "dict", "str", "bytes"}


def written(text: str) -> str:
    """Return the text of the stub with the parameters and plain results that the extension has."""
    lines = text.splitlines(keepends=True)
    for node, native in reversed(_functions(ast.parse(text))):
        begin, end = node.lineno - 1, node.body[0].lineno - 1
        in_line = isinstance(node.body[0], ast.Expr) and begin <= end and lines[end].rstrip().endswith(": ...")
        indent = " " * node.col_offset
        header = f"{indent}def {node.name}({_parameters(node, native)}) -> {_result(node, native)}:"
        lines[begin : end + in_line] = [header + (" ...\n" if in_line else "\n")]
    return "".join(lines)


def is_current(text: str) -> bool:
    """Return True if `written` would change nothing but the lay-out."""
    return ast.dump(ast.parse(written(text))) == ast.dump(ast.parse(text))


def names_of_one(text: str) -> set[str]:
    """Return the names that only the extension or only the stub has."""
    names = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.value:
            names.add(node.target.id)
    return names ^ {name for name in vars(_native) if not name.startswith("_")}


def _functions(tree: ast.Module) -> list[tuple[ast.FunctionDef, ast.FunctionDef]]:
    """Return the functions of the stub with the signatures of nanobind, except those that have several."""
    found = []
    for node in tree.body:
        for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
            owner = getattr(_native, node.name, None) if isinstance(node, ast.ClassDef) else _native
            if isinstance(inner, ast.FunctionDef):
                signatures = getattr(owner, inner.name).__nb_signature__
                found += [(inner, _parsed(*signatures[0]))] if len(signatures) == 1 else []
    return found


def _parsed(text: str, _: object, defaults: Sequence[object]) -> ast.FunctionDef:
    text = re.sub(r"\\(\d+)", lambda place: _default(defaults[int(place[1])]), text)
    text = re.sub(r"(?:numpy\.)?ndarray\[dtype=(\w+)[^\]]*\]", r"npt.NDArray[np.\1]", text)
    text = text.replace("collections.abc.Sequence", "Sequence").replace("latticemetric._native.", "")
    text = text.replace("tuple[int, int, int, int]", "_Gains")
    return ast.parse(f"{text}: ...").body[0]


def _default(value: object) -> str:
    return repr(value) if isinstance(value, bool | str | None) or value in range(1000) else "..."


def _parameters(node: ast.FunctionDef, native: ast.FunctionDef) -> str:
    own = {parameter.arg: parameter.annotation for parameter in node.args.args}
    for parameter in native.args.args:
        if parameter.annotation and ast.unparse(parameter.annotation) in _WEAK and own.get(parameter.arg):
            parameter.annotation = own[parameter.arg]
    return ast.unparse(native.args)


def _result(node: ast.FunctionDef, native: ast.FunctionDef) -> str:
    result = ast.unparse(native.returns)
    return ast.unparse(node.returns) if result in _WEAK or "tuple" in result else result


if __name__ == "__main__":
    FILE.write_text(written(FILE.read_text("utf-8")), "utf-8")
