# `make demo` and `make test` work from a bare clone with Python, a C++ compiler and make.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

SOURCES := pyproject.toml CMakeLists.txt $(shell find latticemetric grammars examples/data -type f ! -name '*.pyc')

.PHONY: demo develop test deep coverage browser lint types docs notebooks bench wordnet chromium clean

demo: $(VENV)/.installed
	$(BIN)/latticemetric demo

# The tests run against the installed wheel, not against the checkout. Some of them wait, for limits and for processes
# that end: there is a worker more than there are processors.
TEST_WORKERS ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")

test: $(VENV)/.installed-test wordnet
	$(BIN)/pytest -n $(TEST_WORKERS) --dist worksteal tests --pyargs latticemetric --doctest-modules

# Two thousand new examples for each property, instead of the same twenty-five.
deep: $(VENV)/.installed-test wordnet
	HYPOTHESIS_PROFILE=deep $(BIN)/pytest -n auto tests

coverage: $(VENV)/.installed-test wordnet
	$(BIN)/pytest -n auto tests --pyargs latticemetric --doctest-modules \
		--cov --cov-report=term-missing:skip-covered --cov-fail-under=95

# Tests reports in Chromium; fails without it.
browser: $(VENV)/.installed-browser chromium
	$(BIN)/pytest tests/corpus/report/test_browser.py

lint: $(VENV)/.installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.installed-lint
	$(BIN)/mypy

docs: $(VENV)/.installed-docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

# An editable installation in .venv-develop. `import latticemetric` compiles what has changed, in seconds.
develop:
	test -x $(VENV)-develop/bin/python || $(PYTHON) -m venv $(VENV)-develop
	$(VENV)-develop/bin/python -m pip install --quiet "scikit-build-core>=0.11" "nanobind>=2.2" cmake ninja
	$(VENV)-develop/bin/python -m pip install --quiet --no-build-isolation --editable ".[dev]" \
		-Cbuild-dir=build/develop -Ceditable.rebuild=true -Ceditable.verbose=false \
		-Ccmake.define.LATTICEMETRIC_LTO=OFF -Ccmake.define.CMAKE_UNITY_BUILD=OFF

# Runs the notebooks and saves their output, which the tests compare.
notebooks: $(VENV)/.installed-test
	$(BIN)/jupyter execute --inplace --NotebookClient.record_timing=False examples/notebooks/*.ipynb

# Measures everything in docs/performance.md and writes it there; `BENCH=--long` adds sizes and runs.
bench: $(VENV)/.installed-bench
	$(BIN)/python benchmarks/run.py $(BENCH)

# Installs Debian's WordNet if it is missing and we may; without it, tests of synonyms are skipped with a message.
wordnet: $(VENV)/.installed
	@$(BIN)/python -P -c "from latticemetric.metrics.wordnet import wordnet; wordnet()" 2>/dev/null || { \
		if [ "$$(id -u)" = 0 ]; then root=; elif [ -n "$$CI" ]; then root="sudo -n"; else root=false; fi; \
		install="$$root apt-get install -y --no-install-recommends wordnet-base"; \
		$$install || { $$root apt-get update && $$install; }; \
	} >/dev/null 2>&1 || echo "There is no WordNet: tests of synonyms are skipped (apt install wordnet-base)."

# Installs Debian's Chromium if it is missing and we may.
chromium:
	@command -v chromium || command -v chromium-browser || command -v google-chrome || { \
		if [ "$$(id -u)" = 0 ]; then root=; elif [ -n "$$CI" ]; then root="sudo -n"; else root=false; fi; \
		install="$$root apt-get install -y --no-install-recommends chromium"; \
		$$install || { $$root apt-get update && $$install; }; \
	} >/dev/null 2>&1 || echo "There is no Chromium: reports cannot be tested in a browser (apt install chromium)."

clean:
	rm -rf $(VENV) $(VENV)-develop build dist docs/_build docs/commands .pytest_cache .mypy_cache .ruff_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# The extension is built once, into a wheel; installations with extras take that wheel.
WHEELS := build/wheels

$(VENV)/.wheel: $(VENV)/bin/python $(SOURCES)
	@echo "Building the wheel: about a minute of compiling."
	rm -rf $(WHEELS)
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir $(WHEELS) .
	touch $@

$(VENV)/.installed: $(VENV)/.wheel
	@echo "Installing it, with what it needs, into $(VENV)."
	$(BIN)/python -m pip install --quiet --force-reinstall --no-deps $(WHEELS)/*.whl
	$(BIN)/python -m pip install --quiet $(WHEELS)/*.whl
	touch $@

$(VENV)/.installed-%: $(VENV)/.installed
	@echo "Installing the extra $*."
	$(BIN)/python -m pip install --quiet "$$(ls $(WHEELS)/*.whl)[$*]"
	touch $@

# ---- Slower checks of the native code ----

CLANG ?= clang++
FUZZ_RUNS ?= 1000000
PARSERS := kaldi kaldi_binary openfst plf slf slf_lattice search_graph pfsg sphinx network moses_hypergraph target_graph \
	joshua_hypergraph cdec_json travatar_json blocks forest

.PHONY: kernels threads sanitize fuzz mutate

# Tests kernels without Python; needs cmake. Then `make test` tests them, too.
kernels:
	cmake -S . -B build/kernels -DLATTICEMETRIC_TESTS=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
	cmake --build build/kernels --parallel 2
	ctest --test-dir build/kernels --output-on-failure

# The same tests under ThreadSanitizer: kernels that search many lattices do so in threads.
threads:
	cmake -S . -B build/threads -DLATTICEMETRIC_TESTS=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLATTICEMETRIC_SANITIZE=thread
	cmake --build build/threads --parallel 2
	ctest --test-dir build/threads --output-on-failure

# Reads damaged files of every format (or FORMATS), a hundred thousand for each reader (or MUTATIONS); then runs two
# thousand commands (or COMMANDS) on hostile inputs and options, made from a seed (or SEED).
MUTATIONS ?= 100000
COMMANDS ?= 2000
SEED ?= 1
mutate: $(VENV)/.installed-test
	$(BIN)/python tests/fuzz/mutate.py $(MUTATIONS) $(FORMATS)
	$(BIN)/python tests/fuzz/hostile.py $(COMMANDS) --seed $(SEED)

# Runs all tests over an extension built with AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize:
	$(PYTHON) -m venv $(VENV)-sanitize
	$(VENV)-sanitize/bin/python -m pip install --quiet ".[test]" \
		-Ccmake.define.LATTICEMETRIC_SANITIZE=address,undefined -Ccmake.build-type=RelWithDebInfo -Cbuild-dir=build/sanitize
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
		ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
		$(VENV)-sanitize/bin/pytest -n auto tests

# Fuzzes each parser with a million inputs (or FUZZ_RUNS), from a small corpus; needs clang and its runtime. Budgets
# replace some of the operators new and delete, so that the fuzzer's own may not match.
fuzz: $(PARSERS:%=build/fuzz/%)
	for parser in $(PARSERS); do \
		mkdir -p build/fuzz/grown-$$parser; \
		ASAN_OPTIONS=alloc_dealloc_mismatch=0 build/fuzz/$$parser -runs=$(FUZZ_RUNS) -max_len=4096 -timeout=5 \
			-rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 build/fuzz/grown-$$parser tests/fuzz/corpus/$$parser || exit 1; \
	done

KERNELS := latticemetric/kernels
FUZZED := $(wildcard $(KERNELS)/formats/*.cpp) $(wildcard $(KERNELS)/graphs/*_order.cpp) $(KERNELS)/graphs/topology.cpp $(KERNELS)/memory/budget.cpp

build/fuzz/%: tests/fuzz/parser.cpp $(FUZZED) $(wildcard $(KERNELS)/*/*.hpp)
	mkdir -p build/fuzz
	$(CLANG) -std=c++17 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		-I$(KERNELS) -DPARSER=$* tests/fuzz/parser.cpp $(FUZZED) -o $@
