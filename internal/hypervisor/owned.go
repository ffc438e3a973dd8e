package hypervisor

import (
	"strings"
)

// Owned is a machine on the hypervisor that carries the mark of a stack.
type Owned struct {
	Mark
	// What names it as the hypervisor does, for example "domain strata-dev-server-1".
	What string
	// Remove are the commands that take it away with all that was made for it, in order, to be
	// typed on the hypervisor as root.
	Remove []string
}

// Prefix begins the names of all machines of a stack. Those of another stack can begin so, too:
// only the mark tells.
func (s Spec) Prefix() string { return strings.TrimSuffix(s.Name(), s.Node) }

// OfStack reports whether a machine is the Spec's stack's. Without an identity on either side the
// stack's name decides.
func (s Spec) OfStack(m Mark) bool {
	return m.Stack == s.Stack && (m.Cluster == s.Cluster || m.Cluster == "" || s.Cluster == "")
}

// Of is the Spec of another node of the stack.
func (s Spec) Of(node string) Spec {
	s.Node = node
	return s
}
