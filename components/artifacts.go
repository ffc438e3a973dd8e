package components

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/artifacts"
	"strata/internal/pulumi/stackstate"
)

// artifactsInput is the input of a stack's lowest component that has the kind of its artifacts. The
// state has an input before the first child of the component runs. So the kind stays recorded even
// if an update fails before the stack has outputs.
const artifactsInput = "artifacts"

// recordArtifacts returns the inputs of a stack's lowest component, which record the kind of its
// artifacts.
func recordArtifacts(files *artifacts.Set) pulumi.Map {
	return pulumi.Map{artifactsInput: pulumi.String(files.Kind())}
}

// ArtifactsOf returns the kind of the artifacts of a stack's last update, even if that update
// failed. It is empty for a stack without resources.
func ArtifactsOf(state *stackstate.State) string {
	for _, one := range state.Resources {
		if kind := one.Input(artifactsInput); kind != "" &&
			strings.HasPrefix(string(one.Type), "strata:") {
			return kind
		}
	}
	return ""
}
