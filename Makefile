# Every target sets itself up: it needs make and Python 3.11 or newer, nothing else.
#   make run [PORT=8501]   the page        make check   format, lint, types
#   make test [ARGS=...]   every test      make bench   how fast reading, linting and the page are
VENV ?= .venv
PORT ?= 8501
ARGS ?=

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PY := $(VENV)/bin/python
# The newest Python on the machine that is newer than that of VENV: the tests run on both.
NEWER = $(shell at=$$($(PY) -c 'import sys; print(sys.version_info[1])'); for v in 15 14 13 12; do \
	test $$v -gt $$at || exit; for p in python3.$$v $$HOME/.pyenv/versions/3.$$v.*/bin/python; do \
	$$p -c 'import sys, venv; print(sys.executable)' 2>/dev/null && exit; done; done)
INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check

.PHONY: run sandbox test test-newer test-plain check format bench clean
.DELETE_ON_ERROR:

run: $(VENV)/.runs
	$(PY) -m streamlit run app.py --server.port $(PORT)

test: $(VENV)/.tests sandbox test-newer
	$(PY) tests/browser/chromium.py
	$(PY) -m pytest -n auto --maxprocesses 4 --dist loadfile $(ARGS)

# Installs bubblewrap where it can; where commands cannot be walled off, says so and what is then not tested.
sandbox: $(VENV)/.tests
	$(PY) -m tests.sandboxed

# All but the browser tests: what they test on top runs in the browser, on any Python.
test-newer: $(VENV)/.tests
	@newer="$(NEWER)"; if test -n "$$newer"; then \
		$(MAKE) --no-print-directory VENV=$(VENV)-newer PYTHON="$$newer" test-plain; \
	else echo "No Python newer than that of $(VENV) was found: the tests run on that one alone."; fi

test-plain: $(VENV)/.tests
	$(PY) -m pytest -n auto --maxprocesses 4 --dist loadfile --ignore=tests/browser $(ARGS) || test $$? -eq 5

check: $(VENV)/.tests
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy

format: $(VENV)/.tests
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

bench: $(VENV)/.tests
	$(PY) -m benchmarks.reading
	$(PY) -m benchmarks.linting
	$(PY) -m benchmarks.tape
	$(PY) -m benchmarks.usage

clean:
	rm -rf $(VENV) $(VENV)-newer .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	@test -n "$(PYTHON)" || { echo "Tapedeck needs Python 3.11 or newer; none was found. Install one, or say make PYTHON=/path/to/python3."; exit 1; }
	@echo "Setting up $(VENV) with $(PYTHON), once; this takes a minute."
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "Python cannot make a virtual environment; on Debian: apt-get install -y python3-venv"; exit 1; }

$(VENV)/.runs: requirements.txt | $(PY)
	@$(INSTALL) -r requirements.txt
	@touch $@

$(VENV)/.tests: requirements-dev.txt $(VENV)/.runs
	@$(INSTALL) -r requirements-dev.txt
	@touch $@
