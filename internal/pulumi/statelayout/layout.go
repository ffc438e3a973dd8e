// Package statelayout owns the layout of Strata's resources in the states of stacks: the version of
// their type tokens and names. Each URN and each command text contains the version. So a state of
// another layout is refused before anything changes, whatever happened to the run that wrote it
// (docs/adr/0079).
package statelayout

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
)

// Version is the layout of this program. A change that renames a type token or a resource must
// raise it: otherwise Pulumi would replace the resource in every deployed stack.
const Version = "v2"

// Variable is the environment variable in which a resource's command has its layout.
const Variable = "STRATA_LAYOUT"

// Token returns the type token of a component.
func Token(module, component string) string {
	return "strata:" + module + "/" + Version + ":" + component
}

// ours matches the type token of one of Strata's components.
var ours = regexp.MustCompile(`^strata:[^:/]+(?:/([^:]+))?:`)

// Check returns an error if a stack has a resource of Strata's in another layout.
func Check(stack string, urns []string) error {
	for _, one := range urns {
		for _, token := range strings.Split(string(urn.URN(one).QualifiedType()), urn.TypeDelimiter) {
			if found := ours.FindStringSubmatch(token); found != nil && found[1] != Version {
				return refusal(fmt.Sprintf("stack %s: the state has %s", stack, one), found[1])
			}
		}
	}
	return nil
}

// CheckCommand returns an error for a resource's command that has another layout, or none.
func CheckCommand(text, layout string) error {
	if layout == Version {
		return nil
	}
	return refusal(fmt.Sprintf("%q is a command in the state of a stack", text), layout)
}

func refusal(found, layout string) error {
	return fmt.Errorf("refused, nothing was changed: %s of layout %s, and this Strata writes and deletes layout %s; "+
		"destroy the stack with the Strata that made it, then bring it up with this one (docs/upgrading-strata.md)",
		found, cmp.Or(layout, "none"), Version)
}
