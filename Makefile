# Everything runs inside a virtual environment that these targets make themselves.
#   make demo PYTHON=python3.12      choose the interpreter
#   make test VENV=/tmp/scrimp-venv  choose where the environment lives

PYTHON ?= python3
VENV ?= .venv
LOWEST ?= .venv-lowest
BIN = $(VENV)/bin
# Without the JIT, the searches over many classes take a quarter of an hour.
COVERED = $(addprefix tests/,kernels contract runtime costs data io) --ignore=tests/kernels/test_class_search.py
# What is outside the package has a target of its own.
EXPERIMENTS = tests/papers tests/benchmarks papers reporting
# They need PyTorch, and have a target of their own too.
NETS = tests/nets src/scrimp/nets tests/papers/test_adaloss.py papers/adaloss
PIP = $(BIN)/python -m pip --quiet --disable-pip-version-check

# pip leaves compiling to the first import; were that not kept, each process would compile a
# thousand modules.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-papers test-nets test-lowest slow coverage lint format bench bench-svm bench-trees bench-streaming bench-nets hops architecture reproduce study study-full study-acquisition trust wheel clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.ready-run ## install scrimp and run its demo
	@$(BIN)/scrimp demo

test: $(VENV)/.ready-dev ## run the tests of the package, without the slow ones
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" tests src $(addprefix --ignore=,$(EXPERIMENTS) $(NETS))

test-papers: $(VENV)/.ready-dev ## run the tests of the papers' experiments and the benchmarks
	@$(BIN)/python -m pytest -n 2 -m "not slow" $(EXPERIMENTS) $(addprefix --ignore=,$(NETS))

test-nets: $(VENV)/.ready-nets ## run the tests of networks, which need PyTorch
	@$(BIN)/python -m pytest -n 2 -m "not slow" $(NETS)
	@$(BIN)/python -m pytest -n 2 -m "not slow" -k AnytimeNet tests/properties tests/learners

test-lowest: $(LOWEST)/.ready ## the same with the lowest versions that pyproject.toml declares: some 10 minutes
	@$(LOWEST)/bin/python -m pytest -n 2 -m "not slow" $(ARGS)

slow: $(VENV)/.ready-dev ## run the slow tests only
	@$(BIN)/python -m pytest -n 2 -m slow

coverage: $(VENV)/.ready-coverage ## measure how much of the kernels tests reach, run as plain Python: some minutes
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -m "not slow" --cov=scrimp.kernels \
	  --cov-report=term-missing:skip-covered --cov-fail-under=75 $(COVERED)

lint: $(VENV)/.ready-dev ## check style, types and the direction of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(VENV)/.ready-dev ## rewrite the code in the project's style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.ready-bench ## run the benchmarks
	@$(BIN)/python benchmarks/run.py

bench-svm: $(VENV)/.ready-bench ## benchmarks of support vector machines, some 10 minutes
	@$(BIN)/python -m benchmarks.svm --write

bench-trees: $(VENV)/.ready-bench ## benchmarks of boosted trees, some 10 minutes; needs SCRIMP_DATA for accuracy
	@$(BIN)/python -m benchmarks.boosted_trees --write

bench-streaming: $(VENV)/.ready-bench ## benchmarks of streaming boosting, some 30 minutes; needs SCRIMP_DATA for covtype, a9a, abalone and MNIST
	@$(BIN)/python -m benchmarks.streaming --write

bench-nets: $(VENV)/.ready-nets ## benchmarks of networks, some 40 minutes; needs SCRIMP_DATA for MNIST and Fashion-MNIST
	@$(BIN)/python -m benchmarks.nets --write

hops: $(VENV)/.ready-run ## print the way of a fit, a prediction and a session through the files
	@$(BIN)/python -m benchmarks.hops

architecture: $(VENV)/.ready-run ## draw the way of a fit and of a prediction: docs/architecture.png
	@$(BIN)/python -m benchmarks.architecture

reproduce: $(VENV)/.ready-dev ## run a paper's experiments again: make reproduce PAPER=hu2016 [ARGS="--trials 2"]
	@$(BIN)/python -m papers $(PAPER) $(ARGS)

study: $(VENV)/.ready-study ## run the study against peers, about 90 minutes; goes on where it was
	@$(BIN)/python -m benchmarks.study --write

study-full: $(VENV)/.ready-study ## the same with five seeds of prices and splits
	@$(BIN)/python -m benchmarks.study --full --write

study-acquisition: $(VENV)/.ready-study ## the benchmark for the acquisition of features; goes on where it was
	@$(BIN)/python -m benchmarks.acquisition --write

trust: $(VENV)/.ready-study ## ask models, fitted once, with little money and items owned, failing or lacking
	@$(BIN)/python -m benchmarks.trust --write

wheel: $(VENV)/.ready-wheel ## build the wheel into dist/
	@$(BIN)/python -m build --wheel --outdir dist

clean: ## remove what the other targets made, the environment included
	rm -rf $(VENV) $(LOWEST) dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage
	find src tests papers reporting benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.ready-run: WHAT = -e .
$(VENV)/.ready-dev: WHAT = -e '.[test,lint]'
$(VENV)/.ready-nets: WHAT = -e '.[test,nets]' torch==2.13.0
$(VENV)/.ready-coverage: WHAT = -e '.[coverage]'
$(VENV)/.ready-bench: WHAT = -e '.[bench]'
$(VENV)/.ready-study: WHAT = -e '.[study]'
$(VENV)/.ready-wheel: WHAT = build

$(VENV)/.ready-run $(VENV)/.ready-dev $(VENV)/.ready-nets $(VENV)/.ready-coverage $(VENV)/.ready-bench $(VENV)/.ready-study $(VENV)/.ready-wheel: \
  pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV): $(WHAT)"
	@$(PIP) install --no-compile $(WHAT)
	@touch $@

# uv can resolve to the lowest versions, and pip cannot.
$(LOWEST)/.ready: pyproject.toml | $(BIN)/python
	@echo "Installing into $(LOWEST): the lowest versions"
	@$(BIN)/python -m venv $(LOWEST)
	@$(LOWEST)/bin/python -m pip --quiet --disable-pip-version-check install uv
	@$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct -e '.[test]'
	@touch $@

$(BIN)/python:
	@command -v $(PYTHON) > /dev/null || \
	  { echo "No $(PYTHON) here. scrimp needs Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "scrimp needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) -V 2>&1)." >&2; \
	    echo "Name a newer one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "No environment could be made in $(VENV). On Debian and Ubuntu: apt install python3-venv;" >&2; \
	    echo "then make clean, and again." >&2; exit 1; }
