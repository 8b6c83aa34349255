# `make demo` and `make test` need make and Python 3.11 or newer with venv; everything else goes into .venv.
#
#   PYTHON=python3.12     the Python to make .venv from
#   TORCH_INDEX=<url>     the package index to take torch from, for a CUDA or CPU build of it

PYTHON ?= python3
TORCH_INDEX ?=

VENV := .venv
IN_VENV := $(VENV)/bin/python
PIP := $(IN_VENV) -m pip --disable-pip-version-check
CPP := $(wildcard src/regard/engine/source/*.cpp src/regard/engine/source/*.h)
RUN := $(VENV)/.installed-run
DEV := $(VENV)/.installed-dev
LOG := $(VENV)/install.log
TYPES := $(VENV)/types.log
PARTS := $(if $(filter test proof lint types format figures $(DEV),$(MAKECMDGOALS)),3,2)

# Which part it is, its name, what pip gets: pip's words go into a file, whose end is shown if it fails.
define install
@echo "installing $(2) ($(1) of $(PARTS)); this may take minutes: $(LOG) tells more"
@$(PIP) install --no-input -c constraints.txt $(3) >>$(LOG) 2>&1 || { tail -n 20 $(LOG) >&2; \
  echo "$(2) could not be installed: all that pip said is in $(LOG)" >&2; exit 1; }
endef

# Tests start hundreds of commands: what one of them compiled the others read.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo look test proof lint types format bench figures engine wheel wheels clean

help:  ## list these targets
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "make %-8s %s\n", $$1, $$2 }'

demo: $(RUN) engine  ## install, then translate, see why, and write on
	@$(IN_VENV) examples/first_minute.py

look: $(RUN)  ## exact weights of 8,192 words, at a length where nobody keeps them
	@$(IN_VENV) examples/first_look.py

# Browsers, servers and compilers share the processor with all other tests: what fails beside them is named and tried once
# more, alone. What fails again fails.
test: lint types engine  ## everything CI runs: lint, types, tests
	$(IN_VENV) -m pytest -n auto -r fE || { test $$? -eq 1 && echo "failed beside others, once more alone:" >&2 && \
	  $(IN_VENV) -m pytest -v --maxfail 5 --last-failed --last-failed-no-failures none; }

proof: $(DEV) engine  ## the long proofs that `make test` leaves out
	$(IN_VENV) -m pytest -m proof

lint: $(DEV)  ## ruff and clang-format: rules and format
	$(IN_VENV) -m ruff check .
	$(IN_VENV) -m ruff format --check .
	$(VENV)/bin/clang-format --dry-run --Werror $(CPP)

types: $(DEV)  ## pyright, and that every public name says its type
	$(IN_VENV) -m pyright
	@PATH="$(abspath $(VENV))/bin:$$PATH" $(IN_VENV) -m pyright --verifytypes regard --ignoreexternal >$(TYPES) || \
	  { sed -n '/^Symbols used/,$$p' $(TYPES) >&2; exit 1; }
	@grep "completeness" $(TYPES)

format: $(DEV)  ## let ruff and clang-format mend and format the source
	$(IN_VENV) -m ruff format .
	$(IN_VENV) -m ruff check --fix .
	$(VENV)/bin/clang-format -i $(CPP)

bench: $(RUN)  ## measure attention on this machine
	$(IN_VENV) bench/attention.py

# After recipes/ship.py has put another translator in: heads that align, cards, tables, numbers and pictures follow.
figures: $(DEV) engine  ## measure the built-in translators and write cards and pages anew
	$(IN_VENV) recipes/panel.py
	$(IN_VENV) docs/make_figures.py
	$(IN_VENV) docs/pictures.py

# By its path, so that this does not wait for torch. Without a compiler it says so, and PyTorch serves.
engine: $(RUN)  ## build the decoding engine for this machine, once
	@$(IN_VENV) -I src/regard/engine/build.py

wheel: $(RUN)  ## regard-light with the engine for this platform, and regard, in dist
	@$(PIP) install --quiet --no-input -c constraints.txt hatchling
	$(IN_VENV) wheels.py here

wheels: $(RUN)  ## the same for every platform, compiled by zig
	@$(PIP) install --quiet --no-input -c constraints.txt hatchling ziglang
	$(IN_VENV) wheels.py

clean:  ## remove .venv and everything that was built
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# torch goes first and alone, so that TORCH_INDEX decides about torch and nothing else.
$(RUN): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "regard needs Python 3.11 or newer, and '$(PYTHON)' is not: try make PYTHON=python3.12" >&2; exit 1; }
	@$(PIP) --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV)
	@: >$(LOG)
	$(call install,1,torch,$(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) torch)
	$(call install,2,regard,-e .)
	@touch $@

$(DEV): $(RUN)
	$(call install,3,what the tests need,-e '.[dev]')
	@touch $@
