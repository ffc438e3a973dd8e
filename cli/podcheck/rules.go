package podcheck

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Names of rules, as Options.Skip and SkipAnnotation have them.
const (
	Certificate = "certificate"
	Readiness   = "readiness"
	Shutdown    = "shutdown"
	PreStop     = "pre-stop"
	GracePeriod = "grace-period"
	Rollout     = "rollout"
	Replicas    = "replicas"
	Budget      = "budget"
)

// Rules returns the names of all rules.
func Rules() []string {
	return []string{Certificate, Readiness, Shutdown, PreStop, GracePeriod, Rollout,
		Replicas, Budget}
}

// SkipAnnotation is the annotation of an object that names the rules that it may break, separated
// by commas.
const SkipAnnotation = "strata/skip-checks"

// Options are the durations that the rules compare with, and the rules that are not checked.
type Options struct {
	// PreStop is the time in which ingress controllers may still send requests to a Pod that stops.
	PreStop time.Duration
	// LongestRequest is the longest time that a request may take.
	LongestRequest time.Duration
	// Skip has the names of rules.
	Skip []string
}

// ParseSkip parses names of rules, separated by commas.
func ParseSkip(text string) (rules []string, err error) {
	for _, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if !slices.Contains(Rules(), name) {
			return nil, fmt.Errorf("there is no rule %q; the rules are %s", name,
				strings.Join(Rules(), ", "))
		}
		rules = append(rules, name)
	}
	return rules, nil
}
