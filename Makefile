# `make demo` and `make test` work from a bare clone with Python, a C++ compiler and make.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

SOURCES := pyproject.toml CMakeLists.txt $(shell find latticemetric examples/data -type f ! -name '*.pyc')

.PHONY: demo test deep coverage lint types docs bench clean

demo: $(VENV)/.installed
	$(BIN)/latticemetric demo

# The tests run against the installed wheel, not against the checkout.
test: $(VENV)/.installed-test
	$(BIN)/pytest -n auto tests --pyargs latticemetric --doctest-modules

# Two thousand examples a property instead of sixty.
deep: $(VENV)/.installed-test
	HYPOTHESIS_PROFILE=deep $(BIN)/pytest -n auto tests

coverage: $(VENV)/.installed-test
	$(BIN)/pytest -n auto tests --pyargs latticemetric --doctest-modules \
		--cov --cov-report=term-missing:skip-covered --cov-fail-under=95

lint: $(VENV)/.installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.installed-lint
	$(BIN)/mypy

docs: $(VENV)/.installed-docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

bench:
	@echo "There are no benchmarks yet: they come with the native engine." && exit 1

clean:
	rm -rf $(VENV) build dist docs/_build .pytest_cache .mypy_cache .ruff_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet .
	touch $@

$(VENV)/.installed-%: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet ".[$*]"
	touch $@
