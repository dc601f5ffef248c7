# memoryd. Python 3.11 or newer, make and git are all that is needed: `make demo`, `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Bytecode is compiled once; a daemon that recompiles at every start is slow.
unexport PYTHONDONTWRITEBYTECODE
STAMP  := $(VENV)/.installed
FAULTS ?= tests/faults
MODEL  ?= 135m
MINUTES ?= 20

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-hosts test-model test-provider check lint types package faults mutants golden release \
  versions sources soak days bench clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

setup: $(STAMP) ## a virtual environment with memoryd and its tools

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "memoryd needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(STAMP) ## a recorded session through the real hook into a temporary daemon; asserts and shows the memory
	@$(BIN)/memoryd demo

test: $(STAMP) ## unit, integration and acceptance tests, as many at once as there are processors
	$(BIN)/pytest -q -n auto --maxprocesses 8 --dist worksteal

test-model: $(STAMP) ## a real local model; MODEL=1.5b downloads 1.1 GB and measures what it remembers
	-@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,test-model]'
ifeq ($(MODEL),135m)
	@MEMORYD_TEST_MODEL="$$($(BIN)/python tests/support/weights.py $(MODEL))" $(BIN)/pytest -q tests/model
else
	@nice -n 10 $(BIN)/python bench/consolidation --agent rules --agent model --model openai:local-$(MODEL) \
	  --gguf "$$($(BIN)/python tests/support/weights.py $(MODEL))"
endif

check: $(STAMP) lint types test package ## the gate: ruff, mypy --strict, tests, package

lint: $(STAMP)
	$(BIN)/ruff check src tests bench examples
	$(BIN)/ruff format --check src tests bench examples

types: $(STAMP)
	$(BIN)/mypy
	$(BIN)/mypy tests
	$(BIN)/mypy bench
	$(BIN)/mypy examples

# Released programs of other makers, pinned; docs/hosts.md and docs/models.md say what was proven with them.
PROGRAMS ?= .programs
HOSTS    ?= claude-code codex gemini qwen copilot opencode
npm-claude-code := @anthropic-ai/claude-code@2.1.332 @anthropic-ai/claude-code-linux-x64@2.1.332
npm-codex       := @openai/codex@0.171.0
npm-gemini      := @google/gemini-cli@0.61.0
npm-qwen        := @qwen-code/qwen-code@0.24.4
npm-copilot     := @github/copilot@1.0.102 @github/copilot-linux-x64@1.0.102
npm-opencode    := opencode-ai@1.18.33 opencode-linux-x64@1.18.33

$(PROGRAMS)/.with-%: Makefile
	npm install --ignore-scripts --no-fund --no-audit --silent --prefix $(PROGRAMS) $(npm-$*)
	@touch $@

test-hosts: $(STAMP) $(HOSTS:%=$(PROGRAMS)/.with-%) ## released hosts with our hooks and as memory agents, against a model on the loopback (npm); HOSTS="codex ..."
	MEMORYD_PROGRAMS="$(abspath $(PROGRAMS))" MEMORYD_HOSTS="$(HOSTS)" \
	  $(BIN)/python tests/support/alone.py $(BIN)/pytest -q -n 2 tests/hosts $(if $(PICK),-k "$(PICK)")

# The reference memory server of the protocol, as the one external memory provider; docs/provider.md names it.
MEMORY_SERVER := @modelcontextprotocol/server-memory@2026.8.31

test-provider: $(STAMP) ## a released MCP memory server as external memory (npm); says why where npm cannot install it
	-@npm install --ignore-scripts --no-fund --no-audit --silent --prefix $(PROGRAMS) $(MEMORY_SERVER)
	MEMORYD_PROGRAMS="$(abspath $(PROGRAMS))" $(BIN)/pytest -q tests/provider

package: $(STAMP)
	$(BIN)/python tests/package.py

faults: $(STAMP) ## kills, power cuts, races, hostile input, and a table of them; MEMORYD_FAULTS=full for the long profile (root: more)
	$(BIN)/pytest -q $(FAULTS) --timeout 7200 -n 2 --dist load

mutants: $(STAMP) ## each guard removed from a copy of the source; a test must notice; ONLY="name name" for some
	$(BIN)/python tests/mutants $(ONLY)

golden: $(STAMP) ## methods, events and databases that peers of other releases rely on: write what was added
	$(BIN)/python tests/golden

release: $(STAMP) ## version, changelog and tag checked; sdist and wheel built twice, run from; lock, SBOM (TRIAL=1: goes on)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,release]'
	$(BIN)/python tests/release.py $(if $(TRIAL),--trial)

versions: $(STAMP) ## the quick part of the suite with each Python that is here and with the oldest dependencies
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,release]'
	$(BIN)/python tests/versions.py

sources: $(STAMP) ## each test that docs/sources.md names is collected and passes; PICK=dreaming for some
	$(BIN)/python tests/sources.py $(PICK)

soak: $(STAMP) ## a day in shape, MINUTES=20 (1440: a day); memory, descriptors, disk and latency against bounds
	-@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,bench]'
	nice -n 10 $(BIN)/python bench/soak --minutes $(MINUTES)

days: $(STAMP) ## sixty days of a simulated user: what a new session knows; SEED=1 PHRASES=file.json EACH=--each
	nice -n 10 $(BIN)/python bench/days --show $(if $(SEED),--seed $(SEED)) $(if $(PHRASES),--phrases $(PHRASES)) $(EACH)

bench: $(STAMP) ## ratios side by side: speed, search, growth, memory agents, defences; PEERS=1: other tools too; see bench/README.md
	-@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python bench/run.py $(if $(PEERS),--peers)

clean: ## remove what make has made
	rm -rf $(VENV) $(PROGRAMS) .peers .versions build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis bench/results
