package page

import (
	"fmt"
	"slices"
	"strings"

	"strata/tests/bench"
)

// headline is a row of the page's first table.
type headline struct {
	// name is the name of the result.
	name string
	// of is the name of the result with the number of trials. It is empty if each sample is a
	// trial.
	of string
	// text describes the number to a user.
	text string
}

var headlines = []headline{
	{"requests_lost/version_rollout", "requests_sent/version_rollout",
		"requests lost in the rollout of a workload's new version"},
	{"requests_lost/node_drain", "requests_sent/node_drain",
		"requests lost in the drain of a node with a Pod of the workload and one of Traefik"},
	{"requests_lost/upgrade", "requests_sent/upgrade",
		"requests lost in an upgrade of K3s on five nodes, killed in the middle and finished by the " +
			"next update"},
	{"noop_up", "", "an update with nothing to do"},
	{"up_wall", "", "the first update of staging (three servers, two agents) on fresh hosts"},
	{"faults_named", "faults_injected",
		"faults that a gate named with layer, object, cause and fix ([all](faults.md))"},
	{"kills_converged", "kills_tried",
		"interrupted commands, most of them in the engine with the tests' providers, that the same " +
			"command, run once more, made good"},
	{"recovery_all", "",
		"a restore after two of three servers lost their data, until every node works"},
	{"gate_lag_p95", "", "from a condition being true to its gate passing, 95th percentile"},
	{"first_up_wall", "", "the first `make up`, from empty caches: it compiles all that it runs"},
}

// writeHeadlines writes a table of the headlines that have a result.
func writeHeadlines(text *strings.Builder, results []bench.Result) {
	text.WriteString("\n| number | value | n | measured |\n| --- | ---: | ---: | --- |\n")
	for _, h := range headlines {
		r, measured := find(results, h.name)
		if !measured {
			continue
		}
		n := fmt.Sprintf("%d", len(r.Samples))
		if trials, counted := find(results, h.of); counted {
			n = written(trials.Value, trials.Unit)
		}
		fmt.Fprintf(text, "| %s | %s | %s | %s |\n", h.text, written(r.Value, r.Unit), n,
			r.Measured.Format("2006-01-02"))
	}
}

// find returns the result with this name; false if there is none.
func find(results []bench.Result, name string) (bench.Result, bool) {
	at := slices.IndexFunc(results, func(r bench.Result) bool { return r.Name == name })
	if at < 0 {
		return bench.Result{}, false
	}
	return results[at], true
}
