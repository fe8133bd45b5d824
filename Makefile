# Two commands do all the set-up: `make run` opens the app, `make test` proves it.
PYTHON ?= python3
PORT ?= 8501
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: words run stills class doctor slides lesson-check handout book cartesian lock digests audit test test-all essential others quick check newest bench debian browser clean

run: .venv/.app
	@{ [ "$(PORT)" -ge 1 ] && [ "$(PORT)" -le 65535 ]; } 2> /dev/null \
	|| { echo "PORT: wanted a whole number from 1 to 65535, got '$(PORT)'"; exit 2; }
	@$(BIN)/python -c 'from importlib.util import find_spec as f; f("transformers") or print("Heads of a real model take one command more: $(BIN)/pip install -r requirements-models.txt")'
	$(BIN)/streamlit run app.py --server.port $(PORT)

# N processes behind nginx on this machine: make class N=4
N ?= 2
CLASS_PORT ?= 8600
class: .venv/.app
	$(BIN)/python deploy/class.py --processes $(N) --port $(CLASS_PORT)

# Whether this machine can serve: settings, pages, a start, and the memory to expect.
doctor: .venv/.app
	$(BIN)/python -m attn_ui.host.doctor

# What hosts install, each package with the hashes of its files on the usual index; for all systems at once.
lock: .venv/.lock
	$(BIN)/uv pip compile requirements.txt --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  --no-emit-package torch --excludes deploy/no-cuda.txt --quiet --upgrade -o build/lock.txt
	{ sed -n '/^#/p' requirements-lock.txt; cat build/lock.txt; } > build/requirements-lock.txt
	mv build/requirements-lock.txt requirements-lock.txt

# Today's digests of the images that containers are made from; docker must reach its hub.
digests:
	@for base in PYTHON=python:3.11-slim NODE=node:22-slim NGINX=nginx:1.28-alpine; do \
	  digest=$$(docker buildx imagetools inspect "$${base#*=}" --format '{{.Manifest.Digest}}') || exit 1; \
	  echo "$$base@$$digest"; done > deploy/bases.tmp && mv deploy/bases.tmp deploy/bases.env && cat deploy/bases.env

# Slides of a list of links: make slides LINKS=docs/lecture.txt FORMAT=pptx (or pdf, png, svg, html) OUT=build/slides
# LANGUAGE=zh for links that name no language of their own; of handouts too. A lesson in lessons/zh_CN is Chinese anyway.
LINKS ?= docs/lecture.txt
FORMAT ?= pptx
OUT ?= build/slides
LANGUAGE =
slides: .venv/.slides
	$(BIN)/python -m attn_ui.export.slides "$(LINKS)" --out "$(OUT)" --format "$(FORMAT)" $(if $(LANGUAGE),--language "$(LANGUAGE)")

# A lesson on paper, with room for answers, and its solutions: make handout LESSON=lessons/FILE.md
HANDOUTS ?= build/handout
handout: .venv/.slides
	$(BIN)/python -m attn_ui.export.handout "$(or $(LESSON),$(error a handout is of a lesson: make handout LESSON=lessons/FILE.md))" \
	  --out "$(HANDOUTS)" $(if $(LANGUAGE),--language "$(LANGUAGE)")

# The book as a site in build/book/html, in every language: make book APP=https://an.app.to.which.figures.lead
# FORMAT=pdf for a PDF of each language instead.
APP ?=
book: .venv/.book
	@test -f build/plotly-js/plotly-cartesian.min.js || { command -v npm > /dev/null && $(MAKE) --no-print-directory cartesian; } \
	|| echo "npm is not installed: figures take all of plotly.js, three times what they need"
	$(BIN)/python -m docs.book.build --app "$(APP)" $(if $(filter pdf,$(FORMAT)),--format pdf)

# The still pictures that stand before the app, by the live figures: of all pages, or PAGE="single-head multi-head".
PAGE ?=
stills: .venv/.dev browser
	$(BIN)/python -m docs.draw_stills $(PAGE)

# What in lessons is not so: make lesson-check, or LESSON=a file or a folder.
lesson-check: .venv/.app
	$(BIN)/python -m attn_ui.lessons.check $(if $(LESSON),"$(LESSON)")

# Messages from the code into catalogues, and catalogues into what the app reads: see CONTRIBUTING.md
words: .venv/.dev
	$(BIN)/python -m locales.words
	$(BIN)/python -m docs.book.words

# A third of plotly.js, of the version that the installed plotly needs: run with ATTENTION_LAB_PLOTLY_JS=build/plotly-js
cartesian: .venv/.app
	mkdir -p build/plotly-js
	rm -f build/plotly.js-cartesian-dist-min-*.tgz # of another version: tar takes one
	cd build && npm pack --silent "plotly.js-cartesian-dist-min@$$(../$(BIN)/python -c 'from plotly.offline import get_plotlyjs_version as v; print(v())')"
	tar -xzf build/plotly.js-cartesian-dist-min-*.tgz -C build/plotly-js --strip-components=1

# What npm brings stands before the tests begin: one of them looks for it.
BY_NPM := $(if $(shell command -v npm 2> /dev/null),node_modules/.check)
# A file of tests is one process's from its first to its last. What fails in a browser is run once more, and is
# called flaky where it passes then. Browsers have processes of their own: their driver's event loop is in the way of others.
PYTEST := $(BIN)/python -m pytest --numprocesses=2 --dist=loadfile --durations=10
BROWSERS := $(PYTEST) --reruns=1 tests/browser
OTHERS := $(PYTEST) -m "not browser"
# The same tests each time, within eight minutes on two cores: of those in a browser the essential ones.
test:
	@$(MAKE) --no-print-directory --jobs=2 browser $(BY_NPM)
	@$(MAKE) --no-print-directory --jobs=3 --output-sync essential others check

essential:
	@$(BROWSERS) -m essential

others:
	@$(OTHERS)

# Every test in every form, every lesson, and the book in both languages: some hours.
test-all: .venv/.dev browser $(BY_NPM)
	$(MAKE) --no-print-directory check lesson-check book
	$(OTHERS) --wide
	$(BROWSERS) --wide

# What a minute can prove: lint, and the tests of mathematics and figures; LAYER=tests/app/test_pin.py for others.
LAYER ?= attn_core attn_figures attn_live attn_words tests/core tests/figures tests/house
quick: .venv/.dev
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/python -m pytest --quiet --exitfirst --numprocesses=2 $(LAYER)

check: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy attn_core attn_figures attn_live attn_ui attn_words docs/book locales pages programs/writing.py benchmarks tests app.py
	$(BIN)/lint-imports
	$(BIN)/pip-licenses --partial-match --from=mixed --fail-on="GPL;GNU General;Proprietary" \
	  --ignore-packages docutils > /dev/null # in the public domain, but for an Emacs mode that it does not install
	@if [ -n "$(BY_NPM)" ]; \
	then $(MAKE) --no-print-directory $(BY_NPM) && npm run --silent check; \
	else echo "JavaScript is not checked: that takes npm (Node 20 or newer). The app itself does not need it."; fi

# Whether the newest Streamlit, Plotly, torch and numpy serve: in .venv-newest, with some of the tests.
newest:
	$(PYTHON) -m venv .venv-newest
	.venv-newest/bin/python deploy/newest.py

# Known weaknesses of what is installed, by the package index, which must be reached.
audit: .venv/.dev
	$(BIN)/pip-audit

# No lock file: both tools are pinned, and need nothing but their own binaries of the same version.
node_modules/.check: package.json
	npm install --silent --no-package-lock --no-audit --no-fund
	@touch $@

# What a site of figures costs takes some ten minutes more: python -m benchmarks.book
bench: .venv/.bench browser
	$(BIN)/python -m benchmarks.core
	$(BIN)/python -m benchmarks.pages
	$(BIN)/python -m benchmarks.heavy_links
	$(BIN)/python -m benchmarks.sentence
	$(BIN)/python -m benchmarks.interaction

# The tests drive real browsers: the system's, Debian's, or Playwright's own Chromium.
DEBIAN := chromium nginx-light firefox-esr webkit2gtk-driver xvfb xauth fonts-noto-cjk
debian:
	@! command -v apt-get > /dev/null || [ "$$(id -u)" != 0 ] || dpkg --status $(DEBIAN) > /dev/null 2>&1 \
	|| { apt-get update -qq && apt-get install -y -qq --no-install-recommends $(DEBIAN) > /dev/null; }

browser: debian .venv/.dev
	@command -v chromium > /dev/null || $(BIN)/python -m playwright install --with-deps chromium
	@command -v nginx > /dev/null || echo "nginx is not installed: the tests of a class behind it are skipped"
	@command -v firefox-esr > /dev/null || command -v firefox > /dev/null \
	|| echo "Firefox is not installed: the tests in it are skipped"
	@command -v WebKitWebDriver > /dev/null && command -v Xvfb > /dev/null \
	|| echo "WebKitGTK's driver is not installed: the tests in Safari's engine are skipped"
	@{ command -v fc-list > /dev/null && fc-list :lang=zh | grep -q .; } \
	|| echo "No font with Chinese letters is installed (Debian: fonts-noto-cjk): pictures in Chinese show boxes, and slides and handouts in Chinese are not made"

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv .venv

# Little of what is installed is ever imported, and Python compiles that itself.
.venv/.app: .venv/bin/python requirements.txt deploy/install.py
	$(BIN)/python deploy/install.py --pip --no-compile
	@touch $@

.venv/.lock: .venv/.app
	@mkdir -p build
	$(PIP) uv==0.13.9
	@touch $@

.venv/.slides: .venv/.app requirements-slides.txt
	$(PIP) -r requirements-slides.txt
	@touch $@

.venv/.book: .venv/.slides requirements-book.txt requirements-notebook.txt
	$(PIP) -r requirements-book.txt -r requirements-notebook.txt # the programs in its pages are run
	@touch $@

.venv/.dev: .venv/.app requirements-models.txt requirements-dev.txt requirements-book.txt requirements-notebook.txt requirements-slides.txt requirements-tests.txt
	$(PIP) -r requirements-dev.txt
	$(PIP) -r requirements-models.txt
	@touch $@

.venv/.bench: .venv/.dev requirements-bench.txt
	$(PIP) -r requirements-bench.txt
	@touch $@

clean:
	rm -rf .venv node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
