package podcheck

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// These are the names of the rules, as used in Options.Skip and SkipAnnotation.
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

// SkipAnnotation is the annotation that lists the rules an object may break, separated by commas.
const SkipAnnotation = "strata/skip-checks"

// Options set the durations that the rules require, and the rules to skip.
type Options struct {
	// PreStop is the time from the start of a Pod's termination during which ingress controllers
	// may still send requests to the Pod.
	PreStop time.Duration
	// LongestRequest is the longest time that a request may take.
	LongestRequest time.Duration
	// Skip holds the names of the rules to skip.
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
