package components

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/artifacts"
	"strata/internal/pulumi/stackstate"
)

// artifactsInput is the name of an input of a stack's first component. Its value is the kind of the
// stack's artifacts (artifacts.Set.Kind). It is an input and not an output, because Pulumi records
// inputs before the component's children are created. So the kind is known even if an update fails
// early.
const artifactsInput = "artifacts"

// recordArtifacts returns the inputs of a stack's first component (Hosts or ExistingCluster), which
// record the kind of the stack's artifacts.
func recordArtifacts(files *artifacts.Set) pulumi.Map {
	return pulumi.Map{artifactsInput: pulumi.String(files.Kind())}
}

// ArtifactsOf returns the kind of the artifacts that the stack's last update used, even if that
// update failed. It returns an empty string if the stack has no resources.
func ArtifactsOf(state *stackstate.State) string {
	for _, one := range state.Resources {
		if kind := one.Input(artifactsInput); kind != "" &&
			strings.HasPrefix(string(one.Type), "strata:") {
			return kind
		}
	}
	return ""
}
