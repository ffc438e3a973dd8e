package hypervisor

import (
	"fmt"
	"strings"

	"strata/internal/files/digest"
)

// Mark records a machine's owner on the machine (docs/adr/0031).
type Mark struct {
	Stack, Node string
	// State is one of the states below.
	State string
	// Cluster is the identity of the cluster, which with Node decides whose the machine is; empty
	// in a mark that is older. Project is for people.
	Cluster, Project string
	// Key tells the key with which the stack logs in to its machines: a state that is older than
	// Cluster knows its own machine by it.
	Key string
}

// The states of a machine, as its mark has them.
const (
	StateMaking = "making"
	StateMade   = "made"
	// StateToDelete: all machines of the stack are about to be deleted.
	StateToDelete = "condemned"
	// StateDeleting: the deletion of the machine began. All that lived on it has left the state, so
	// the next run may make it anew.
	StateDeleting = "leaving"
)

// Whole is true of a machine that may have a node on it.
func (m Mark) Whole() bool { return m.State == StateMade || m.State == StateToDelete }

// Mark is the Spec's own.
func (s Spec) Mark(state string) Mark {
	return Mark{Stack: s.Stack, Node: s.Node, State: state, Cluster: s.Cluster, Project: s.Project, Key: s.key()}
}

// key is a digest of the stack's own key, which is the first that may log in; empty in a Spec
// without keys.
func (s Spec) key() string {
	if len(s.Guest.AuthorizedKeys) == 0 {
		return ""
	}
	return digest.Of([]byte(strings.TrimSpace(s.Guest.AuthorizedKeys[0])))[:12]
}

// Owns reports whether the Spec's cluster made a machine. Without a cluster in the mark, stack and
// node decide, as they did when it was made. Without one in the Spec, which is what an older state
// asks a removal with, the key does.
func (s Spec) Owns(m Mark) bool {
	switch {
	case m.Stack != s.Stack || m.Node != s.Node:
		return false
	case m.Cluster == "" || m.Cluster == s.Cluster || s.anyOwner:
		return true
	}
	return s.Cluster == "" && m.Key != "" && m.Key == s.key()
}

// Names say who the owner is.
func (m Mark) Names() string {
	if m.Stack == "" {
		return "no marked owner"
	}
	if m.Cluster == "" {
		return fmt.Sprintf("node %s of stack %s", m.Node, m.Stack)
	}
	return fmt.Sprintf("node %s of stack %s of project %s (cluster %s)", m.Node, m.Stack, m.Project, m.Cluster)
}

// Line is the mark where a hypervisor takes a text only.
func (m Mark) Line() string {
	line := fmt.Sprintf("strata stack=%s node=%s state=%s", m.Stack, m.Node, m.State)
	for _, more := range []struct{ key, value string }{{"cluster", m.Cluster}, {"project", m.Project}, {"key", m.Key}} {
		if more.value != "" {
			line += " " + more.key + "=" + more.value
		}
	}
	return line
}

// parseLine reads the line of a mark; ok is false for any other.
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
		Cluster: values["cluster"], Project: values["project"], Key: values["key"],
	}
	return m, m.Stack != "" && m.Node != "" && m.State != ""
}

// MarkIn finds the mark in a text that a person may have added to.
func MarkIn(text string) Mark {
	for line := range strings.Lines(text) {
		if m, ok := parseLine(line); ok {
			return m
		}
	}
	return Mark{}
}

// In is a text with this mark in place of the one that it has, and with what people added.
func (m Mark) In(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if _, ok := parseLine(line); ok {
			lines[i] = m.Line()
			return strings.Join(lines, "\n")
		}
	}
	return strings.TrimSuffix(m.Line()+"\n"+strings.Join(lines, "\n"), "\n")
}

// ForeignError is a machine in the way that this stack did not make.
type ForeignError struct {
	Where, What, Fix string
	// Owner is the owner's name; empty without a mark.
	Owner string
	// Unsure is true when the identity of this stack's cluster was not known, so that the machine
	// can be its own.
	Unsure bool
}

// Foreign words a machine that a Spec does not own. what is the machine, fix what is done about one
// that no cluster's mark is on.
func (s Spec) Foreign(where, what, fix string, m Mark) *ForeignError {
	e := &ForeignError{Where: where, What: what, Fix: fix}
	if m.Stack == "" {
		return e
	}
	e.Owner = m.Names()
	if m.Stack == s.Stack && m.Node == s.Node {
		e.Unsure = s.Cluster == ""
		e.Fix = "it was made with another state of this stack's file: two people need stacks of two names; if that state is lost or this machine has " +
			"no other user: strata host adopt, see docs/host-ownership.md"
	}
	return e
}

func (e *ForeignError) Error() string {
	what := e.What
	if e.Owner != "" {
		what += ", " + e.Owner
	}
	return fmt.Sprintf("%s: %s, and this stack did not make it; it is left alone: %s", e.Where, what, e.Fix)
}
