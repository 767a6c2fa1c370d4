# dcsbench. `make help` lists the targets.

BUILD   ?= build
CFLAGS  ?= -O2 -g
OBJCOPY ?= objcopy
CUDA    ?= auto
OPENMP  ?= auto
MPI     ?= auto
MPICC   ?= mpicc
VERSION  = 0.1.0
# Before version 1 every minor version may break programs that are linked.
SOVERSION = $(word 1,$(subst ., ,$(VERSION))).$(word 2,$(subst ., ,$(VERSION)))

# ---- what is here ----
# Probed at every call into $(BUILD)/config.mk, after `deps` when that is asked for too; make then starts
# over with what was found.

GOALS := $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out help clean format dist,$(GOALS)),)
ifndef MAKE_RESTARTS
PROBE_NOW := probe-now $(if $(filter deps,$(GOALS)),deps)
endif
include $(BUILD)/config.mk

# NaN must stay NaN and sums keep their order, or wrong maps are accepted; linked with these options a
# program even starts with another arithmetic.
UNSAFE_MATH = -Ofast -ffast-math -funsafe-math-optimizations -ffinite-math-only -fassociative-math \
  -freciprocal-math -ffp-model=fast -ffp-model=aggressive
FOUND_MATH := $(filter $(UNSAFE_MATH),$(CC) $(CFLAGS) $(LDFLAGS))
ifneq ($(FOUND_MATH),)
$(error found $(FOUND_MATH) in CC, CFLAGS or LDFLAGS; expected options that keep IEEE arithmetic: the verifier would accept wrong maps)
endif
endif

CUDA_DIRS = $(CUDA_HOME) $(CUDA_PATH) /usr/local/cuda /usr

# Files that every make writes are written beside and renamed, under a name of the process: two makes may
# run in one build folder.
$(BUILD)/config.mk: $(PROBE_NOW)
	@mkdir -p $(BUILD)
	@export CC="$(CC)" CUDA="$(CUDA)" OPENMP="$(OPENMP)" MPI="$(MPI)" MPICC="$(MPICC)" CUDA_DIRS="$(CUDA_DIRS)"; \
	  if sh tests/probe.sh > $@.$$$$; then mv $@.$$$$ $@; else rm -f $@.$$$$; exit 1; fi

# ---- flags ----

# `make V=1` shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

WARN = -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
BASE_FLAGS = -std=gnu11 -pthread $(WARN) $(CFLAGS) -D_GNU_SOURCE -I. -I$(BUILD) $(if $(filter 1,$(HAVE_OPENMP)),-fopenmp,-Wno-unknown-pragmas)
# For the shared library, and the static one in another's; what is not exported is called as without it.
BASE_FLAGS += -fPIC -fno-semantic-interposition
# The oracle and the generators give the same bits on every machine: no contraction. The CPU kernels may contract
# and ignore errno and traps; nothing but they is compiled so.
HARNESS_FLAGS = -ffp-contract=off $(if $(CUDA_INCLUDE),-DDCS_WITH_CUDA=1 -isystem $(CUDA_INCLUDE))
KERNEL_FLAGS  = -O3 -fno-math-errno -fno-trapping-math
LDLIBS        = $(LIB_CSV) $(LIB_JSON) $(LIB_Z) -ldl -lm

# ---- files ----

KERNEL_SRC  := $(filter-out kernels/common/%,$(wildcard kernels/*.c kernels/*/*.c)) $(wildcard kernels/*/cuda/*.c)
CPU_SRC     := $(wildcard kernels/common/*.c kernels/*/cpu/*.c)
HARNESS_SRC := $(wildcard harness/*/*.c harness/*/*/*.c tuning/*/*.c library/*.c library/*/*.c)
CLI_SRC     := $(wildcard cli/*.c cli/*/*.c)
MPI_SRC     := $(wildcard mpi/*.c)
EMBEDDED    := $(wildcard kernels/*/*.[ch] kernels/*/*/*.[ch] kernels/*/*/*.cu kernels/*/*/*.cuh harness/*/*.cu harness/*/*/*.cu harness/*/*/emulator*.h harness/*/*/prelude.cl labs/*/*.csv labs/*/README.md labs/*/start/* tuning/*/*.in tuning/*/*.html plots/*.gp results/reference/nvidia-h200/env.csv results/reference/nvidia-h200/summary.csv results/reference/nvidia-h200/winners.csv results/reference/nvidia-h200/thresholds.csv results/reference/*/dispatch/dispatch.csv)
TEST_SRC    := $(wildcard tests/test_*.c)
OBJ         := $(patsubst %.c,$(BUILD)/%.o,$(KERNEL_SRC) $(CPU_SRC) $(HARNESS_SRC)) $(BUILD)/embedded.o
CLI_OBJ     := $(patsubst %.c,$(BUILD)/%.o,$(CLI_SRC))
# What a program may call of the library; everything else in it is local.
PUBLIC      := $(shell sed -n 's/^[a-z].*[ *]\(dcs_[a-z_]*\)(.*[)];.*/\1/p' library/dcsbench.h)
TESTS       := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))
BIN         := $(BUILD)/dcsbench
MPI_BIN     := $(if $(filter 1,$(HAVE_MPI)),$(BUILD)/dcsbench-mpi)
# Apart from the static one, or -ldcs would mean it.
SHARED      := $(BUILD)/shared/libdcs.so

.DEFAULT_GOAL := all
.PHONY: all libs probe-now deps study check check-full documented pairs windows library-times check-gpu check-trace browser readers notebook cross reference reference-kinds bench format lint coverage asan ubsan tsan fuzz faults kills mutants install dist help clean

all: libs $(BIN) $(MPI_BIN) $(BUILD)/libdcs.a $(SHARED) $(BUILD)/include/dcsbench.h ## build build/dcsbench, build/libdcs.a and build/shared/libdcs.so

libs:
	@[ "$(HAVE_LIBS)" = 1 ] || { echo "libcsv, jansson and zlib are needed to build: run make deps"; exit 1; }

$(BIN): $(BUILD)/cli/start.o $(BUILD)/internal.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(BASE_FLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The same program as ranks of an MPI job. The wrapper compiles with CC, which Open MPI and MPICH name each its way.
$(BUILD)/dcsbench-mpi: $(patsubst %.c,$(BUILD)/%.o,$(MPI_SRC)) $(BUILD)/internal.a
	$(call say,LINK,$@)
	$(Q)OMPI_CC="$(CC)" MPICH_CC="$(CC)" $(MPICC) $(BASE_FLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Everything below main, for the program and the tests. Objects of several folders share a name: they
# are appended, never replaced.
$(BUILD)/internal.a: $(OBJ) $(filter-out $(BUILD)/cli/start.o,$(CLI_OBJ))
	@rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) qcs $@ $^

# What the library needs of it, as one object whose public functions alone can be linked.
$(BUILD)/dcs.o: $(BUILD)/internal.a
	$(call say,LD,$@)
	$(Q)$(LD) -r -d -o $@ $(addprefix -u ,$(PUBLIC)) $<
	$(Q)$(OBJCOPY) $(addprefix --keep-global-symbol=,$(PUBLIC)) $@

$(BUILD)/libdcs.a: $(BUILD)/dcs.o
	@rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) rcs $@ $<

$(SHARED): $(BUILD)/dcs.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(BASE_FLAGS) $(LDFLAGS) -shared -Wl,-soname,libdcs.so.$(SOVERSION) -Wl,--exclude-libs,ALL \
	  -o $@.$(VERSION) $< $(LIB_CSV) -ldl -lm
	$(Q)ln -sf libdcs.so.$(VERSION) $@.$(SOVERSION)
	$(Q)ln -sf libdcs.so.$(SOVERSION) $@

# What a program that uses the library includes.
$(BUILD)/include/dcsbench.h: library/dcsbench.h
	@mkdir -p $(@D)
	@cp $< $@

$(patsubst %.c,$(BUILD)/%.o,$(CPU_SRC)): $(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE_FLAGS) $(KERNEL_FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/mpi/%.o: mpi/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,MPICC,$<)
	$(Q)OMPI_CC="$(CC)" MPICH_CC="$(CC)" $(MPICC) $(BASE_FLAGS) $(HARNESS_FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.c $(BUILD)/flags | $(BUILD)/version.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE_FLAGS) $(HARNESS_FLAGS) -MMD -MP -c -o $@ $<

-include $(patsubst %.c,$(BUILD)/%.d,$(MPI_SRC)) $(patsubst %.o,%.d,$(OBJ) $(CLI_OBJ)) $(patsubst %,%.d,$(TESTS) $(addprefix $(BUILD)/fuzz_,$(FUZZ)))

# Rewritten only when their text changes, so that what depends on them is built again then and only then.
define write_if_changed
	@mkdir -p $(BUILD)
	@printf '%s\n' $(1) > $@.$$$$; if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
endef

$(BUILD)/flags: FORCE
	$(call write_if_changed,'$(CC) $(BASE_FLAGS) $(HARNESS_FLAGS) $(KERNEL_FLAGS)' '$(LDFLAGS) $(LDLIBS)' '$(MPICC)')

# The commit: in a release, which may lie in the repository of another, what `git archive` wrote.
ARCHIVED  := $(shell cat .archived)
GIT_STATE  = $(if $(findstring Format,$(ARCHIVED)),$(shell git describe --always --dirty 2>/dev/null),$(ARCHIVED))

$(BUILD)/version.h: FORCE
	$(call write_if_changed,'#define DCS_VERSION "$(VERSION)"' \
	  '#define DCS_GIT_STATE "$(GIT_STATE)"' \
	  '#define DCS_COMPILER "$(shell $(CC) --version | head -n 1 | tr -d \"\\\\)"' \
	  '#define DCS_FLAGS "$(CFLAGS) $(KERNEL_FLAGS)"')

FORCE:

# Text files as C arrays: their bytes in hexadecimal.
$(BUILD)/embedded.c: $(EMBEDDED) Makefile
	@mkdir -p $(BUILD)
	@{ echo '#include "harness/base/embedded.h"'; echo '#include <string.h>'; \
	   echo 'static const struct { const char *path, *text; } files[] = {'; \
	   for f in $(EMBEDDED); do \
	     echo "{\"$$f\", (const char[]){"; od -An -v -tx1 $$f | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'; echo '0}},'; \
	   done; echo '};'; \
	   echo 'const char *dcs_embedded(const char *path) {'; \
	   echo '  for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++)'; \
	   echo '    if (strcmp(files[i].path, path) == 0) return files[i].text;'; \
	   echo '  return NULL;'; echo '}'; } > $@.$$$$ && mv $@.$$$$ $@

$(BUILD)/embedded.o: $(BUILD)/embedded.c $(BUILD)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE_FLAGS) -c -o $@ $<

# ---- installing ----

prefix     ?= /usr/local
bindir     ?= $(prefix)/bin
libdir     ?= $(prefix)/lib
includedir ?= $(prefix)/include
datadir    ?= $(prefix)/share
mandir     ?= $(datadir)/man
docdir     ?= $(datadir)/doc/dcsbench
STATIC_LIBS = $(if $(filter 1,$(HAVE_OPENMP)),-fopenmp )$(LIB_CSV) -ldl -lm
CMAKE_DIR   = $(libdir)/cmake/dcsbench
# A template of library/ with what it names, as file $(1).
fill = sed 's|@prefix@|$(prefix)|; s|@libdir@|$(libdir)|; s|@includedir@|$(includedir)|; s|@VERSION@|$(VERSION)|; \
  s|@SOVERSION@|$(SOVERSION)|; s|@STATIC_LIBS@|$(STATIC_LIBS)|; \
  s|@to_include@|$(shell realpath -m --relative-to=$(CMAKE_DIR) $(includedir))|' library/$(1).in > $(BUILD)/$(1)
put = install -D -m $(1) $(2) "$(DESTDIR)$(3)"

install: all ## program, libraries, header, dcsbench.pc, CMake package, man pages, completion and documents into prefix (/usr/local), below DESTDIR
	$(call put,755,$(BIN),$(bindir)/dcsbench)
	$(if $(MPI_BIN),$(call put,755,$(MPI_BIN),$(bindir)/dcsbench-mpi))
	$(call put,644,library/dcsbench.h,$(includedir)/dcsbench.h)
	$(call put,644,$(BUILD)/libdcs.a,$(libdir)/libdcs.a)
	$(call put,755,$(SHARED).$(VERSION),$(libdir)/libdcs.so.$(VERSION))
	ln -sf libdcs.so.$(VERSION) "$(DESTDIR)$(libdir)/libdcs.so.$(SOVERSION)"
	ln -sf libdcs.so.$(SOVERSION) "$(DESTDIR)$(libdir)/libdcs.so"
	@$(call fill,dcsbench.pc)
	$(call put,644,$(BUILD)/dcsbench.pc,$(libdir)/pkgconfig/dcsbench.pc)
	@$(call fill,dcsbench-config.cmake)
	$(call put,644,$(BUILD)/dcsbench-config.cmake,$(CMAKE_DIR)/dcsbench-config.cmake)
	@$(call fill,dcsbench-config-version.cmake)
	$(call put,644,$(BUILD)/dcsbench-config-version.cmake,$(CMAKE_DIR)/dcsbench-config-version.cmake)
	@rm -rf $(BUILD)/man
	sh cli/install/man.sh $(BIN) $(VERSION) $(BUILD)/man
	for page in $(BUILD)/man/*.1; do $(call put,644,"$$page",$(mandir)/man1/$$(basename "$$page")) || exit 1; done
	sh cli/install/completion.sh $(BIN) $(BUILD)/completion
	$(call put,644,$(BUILD)/completion/dcsbench,$(datadir)/bash-completion/completions/dcsbench)
	$(call put,644,$(BUILD)/completion/_dcsbench,$(datadir)/zsh/site-functions/_dcsbench)
	$(call put,644,$(BUILD)/completion/dcsbench.fish,$(datadir)/fish/vendor_completions.d/dcsbench.fish)
	for file in README.md NEWS.md CITATION.cff LICENSE; do $(call put,644,$$file,$(docdir)/$$file) || exit 1; done
	for file in tests/example_map.c library/example.py; do $(call put,644,$$file,$(docdir)/examples/$$(basename $$file)) || exit 1; done

RELEASE = dcsbench-$(VERSION)
dist: ## the last commit as build/dcsbench-VERSION.tar.gz, which builds outside a repository
	@git diff --quiet HEAD || echo "dist: changes that are not committed are left out"
	@mkdir -p $(BUILD)
	@git archive --format=tar.gz --prefix=$(RELEASE)/ -o $(BUILD)/$(RELEASE).tar.gz.$$$$ HEAD && \
	  mv $(BUILD)/$(RELEASE).tar.gz.$$$$ $(BUILD)/$(RELEASE).tar.gz
	@echo $(BUILD)/$(RELEASE).tar.gz

# ---- what a user does ----

deps: ## install what is missing (apt; needs root or sudo)
	@sh tests/deps.sh $(filter check check-full,$(GOALS))

REFERENCE := $(firstword $(wildcard results/reference/*))
STUDY     ?= results/study

study: all ## verify and time every method this machine can run; CSV files, figures and a page in results/study
	$(BIN) sweep --plan results/study.plan.csv --rounds 7 --budget 95 --out $(STUDY) --resume
	$(BIN) crossover $(STUDY) $(if $(REFERENCE),--reference $(REFERENCE))
	$(BIN) plot $(STUDY) $(if $(REFERENCE),--reference $(REFERENCE))
	@echo "The study as a page:"
	@$(BIN) report $(STUDY) --html $(if $(REFERENCE),--reference $(REFERENCE))

bench: all ## measure the rates that are claimed of this program: CPU ladder, best CUDA configurations
	$(BIN) sweep --plan results/bench.plan.csv --rounds 15 --out $(BUILD)/bench --resume
	$(BIN) report $(BUILD)/bench

# A GPU machine may lack libcsv: then a program that was built elsewhere and carried there is used.
BUILT = $(if $(filter 1,$(HAVE_LIBS)),all)

REFERENCE_BOX = --spacing 0.5 --margin 0 --rounds 5 --device cuda:0
reference: $(BUILT) ## on a GPU: measure what results/reference/<card>/ ships, into $(REFERENCE_OUT)
	$(BIN) sweep --plan results/reference.plan.csv --rounds 7 --device cuda:0 --out $(REFERENCE_OUT) --resume
	$(BIN) sweep --plan results/coarsening.plan.csv --rounds 9 --device cuda:0 --out $(REFERENCE_OUT)/coarsening --resume
	$(BIN) sweep --plan results/cutoff.plan.csv --rounds 9 --device cuda:0 --out $(REFERENCE_OUT)/cutoff --resume
	$(BIN) sweep --plan results/within.plan.csv --spacing 0.5 --rounds 10 --device cuda:0 --out $(REFERENCE_OUT)/within --resume
	$(BIN) sweep --plan results/tolerance.plan.csv --spacing 0.5 --rounds 9 --budget 260 --device cuda:0 --out $(REFERENCE_OUT)/tolerance --resume
	$(BIN) sweep --plan results/dispatch.plan.csv --rounds 15 --budget 300 --device cuda:0 --out $(REFERENCE_OUT)/dispatch --resume
	$(BIN) sweep --plan results/random.plan.csv --rounds 15 --budget 240 --device cuda:0 --out $(REFERENCE_OUT)/random --resume
	$(BIN) dispatch $(REFERENCE_OUT)/dispatch --measure --check $(REFERENCE_OUT)/random
	$(BIN) generate water --atoms 160461 --out $(BUILD)/water.pqr
	$(BIN) sweep --plan results/water.plan.csv --input $(BUILD)/water.pqr $(REFERENCE_BOX) --out $(REFERENCE_OUT)/water --resume
	$(BIN) generate droplet --atoms 24000 --out $(BUILD)/droplet.pqr
	$(BIN) sweep --plan results/droplet.plan.csv --input $(BUILD)/droplet.pqr $(REFERENCE_BOX) --out $(REFERENCE_OUT)/droplet --resume
	$(BIN) generate uniform --atoms 147976 --edge 169 --out $(BUILD)/uniform.pqr
	$(BIN) sweep --plan results/density.plan.csv --input $(BUILD)/uniform.pqr --spacing 1 --rounds 15 --device cuda:0 --out $(REFERENCE_OUT)/density --resume
	$(MAKE) reference-kinds
REFERENCE_KINDS = born stencil orbital forces surface
reference-kinds: $(BUILT) ## on a GPU: the part of it that is of these kinds, with their claims
	for kind in $(REFERENCE_KINDS); do \
	  $(BIN) sweep --plan results/$$kind.plan.csv --rounds 15 --budget 35 --device cuda:0 --out $(REFERENCE_OUT)/$$kind --resume && \
	  $(BIN) claims $(REFERENCE_OUT)/$$kind || exit; \
	done
REFERENCE_OUT ?= results/reference-new

# ---- tests ----

# Tests spend their time in what they test: without optimisation they compile in a quarter of the time, and run as fast.
$(BUILD)/tests/%: tests/%.c $(BUILD)/internal.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,TEST,$<)
	$(Q)$(CC) $(BASE_FLAGS) $(HARNESS_FLAGS) -O0 -MMD -MP -MF $@.d -o $@ $< $(BUILD)/internal.a $(LDFLAGS) $(LDLIBS) -lcmocka

check: ## all tests that end within minutes
	$(MAKE) -j$(shell nproc) all $(TESTS) lint cross
	@BUILD=$(BUILD) sh tests/run.sh $(TESTS)
	# The targets take longer to compile than they then run; the injector, which waits much, runs beside them.
	FUZZ_TIMEOUT=60 $(MAKE) -j$(shell nproc) fuzz faults SECONDS=1 FUZZ_LEVEL=-O0 FAULTS="list info generate report compare"

check-full: export DCS_TEST_FULL = 1
check-full: export DCS_TEST_SECONDS = 7200
check-full: check ## check with all trials of the simulations, and the long ones: sanitizers, coverage, fuzzing, faults, clang, no OpenMP, no CUDA headers, a browser, the notebook
	env -u DCS_TEST_FULL $(MAKE) asan ubsan tsan # more trials of a simulation show them nothing
	$(MAKE) coverage
	$(MAKE) fuzz
	$(MAKE) faults
	$(MAKE) kills
	$(MAKE) mutants
	$(MAKE) BUILD=$(BUILD)/clang CC=clang all
	$(MAKE) BUILD=$(BUILD)/plain CUDA=0 OPENMP=0 all
	$(BUILD)/plain/dcsbench verify --variants cpu
	$(MAKE) documented browser readers notebook

documented: all ## run every command of README and tour that measures, and print the time of each
	sh tests/documented.sh

check-gpu: $(BUILT) ## on a GPU: verify every variant, then some under compute-sanitizer
	$(BIN) verify --device cuda:0
	$(BIN) verify --device cuda:0 --variants coulomb --config block_x=16,block_y=16,coarsen=all,read=all,parts=4
	rm -rf $(BUILD)/memory # every mode of memory, a map of more than one slab
	$(BIN) sweep --device cuda:0 --variants gpu --atoms 300 --grid 160x81x43 --scope warm --rounds 1 \
	  --memory pageable,pinned,mapped,managed,managed_prefetch --out $(BUILD)/memory
	compute-sanitizer --target-processes all --error-exitcode 9 $(BIN) verify --device cuda:0 --variants coulomb --config block_x=32,block_y=4,coarsen=1\|7\|16,chunk_atoms=33,parts=4

check-trace: $(BUILT) ## on a GPU with ncu: hold what `trace` counts against the card's counters
	sh tests/trace_ncu.sh $(BIN)

readers: $(BIN) ## maps as other programs read and write them, where Python has these packages
	@BUILD=$(BUILD) sh tests/readers.sh

browser: $(BIN) ## the pages of reports in headless Chromium, where it is installed
	@BUILD=$(BUILD) sh tests/browser.sh

notebook: ## execute labs/notebook.ipynb, where nbclient is installed
	@sh tests/notebook.sh

cross: $(BUILD)/version.h ## compile everything for aarch64, where the portable variants remain
	@if [ -n "$(CROSS_CC)" ]; then \
	  echo $(KERNEL_SRC) $(CPU_SRC) $(HARNESS_SRC) $(CLI_SRC) | \
	    xargs -n 40 $(CROSS_CC) -std=gnu11 $(WARN) -O0 -D_GNU_SOURCE -I. -I$(BUILD) -fopenmp -fsyntax-only || exit 1; \
	  echo "cross: every file compiles for aarch64"; \
	else echo "cross: skipped: no aarch64-linux-gnu-gcc (make deps check installs it)"; fi

# What the emulated device and NVRTC make of a kernel is the same whatever compiled this program: it is compiled once for
# all. What compiles is run where tests have a cache of their own.
asan ubsan tsan: export DCSBENCH_CACHE ?= $(BUILD)/test-cache
asan: export DCS_TEST_SECONDS = 3600
asan: ## the tests under the address sanitizer
	$(MAKE) BUILD=$(BUILD)/asan CFLAGS="-O1 -g -fsanitize=address -fno-omit-frame-pointer" check-unit
ubsan: export DCS_TEST_SECONDS = 3600
ubsan: ## the tests under the undefined-behaviour sanitizer
	$(MAKE) BUILD=$(BUILD)/ubsan CFLAGS="-O1 -g -fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all" check-unit
tsan: export DCS_TEST_SECONDS = 3600
tsan: export TSAN_OPTIONS = ignore_noninstrumented_modules=1
tsan: ## the tests under the thread sanitizer (clang and its OpenMP runtime)
	$(MAKE) BUILD=$(BUILD)/tsan CC=clang CFLAGS="-O1 -g -fsanitize=thread" check-unit

# The tests of what reads and writes files: those that include one of its headers.
COVERED_TESTS = $(shell grep -lE '"harness/(input|output|files)/' tests/test_*.c)
coverage: ## line coverage of readers and writers by their tests (gcov): fails under 95%
	$(MAKE) BUILD=$(BUILD)/coverage CC=gcc CFLAGS="-O0 -g --coverage" coverage-unit

.PHONY: coverage-unit
coverage-unit: $(BIN) $(MPI_BIN) $(patsubst %.c,$(BUILD)/%,$(COVERED_TESTS))
	@BUILD=$(BUILD) sh tests/coverage.sh $(patsubst %.c,$(BUILD)/%,$(COVERED_TESTS))

# clang brings libFuzzer; the program is built with it, for the readers are all over it, but for the rooms
# of which few files read something.
SECONDS ?= 60
NOT_FUZZED = harness/explain harness/labs harness/limits harness/trace harness/verify library \
  tuning/report tuning/scale tuning/study tuning/tuner
FUZZED_TOO = harness/labs/answers harness/labs/lab harness/labs/result library/frames/average \
  library/frames/average_file tuning/scale/job
FUZZ_LEVEL ?= -O2
# Without traces of comparisons, which took a third of the time; those of texts and bytes libFuzzer sees as
# they are made.
FUZZ_COUNTS = inline-8bit-counters,pc-table
FUZZ_FLAGS = $(FUZZ_LEVEL) -g -fsanitize=address,undefined -fno-sanitize-recover=undefined \
  -fsanitize-coverage=$(FUZZ_COUNTS) -fsanitize-coverage-ignorelist=tests/fuzz_uncounted.txt
# Methods are linked with the readers, and none runs.
FUZZ_KERNEL_FLAGS = -O0 -fno-sanitize=all -fno-sanitize-coverage=$(FUZZ_COUNTS)
FUZZ      := $(patsubst tests/fuzz_%.c,%,$(wildcard tests/fuzz_*.c))
fuzz: ## every reader under libFuzzer (clang), SECONDS=60 each
	@if [ "$(HAVE_FUZZER)" = 1 ]; then \
	  $(MAKE) BUILD=$(BUILD)/fuzz CC=clang CFLAGS="$(FUZZ_FLAGS)" KERNEL_FLAGS="$(FUZZ_KERNEL_FLAGS)" OPENMP=0 \
	    $(addprefix $(BUILD)/fuzz/fuzz_,$(FUZZ)) && \
	  sh tests/fuzz.sh $(BUILD)/fuzz $(SECONDS) $(FUZZ); \
	else echo "fuzz: skipped: no clang with libFuzzer here"; fi

$(BUILD)/readers.a: $(filter-out $(foreach room,$(NOT_FUZZED),$(BUILD)/$(room)/%),$(OBJ)) \
  $(patsubst %,$(BUILD)/%.o,$(FUZZED_TOO))
	@rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) qcs $@ $^

$(BUILD)/fuzz_%: tests/fuzz_%.c $(BUILD)/readers.a $(BUILD)/flags
	$(call say,FUZZ,$<)
	$(Q)$(CC) $(BASE_FLAGS) $(HARNESS_FLAGS) -fsanitize=fuzzer -MMD -MP -MF $@.d -o $@ $< $(BUILD)/readers.a $(LDFLAGS) $(LDLIBS)

mutants: $(BIN) ## plant the faults of tests/mutants.txt in a copy of the tree: tests must find each (MUTANTS=PATTERN: those whose heading matches)
	@sh tests/mutants.sh $(BUILD) "$(MUTANTS)"

pairs: $(BIN) ## how often `compare` is wrong: the same build twice, PAIRS=20 times, and one that does 5% more; half an hour on 2 quiet CPUs
	@sh tests/pairs.sh $(BIN) $(BUILD)/pairs

windows: $(BIN) $(BUILD)/tests/test_windows ## record 2,000 rounds of 10 methods, on the CPU and on a GPU, and hold intervals against them
	@sh tests/windows.sh $(BIN) $(BUILD)/windows
	@for f in $(BUILD)/windows/windows_?pu.csv; do DCS_WINDOWS=$$f $(BUILD)/tests/test_windows; done

library-times: $(BUILD)/library_times ## on a GPU: a map by the library, beside its method's time and a plain copy of the map
	@$<

$(BUILD)/library_times: tests/library_times.c $(BUILD)/libdcs.a
	$(Q)$(CC) $(BASE_FLAGS) -Ilibrary -o $@ $< $(BUILD)/libdcs.a $(STATIC_LIBS)

KILLS ?= 300
kills: all $(BUILD)/tests/test_kills $(BUILD)/tests/test_mpi_frames ## KILLS=300 kills at random moments: no row lost, doubled or wrong; and 100 of ranks that compute a mean: the same bits
	BUILD=$(BUILD) DCS_KILLS=$(KILLS) $(BUILD)/tests/test_kills
	@[ "$(HAVE_MPI)" = 1 ] || { echo "kills: no MPI (make deps check installs it): ranks cannot be killed"; exit 1; }
	BUILD=$(BUILD) DCS_TEST_FULL=1 $(BUILD)/tests/test_mpi_frames

faults: $(BIN) $(BUILD)/faults $(BUILD)/fault_inject.so ## the n-th allocation, write, open, ... of cheap commands fails, for every n
	@$(BUILD)/faults $(BIN) $(BUILD)/fault_inject.so $(FAULTS)

$(BUILD)/faults: tests/faults.c tests/fault_commands.h tests/fault_files.h tests/fault_run.h tests/fault_record.h tests/same_words.h $(BUILD)/flags
	$(Q)$(CC) $(BASE_FLAGS) -o $@ $< $(LDFLAGS) -lm

$(BUILD)/fault_inject.so: tests/fault_inject.c tests/fault_record.h $(BUILD)/flags
	$(Q)$(CC) $(BASE_FLAGS) -fPIC -shared -o $@ $< $(LDFLAGS)

.PHONY: check-unit
check-unit: all $(TESTS)
	@BUILD=$(BUILD) sh tests/run.sh $(TESTS)

SOURCES = $(wildcard kernels/*.[ch] kernels/*/*.[ch] kernels/*/*/*.[ch] harness/*/*.[ch] harness/*/*/*.[ch] tuning/*/*.[ch] library/*.[ch] library/*/*.[ch] cli/*.[ch] cli/*/*.[ch] mpi/*.[ch] tests/*.[ch])

format: ## format the C sources
	clang-format -i $(SOURCES)

lint: all ## the checks of the design on the sources, formatting, and clang-tidy where they are installed
	@BUILD=$(BUILD) CC="$(CC)" sh tests/lint.sh $(SOURCES)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14

clean: ## remove build/
	rm -rf $(BUILD)
