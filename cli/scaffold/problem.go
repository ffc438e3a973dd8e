package scaffold

import "strings"

// Problem describes what is wrong with a host. A problem prevents the write of the stack file,
// unless it is listed in Result.Later.
type Problem struct {
	// Host is the host as the user named it; empty if the problem concerns several hosts.
	Host string
	// What describes the problem, with the found value and the expected one.
	What string
	// Fix describes the repair; empty if the text of What includes the repair.
	Fix string
}

// Error returns the problem on one line: HOST: WHAT; FIX.
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

// Problems holds all problems, in the order of the hosts.
type Problems []Problem

// Error returns each problem on a line of its own.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// err returns the problems as an error; nil if there are none.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
