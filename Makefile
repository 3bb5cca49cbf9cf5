# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.setup
JOBS   ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup test lint types pytest soak serve demo docs bench bench-core bench-peers clean

help:            ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

# Models are kept outside of the folder, for all projects; where they are already, this takes a fifth of a second.
setup: $(STAMP)  ## make .venv with everything for development, and the models it runs
	@test -n "$(AMBIDEX_NO_MODELS)" || $(BIN)/ambidex models install > /dev/null

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=24"
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $(STAMP)

test: setup lint types pytest  ## everything that must hold: ruff, mypy --strict, pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

pytest: setup
	$(BIN)/python -m pytest -n $(JOBS)

soak: setup      ## duplicates, races, kills and random conversations and fuzzed calls at full size: an hour or more
	AMBIDEX_SOAK=1 $(BIN)/python -m pytest tests/soak -v -x --ignore tests/soak/test_fuzz.py
	AMBIDEX_SOAK=1 $(BIN)/python -m pytest tests/soak/test_fuzz.py -v -x -n $(JOBS)

serve: setup     ## the agent with a page, on this machine and without any key
	$(BIN)/ambidex serve

demo: setup      ## build the registry of the shipped tools and show it
	$(BIN)/ambidex build
	$(BIN)/ambidex list
	$(BIN)/ambidex prompt --mode voice

docs: setup      ## write the generated pages of docs/ anew
	$(BIN)/python -m docs.generate

bench: setup     ## measure build, load and memory
	$(BIN)/ambidex bench registry

bench-core: setup ## measure a call through every gate, beside a bare one
	$(BIN)/ambidex bench core

bench-peers: setup ## the same tool through other frameworks; makes an environment for each, some minutes
	$(BIN)/python bench/peers/compare.py --write

clean:           ## remove what was built
	rm -rf $(VENV) .ambidex tool_registry.json dist
