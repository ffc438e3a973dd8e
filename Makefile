# A table of contents: each target is one command. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

STACK ?= local
# Where artifacts come from: lab is the bundle that `make lab` builds, upstream the releases that `strata fetch` locked. Empty: where the stack file says, which is
# the lab for local and rehearsal.
ARTIFACTS ?=
# A folder of what projects publish, or of what was built from their repositories, in the place of the lab's own (tests/lab/originals.md).
ORIGINALS ?=
export ORIGINALS
# The flags of all that the lab compiles (tests/lab/internal/gobuild). With others, such as cgo where there is a C compiler, the standard
# library and all that stands on it would be compiled a second time. A debugger needs DWARF: `GOFLAGS= dlv ...`.
export GOFLAGS := -buildvcs=false -trimpath -gcflags=all=-dwarf=false
export CGO_ENABLED := 0
PROGRAM := .strata/bin/strata
LAB := go -C tests/lab run ./cmd/lab
# It comes before each build of the program, which deletes in the states of stacks run.
CHECK := go run ./internal/pulumi/statelayout/check .strata/state

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s $$'\t'

.PHONY: up
up: ## bring STACK up on this machine (installs and builds what is missing); safe to repeat
	@hack/stack up $(STACK) "$(ARTIFACTS)"

.PHONY: down
down: ## destroy STACK and prove that nothing is left
	@hack/stack down $(STACK) "$(ARTIFACTS)"

.PHONY: preview
preview: ## show what `make up` would change
	@hack/stack preview $(STACK) "$(ARTIFACTS)"

.PHONY: health
health: ## run every gate of STACK now
	@hack/stack health $(STACK) "$(ARTIFACTS)"

# The example application of make deploy: WORKLOAD is its name, VERSION what its answers say, IMAGE its image where the lab brings none.
WORKLOAD ?= echo
RATE ?= 50

.PHONY: deploy
deploy: ## roll VERSION of the example application out to STACK, beside a running `make load`
	@hack/stack deploy $(STACK) "$(ARTIFACTS)" $(WORKLOAD) $(or $(VERSION),$(error make deploy VERSION=...: say which))

.PHONY: load
load: ## send POSTs to WORKLOAD of STACK, RATE a second, until interrupted; counts what is lost
	@go build -C tools/load -o $(CURDIR)/.strata/bin/load .
	@hack/stack load $(STACK) "$(ARTIFACTS)" $(WORKLOAD) $(RATE)

.PHONY: ready
ready: lab

.PHONY: build
build: ## build the program
	@$(CHECK)
	@mkdir -p .strata/bin
	@go build -ldflags "-s -w -X strata/cli/version.number=$$(git describe --tags --always --dirty) -X strata/cli/version.commit=$$(git rev-parse HEAD)" -o $(PROGRAM) .

.PHONY: lab
lab: ## install and build what any run needs: Debian packages, Pulumi, plugins, the program, and the whole bundle (`make up` builds what STACK asks for)
	@$(CHECK)
	@$(LAB) build

.PHONY: originals
originals: ## download what is pinned for STACK, and Pulumi's official plugins, into the folder ORIGINALS, which then takes the lab's place (tests/lab/originals.md)
	@go run ./tests/originals -into "$(or $(ORIGINALS),$(error make originals ORIGINALS=DIR: say which folder))" Pulumi.$(STACK).yaml

.PHONY: test-originals
# The lab is built here and not by ready: a recipe's variables are read after what it needs, which would be an hour late.
test-originals: ## the stories with ORIGINALS in the lab's place; those that these cannot run are skipped by name
	@: "$(or $(ORIGINALS),$(error make test-originals ORIGINALS=DIR: say which folder))"
	@$(LAB) build
	cd tests/e2e && go test -count=1 -parallel 2 -timeout 120m -v ./...

# A binary of APISIX's ingress controller, built from its repository.
CONTROLLER ?=

.PHONY: drift
drift: ## where the lab's stand-ins, and what ORIGINALS has of their originals, differ (seconds; minutes with Pulumi's plugins)
	@APISIX_CONTROLLER="$(CONTROLLER)" hack/drift

.PHONY: lab-vm
lab-vm: ## install QEMU and libvirt and build the disk image for virtual machines (minutes; nothing else needs it)
	@$(LAB) vm

.PHONY: test-vm
test-vm: ready lab-vm ## the stories on real virtual machines, which QEMU emulates: half an hour
	cd tests/e2e && E2E_VM=1 go test -count=1 -timeout 60m -v -run '^TestLibvirt' .

# The commit of an older Strata.
OLD ?=

.PHONY: test-strata-upgrade
test-strata-upgrade: ready ## a stack that the program of commit OLD brought up, taken over by this one: at once, after kills, and back (eleven minutes); with ORIGINALS on its plugins
	rm -rf .strata/older && mkdir -p .strata/older
	git archive $(or $(OLD),$(error make test-strata-upgrade OLD=COMMIT: say whose stack is taken over)) | tar -x -C .strata/older
	cd tests/e2e && E2E_OLDER=$(CURDIR)/.strata/older go test -count=1 -timeout 60m -v -run '^TestStackOfOlderStrataIsUpgraded$$' .

.PHONY: test
test: ## the tests, from a clean clone: lint, unit, graph, gates, charts, engine, conformance, e2e (test-long, test-machines, test-vm, test-state, test-strata-upgrade, test-gc and test-chaos are apart)
	@hack/test all

.PHONY: test-long
test-long: ready ## what `make test` leaves out, for its length: the gates' mutants, and stories of a cluster's life, its servers, mistakes, machines, new hosts, Proxmox, ACME, APISIX, a bundle, a jump host, a Vault (two hours)
	@hack/test long

.PHONY: test-loaded
test-loaded: ready ## the stories and the conformance table beside LOAD (20) busy loops, TIMES (1) in a row; STORIES=REGEXP selects (hours for all)
	@STORIES="$${STORIES:-}" TIMES="$${TIMES:-1}" LOAD="$${LOAD:-20}" hack/test loaded

.PHONY: fuzz
fuzz: ## compare the readers of manifests with kubectl's for TIME (10m); a difference is written to components/testdata/fuzz
	go test -run '^$$' -fuzz '^FuzzManifests$$' -fuzztime "$${TIME:-10m}" -fuzzminimizetime 1s ./components

.PHONY: test-chaos
test-chaos: ## in Pulumi's engine: a kill at every boundary of each stack's operations (KILLS=0 is all), and HISTORIES (500) random ones for each of two stacks, from SEED (1); written to bench/results.json (hours). On the lab, apart: bench-kills, bench-actions, bench-histories, bench-faults
	$(CHAOS) -run '^TestHistoriesFindAndShrinkPlantedFaults$$' .
	for stack in local staging rehearsal proxmox libvirt kind vip vault workload; do $(CHAOS) -run "^TestUpdateConvergesAfterEveryKill$$/^$$stack\$$" .; done
	$(CHAOS) -run '^TestEveryHistoryConverges$$/^proxmox$$' .
	$(CHAOS) -run '^TestEveryHistoryConverges$$/^staging$$' .
	go generate ./tests/bench
# A process for each: Pulumi's engine keeps 3 MB of every run, and of one that is killed more.
CHAOS = RECORD=1 KILLS=$${KILLS:-0} HISTORIES=$${HISTORIES:-500} GOGC=200 GOMEMLIMIT=10GiB go test -C tests/engine -count=1 -timeout 180m -v

.PHONY: mutants
mutants: ## each small change of a gate's judgement must fail a test; writes tests/gates/mutants.md and docs/benchmarks.md (minutes)
	@go run ./tests/gates/mutants -write
	@go generate ./tests/bench

.PHONY: test-machines
test-machines: ready ## the lab's machines, made, broken and removed one by one: ten minutes
	@hack/test machines

.PHONY: test-gc
test-gc: ready ## what Strata brings to a node survives kubelet's garbage collection; needs K3s itself in ORIGINALS (a quarter of an hour)
	cd tests/e2e && go test -count=1 -timeout 30m -tags gc -run '^TestImagesSurviveGarbageCollection$$' -v .

.PHONY: test-state
test-state: ready ## a stack's state on an S3-compatible store, with Pulumi's command line as it is published, which is compiled first (minutes)
	cd tests/state && go test -count=1 -timeout 30m -v ./...

.PHONY: test-fast
test-fast: ## what needs no lab, in seconds
	@hack/test fast

.PHONY: test-race
test-race: ## the packages that start goroutines, with the race detector; needs a C compiler, and compiles everything once more (minutes)
	@hack/test race

.PHONY: test-alerts
test-alerts: ## the alert rules, with promtool
	@hack/test alerts

.PHONY: bench
bench: ready ## measure on the lab and in the engine, and write bench/results.json and docs/benchmarks.md
	cd tests/engine && go test -count=1 -timeout 20m -tags bench -run '^TestBenchMeasuresCostOfUpdates$$' -v .
	cd tests/e2e && go test -count=1 -timeout 40m -tags bench -run '^TestBench$$' -v .
	cd tests/e2e && E2E_RECORD=$(CURDIR)/bench/results.json go test -count=1 -timeout 30m -run '^Test(Life|Platform|Wave)$$' -v .
	cd tests/e2e && go test -count=1 -timeout 60m -tags bench -run '^TestBench(Workload|Unprotected)$$' -v .
	@$(MAKE) --no-print-directory bench-serial

.PHONY: bench-first
bench-first: ## measure the first `make up` from empty caches of its own (an hour of one core); PARTS="coredns k3s" builds just these, and writes nothing
	go run ./tests/bench/first $(PARTS)

.PHONY: bench-serial
bench-serial: ready ## the same for APISIX and its demo against a script that runs one step after the other (half an hour)
	@STRATA_LAB_DELAYS=zero $(LAB) build
	cd tests/e2e && go test -count=1 -timeout 60m -tags bench -run '^TestBench(Serial|APISIX|ProxyRace)$$' -v .
	go generate ./tests/bench

.PHONY: bench-kills
bench-kills: ready ## kill KILLS (20) ups and downs at moments seeded by SEED, and count after how many a plain up converges (an hour)
	cd tests/e2e && go test -count=1 -timeout 120m -tags bench -run '^TestBenchKills$$' -v .
	go generate ./tests/bench

.PHONY: bench-actions
bench-actions: ready ## interrupt Strata inside each long action (push, install, drain, upgrade, snapshot, restore, canary, machine) by SIGKILL, SIGINT once and twice, a full disk and a lost network, and count after how many the same command converges (45 minutes)
	cd tests/e2e && go test -count=1 -timeout 120m -tags bench -run '^TestBenchActions$$' -v .
	go generate ./tests/bench

.PHONY: bench-histories
bench-histories: ready ## play HISTORIES (20) random programs, drawn from SEED (1), of ups, kills, changes, lost hosts, edits and restores on a platform (an hour)
	cd tests/e2e && go test -count=1 -timeout 180m -tags bench -run '^TestBenchHistories$$' -v .
	go generate ./tests/bench

.PHONY: bench-faults
bench-faults: ready ## break a platform that is up in each way of a table, and time what its gates say and how it heals (twenty-five minutes); FAULTS=REGEXP selects; writes docs/faults.md
	cd tests/e2e && go test -count=1 -timeout 120m -tags bench -run '^TestBenchFaults$$' -v .
	go generate ./tests/bench

.PHONY: bench-machines
bench-machines: ready ## the same for 1 to 8 hosts of the lab, which need 8 GiB of memory
	cd tests/e2e && go test -count=1 -timeout 90m -tags bench -run '^TestBenchMachines$$' -v .
	go generate ./tests/bench

.PHONY: lint
lint: ## static checks
	@hack/lint

.PHONY: keep
keep: ## keep the states that this commit leaves, for the tests of the commits after it
	go -C tests/engine test . -run '^TestKeepWritesDeployedStacks$$' -keep

.PHONY: golden
golden: ## rewrite golden files and generated docs
	go generate ./config ./tests/bench
	go test ./tests/graph ./components ./cli/scaffold -update
	go -C tests/engine test . -run '^TestChangesTable' -update
