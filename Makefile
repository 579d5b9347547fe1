# gotop - build, run, test. `make help` lists the targets.
#
# One static library per layer, so that a test can link decode and layout without a terminal library and a wrong
# call upwards fails at link time. Sources are found by wildcard: a new file needs no line here.
#
#   BUILD=dir   where everything built goes (default build); ./gotop is a copy of the default build's program
#   SAN=1       address and undefined-behaviour sanitizers instead of optimisation and hardening; SAN=thread: for races
#   CC=clang    any C11 compiler
#   V=1         show whole commands

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
TRACE   ?= samples/http-1.26.trace
SIZE    ?= 80x24

# All processors work, unless -j says how many.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

# A library that a layer needs: here, and a line in .ci/setup.
LIBS_DECODE = -lz -lzstd -lm -lpthread
LIBS_LAYOUT =
LIBS_TRIAGE = -ljansson -lprotobuf-c -lsqlite3
LIBS_VIEWER = -lncursesw
LIBS_TEST   = -lcmocka

HARDEN_LD   = -pie -Wl,-z,relro -Wl,-z,now -Wl,--as-needed

# Files and times of 64 bits, on machines of 32, too.
GOTOP_CPPFLAGS = -I. -I$(BUILD) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
GOTOP_CFLAGS   = -std=c11 -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla \
                 -Werror=implicit-function-declaration -fno-omit-frame-pointer
# Times are what Go's reader makes of them only with doubles of 64 bits all along: not by the x87.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
GOTOP_CFLAGS += $(if $(filter i386-% i486-% i586-% i686-%,$(MACHINE)),-msse2 -mfpmath=sse)
ifeq ($(SAN),thread)
CFLAGS ?= -g -O1
GOTOP_CFLAGS += -fsanitize=thread
GOTOP_LDFLAGS = -fsanitize=thread
else ifdef SAN
# -Og takes half the time of -O1 to compile: that is for what the tests ask most ($(HOT)). Each check of the sanitizers is
# data with pointers: at a fixed address nobody relocates megabytes of them whenever a program starts. What watches for uses
# of a stack after return is off while a program runs, so it isn't compiled. A hundred programs are linked: gold, where it
# is, is faster (of what clang adds it warns).
CFLAGS ?= -g1 -Og
HOT = $(if $(filter -Og,$(CFLAGS)),-O1 $(GCC_QUICK))
CLANG = $(findstring clang,$(CC))
GCC_QUICK = $(if $(CLANG),,-fira-region=one)
GOTOP_CFLAGS += -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-pie \
                $(if $(CLANG),,--param asan-use-after-return=0)
GOTOP_LDFLAGS := -fsanitize=address,undefined -no-pie $(if $(CLANG),,$(if $(shell command -v ld.gold),-fuse-ld=gold))
else ifdef COV
# Branches are those of the source: nothing is optimised in what is counted. What the hooks are for they say.
HOOKS = $(BUILD)/tests/coverage/hooks.o
CFLAGS ?= -g -O1
COUNTED = -O0 --coverage -Dalways_inline=unused
GOTOP_LDFLAGS = --coverage -Wl,--wrap=sandbox_enter -Wl,--wrap=_exit -Wl,--wrap=execvp $(HOOKS)
else
# Lines and functions for debuggers; CFLAGS='-g -O2' has variables, too, and takes a seventh longer.
CFLAGS ?= -g1 -O2
GOTOP_CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
GOTOP_CFLAGS += -fstack-protector-strong -fPIE
GOTOP_LDFLAGS = $(HARDEN_LD)
endif

ifdef FUZZING
# What makes an execution slow: comparisons that are traced (the mutator knows the format instead), many and large tables.
GOTOP_CFLAGS += -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp
GOTOP_CPPFLAGS += -DGB_MAX=64 -DLANES_PACK=4u
endif

COMPILE = $(CC) $(GOTOP_CPPFLAGS) $(CPPFLAGS) $(GOTOP_CFLAGS) $(CFLAGS) -MMD -MP
LINK    = $(CC) $(GOTOP_CFLAGS) $(CFLAGS) $(GOTOP_LDFLAGS) $(LDFLAGS)

LAYERS = viewer layout triage decode
objs   = $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard $(1)/*.c $(1)/*/*.c)))
OBJ_decode = $(call objs,decode)
OBJ_triage = $(call objs,triage)
OBJ_layout = $(call objs,layout)
OBJ_viewer = $(filter-out %/viewer/command/main.o,$(call objs,viewer)) \
             $(if $(wildcard keymaps/*.keys),$(BUILD)/keymaps_builtin.o)
# Wire formats: protoc-c makes readers and writers of triage/*/NAME.proto, built into the triage library.
PROTO = $(sort $(wildcard triage/*/*.proto))
PB_C = $(PROTO:%.proto=$(BUILD)/%.pb-c.c)
PB_H = $(PB_C:.c=.h)
OBJ_triage += $(PB_C:.c=.o)
MAIN = $(if $(wildcard viewer/command/main.c),$(BUILD)/viewer/command/main.o)
# In link order: what uses stands before what is used. A layer without sources has no library.
lib  = $(if $(strip $(OBJ_$(1))),$(BUILD)/lib$(1).a)
LIB_ALL  = $(foreach l,$(LAYERS),$(call lib,$(l)))
LIB_PURE = $(foreach l,layout triage decode,$(call lib,$(l)))
LIBS_PURE = $(LIBS_LAYOUT) $(LIBS_TRIAGE) $(LIBS_DECODE)
LIBS_ALL  = $(LIBS_VIEWER) $(LIBS_PURE)

# V=1 shows whole commands.
Q   = $(if $(V),,@)
say = $(if $(V),@:,@echo '  $(1)')

PROGRAM = $(if $(MAIN),$(BUILD)/gotop)

.PHONY: all run check asan fuzz bench install uninstall help clean format screens-accept setup-run setup-check setup-all \
        tests tools default
.DELETE_ON_ERROR:
.SUFFIXES:

default: all

all: $(LIB_ALL) $(PROGRAM) $(if $(MAIN),$(if $(filter build,$(BUILD)),gotop))

$(BUILD)/gotop: $(MAIN) $(LIB_ALL)
	$(call say,LD  $@)
	$(Q)$(LINK) -o $@ $(MAIN) $(LIB_ALL) $(LIBS_ALL)

gotop: build/gotop
	cp -f build/gotop $@.tmp && mv -f $@.tmp $@

define library
$$(BUILD)/lib$(1).a: $$(OBJ_$(1)) $$(BUILD)/sources
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$(OBJ_$(1))
endef
$(foreach l,$(LAYERS),$(eval $(call library,$(l))))

$(BUILD)/%.pb-c.c $(BUILD)/%.pb-c.h: %.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --c_out=$(BUILD) $<
.SECONDARY: $(PB_C) $(PB_H)
$(PB_C:.c=.o): $(BUILD)/%.o: $(BUILD)/%.c $(BUILD)/flags
	$(Q)$(COMPILE) -DNDEBUG -c -o $@ $<

$(BUILD)/%.o: %.c $(BUILD)/flags | $(PB_H)
	@mkdir -p $(@D)
	$(call say,CC  $<)
	$(Q)$(COMPILE) $(LAYER_CFLAGS) $(OWN_CFLAGS) -c -o $@ $<

$(filter $(BUILD)/decode/model/% $(BUILD)/triage/activity/% $(BUILD)/layout/draw/% $(BUILD)/layout/cells/%,$(OBJ_decode) $(OBJ_triage) $(OBJ_layout)): private COMPILE += $(HOT)
# No number changes its value unseen in what reads traces (gcc on 64 bits; clang and narrower machines mean more by these).
$(OBJ_decode): private LAYER_CFLAGS = $(CONVERSION) $(COUNTED)
$(OBJ_triage): private LAYER_CFLAGS = $(COUNTED)
CONVERSION = $(if $(findstring clang,$(CC)),,$(if $(filter x86_64-% aarch64-%,$(MACHINE)),-Wconversion -Wsign-conversion))
# Two fields stored one by one and loaded together as a vector make a processor wait; these loops do little else.
$(BUILD)/decode/v2/v2_order.o $(BUILD)/decode/model/fold.o $(BUILD)/decode/model/fold_stream.o $(BUILD)/decode/model/spans.o: private OWN_CFLAGS = -fno-tree-slp-vectorize
# These want one register more.
$(BUILD)/decode/v1/v1_fast.o $(BUILD)/decode/v1/v1_decode.o $(BUILD)/decode/model/fast_path.o: private OWN_CFLAGS = -fno-tree-slp-vectorize -fomit-frame-pointer
# Which event comes next is foreseen better by a few compares than by one jump.
$(BUILD)/decode/model/fast_path.o: private OWN_CFLAGS += -fno-jump-tables

# Stamps, rewritten only when their text changes: what the compiler is called with (a change rebuilds everything),
# and which sources there are (a deleted one must leave its library).
stamp = mkdir -p $(BUILD); printf '%s\n' '$(subst ','\'',$(1))' > $@.new; \
        if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi
$(BUILD)/flags: FORCE
	@$(call stamp,$(COMPILE) $(LINK))
$(BUILD)/sources: FORCE
	@$(call stamp,$(foreach l,$(LAYERS),$(OBJ_$(l))))
FORCE:
.PHONY: FORCE

# ---- key maps, built in ----------------------------------------------------------------------------------

KEYMAPS = $(sort $(wildcard keymaps/*.keys keymaps/*.palette))
$(BUILD)/keymaps_builtin.c: keymaps/embed.sh $(KEYMAPS) docs/AGENTS.md
	@mkdir -p $(BUILD)
	sh keymaps/embed.sh $(KEYMAPS) docs/AGENTS.md > $@
$(BUILD)/keymaps_builtin.o: $(BUILD)/keymaps_builtin.c
	$(Q)$(COMPILE) -c -o $@ $<

# ---- one file that runs anywhere ---------------------------------------------------------------------------

# $(BUILD)/static/gotop-linux-ARCH needs nothing of the system it runs on: no library, locale, terminfo or /proc. ARCH is
# this machine's, or arm64 with Debian's cross compiler and libraries. It is made of the objects of the ordinary build
# but for those few to which GOTOP_STATIC matters: they stand before the library that has them too.
HOST_ARCH := $(patsubst x86_64,amd64,$(patsubst aarch64,arm64,$(shell uname -m)))
ARCH ?= $(HOST_ARCH)
CROSS_arm64 = aarch64-linux-gnu-
CROSS = $(if $(filter $(HOST_ARCH),$(ARCH)),,$(or $(CROSS_$(ARCH)),$(error make static: no ARCH=$(ARCH))))
STATIC = $(BUILD)/static/gotop-linux-$(ARCH)
SRC_STATIC = $(shell grep -l GOTOP_STATIC viewer/term/*.c triage/sql/*.c)
OBJ_STATIC = $(patsubst %.c,$(BUILD)/static/%.o,$(SRC_STATIC)) $(BUILD)/static/terms_builtin.o
LINK_STATIC = -static-pie -Wl,-z,relro -Wl,-z,now -Wl,--wrap=wcwidth -Wl,--wrap=wcrtomb -Wl,--wrap=dlopen
static: setup-static
	+@$(MAKE) --no-print-directory $(if $(CROSS),BUILD=$(BUILD)/$(ARCH) AR=$(CROSS)ar STRIP=$(CROSS)strip \
	    CC='$(filter ccache,$(CC)) $(CROSS)gcc') static-program
static-program: $(STATIC)
	@ls -l $(STATIC)
STRIP ?= strip
$(STATIC): $(BUILD)/static/gotop
	$(STRIP) -o $@ $<
$(BUILD)/static/gotop: $(MAIN) $(OBJ_STATIC) $(LIB_ALL)
	$(call say,LD  $@)
	$(Q)$(CC) $(GOTOP_CFLAGS) $(CFLAGS) $(LDFLAGS) $(LINK_STATIC) -o $@ $(MAIN) $(OBJ_STATIC) $(LIB_ALL) \
	    -lncursesw -ltinfo $(LIBS_PURE)
$(BUILD)/static/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -DGOTOP_STATIC -c -o $@ $<
$(BUILD)/static/terms_builtin.c: viewer/term/terms.sh
	@mkdir -p $(@D)
	$(Q)sh viewer/term/terms.sh > $@
$(BUILD)/static/terms_builtin.o: $(BUILD)/static/terms_builtin.c $(BUILD)/flags
	$(Q)$(COMPILE) -c -o $@ $<
setup-static:
	@CC='$(CC)' sh .ci/setup build static $(if $(CROSS),$(ARCH))
.PHONY: static static-program setup-static

# ---- tests -------------------------------------------------------------------------------------------------

# tests/support/NAME.c is for all tests; NAME_main.c there is a tool of its own, $(BUILD)/NAME.
OBJ_support = $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_main.c,$(sort $(wildcard tests/support/*.c))))
LIB_SUPPORT = $(if $(OBJ_support),$(BUILD)/libsupport.a)
$(BUILD)/libsupport.a: $(OBJ_support)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(OBJ_support)

TOOLS = $(patsubst tests/support/%_main.c,$(BUILD)/%,$(wildcard tests/support/*_main.c))
$(TOOLS): $(BUILD)/%: $(BUILD)/tests/support/%_main.o $(LIB_SUPPORT) $(LIB_PURE)
	$(call say,LD  $@)
	$(Q)$(LINK) -o $@ $< $(LIB_SUPPORT) $(LIB_PURE) $(LIBS_PURE)
# What tests load before a program (LD_PRELOAD).
PRELOAD = $(patsubst tests/preload/%.c,$(BUILD)/%.so,$(wildcard tests/preload/*.c))
$(PRELOAD): $(BUILD)/%.so: tests/preload/%.c
	@mkdir -p $(@D)
	$(call say,LD  $@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -Wall -Wextra -O1 -fPIC -shared -o $@ $<
tools: corpora $(TOOLS) $(BUILD)/gen-trace $(PRELOAD)

UNIT = $(sort $(wildcard tests/unit/test_*.c))
UNIT_VIEWER = $(wildcard tests/unit/test_viewer*.c tests/unit/test_app*.c tests/unit/test_keymap*.c)
TESTS_VIEWER = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(UNIT_VIEWER))
TESTS_PURE = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(filter-out $(UNIT_VIEWER),$(UNIT)))
tests: $(TESTS_PURE) $(TESTS_VIEWER) corpora
tests-pure: $(TESTS_PURE) corpora

# Recorded traces (with the programs that wrote them) and the fuzzer's inputs are one archive: as files they would be a third of
# a checkout. `make corpora` unpacks it at the top of the tree, `make pack` packs what stands in these places now.
RECORDED = tests/recorded.tar.xz
UNPACKED = tests/.recorded
corpora: $(UNPACKED)
$(UNPACKED): $(RECORDED)
	@if [ -f $@ ]; then xargs rm -f <$@; fi
	$(Q)tar -xJf $< && tar -tJf $< >$@
pack:
	@find samples/old tests/golden tests/fuzz/corpus -type f ! -name '.*' \( -name '*.trace' -o -path 'samples/old/*' \
	    -o -path 'tests/golden/causes/*.go' -o -path 'tests/fuzz/corpus/*' \) | LC_ALL=C sort >$(UNPACKED)
	@tar -cf - --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 -T $(UNPACKED) | xz -9e >$(RECORDED)
	@touch $(UNPACKED); ls -l $(RECORDED)
.PHONY: corpora pack

# No terminal library for these: a call from decode, triage or layout into the viewer fails here.
$(TESTS_PURE): $(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(LIB_SUPPORT) $(LIB_PURE)
	$(call say,LD  $@)
	$(Q)$(LINK) -o $@ $< $(LIB_SUPPORT) $(LIB_PURE) $(LIBS_PURE) $(LIBS_TEST)
$(TESTS_VIEWER): $(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(LIB_SUPPORT) $(LIB_ALL)
	$(call say,LD  $@)
	$(Q)$(LINK) -o $@ $< $(LIB_SUPPORT) $(LIB_ALL) $(LIBS_ALL) $(LIBS_TEST)

# The fuzz entries as plain programs that read files: the corpus replays in `make check`.
FUZZ = $(sort $(wildcard tests/fuzz/fuzz_*.c))
REPLAY = $(patsubst tests/fuzz/%.c,$(BUILD)/tests/replay_%,$(FUZZ))
$(REPLAY): $(BUILD)/tests/replay_%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/replay.o $(BUILD)/tests/fuzz/walk.o \
                                  $(LIB_SUPPORT) $(LIB_ALL)
	$(call say,LD  $@)
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(LIB_SUPPORT) $(LIB_ALL) $(LIBS_ALL)

$(PROGRAM) $(TOOLS) $(TESTS_PURE) $(TESTS_VIEWER) $(REPLAY): | $(HOOKS)

asan:
	+@$(MAKE) --no-print-directory SAN=1 BUILD=$(BUILD)/san all
	@echo "built with sanitizers: $(BUILD)/san/gotop"

# Both builds are made with -k: a test that does not compile is one failure, not the end of all. They are made side by side, so that
# no processor waits for the other's last file.
check: check-plain check-san
	@BUILD=$(BUILD) sh tests/run-all $(UNIT)
check-plain: setup-all
	+@$(MAKE) --no-print-directory -k BUILD=$(BUILD) all tools bench-tools || :
	+@if sh .ci/setup static; then $(MAKE) --no-print-directory BUILD=$(BUILD) static-program || :; fi
check-san: setup-all
	+@$(MAKE) --no-print-directory -k SAN=1 BUILD=$(BUILD)/san all tools tests replay || :
.PHONY: check-plain check-san
# The other machine, run by an emulator: the program in one file, and the units of decode, triage and layout.
check-arm64:
	@sh .ci/setup build test arm64 arm64-test
	+@$(MAKE) --no-print-directory BUILD=$(BUILD) all
	+@$(MAKE) --no-print-directory ARCH=arm64 static
	+@$(MAKE) --no-print-directory BUILD=$(BUILD)/arm64 AR=aarch64-linux-gnu-ar \
	    CC='$(filter ccache,$(CC)) aarch64-linux-gnu-gcc' tests-pure
	@RUN=qemu-aarch64-static STATIC=$(BUILD)/arm64/static/gotop-linux-arm64 sh tests/scripts/static.sh
	@RUN=qemu-aarch64-static sh tests/run-units $(BUILD)/arm64/tests
# Machines of 32 bits, another C library, another compiler: decoder, triage and layout with their units.
check-portability:
	@BUILD=$(BUILD) sh .ci/portability $(ON)
.PHONY: replay check-arm64 check-portability
replay: $(REPLAY) corpora

screens-accept: all corpora
	@BUILD=$(BUILD) sh tests/run-screens --accept
	@BUILD=$(BUILD) sh tests/run-readme --accept

# ---- fuzzing: clang's libFuzzer. FUZZ_TIME is in seconds, per entry ---------------------------------------

FUZZ_TIME ?= 60
FUZZ_RUN = $(patsubst tests/fuzz/%.c,$(BUILD)/run_%,$(FUZZ))
$(FUZZ_RUN): $(BUILD)/run_%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/walk.o $(BUILD)/tests/fuzz/mutate.o $(LIB_SUPPORT) \
                            $(LIB_ALL)
	$(call say,LD  $@)
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(LIB_SUPPORT) $(LIB_ALL) $(LIBS_ALL)
fuzz-build: $(FUZZ_RUN) corpora
fuzz: setup-fuzz
	+@$(MAKE) --no-print-directory CC=clang SAN=1 FUZZING=1 BUILD=$(BUILD)/fuzz fuzz-build
	@for n in $(patsubst tests/fuzz/%.c,%,$(FUZZ)); do \
	    echo "== $$n"; mkdir -p $(BUILD)/fuzz/found_$$n || exit 1; \
	    $(BUILD)/fuzz/run_$$n -max_total_time=$(FUZZ_TIME) -timeout=25 -rss_limit_mb=2048 -max_len=1024 -detect_leaks=0 -entropic=0 \
	        -print_final_stats=1 -verbosity=0 -artifact_prefix=$(BUILD)/fuzz/$$n- $(FUZZ_ARGS) \
	        $(BUILD)/fuzz/found_$$n tests/fuzz/corpus/$$n || exit 1; \
	done
.PHONY: fuzz-build

# ---- races: minutes, so not a part of `make check` ----------------------------------------------------------

tsan:
	+@$(MAKE) --no-print-directory SAN=thread BUILD=$(BUILD)/tsan all tools tests
	@BUILD=$(BUILD)/tsan sh .ci/tsan
.PHONY: tsan

# ---- which branches of decode/ and triage/ the tests take: minutes, so not a part of `make check` -------------------------

coverage: setup-check
	+@$(MAKE) --no-print-directory -k COV=1 BUILD=$(BUILD)/cov all tools tests replay
	@BUILD=$(BUILD)/cov sh .ci/coverage $(UNIT)
.PHONY: coverage

# ---- static analysis: minutes, so not a part of `make check` ------------------------------------------------

analyse: all
	@BUILD=$(BUILD) sh .ci/analyse
.PHONY: analyse

# ---- benchmarks --------------------------------------------------------------------------------------------

BENCH = $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard bench/*.c)))
# What presses keys needs the program.
$(BUILD)/bench/keys: $(BUILD)/bench/keys.o $(LIB_ALL)
	$(call say,LD  $@)
	$(Q)$(LINK) -o $@ $< $(LIB_ALL) $(LIBS_ALL)
$(filter-out $(BUILD)/bench/keys,$(BENCH)): $(BUILD)/bench/%: $(BUILD)/bench/%.o $(LIB_PURE)
	$(call say,LD  $@)
	$(Q)$(LINK) -o $@ $< $(LIB_PURE) $(LIBS_PURE)
# The generator of large traces has a folder of its own.
$(BUILD)/gen-trace: $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard bench/gen/*.c)))
	$(call say,LD  $@)
	$(Q)$(LINK) -o $@ $^
.PHONY: bench-tools
bench-tools: $(BENCH) $(BUILD)/gen-trace
bench: all bench-tools
	@BUILD=$(BUILD) TRACE='$(if $(filter command line environment,$(origin TRACE)),$(TRACE))' sh bench/run

# ---- run, install ------------------------------------------------------------------------------------------

# Without a terminal the first screen is printed as text.
run: setup-run
	+@$(MAKE) --no-print-directory all
	@if [ -t 1 ] && [ -t 0 ]; then exec $(BUILD)/gotop '$(TRACE)'; \
	 else exec $(BUILD)/gotop --headless --size $(SIZE) '$(TRACE)'; fi

setup-run:
	@CC='$(CC)' sh .ci/setup build
setup-check:
	@CC='$(CC)' sh .ci/setup build test
# All in one installation, where there is all; what links statically is missed by nothing else.
setup-all:
	@CC='$(CC)' sh .ci/setup build test static 2>/dev/null || CC='$(CC)' sh .ci/setup build test
setup-fuzz:
	@CC='$(CC)' sh .ci/setup build fuzz
.PHONY: setup-fuzz

# Man pages and completions, from the tables that --help is made of. They ask the program, so it must run here: where it
# is built for another machine, HOST_GOTOP names one that does.
HOST_GOTOP ?= $(BUILD)/gotop
manual: $(BUILD)/manual/stamp
$(BUILD)/manual/stamp: docs/manual.sh docs/gotop.1 triage/options.def viewer/command/commands.def $(HOST_GOTOP)
	@rm -rf $(@D)
	sh docs/manual.sh $(HOST_GOTOP) $(@D)
	@touch $@
.PHONY: manual

bindir = $(PREFIX)/bin
datadir = $(PREFIX)/share/gotop
mandir = $(PREFIX)/share/man/man1
bashdir = $(PREFIX)/share/bash-completion/completions
zshdir = $(PREFIX)/share/zsh/site-functions
fishdir = $(PREFIX)/share/fish/vendor_completions.d
install: all manual
	install -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(datadir)/keymaps' '$(DESTDIR)$(mandir)' '$(DESTDIR)$(bashdir)' \
	    '$(DESTDIR)$(zshdir)' '$(DESTDIR)$(fishdir)'
	install -m 755 $(BUILD)/gotop '$(DESTDIR)$(bindir)/gotop'
	install -m 644 $(KEYMAPS) '$(DESTDIR)$(datadir)/keymaps/'
	install -m 644 docs/*.sql '$(DESTDIR)$(datadir)/'
	install -m 644 $(BUILD)/manual/man1/*.1 '$(DESTDIR)$(mandir)/'
	install -m 644 $(BUILD)/manual/gotop.bash '$(DESTDIR)$(bashdir)/gotop'
	install -m 644 $(BUILD)/manual/_gotop '$(DESTDIR)$(zshdir)/_gotop'
	install -m 644 $(BUILD)/manual/gotop.fish '$(DESTDIR)$(fishdir)/gotop.fish'
uninstall:
	rm -f '$(DESTDIR)$(bindir)/gotop' '$(DESTDIR)$(mandir)'/gotop.1 '$(DESTDIR)$(mandir)'/gotop-*.1
	rm -f '$(DESTDIR)$(bashdir)/gotop' '$(DESTDIR)$(zshdir)/_gotop' '$(DESTDIR)$(fishdir)/gotop.fish'
	rm -rf '$(DESTDIR)$(datadir)'

# ---- tarball, packages -------------------------------------------------------------------------------------

# What is committed, and nothing of the moment it is packed: two runs make the same bytes.
VERSION := $(shell sed -n 's/^\#define GOTOP_VERSION "\(.*\)"/\1/p' viewer/command/cmdline.h)
DIST = $(BUILD)/dist/gotop-$(VERSION).tar.gz
dist:
	@mkdir -p $(BUILD)/dist
	git archive --format=tar --prefix=gotop-$(VERSION)/ HEAD | gzip -9n > $(DIST)
	@ls -l $(DIST)
# packaging/debian becomes the source package's debian/. Its tests have run in `make check`.
deb: dist
	@sh .ci/setup build deb
	rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb
	cp $(DIST) $(BUILD)/deb/gotop_$(VERSION).orig.tar.gz
	tar -xzf $(DIST) -C $(BUILD)/deb && cp -r packaging/debian $(BUILD)/deb/gotop-$(VERSION)/
	cd $(BUILD)/deb/gotop-$(VERSION) && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u CC -u BUILD DEB_BUILD_OPTIONS=nocheck \
	    dpkg-buildpackage -us -uc >../log 2>&1 || { tail -n 20 ../log; exit 1; }
	lintian --fail-on error,warning $(BUILD)/deb/gotop_*.changes
	@ls -l $(BUILD)/deb/*.deb
# What can be checked here of the packages for Alpine, Arch and Fedora.
check-packages: dist
	@sh .ci/packages
.PHONY: dist deb check-packages

format:
	@find decode triage layout viewer bench tests -name '*.[ch]' | xargs clang-format -i

clean:
	rm -rf $(BUILD)
	rm -f gotop

help:
	@echo 'make                    build ./gotop: optimised, hardened'
	@echo 'make run [TRACE=file]   set up, build and open a trace (default: a sample)'
	@echo 'make check              set up, build twice (once with sanitizers), run all tests'
	@echo 'make static             one file that runs anywhere: $(BUILD)/static/gotop-linux-ARCH; ARCH=arm64: for that machine'
	@echo 'make check-arm64        that file, and the units, under an emulator'
	@echo 'make check-portability   the units as programs of 32 bits, with musl, and by clang (ON=i386: that one)'
	@echo 'make asan               build with address and undefined-behaviour sanitizers'
	@echo 'make fuzz               fuzz each entry of tests/fuzz with clang (FUZZ_TIME=60 seconds each)'
	@echo 'make coverage           which lines and branches of decode/ and triage/ the tests take: $(BUILD)/cov/coverage, .missing'
	@echo 'make analyse            static analysis: gcc -fanalyzer, clang-tidy, cppcheck'
	@echo 'make bench              speed, memory and bytes of generated traces, or of TRACE=file; CURVE=1: of more and more'
	@echo 'make screens-accept     write the screens of the tests anew; read the diff'
	@echo 'make manual             man pages and completions, $(BUILD)/manual'
	@echo 'make dist, make deb     a tarball of what is committed; a package of it, and what lintian says'
	@echo 'make install            PREFIX=/usr/local, DESTDIR='
	@echo 'make tools              the trace notation of the tests, $(BUILD)/tracegen, and $(BUILD)/gen-trace'
	@echo 'make format, make clean'
	@echo 'Variables: CC, CFLAGS, LDFLAGS, BUILD=build, SAN=1, SIZE=80x24'

# Builds of another kind stand below this one, each with its own.
OTHER_BUILDS = san cov fuzz arm64 deb portability
-include $(shell find $(BUILD) -name '*.d' -type f $(foreach b,$(OTHER_BUILDS),-not -path '$(BUILD)/$(b)/*') 2>/dev/null)
