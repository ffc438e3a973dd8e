package vm

import (
	"fmt"
	"strings"

	"strata/internal/remote"
)

// Mark is what a machine carries of its owner.
type Mark struct {
	Stack, Node string
	// Whole is false while the machine is being made.
	Whole bool
}

// mark is the Spec's own.
func (s Spec) mark(whole bool) Mark { return Mark{Stack: s.Stack, Node: s.Node, Whole: whole} }

// owns reports whether the Spec's stack made a machine.
func (s Spec) owns(m Mark) bool { return m.Stack == s.Stack && m.Node == s.Node }

func (m Mark) state() string {
	if m.Whole {
		return "made"
	}
	return "making"
}

// line is the mark where a hypervisor takes a text only.
func (m Mark) line() string {
	return fmt.Sprintf("strata stack=%s node=%s state=%s", m.Stack, m.Node, m.state())
}

// markIn finds the mark in a text that a person may have added to.
func markIn(text string) Mark {
	for line := range strings.Lines(text) {
		var m Mark
		var state string
		if n, err := fmt.Sscanf(line, "strata stack=%s node=%s state=%s", &m.Stack, &m.Node, &state); err == nil && n == 3 {
			m.Whole = state == "made"
			return m
		}
	}
	return Mark{}
}

// ForeignError is a machine in the way that this stack did not make.
type ForeignError struct{ Where, What, Fix string }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s: %s, and this stack did not make it; it is left alone: %s", e.Where, e.What, e.Fix)
}

// shell makes words into one command line.
func shell(words []string) string {
	quoted := make([]string, len(words))
	for i, one := range words {
		if quoted[i] = one; !plainWord(one) {
			quoted[i] = remote.Quote(one)
		}
	}
	return strings.Join(quoted, " ")
}

// plainWord is true for a word that a shell takes as it is.
func plainWord(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,%@+", r))
	}) < 0
}
