package hypervisor

import (
	"strings"
)

// Owned is a machine on the hypervisor with the mark of a stack.
type Owned struct {
	Mark
	// What names the machine in the hypervisor's terms, for example "domain strata-dev-server-1".
	What string
	// Remove holds the commands that remove the machine with all its parts, in order. A user runs
	// them on the hypervisor as root.
	Remove []string
}

// Prefix returns the common prefix of the names of all machines of a stack. Another stack's names
// may have the same prefix, so only the mark shows the stack.
func (s Spec) Prefix() string { return strings.TrimSuffix(s.Name(), s.Node) }

// OfStack reports whether a machine belongs to the Spec's stack. If the mark or the Spec has no
// cluster identity, only the stack's name is compared.
func (s Spec) OfStack(m Mark) bool {
	return m.Stack == s.Stack && (m.Cluster == s.Cluster || m.Cluster == "" || s.Cluster == "")
}

// WithNode returns the Spec of another node of the stack.
func (s Spec) WithNode(node string) Spec {
	s.Node = node
	return s
}
