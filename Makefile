# `make demo` and `make test` work on a fresh machine: they create .venv and install what they need, once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt --editable
LEARN := $(VENV)/learn.stamp
DEV := $(VENV)/dev.stamp

.PHONY: demo test test-all lint clean
.NOTPARALLEL:

demo: $(LEARN)
	$(BIN)/python examples/demo.py

test: lint
	$(BIN)/python -m pytest -m "not slow"

test-all: lint
	$(BIN)/python -m pytest

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(LEARN): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) ".[learn]"
	touch $@

# The dev install contains what learning needs.
$(DEV): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) ".[dev]"
	touch $(LEARN) $@
