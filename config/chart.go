package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// chart is a Helm chart, or a bundle of CRDs that no chart brings.
type chart struct {
	// Pin is the chart's artifact. In its URL, VERSION stands for the version.
	Pin
	// needed reports whether a stack with this configuration installs the chart or bundle.
	needed func(*Config) bool
	// namespace is the namespace of the chart's layer; empty for a bundle of CRDs.
	namespace string
	// values is the configuration key of the user's values of the chart; empty for a bundle of
	// CRDs.
	values string
	// owned are the values that the user must not set under that key. tests/graph compares them
	// with the values that the program sets.
	owned []OwnedValue
	// defaults are the paths of values that Strata sets, but that the user's values may replace.
	defaults []string
}

// chartVersion matches the version of a Helm chart: a semantic version, maybe after a v.
var chartVersion = regexp.MustCompile(`^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func usesTraefik(c *Config) bool { return c.Ingress.Uses(ControllerTraefik) }
func usesAPISIX(c *Config) bool  { return c.Ingress.Uses(ControllerAPISIX) }

// chartOf returns the entry in charts whose user's values have the configuration key values. It
// returns the zero chart if there is none.
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

// pin returns the chart's artifact at the configured version. It removes a v that the user wrote
// before the version, unless the pinned version has one.
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

// valueAt returns the value of a key without its namespace. It panics for an unknown key, because
// all callers pass keys of charts.
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

// checkCharts refuses malformed chart versions, and values that users must not set.
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
