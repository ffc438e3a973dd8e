package healthtest

import (
	"errors"
	"fmt"
)

// file is a fixture file: a list of bases, each followed by the cases that change it.
type file struct {
	// Spec has the fields that the Specs of all bases share.
	Spec  any      `yaml:"spec,omitempty"`
	Cases []change `yaml:"cases"`
}

// change is one case: its class with a sentence about the situation, and its differences from the
// base above it. A base is complete, except for the common Spec of the file.
type change struct {
	Ready     string `yaml:"ready,omitempty"`
	Waiting   string `yaml:"waiting,omitempty"`
	Stuck     string `yaml:"stuck,omitempty"`
	Skipped   string `yaml:"skipped,omitempty"`
	FalsePass string `yaml:"false-pass,omitempty"`
	FalseFail string `yaml:"false-fail,omitempty"`
	GiveUp    string `yaml:"give-up,omitempty"`
	Base      bool   `yaml:"base,omitempty"`
	Spec      any    `yaml:"spec,omitempty"`
	Facts     any    `yaml:"facts,omitempty"`
	Want      any    `yaml:"want,omitempty"`
}

// class returns the class of a case and its sentence. Both are empty unless the case has exactly
// one class.
func (c *change) class() (class, sentence string) {
	of := map[string]string{
		"ready": c.Ready, "waiting": c.Waiting, "stuck": c.Stuck, "skipped": c.Skipped,
		"false-pass": c.FalsePass, "false-fail": c.FalseFail, "give-up": c.GiveUp,
	}
	for each, text := range of {
		if text == "" {
			continue
		}
		if class != "" {
			return "", ""
		}
		class, sentence = each, text
	}
	return class, sentence
}

// expanded is a complete case: its own parts and those that it inherits from its base.
type expanded struct{ spec, facts, want any }

// change returns the differences of the case from a base.
func (e expanded) change(base expanded) (spec, facts, want any) {
	return difference(base.spec, e.spec), difference(base.facts, e.facts),
		difference(base.want, e.want)
}

// expand returns every case of the file, with the facts and verdicts of its base filled in.
func (f *file) expand() ([]expanded, error) {
	all := make([]expanded, len(f.Cases))
	base := expanded{}
	for i := range f.Cases {
		c := &f.Cases[i]
		if _, sentence := c.class(); sentence == "" {
			return nil, fmt.Errorf("case %d: one class with a sentence is missing", i+1)
		}
		if c.Base {
			base = expanded{spec: f.Spec}
		} else if i == 0 {
			return nil, errors.New("case 1: the first one must be a base")
		}
		all[i] = expanded{apply(base.spec, c.Spec), apply(base.facts, c.Facts),
			apply(base.want, c.Want)}
		if c.Base {
			base = all[i]
		}
	}
	return all, nil
}
