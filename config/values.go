package config

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"strata/internal/pulumi/double"
)

// Values are the user's Helm values for one chart, in the form of its values.yaml. The layer's own
// values override them. A value that a gate or a route relies on is refused (charts.go), so that
// none is silently overridden.
type Values struct {
	// Tree has the values: objects, lists, texts, whole numbers (int64), fractions (float64) and
	// booleans. Nil if there are none.
	Tree map[string]any `json:"-"`
	// Key is the configuration key of the values, for example traefik.values; empty without values.
	Key string `json:"-"`
	// Secret is true if the section of the values has an encrypted text. Pulumi does not tell which
	// text, so each text of Tree counts as a secret.
	Secret bool `json:"-"`
}

var valuesType = reflect.TypeFor[Values]()

// plainName matches a name that needs no quotes in the path of a value.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// ValuePath returns the path of a value below another, in the form of messages:
// service.annotations["metallb.io/loadBalancerIPs"].
func ValuePath(above, name string) string {
	switch {
	case !plainName.MatchString(name):
		return fmt.Sprintf("%s[%q]", above, name)
	case above == "":
		return name
	}
	return above + "." + name
}

// isWithin reports whether path inner is equal to path outer, or lies below it.
func isWithin(inner, outer string) bool {
	rest, under := strings.CutPrefix(inner, outer)
	return under && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// GivesWay reports whether Strata's value at path is only a default, which the user's value
// replaces.
func (v Values) GivesWay(path string) bool { return slices.Contains(chartOf(v.Key).defaults, path) }

// values reads a chart's values unchanged. Rules decide later which of them are refused.
func (d *decoder) values(key string, value any, into reflect.Value) {
	tree, ok := value.(map[string]any)
	if !ok {
		d.fail(key, show(value), "is not an object",
			"write the chart's values below it, as in its values.yaml")
		return
	}
	if len(tree) == 0 {
		return
	}
	_, short, _ := strings.Cut(key, ":")
	secret := d.sealed && hasSealed(tree) || d.secret != nil && d.secret(sectionOf(key))
	into.Set(reflect.ValueOf(Values{Tree: plain(tree).(map[string]any), Key: short,
		Secret: secret}))
}

// hasSealed reports whether a text within a value is Sealed.
func hasSealed(value any) bool {
	switch v := value.(type) {
	case []any:
		return slices.ContainsFunc(v, hasSealed)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasSealed)
	}
	return value == any(Sealed)
}

// Artifact returns the name of the chart that the values are for.
func (v Values) Artifact() string { return chartOf(v.Key).Name }

// Unknown returns a problem for each top-level value that the chart does not have. Helm ignores
// such a value, unless the chart's schema refuses it.
func (v Values) Unknown(known []string) []Problem {
	var ps problems
	for _, name := range slices.Sorted(maps.Keys(v.Tree)) {
		if !slices.Contains(known, name) {
			ps.add(field("%s.%s", v.Key, name), "",
				"is no value that the chart has, so it would be ignored", suggestion(name, known))
		}
	}
	return ps
}

// SchemaProblem returns the problem of a value that the chart's schema refuses. rule has the
// reason, and keyword names the rule in the schema. given is false if the user did not set the
// value: then the schema refuses the chart's own value.
func (v Values) SchemaProblem(path []string, rule, keyword string) (problem Problem, given bool) {
	key, at := field("%s", v.Key), any(v.Tree)
	for _, step := range path {
		switch above := at.(type) {
		case map[string]any:
			if at, given = above[step]; !given {
				return Problem{}, false
			}
			key = ValuePath(key, step)
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(above) {
				return Problem{}, false
			}
			key, at = fmt.Sprintf("%s[%d]", key, i), above[i]
		default:
			return Problem{}, false
		}
	}
	problem = Problem{Key: key, Value: show(at), Rule: "is refused by the chart's schema: " + rule,
		Fix: "see the chart's values.yaml at its version"}
	if v.Secret {
		problem.Value, problem.Rule = "[secret]", "is refused by the chart's schema: "+keyword
	}
	return problem, true
}

// BooleanWords returns a problem for each of the texts yes, no, on and off where the chart's
// defaults have a boolean. Helm templates treat any such text as true.
func (v Values) BooleanWords(defaults map[string]any) []Problem {
	var ps problems
	ps.addBooleanWords(v.Key, v.Tree, defaults)
	return ps
}

func (ps *problems) addBooleanWords(path string, value, byDefault any) {
	if below, isObject := value.(map[string]any); isObject {
		defaults, _ := byDefault.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(below)) {
			ps.addBooleanWords(ValuePath(path, name), below[name], defaults[name])
		}
		return
	}
	_, isBoolean := byDefault.(bool)
	ps.addIf(isBoolean && isBooleanWord(value), field("%s", path), "",
		"is a text in a stack file, and the chart has a boolean there", "write true or false")
}

// isBooleanWord reports whether a value is a text that YAML 1.1, and so Helm and K3s in their own
// files, reads as a boolean. Pulumi reads it as a text.
func isBooleanWord(value any) bool {
	return slices.Contains([]string{"yes", "no", "on", "off"}, strings.ToLower(fmt.Sprint(value)))
}

// OwnValues returns the user's values for each installed chart that has any.
func (c *Config) OwnValues() (all []Values) {
	for _, row := range charts {
		if own := row.userValues(c); own.Tree != nil && row.needed(c) {
			all = append(all, own)
		}
	}
	return all
}

// checkAll refuses each value that the user must not set.
func (v Values) checkAll(c *Config, ps *problems) {
	for _, name := range slices.Sorted(maps.Keys(v.Tree)) {
		v.check(c, ps, ValuePath("", name), v.Tree[name])
	}
}

// check refuses values that only Strata may set. It also refuses a text or a list in place of an
// object that contains one of them.
func (v Values) check(c *Config, ps *problems, path string, value any) {
	key := field("%s.%s", v.Key, path)
	if strings.HasPrefix(path, "[") {
		key = field("%s%s", v.Key, path)
	}
	row := chartOf(v.Key)
	if i := slices.IndexFunc(row.owned, func(o OwnedValue) bool {
		return o.refuses(c, path,
			value)
	}); i >= 0 {
		ps.add(key, show(value), "is not for values to set: "+row.owned[i].Why,
			cmp.Or(row.owned[i].Instead, "remove it"))
		return
	}
	if below, isObject := value.(map[string]any); isObject {
		for _, name := range slices.Sorted(maps.Keys(below)) {
			v.check(c, ps, ValuePath(path, name), below[name])
		}
		return
	}
	checkCarried(ps, key, value)
	if lost := row.findOwnedBelow(path); lost != "" && value != nil {
		ps.add(key, show(value), "would take "+lost+" away, which Strata relies on",
			"write an object with the other keys")
	}
}

// checkCarried refuses values that Pulumi would change on their way to the chart.
func checkCarried(ps *problems, key string, value any) {
	switch below := value.(type) {
	case nil:
		ps.add(key, "null", "would not reach the chart: Pulumi leaves out what is null",
			"write the value that the chart is to have")
	case []any:
		for i, item := range below {
			checkCarried(ps, fmt.Sprintf("%s[%d]", key, i), item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(below)) {
			checkCarried(ps, ValuePath(key, name), below[name])
		}
	default:
		if double.Rounds(value) {
			ps.add(key, show(value), "would be rounded: Pulumi's integers end at 2^53",
				"write it as a text if the chart takes one")
		}
	}
}
