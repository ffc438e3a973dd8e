package recovery

import (
	"cmp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"strata/internal/pulumi/stackstate"
)

const providerType = "pulumi:providers:kubernetes"

// state adds recovery's queries to a stack's state.
type state struct{ *stackstate.State }

// kubeconfig returns the kubeconfig of the state's kubernetes provider; "" if it has none yet.
func (s state) kubeconfig() string {
	for _, r := range s.Resources {
		if text := property(r, "kubeconfig"); r.Type == providerType && text != "" {
			return text
		}
	}
	return ""
}

// interruptedCommands returns the URNs of the command resources whose update is pending in the
// state.
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

// property returns an output of a resource, or else the input of the same name.
func property(r stackstate.Resource, name string) string {
	return cmp.Or(r.Output(name), r.Input(name))
}
