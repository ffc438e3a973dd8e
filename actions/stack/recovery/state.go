package recovery

import (
	"cmp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"strata/internal/pulumi/stackstate"
)

const (
	releaseType  = "kubernetes:helm.sh/v3:Release"
	providerType = "pulumi:providers:kubernetes"
)

// state is a stack's state as recovery reads it.
type state struct{ *stackstate.State }

// kubeconfig returns the kubeconfig of the stack's cluster from its provider; empty before there is
// one.
func (s state) kubeconfig() string {
	for _, r := range s.Resources {
		if text := property(r, "kubeconfig"); r.Type == providerType && text != "" {
			return text
		}
	}
	return ""
}

// interruptedCommands returns the commands whose update was interrupted, by URN.
func (s state) interruptedCommands() map[urn.URN]bool {
	found := map[urn.URN]bool{}
	for _, pending := range s.Pending {
		if pending.Type == apitype.OperationTypeUpdating &&
			strings.HasPrefix(string(pending.Resource.Type), "command:") {
			found[pending.Resource.URN] = true
		}
	}
	return found
}

// property returns a text from the outputs, or else from the inputs.
func property(r stackstate.Resource, name string) string {
	return cmp.Or(r.Output(name), r.Input(name))
}
