package scaffold

import "strings"

// Problem is a reason why a host prevents that the file is written.
type Problem struct {
	// Host is the host as the user named it; empty if the problem concerns several hosts.
	Host string
	// What is the problem: the found value and the expected one.
	What string
	// Fix is the repair. Empty if What has it already.
	Fix string
}

// Error returns the problem on one line: host, what; fix.
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

// Problems are all problems, in the order of the hosts.
type Problems []Problem

// Error returns each problem on a line of its own.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// err returns nil without problems.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
