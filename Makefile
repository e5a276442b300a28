# make setup   everything into .venv (the compilers through apt where that may be done), and the LLVM pass
# make demo    lifts examples/*.c to PyTorch and NumPy into demo_out/
# make check   ruff, mypy, and the directions of imports
# make test    make check, the quick share of the tests, and what differs where metalift is installed from its wheel without LLVM
# make test-all  all checks and tests, the suites in full and what `make attack` tries (hours)
# make bench   the suites: what is proved, whether its code agrees, and the times, for each suite and style;
#              then how fast the code is beside its source compiled by gcc (hours)
# make attack  mutants of right summaries and of sources: how many are refuted, and that none is proved for what it does not compute

PYTHON ?= python3
SUITES ?= tutorial blend llama array
PROGRAMS ?= 2000
JOBS ?= $(shell nproc)
MEASURED ?= blend llama array
RESULTS := benchmarks/results
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PASS := llvm-pass/build/.built
PASS_SOURCES := $(shell find llvm-pass -path llvm-pass/build -prune -o -type f -print 2>/dev/null)
EXTRAS := dev,pytorch,jax,mlx,triton,cuda,z3,ray,spark,taco,fuzz
SHELLS := zsh fish
BROWSER := chromedriver:chromium-driver
JAVA := java:default-jre-headless
# What a file makes once for all of its tests is made once where one process runs them all.
PYTEST_ARGS ?= --numprocesses auto --dist loadfile
# Tests start hundreds of processes; each would compile all modules again where bytecode is not kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo check test test-all test-wheel wheel bench attack golden clean tools
.DELETE_ON_ERROR:

setup: $(STAMP) $(PASS)

tools:
	@scripts/system-tools $(PYTHON)

$(STAMP): pyproject.toml constraints.txt | tools
	@echo "setup: $(VENV) with metalift and its extras $(EXTRAS) (a few minutes the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check $(PIP_FLAGS) -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

$(PASS): $(PASS_SOURCES) | tools
	@echo "setup: the LLVM pass in llvm-pass/build"
	@cmake -S llvm-pass -B llvm-pass/build -DCMAKE_BUILD_TYPE=Release -DLLVM_DIR=/usr/lib/llvm-22/lib/cmake/llvm \
	    >llvm-pass/configure.log 2>&1 || { cat llvm-pass/configure.log; rm -f llvm-pass/configure.log; exit 1; }
	@mv llvm-pass/configure.log llvm-pass/build/configure.log
	@cmake --build llvm-pass/build >llvm-pass/build/build.log 2>&1 || { cat llvm-pass/build/build.log; exit 1; }
	@touch $@

# Exit status 1 of a lift (something was not proved) fails the demo.
demo: setup
	@status=0; for file in examples/llama.c examples/blend.c; do \
	    $(BIN)/metalift lift $$file --to pytorch,numpy --out demo_out || status=1; echo; \
	done; exit $$status

# Every check runs; any failure fails the whole.
check: setup
	@status=0; \
	$(BIN)/ruff check --quiet . || status=1; \
	$(BIN)/mypy || status=1; \
	$(BIN)/lint-imports --no-logo || status=1; \
	exit $$status

# Everything runs, pytest last, so that its closing line is the last one; any failure fails the whole. The wheel is made while the
# checks run, each of which takes one core; what they print is not mixed.
test: setup
	@scripts/system-tools $(PYTHON) $(SHELLS) $(BROWSER) $(JAVA)
	@status=0; \
	$(MAKE) --no-print-directory --jobs 2 --keep-going --output-sync=target check wheel || status=1; \
	scripts/test-wheel $(PYTEST_ARGS) || status=1; \
	$(BIN)/pytest $(PYTEST_ARGS) || status=1; \
	exit $$status

test-all:
	@status=0; \
	$(MAKE) --no-print-directory test PYTEST_ARGS="$(PYTEST_ARGS) --full" || status=1; \
	$(BIN)/python -m benchmarks.run --jobs $(JOBS) $(SUITES) || status=1; \
	$(MAKE) --no-print-directory attack || status=1; \
	exit $$status

# The end-to-end tests with nothing but pip: metalift from its wheel, the clang of the ziglang wheel, no LLVM pass.
test-wheel: wheel
	@scripts/test-wheel $(PYTEST_ARGS)

wheel: setup
	@scripts/build-wheel

bench: setup
	@$(BIN)/python -m benchmarks.run --jobs $(JOBS) $(SUITES) nests
	@$(BIN)/metalift batch $(MEASURED:%=benchmarks/%) --to numpy,pytorch,jax --measure --out $(RESULTS) || true
	@$(BIN)/python -m benchmarks.speed $(RESULTS)

# What tries to get something wrong proved, in turn: mutants of summaries, of invariants and of sources of all kernels of the suites,
# mutants of the meanings of operators, random programs that are run beside their sources, mutants of the framework itself, and texts from
# outside that were changed. Each can be run by itself, in parts: see its --help.
attack: setup
	@status=0; \
	$(BIN)/python -m benchmarks.attack $(SUITES) || status=1; \
	$(BIN)/python -m benchmarks.invariants $(SUITES) || status=1; \
	$(BIN)/python -m benchmarks.sources $(SUITES) || status=1; \
	$(BIN)/python -m benchmarks.meanings --mutants 10000 || status=1; \
	$(BIN)/python -m benchmarks.random_programs --count $(PROGRAMS) || status=1; \
	$(BIN)/python -m benchmarks.framework || status=1; \
	$(BIN)/python -m benchmarks.fuzz --count 20000 || status=1; \
	$(BIN)/python -m benchmarks.guided --seconds 60 || status=1; \
	exit $$status

# Writes the golden files of tests/kernels anew; look at the difference before committing it.
golden: setup
	@METALIFT_GOLDEN=write $(BIN)/pytest -q tests/kernels

clean:
	rm -rf $(VENV) .venv-wheel llvm-pass/build demo_out build
