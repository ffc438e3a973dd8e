package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

const equivalentsFile = gatesFolder + "/mutants/equivalents.txt"

// equivalents has the names of the mutants that behave like the original code, with the reasons.
type equivalents map[string]string

// readEquivalents reads a file of mutants' names. The indented lines below a name are its reason.
func readEquivalents(path string) (equivalents, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	known := equivalents{}
	name := ""
	for n, line := range strings.Split(string(text), "\n") {
		switch reason := strings.TrimSpace(line); {
		case reason == "" || strings.HasPrefix(line, "#"):
		case reason == line:
			name = line
			if _, twice := known[name]; twice {
				return nil, fmt.Errorf("%s:%d: %s is there twice", path, n+1, name)
			}
			known[name] = ""
		default:
			known[name] = strings.TrimSpace(known[name] + " " + reason)
		}
	}
	for name, reason := range known {
		if reason == "" || name == "" {
			return nil, fmt.Errorf("%s: %q has no reason", path, name)
		}
	}
	return known, nil
}

// check returns the mutants that survive and are not in the list. It returns an error if a mutant
// in the list is killed, or does not exist although whole is true.
func (known equivalents) check(tried []*mutant, whole bool) ([]*mutant, error) {
	var survivors []*mutant
	var wrong []error
	there := map[string]bool{}
	for _, m := range tried {
		name := m.name()
		there[name] = true
		switch _, equivalent := known[name]; {
		case equivalent && m.killed:
			wrong = append(wrong,
				fmt.Errorf("%s: a test notices it, so it is no equivalent: %s",
					equivalentsFile, name))
		case !equivalent && !m.killed:
			survivors = append(survivors, m)
		}
	}
	for name := range known {
		if whole && !there[name] {
			wrong = append(wrong, fmt.Errorf("%s: there is no such change: %s",
				equivalentsFile, name))
		}
	}
	return survivors, errors.Join(wrong...)
}
