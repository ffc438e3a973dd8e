package hypervisor

import (
	"strings"
)

// Owned is a machine on the hypervisor with the mark of a stack.
type Owned struct {
	Mark
	// What is its name in the hypervisor's terms, for example "domain strata-dev-server-1".
	What string
	// Remove are the commands that remove the machine with all its parts, in order. They are typed
	// on the hypervisor as root.
	Remove []string
}

// Prefix returns the beginning of the names of all machines of a stack. Another stack's names may
// begin with it too, so only the mark shows the stack.
func (s Spec) Prefix() string { return strings.TrimSuffix(s.Name(), s.Node) }

// OfStack reports whether a machine belongs to the Spec's stack. Without an identity on either side
// the stack's name decides.
func (s Spec) OfStack(m Mark) bool {
	return m.Stack == s.Stack && (m.Cluster == s.Cluster || m.Cluster == "" || s.Cluster == "")
}

// WithNode returns the Spec of another node of the stack.
func (s Spec) WithNode(node string) Spec {
	s.Node = node
	return s
}
