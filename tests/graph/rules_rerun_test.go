package graph_test

import (
	"maps"
	"slices"
	"strings"

	"strata/tests/pulumitest"
)

// onlyOnce has the name suffixes of commands that need not run again after a failed change, with
// the reasons.
var onlyOnce = map[string]string{
	"-key":           "is generated once, and asked nothing",
	"-identity":      "is generated once, and asked nothing",
	"-hostkey":       "reads, and ignores what it is asked after the first contact",
	"-credential":    "prints what it printed before while that answers what it is asked",
	"-list":          "reads",
	"-ip":            "reads",
	"-certificate":   "reads",
	"-machine":       "is what it was, or is refused: nothing is changed in place",
	"-leaving":       "asks what only a destroy that broke off answers with yes",
	"-present":       "has the machine's own command run, once for each life of the machine",
	"-image":         "is made beside the old one, by its trigger",
	"-password-time": "reads anew for each password, by its trigger",
	"-claim":         "claims, which the install does as well",
	"-class-release": "does nothing until it is deleted",
	"-end":           "does nothing until it is deleted",
	"-guard":         "compares with what it printed the last time it succeeded",
	"-first":         "compares with what it printed the last time it succeeded",
	"-admission":     "asks for nothing but a name that is free, which the install asks for again",
	"-generation":    "compares with what it printed the last time it succeeded",
	"-ca-hash":       "reads what the cluster keeps for its life",
	"-members":       "compares with what it printed the last time it succeeded",
}

// failuresAreRepeated checks that all other commands run again if a change fails and is reverted
// (internal/pulumi/rerun).
func failuresAreRepeated(_ *program, g graph) []string {
	var broken []string
	for _, name := range g.where(func(r pulumitest.Resource) bool { return strings.HasPrefix(r.Type, "command:") }) {
		r := g[name]
		forgotten := r.DeleteFirst && slices.Contains(r.ReplacedOn, "create") &&
			slices.Contains(r.ReplacedOn, "stdin") && r.Text("delete") == ""
		attempted := slices.Contains(r.Dependencies, name+"-attempt")
		once := slices.ContainsFunc(slices.Collect(maps.Keys(onlyOnce)), func(end string) bool {
			return strings.HasSuffix(name, end)
		})
		if !forgotten && !attempted && !once {
			broken = append(broken, name+
				" does not run again after a change that failed and was taken back")
		}
	}
	return broken
}
