package config

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// Problem is one mistake in the configuration. Its Rule and Fix never repeat Value, so a message
// about a secret section can omit the value.
type Problem struct {
	// Key is the full key path, for example strata:metallb.addresses[0].
	Key string
	// Value is the value as the user wrote it; empty if there is nothing to show.
	Value string
	// Rule says what is wrong. In the message it follows Key and Value.
	Rule string
	// Fix tells the user how to mend it.
	Fix string
}

// login matches the user and the password of a URL.
var login = regexp.MustCompile(`://\S+@`)

// Error returns the problem on one line: key, value, rule; fix. It hides logins in URLs.
func (p Problem) Error() string {
	text := p.Key + ": "
	if p.Value != "" {
		text += login.ReplaceAllString(p.Value, "://…@") + " "
	}
	text += p.Rule
	if p.Fix != "" {
		text += "; " + p.Fix
	}
	return text
}

type problems []Problem

func (ps *problems) add(key, value, rule, fix string) {
	*ps = append(*ps, Problem{Key: key, Value: value, Rule: rule, Fix: fix})
}

// addIf adds a problem if broken is true. Callers compute the texts even if broken is false.
func (ps *problems) addIf(broken bool, key, value, rule, fix string) {
	if broken {
		ps.add(key, value, rule, fix)
	}
}

// err returns the problems joined in the order of their keys; nil if there are none.
func (ps problems) err() error {
	sorted := slices.Clone(ps)
	slices.SortFunc(sorted, func(a, b Problem) int { return strings.Compare(a.Error(), b.Error()) })
	sorted = slices.Compact(sorted)
	errs := make([]error, len(sorted))
	for i, p := range sorted {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// sectionOf returns the section that a key path lies in: strata:hosts for
// strata:hosts.nodes[0].name.
func sectionOf(key string) string {
	if end := strings.IndexAny(key, ".["); end >= 0 {
		return key[:end]
	}
	return key
}
