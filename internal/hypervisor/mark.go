package hypervisor

import (
	"fmt"
	"strings"
)

// Mark records a machine's owner on the machine (docs/adr/0031).
type Mark struct {
	Stack, Node string
	// State is one of the states below.
	State string
	// Cluster is the cluster's identity; empty in the mark of a machine that a user has released.
	// Stack, Node and Cluster decide who owns the machine. Project is only shown to users.
	Cluster, Project string
}

// States of a machine in its mark.
const (
	StateMaking = "making"
	StateMade   = "made"
	// StateToDelete: a destroy of the whole stack is about to delete the machine.
	StateToDelete = "condemned"
	// StateDeleting: the deletion of the machine has begun. Pulumi's state no longer has the
	// machine's workload, so the next run may replace the machine.
	StateDeleting = "leaving"
)

// Whole reports whether the creation of the machine was completed and its deletion has not begun,
// so that the machine may run a node.
func (m Mark) Whole() bool { return m.State == StateMade || m.State == StateToDelete }

// Mark returns the Spec's own mark.
func (s Spec) Mark(state string) Mark {
	return Mark{Stack: s.Stack, Node: s.Node, State: state, Cluster: s.Cluster, Project: s.Project}
}

// Owns reports whether a mark has the Spec's stack and node, and the Spec's cluster or none. After
// AnyOwner, the mark may have any cluster.
func (s Spec) Owns(m Mark) bool {
	if m.Stack != s.Stack || m.Node != s.Node {
		return false
	}
	return m.Cluster == "" || m.Cluster == s.Cluster || s.anyOwner
}

// Names returns the names of the owner for messages.
func (m Mark) Names() string {
	if m.Stack == "" {
		return "no marked owner"
	}
	if m.Cluster == "" {
		return fmt.Sprintf("node %s of stack %s", m.Node, m.Stack)
	}
	return fmt.Sprintf("node %s of stack %s of project %s (cluster %s)", m.Node, m.Stack, m.Project,
		m.Cluster)
}

// Line returns the mark as one line, for hypervisors that store it in a text.
func (m Mark) Line() string {
	line := fmt.Sprintf("strata stack=%s node=%s state=%s", m.Stack, m.Node, m.State)
	for _, more := range []struct{ key, value string }{{"cluster", m.Cluster}, {"project", m.Project}} {
		if more.value != "" {
			line += " " + more.key + "=" + more.value
		}
	}
	return line
}

// parseLine parses the line of a mark; ok is false for any other line.
func parseLine(line string) (m Mark, ok bool) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "strata" {
		return Mark{}, false
	}
	values := map[string]string{}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		values[key] = value
	}
	m = Mark{
		Stack: values["stack"], Node: values["node"], State: values["state"],
		Cluster: values["cluster"], Project: values["project"],
	}
	return m, m.Stack != "" && m.Node != "" && m.State != ""
}

// MarkIn finds the mark in a text that users may have edited.
func MarkIn(text string) Mark {
	for line := range strings.Lines(text) {
		if m, ok := parseLine(line); ok {
			return m
		}
	}
	return Mark{}
}

// Apply returns text with this mark in place of its mark line, or before the text if it has none.
// Other lines, which users may have written, do not change.
func (m Mark) Apply(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if _, ok := parseLine(line); ok {
			lines[i] = m.Line()
			return strings.Join(lines, "\n")
		}
	}
	return strings.TrimSuffix(m.Line()+"\n"+strings.Join(lines, "\n"), "\n")
}

// ForeignError reports that a machine with the name of this stack's machine has another owner.
type ForeignError struct {
	Where, What, Fix string
	// Owner is the owner's name; empty without a mark.
	Owner string
	// Unsure is true if the identity of this stack's cluster was unknown, so that the machine may
	// belong to this stack.
	Unsure bool
}

// Foreign returns the error for a machine that the Spec does not own. what names the machine. fix
// is the repair, unless the mark has the Spec's stack and node.
func (s Spec) Foreign(where, what, fix string, m Mark) *ForeignError {
	e := &ForeignError{Where: where, What: what, Fix: fix}
	if m.Stack == "" {
		return e
	}
	e.Owner = m.Names()
	if m.Stack == s.Stack && m.Node == s.Node {
		e.Unsure = s.Cluster == ""
		e.Fix =
			"it was made with another state of this stack's file: two people need stacks of two " +
				"names; if that state is lost or this machine has " +
				fmt.Sprintf("no other user: strata owner -s %s %s --take, see docs/host-ownership.md", s.Stack, s.Node)
	}
	return e
}

func (e *ForeignError) Error() string {
	what := e.What
	if e.Owner != "" {
		what += ", " + e.Owner
	}
	return fmt.Sprintf("%s: %s, and this stack did not make it; it is left alone: %s", e.Where,
		what, e.Fix)
}
