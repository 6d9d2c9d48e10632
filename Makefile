# Everything this project does, as targets. `make` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/sh
GO ?= go
OPA = $(GO) tool opa
# The race detector needs a C compiler; without one the tests run without it.
RACE := $(shell command -v $${CC:-gcc} >/dev/null 2>&1 && echo -race)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Where make demo serves, if something else listens there.
LISTEN ?= 127.0.0.1:8181

.PHONY: demo
demo: demo-decide ## decide the sample calls, then serve a policy to play with
	@[ -d build/demo/policy ] || build/gavel init build/demo/policy >/dev/null
	@build/gavel serve --policy build/demo/policy --state build/demo/state --listen $(LISTEN)

.PHONY: demo-decide
demo-decide:
	@[ -x build/gavel ] || echo 'building build/gavel: the first time takes a minute or two'
	@$(GO) build -o build/gavel ./cmd/gavel
	@build/gavel decide --output text testdata/calls.jsonl || [ $$? -ge 2 ]

.PHONY: build
build: ## build/gavel, gavel-hook and gavel-run, static as they are released
	@mkdir -p build/linked
	CGO_ENABLED=0 $(GO) build -o build/linked/ ./cmd/gavel ./cmd/gavel-hook ./cmd/gavel-run
	@# The kernel maps what a linker has written page by page; a copy starts a millisecond earlier.
	install -m 755 build/linked/gavel build/linked/gavel-hook build/linked/gavel-run build/
	ln -sf gavel-run build/gavel-shell

# A collector that runs less often halves the work of compiling policies; a test process
# then takes up to a gigabyte. Files that tests write must be safe from other users, as Gavel wants its
# files: a umask of 002, usual for people on Ubuntu, would open them to a group.
TESTED = GOGC=400 sh -c 'umask 022; exec $(GO) "$$@"' go

# The time limit of a package's tests is for those that hang: go test's own, ten minutes, is too short
# for cmd/gavel on a slow or busy machine, and ends every command that its scripts run then.
PATIENTLY = -timeout 30m

# Some tests need what not every machine has: files of another user, which only root can make, or
# python3. make check reads them for everybody.
PYTHON := $(shell command -v python3 2>/dev/null)
TAGS := -tags "$(if $(filter 0,$(shell id -u)),root),$(if $(PYTHON),python3)"

# Runs targets one after the other, and says before each how long all have taken so far.
define parts
	@begun=$$(date +%s); for part in $(1); do \
		echo "== $$part, after $$(( $$(date +%s) - begun )) s"; \
		$(MAKE) --no-print-directory $$part || exit 1; \
	done; echo "== $@ passed in $$(( $$(date +%s) - begun )) s"
endef

.PHONY: test
test: ## every test in four minutes: Rego, Go, command line, HTTP
	$(call parts,test-rego test-go test-bench)

# AFTER=test leaves out what make test has just run.
.PHONY: test-all
test-all: ## make test, full enumerations, the race detector; ten minutes more
	$(call parts,$(if $(filter test,$(AFTER)),,test) test-rego-long test-go-long test-race)

# make check vets; go test would do so again, for every package that the tests are built of.
# -w leaves out what only a debugger reads: linking the test programs takes a quarter less.
.PHONY: test-go
test-go: ## the Go tests, with some of each long enumeration
	$(if $(PYTHON),,@echo 'python3 is not installed, left out: tests that run programs in Python')
	$(TESTED) test -vet=off -ldflags=-w $(PATIENTLY) $(TAGS) ./...

# What GAVEL_TEST=all makes longer: lists that are taken whole, and corpora that topdown decides, too.
LONG = EveryRefusalHasAChange|RulesThatReadMore|ExplainingChangesNoDecision|AllowedCommandsRunNothingElse|NoAttack|NoWrapper|EveryPack|Starter|Everyday|Reference|Spellings|Weakness

.PHONY: test-go-long
test-go-long: ## the Go tests that enumerate, with everything
	GAVEL_TEST=all $(TESTED) test -vet=off $(PATIENTLY) ./cmd/gavel ./tools/soundness -run '$(LONG)'

# Compiling a policy takes ten times as long with the race detector, and one goroutine
# does it; of the packages that compile many, the tests run with it that share something.
# Tests that kill servers run without it: the servers are processes of their own, and with
# it every call takes so long that they make its credential rest.
AT_ONCE = Reload|UnderLoad|WhileThePolicyChanges|WithoutARestart|Local|OverHTTP|TwoApprovers|ReachWatchers|JSONLines|ServeAnswers|ServeWrites|AtOnce

.PHONY: test-race
test-race: ## the concurrency tests with the race detector, if there is a C compiler
	[ -z "$(RACE)" ] || $(TESTED) test -vet=off $(PATIENTLY) $(TAGS) $(RACE) . ./approvals/... ./credentials/... ./runner/sessions ./runner/service ./server/... ./decisionlog ./grant ./internal/watch ./internal/strictjson
	[ -z "$(RACE)" ] || $(TESTED) test -vet=off $(PATIENTLY) $(RACE) ./bundles ./analyzer ./cmd/gavel -run '$(AT_ONCE)'

# The Go client and its cases are part of make test. npm gets the TypeScript compiler. Runtimes that
# are not installed are skipped, and the output says so.
.PHONY: test-clients
test-clients: ## the clients and plugins in TypeScript and Python, against a real server
	$(GO) run ./tools/clientcheck

# Two gigabytes of hosts from npm below build/hosts, with a scripted model; a quarter of an hour. HOSTS and
# CELLS name some, separated by commas.
.PHONY: hosts
hosts: ## real hosts: does what Gavel refuses run? Writes docs/hosts/measured.md
	$(GO) run ./tools/hostcheck -hosts "$(HOSTS)" -cells "$(CELLS)" $(if $(HOSTS)$(CELLS),,-page docs/hosts/measured.md)

# Hosts that npm cannot install are skipped, and the output says why.
.PHONY: hosts-short
hosts-short: ## the most important part of make hosts; two minutes, 1.5 GB
	$(GO) run ./tools/hostcheck -short

HOOKS ?= 10000

.PHONY: hooks-load
hooks-load: ## HOOKS hooks (10000), 40 at once: does each get its own reply, how fast
	$(GO) run ./tools/hookload -n $(HOOKS)

.PHONY: run-races
run-races: ## 10,000 runs while another process swaps what runs; ten minutes
	GAVEL_RACES=1000 $(TESTED) test -vet=off ./runner -run ReplacingAFile -timeout 30m -v

# The benchmarks are a module of their own: what they compare with is not a dependency.
.PHONY: test-bench
test-bench: ## the tests of the benchmarks in bench/
	cd bench && $(TESTED) test -vet=off $(PATIENTLY) ./...

.PHONY: test-rego
test-rego: ## the Rego tests, but for the exhaustive ones
	$(TESTED) run ./tools/regotest -ignore exhaustive_test.rego rego

.PHONY: test-rego-long
test-rego-long: ## the exhaustive Rego tests, and all others with topdown
	$(TESTED) run ./tools/regotest -timeout 20m -run 'of_any_sample|removing_everywhere' rego
	$(TESTED) run ./tools/regotest -topdown -ignore exhaustive_test.rego rego
	$(OPA) test -b rego --timeout 120s --run 'gavel\.tools_test'

.PHONY: check
check: check-go check-rego lint-rego ## formatting, vetting, strict Rego, conventions, Regal

.PHONY: check-go
check-go:
	@test -z "$$(gofmt -l .)" || { echo "not formatted, run make fmt:"; gofmt -l .; exit 1; }
	$(GO) vet -tags root,python3 ./...
	cd bench && $(GO) vet ./...
	$(GO) mod verify >/dev/null
	$(GO) mod tidy -diff

# With cksum, because a machine with nothing but Go and make may have no cmp.
.PHONY: check-rego
check-rego:
	@test -z "$$($(OPA) fmt -l rego)" || { echo "not formatted, run make fmt:"; $(OPA) fmt -l rego; exit 1; }
	$(OPA) check -b --strict --schema rego/schema rego
	@echo 'conventions (rego/checks)'; found=$$($(OPA) inspect -a -f json rego | $(OPA) eval -b rego -I --format pretty --fail-defined 'data.checks.conventions.violation[_]') || { echo "$$found"; exit 1; }
	@[ "$$(cksum < rego/schema/config.json)" = "$$(cksum < rego/gavel/config/schema/data.json)" ] || { echo "run make generate"; exit 1; }
	@$(GO) test ./analyzer/programs
	@[ "$$($(GO) run ./tools/catalogview view rego | cksum)" = "$$(cksum < rego/gavel/catalog/programs/data.json)" ] || { echo "run make generate"; exit 1; }
	@[ "$$($(GO) run ./tools/catalogview entries rego | cksum)" = "$$(cksum < rego/gavel/catalog/programs/entries.jsonl)" ] || { echo "run make generate"; exit 1; }

.PHONY: generate
generate: ## write the generated files: facts, schemas, the catalog for Rego, docs/
	@mkdir -p build
	$(GO) run ./tools/factgen .
	cp rego/schema/config.json rego/gavel/config/schema/data.json
	$(GO) run ./tools/catalogview view rego > build/catalog.json && mv build/catalog.json rego/gavel/catalog/programs/data.json
	$(GO) run ./tools/catalogview entries rego > build/entries.jsonl && mv build/entries.jsonl rego/gavel/catalog/programs/entries.jsonl
	$(GO) run ./tools/docs docs

.PHONY: fmt
fmt: ## format Go and Rego
	gofmt -w .
	$(OPA) fmt -w rego

.PHONY: lint
lint: ## golangci-lint, which is built on first use
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.5.0 run --build-tags root,python3 ./...

# The Go module proxy does not serve Regal's module, so that a machine with nothing but Go and
# make cannot build it. make check runs it where it is installed, and says when it is not.
# Releases and source: https://github.com/open-policy-agent/regal
REGAL ?= regal

.PHONY: lint-rego
lint-rego: ## Regal with .regal/config.yaml, if it is installed; REGAL=PATH says where it is
	@if command -v $(REGAL) >/dev/null; then $(REGAL) lint rego; \
	else echo "regal is not installed, left out: get a release from https://github.com/open-policy-agent/regal"; fi

# EVALUATIONS (1000000) in generated modules, MUTATIONS (100000) in this policy with changed facts.
.PHONY: fuzz-evaluator
fuzz-evaluator: ## compare the compiled evaluator with OPA's topdown, a million times
	$(GO) test ./internal/regoir -run Generated -v -timeout 6h -args -evaluations $${EVALUATIONS:-1000000} -inputs 400 -seed $${SEED:-1}
	$(GO) test ./bundles -run ChangedFacts -v -timeout 6h -args -mutations $${MUTATIONS:-100000} -mutation-seed $${SEED:-1}

.PHONY: faults
faults: ## plant faults in the compiled evaluator: do tests find each? Ten minutes
	$(GO) run ./tools/faults internal/regoir

.PHONY: fuzz
fuzz: ## fuzz every parser and reader, FUZZTIME each (20s)
	@for target in analyzer:FuzzAnalyze analyzer/host:FuzzPathsLeadWhereTheKernelLeadsThem analyzer/web:FuzzReading bundles/config:FuzzRead internal/strictjson:FuzzDecodeCall hook:FuzzRun \
		credentials/wire:FuzzReadFrame credentials/wire:FuzzParseControl credentials/wire:FuzzParseRequest credentials/wrappers:FuzzParse credentials/redact:FuzzRedactor credentials/redact:FuzzRule runner/service:FuzzReadLine; do \
		$(GO) test ./$${target%%:*} -run '^$$' -fuzz "^$${target##*:}$$" -fuzztime $${FUZZTIME:-20s} || exit 1; done

# The soundness check of docs/security.md: N commands from SEED, 200,000 in the long run.
N ?= 2000
SEED ?= 1
SHELLS = bash dash zsh mksh busybox

.PHONY: soundness
soundness: soundness-tools ## run allowed commands in real shells: N commands (2000) from SEED (1)
	$(GO) run ./tools/soundness -n $(N) -seed $(SEED)

# First with what gavel run makes of the texts (programs run from copies, in bash), then with the program.
.PHONY: soundness-runner
soundness-runner: soundness-tools ## the same through gavel run
	$(GO) run ./tools/soundness -n $(N) -seed $(SEED) -shells bash -runner
	@mkdir -p build
	$(GO) build -o build/gavel-sound ./cmd/gavel
	$(GO) run ./tools/soundness -n $(N) -seed $(SEED) -shells bash -gavel $(CURDIR)/build/gavel-sound

.PHONY: soundness-long
soundness-long: soundness-tools ## the same with 200,000 commands; an hour
	$(GO) run ./tools/soundness -n $(if $(filter file,$(origin N)),200000,$(N)) -seed $(SEED)

# Skips shells that cannot be installed; the check prints which shells it used.
.PHONY: soundness-tools
soundness-tools: ## install the shells that soundness runs, if apt-get can
	@missing=; for shell in $(SHELLS); do command -v $$shell >/dev/null 2>&1 || missing="$$missing $$shell"; done; \
	[ -n "$$missing" ] || exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		options="-o Acquire::Retries=1 -o Acquire::http::Timeout=20"; \
		{ apt-get $$options update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get $$options install -y -qq --no-install-recommends $$missing; } >/dev/null 2>&1 || true; \
	fi; \
	for shell in $$missing; do command -v $$shell >/dev/null 2>&1 || echo "not installed, left out: $$shell"; done

# The duration of the soak test. Growth is measured after a third of it.
FOR ?= 10m

.PHONY: soak
soak: ## serve clients, policy changes and people at once for FOR (10m); nothing may grow
	$(GO) run ./tools/soak -for $(FOR)

.PHONY: soak-verified
soak-verified: ## what calls that wait for a verifier cost other calls
	$(GO) run ./tools/soak -verified -for 90s

.PHONY: soak-short
soak-short: ## the same for 30 seconds
	$(GO) run ./tools/soak -for 30s

# Figures depend on the machine and on what else it does; ratios of one run hold.
.PHONY: bench
bench: ## Gavel beside OPA, cedar-go and an echo; six minutes
	cd bench && $(GO) run . $(BENCHFLAGS)

.PHONY: bench-check
bench-check: ## the same, and fail if a ratio is worse than in bench/bounds.json
	cd bench && $(GO) run . -check $(BENCHFLAGS)

.PHONY: bench-matrix
bench-matrix: ## policies of every size, log, socket, reloads; twenty minutes
	cd bench && $(GO) run . -matrix $(BENCHFLAGS)

BENCHED = ./analyzer ./bundles ./cmd/gavel ./decisionlog ./internal/strictjson ./server
COUNT ?= 6
GOBENCH = $(GO) test $(BENCHED) -run '^$$' -bench . -benchmem -benchtime 0.2s -count $(COUNT)

.PHONY: bench-go
bench-go: ## the Go benchmarks, COUNT times (6), compared with bench/baseline.txt
	@[ -f bench/baseline.txt ] || { echo "there is no bench/baseline.txt to compare with: run make bench-baseline on this machine, before the change"; exit 1; }
	@mkdir -p build
	$(GOBENCH) > build/bench.txt || { cat build/bench.txt; exit 1; }
	cd bench && $(GO) tool benchstat baseline.txt ../build/bench.txt

.PHONY: bench-baseline
bench-baseline: ## write bench/baseline.txt, what make bench-go compares with
	@mkdir -p build
	$(GOBENCH) > build/baseline.txt || { cat build/baseline.txt; exit 1; }
	mv build/baseline.txt bench/baseline.txt

# What is not installed is left out, and named.
CHECKED ?= git find xargs grep sed awk tar curl jq rsync ssh scp rg fd fdfind make node npm python3 go busybox \
	gh docker kubectl terraform cargo pip shellcheck ps free pgrep hostname column hexdump cmp diff env nice timeout \
	cat ls dir df du cp mv rm ln chmod chown touch mkdir rmdir readlink realpath mktemp pathchk truncate \
	head tail tac nl od fold fmt paste join comm expand unexpand sort uniq wc cut tr tee stat split pr seq date \
	basename dirname cksum sum md5sum sha1sum sha256sum sha512sum b2sum numfmt factor tsort \
	id whoami who users logname groups uname uptime nproc tty printenv lscpu pinky hostid
.PHONY: programs-check
programs-check: ## compare the catalog with the programs of this machine, CHECKED
	$(GO) run ./tools/programcheck rego $(CHECKED)

# DESTDIR is for packages.
PREFIX ?= /usr/local

.PHONY: install
install: build ## binaries, manual pages and completions below PREFIX (/usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 build/gavel build/gavel-hook build/gavel-run $(DESTDIR)$(PREFIX)/bin/
	ln -sf gavel-run $(DESTDIR)$(PREFIX)/bin/gavel-shell
	build/gavel manual $(DESTDIR)$(PREFIX)/share/man/man1
	build/gavel completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/gavel
	build/gavel completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_gavel
	build/gavel completion fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/gavel.fish

PLATFORMS ?= linux_amd64 linux_arm64 darwin_amd64 darwin_arm64
STATIC = CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w'

.PHONY: dist
dist: build ## build/dist: an archive for each of PLATFORMS, with SBOM and checksums
	rm -rf build/dist && mkdir -p build/dist
	@for platform in $(PLATFORMS); do \
		dir=build/dist/gavel_$$platform; echo "$$dir.tar.gz"; mkdir -p $$dir/completions && \
		GOOS=$${platform%_*} GOARCH=$${platform#*_} $(STATIC) -o $$dir/gavel ./cmd/gavel && \
		GOOS=$${platform%_*} GOARCH=$${platform#*_} $(STATIC) -o $$dir/ ./cmd/gavel-hook ./cmd/gavel-run && ln -s gavel-run $$dir/gavel-shell && \
		$(GO) run ./tools/sbom $$dir/gavel > $$dir/sbom.cdx.json && cp $$dir/sbom.cdx.json build/dist/gavel_$$platform.cdx.json && \
		build/gavel manual $$dir/man/man1 && \
		for shell in bash zsh fish; do build/gavel completion $$shell > $$dir/completions/gavel.$$shell || exit 1; done && \
		cp -r LICENSE README.md CHANGELOG.md docs packaging $$dir/ && \
		tar -C build/dist -czf $$dir.tar.gz gavel_$$platform && rm -rf $$dir || exit 1; \
	done
	cd build/dist && sha256sum gavel_* > SHA256SUMS

DOCKER ?= docker
IMAGE ?= gavel:latest
ARCH ?= $(shell $(GO) env GOARCH)
CERTIFICATES ?= /etc/ssl/certs/ca-certificates.crt

.PHONY: image
image: ## a container image, IMAGE (gavel:latest), for ARCH
	@command -v $(DOCKER) >/dev/null || { echo "$(DOCKER) is not installed: install it, or name another builder with make image DOCKER=podman"; exit 1; }
	@[ -r $(CERTIFICATES) ] || { echo "there are no certificates at $(CERTIFICATES): install ca-certificates, or name them with CERTIFICATES=FILE"; exit 1; }
	rm -rf build/image && mkdir -p build/image/linux_$(ARCH) && cp $(CERTIFICATES) build/image/ca-certificates.crt
	GOOS=linux GOARCH=$(ARCH) $(STATIC) -o build/image/linux_$(ARCH)/gavel ./cmd/gavel
	$(DOCKER) build --build-arg TARGETARCH=$(ARCH) -t $(IMAGE) .

.PHONY: bundle
bundle: ## build/gavel-policy.tar.gz: the shipped policy root, for stock OPA
	@mkdir -p build
	$(OPA) build -b rego --ignore '*_test.rego' --ignore checks -o build/gavel-policy.tar.gz

.PHONY: ci
ci: test-all check ## everything but soak and soundness, which .ci/run adds
