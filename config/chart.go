package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// chart is a Helm chart, or a bundle of CRDs that no chart brings.
type chart struct {
	// Pin has VERSION in its URL for the version.
	Pin
	// needed reports whether a configuration installs it.
	needed func(*Config) bool
	// namespace is the layer's; CRDs have none.
	namespace string
	// values is the key of the user's values; CRDs have none.
	values string
	// owned are the values that are refused there. tests/graph holds them against the program's own
	// values.
	owned []OwnedValue
	// defaults are the paths of values that Strata sets and nothing relies on: the user's replaces
	// them.
	defaults []string
}

// chartVersion is a semantic version as Helm charts carry it.
var chartVersion = regexp.MustCompile(`^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func usesTraefik(c *Config) bool { return c.Ingress.Uses(ControllerTraefik) }
func usesAPISIX(c *Config) bool  { return c.Ingress.Uses(ControllerAPISIX) }

// chartOf returns the row of the chart whose values are under a configuration key. It returns the
// zero row if there is none.
func chartOf(values string) chart {
	if i := slices.IndexFunc(charts, func(row chart) bool {
		return row.values == values
	}); i >= 0 && values != "" {
		return charts[i]
	}
	return chart{}
}

// findOwnedBelow returns the path of the first value below path that Strata sets or relies on. It
// returns an empty string if there is none.
func (row chart) findOwnedBelow(path string) string {
	for _, o := range row.owned {
		if o.Path != path && isWithin(o.Path, path) {
			return o.Path
		}
	}
	for _, set := range row.defaults {
		if set != path && isWithin(set, path) {
			return set
		}
	}
	return ""
}

// pin returns the chart's artifact at the configured version. A release that is pinned without a v
// is published without one, whichever way the user writes it.
func (row chart) pin(c *Config) Pin {
	pin := row.Pin
	if given := row.version(c); given != "" {
		pin.Version = given
		if !strings.HasPrefix(row.Version, "v") {
			pin.Version = strings.TrimPrefix(given, "v")
		}
	}
	pin.URL = strings.ReplaceAll(pin.URL, "VERSION", pin.Version)
	return pin
}

// version returns the chart's configured version; empty if none is set.
func (row chart) version(c *Config) string {
	if row.Key == "" {
		return ""
	}
	return c.valueAt(strings.TrimPrefix(row.Key, Namespace+":")).String()
}

// userValues returns the user's values of the chart.
func (row chart) userValues(c *Config) Values {
	if row.values == "" {
		return Values{}
	}
	return c.valueAt(row.values).Interface().(Values)
}

// valueAt returns the value of a key without its namespace. It panics for a key that no section has:
// the keys are those of the rows.
func (c *Config) valueAt(key string) reflect.Value {
	value := reflect.ValueOf(c).Elem()
	for step := range strings.SplitSeq(key, ".") {
		index, known := fieldsOf(value.Type())[step]
		if !known {
			panic("config: a row of charts names the key " + key)
		}
		value = value.Field(index)
	}
	return value
}

// checkCharts refuses versions that no chart can have, and values that are not the user's to set.
func (c *Config) checkCharts(ps *problems) {
	for _, row := range charts {
		if row.values == "" {
			continue
		}
		version := row.version(c)
		if version != "" && !chartVersion.MatchString(version) {
			v := strings.TrimSuffix(row.Version, strings.TrimPrefix(row.Version, "v"))
			ps.add(row.Key, version, "is not a chart version",
				"write "+v+"X.Y.Z, for example "+row.Version)
		}
		row.userValues(c).checkAll(c, ps)
	}
}
