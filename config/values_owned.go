package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// OwnedValue describes a value of a chart that the user must not set.
type OwnedValue struct {
	// Path is a path in the chart's values, in ValuePath's form. It includes everything below it.
	Path string
	// Why names the value's owner or the part that relies on it. Instead is the alternative to
	// setting the value; empty if there is none.
	Why, Instead string
	// allows reports whether the user may set the value at Path to the given value in this
	// configuration. If nil, every value is refused.
	allows func(c *Config, value any) bool
}

// refuses reports whether the user must not set this value at this path.
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

// set returns OwnedValues for the paths that Strata's layer sets itself. instead is their Instead.
func set(instead string, paths ...string) []OwnedValue {
	return because("Strata sets it", instead, paths...)
}

// keepDefaults returns OwnedValues for the paths at which Strata relies on the chart's defaults.
// why is their Why.
func keepDefaults(why string, paths ...string) []OwnedValue { return because(why, "", paths...) }

func because(why, instead string, paths ...string) []OwnedValue {
	owned := make([]OwnedValue, 0, len(paths))
	for _, path := range paths {
		owned = append(owned, OwnedValue{Path: path, Why: why, Instead: instead})
	}
	return owned
}

// unless sets allows in each of the owned values and returns them, so that only values for which
// allows returns false are refused.
func unless(allows func(*Config, any) bool, owned []OwnedValue) []OwnedValue {
	for i := range owned {
		owned[i].allows = allows
	}
	return owned
}

// isPositive reports whether a number of replicas is positive, because a rollout without Pods is
// complete at once. A text counts as its number, because charts write it unchanged. isPositive also
// accepts null, which another rule refuses, and encrypted values.
func isPositive(_ *Config, replicas any) bool {
	number, err := strconv.Atoi(strings.TrimSpace(fmt.Sprint(replicas)))
	return err == nil && number > 0 || replicas == nil || replicas == any(Sealed)
}

// keepNames returns OwnedValues for values that rename a chart's objects: nameOverride,
// fullnameOverride, and more.
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

// chosenAddress is the annotation that requests an address from MetalLB, below a Service's values.
const (
	metallbIPs    = `"metallb.io/loadBalancerIPs"`
	chosenAddress = "annotations[" + metallbIPs + "]"
)

// liveness returns the paths of Strata's values for the liveness probes in parts of a chart.
func liveness(parts ...string) (paths []string) {
	for _, part := range parts {
		paths = append(paths, part+"livenessProbe.timeoutSeconds",
			part+"livenessProbe.failureThreshold")
	}
	return paths
}
