package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// OwnedValue is a value of a chart that is not for the user to set.
type OwnedValue struct {
	// Path is a place in the chart's values, as ValuePath writes it; everything below it is meant
	// as well.
	Path string
	// Why names the owner of the value or its user; Instead the alternative to setting it, empty
	// without one.
	Why, Instead string
	// allows reports whether a value is the user's after all, beside the rest of a configuration;
	// nil: none is.
	allows func(c *Config, value any) bool
}

// refuses reports whether a value at a path is refused.
func (o OwnedValue) refuses(c *Config, path string, value any) bool {
	if !isWithin(path, o.Path) {
		return false
	}
	return o.allows == nil || path != o.Path || !o.allows(c, value)
}

// OwnedValues returns the owned values of each chart, by the key of its values.
func OwnedValues() map[string][]OwnedValue {
	all := map[string][]OwnedValue{}
	for _, row := range charts {
		if row.values != "" {
			all[row.values] = row.owned
		}
	}
	return all
}

// set returns values that the layer sets by itself.
func set(instead string, paths ...string) []OwnedValue {
	return because("Strata sets it", instead, paths...)
}

// keepDefaults returns values that Strata leaves as the chart has them, and relies on.
func keepDefaults(why string, paths ...string) []OwnedValue { return because(why, "", paths...) }

func because(why, instead string, paths ...string) []OwnedValue {
	owned := make([]OwnedValue, 0, len(paths))
	for _, path := range paths {
		owned = append(owned, OwnedValue{Path: path, Why: why, Instead: instead})
	}
	return owned
}

// unless returns values that are refused only where a rule does not allow them.
func unless(allows func(*Config, any) bool, owned []OwnedValue) []OwnedValue {
	for i := range owned {
		owned[i].allows = allows
	}
	return owned
}

// some allows a number of replicas but none: a rollout of no Pod is complete at once. A chart writes
// a text as it is, so "0" is none as well.
func some(_ *Config, replicas any) bool {
	number, err := strconv.ParseFloat(strings.TrimSpace(fmt.Sprint(replicas)), 64)
	return err != nil || number > 0
}

// keepNames returns the values by which nearly every chart gives its objects other names.
func keepNames(more ...string) []OwnedValue {
	return keepDefaults("gates, routes and policies know the chart's objects by its own names",
		slices.Concat([]string{"nameOverride", "fullnameOverride"}, more)...)
}

const (
	budgeted = "the PodDisruptionBudget goes with the number of replicas"
	unseen   = "it would hide routes of other namespaces, which Strata makes"
	gated    = "the gates observe it"
	off      = "Strata leaves this part out, and what is set for it would be ignored"
	itself   = "Strata makes this object itself"
)

// chosenAddress are the ways to ask MetalLB for an address, below a Service's values.
const (
	metallbIPs    = `"metallb.io/loadBalancerIPs"`
	chosenAddress = "annotations[" + metallbIPs + "]"
)

// liveness returns the paths of Strata's values for liveness probes, below parts of a chart.
func liveness(parts ...string) (paths []string) {
	for _, part := range parts {
		paths = append(paths, part+"livenessProbe.timeoutSeconds",
			part+"livenessProbe.failureThreshold")
	}
	return paths
}
