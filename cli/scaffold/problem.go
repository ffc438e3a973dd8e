package scaffold

import "strings"

// Problem says why no file can be written for a host.
type Problem struct {
	// Host is the host as it was named; empty for what is about several of them.
	Host string
	// What was found, and what was expected.
	What string
	// Fix says what to do. Empty where What has it already.
	Fix string
}

// Error gives the problem on one line: host, what; fix.
func (p Problem) Error() string {
	text := p.What
	if p.Host != "" {
		text = p.Host + ": " + text
	}
	if p.Fix != "" {
		text += "; " + p.Fix
	}
	return text
}

// Problems are all that were found, in the order of the hosts.
type Problems []Problem

// Error gives each problem on a line of its own.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// err is nil without problems.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
