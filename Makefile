# Two commands do everything on a fresh machine: `make serve` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.setup
CLIENT := tests/server/ui_client
JOBS   ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup models chromium client test lint types pytest soak serve demo docs screenshot bench bench-core bench-serve bench-peers clean

help:            ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: models chromium client  ## make .venv with everything for development, the models it runs, a browser and a client for the tests

# Models are kept outside of the folder, for all projects; where they are already, this takes a fifth of a second.
models: $(STAMP)
	@test -n "$(AMBIDEX_NO_MODELS)" || $(BIN)/ambidex models install > /dev/null

# Only the tests of the page want it; nothing is downloaded where it is there already.
chromium:
	@test -n "$(AMBIDEX_NO_BROWSER)" || sh tests/browser/provision.sh

# The package `ai`, which the tests of the chat stream read it with; without npm those tests fail and say so.
client: $(CLIENT)/node_modules/.package-lock.json

$(CLIENT)/node_modules/.package-lock.json: $(CLIENT)/package-lock.json
	@if command -v npm > /dev/null; then cd $(CLIENT) && npm ci --silent --no-audit --no-fund; fi

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
	AMBIDEX_SOAK=1 $(BIN)/python -m pytest -n $(JOBS) $$(grep -rl "support.soak import" tests --include="test_*.py" | grep -v tests/soak/)

serve: models    ## the agent with a page, on this machine and without any key
	$(BIN)/ambidex serve

demo: setup      ## build the registry of the shipped tools and show it
	$(BIN)/ambidex build
	$(BIN)/ambidex list
	$(BIN)/ambidex prompt --mode voice

docs: setup      ## write the generated pages of docs/ anew
	$(BIN)/python -m docs.generate

screenshot: setup ## take docs/images/page.png anew
	$(BIN)/python -m tests.browser.shot

bench: setup     ## measure build, load and memory
	$(BIN)/ambidex bench registry

bench-core: setup ## measure a call through every gate, beside a bare one
	$(BIN)/ambidex bench core

bench-serve: setup ## measure turns over HTTP, beside the same server's /healthz
	$(BIN)/ambidex bench serve

bench-peers: setup ## the same tool through other frameworks; makes an environment for each, some minutes
	$(BIN)/python bench/peers/compare.py --write

clean:           ## remove what was built
	rm -rf $(VENV) .ambidex tool_registry.json dist
