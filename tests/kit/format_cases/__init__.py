"""What each format is tried with, a module a format: add one, and all tests of formats run over it."""

from importlib import import_module
from pkgutil import iter_modules

from kit.formats import Case

CASES: dict[str, Case] = {
    case.name: case for module in iter_modules(__path__) for case in import_module(f"{__name__}.{module.name}").CASES
}
