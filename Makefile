# Needs Python 3.11-3.13, GNU make and git; everything else goes into ./.venv.
SHELL := /bin/bash
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
EVAL := eval cognition --split public --forward-graph-constraint both
LAB := eval cognition --split experiments/data/lab_safety.jsonl --pack en_lab_safety_v1 --arms off --backend numpy
# More arguments for pytest: make test PYTEST_ARGS='tests/cga -k exp'
PYTEST_ARGS ?=
PYTEST := $(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)

export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.NOTPARALLEL:
.PHONY: help setup run test test-slow check format reference docs notebooks snapshots golden clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.dev ## create ./.venv and install into it (PYTHON=... chooses the interpreter)

# One stamp for each extra; newer dependencies in pyproject.toml make it stale.
$(VENV)/.%: pyproject.toml $(BIN)/python
	@echo "installing core-cognition[$*] into ./$(VENV) (once; it takes a minute or two)"
	@$(BIN)/python -m pip install --quiet --editable '.[$*]'
	@touch $@

# The first interpreter that really runs, is in range and can make a virtual environment.
$(BIN)/python:
	@for python in $${PYTHON:-python3 python3.13 python3.12 python3.11 python}; do \
	  if "$$python" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	    >/dev/null 2>&1; then exec "$$python" -m venv --clear $(VENV); fi; \
	done; \
	echo "make: no Python 3.11, 3.12 or 3.13 with venv among: $${PYTHON:-python3 python3.13 python3.12 python3.11 python} (set PYTHON=/path/to/python)" >&2; \
	exit 1

run: setup ## answer the public prompts with the graph constraint off and on
	@$(BIN)/core $(EVAL)

test: setup ## the tests, without the slow ones
	$(PYTEST) -m 'not slow and not oracle'

test-slow: setup $(VENV)/.oracle $(VENV)/.notebooks ## the slow tests, and the comparisons with other implementations
	$(PYTEST) -m 'slow or oracle' || [ $$? -eq 5 ] # 5: there are none

check: setup ## format, lint, types, import contracts, independence of the hash seed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python tests/hashseed_check.py $(EVAL)
	$(BIN)/python tests/hashseed_check.py $(LAB)

format: setup ## format the code and sort the imports
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

snapshots: setup ## accept the public names as they are now
	$(BIN)/python -m pytest -q tests/test_public_api.py --update-snapshots

golden: setup ## record the golden traces anew (a changed one needs a changelog entry)
	$(BIN)/python -m tests.cognition.golden_traces

reference: setup ## make the pages of docs/reference from the code
	$(BIN)/python -m experiments.reference

docs: setup $(VENV)/.docs ## build the documentation into ./site
	$(BIN)/mkdocs build --strict

notebooks: setup $(VENV)/.notebooks ## write each notebook as .ipynb beside its text, and run it
	$(BIN)/jupytext --quiet --to notebook notebooks/*.py
	$(BIN)/python -m pytest --nbmake --overwrite notebooks

clean: ## remove what the other targets made, ./.venv included
	rm -rf $(VENV) build dist site .pytest_cache .ruff_cache .import_linter_cache .hypothesis notebooks/*.ipynb
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
