package main

import (
	"crypto/rand"
	"fmt"
	"math/big"

	p "github.com/pulumi/pulumi-go-provider"
)

const (
	lowerRunes   = "abcdefghijklmnopqrstuvwxyz"
	upperRunes   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digitRunes   = "0123456789"
	specialRunes = "!@#$%&*()-_=+[]{}<>:?"
)

// TextArgs are the inputs of a password and of a string: a length in characters,
// the classes to draw from (all by default) and how many of each at least.
type TextArgs struct {
	Length  int   `pulumi:"length"`
	Lower   *bool `pulumi:"lower,optional"`
	Upper   *bool `pulumi:"upper,optional"`
	Numeric *bool `pulumi:"numeric,optional"`
	// Number is the deprecated name of Numeric.
	Number          *bool   `pulumi:"number,optional"`
	Special         *bool   `pulumi:"special,optional"`
	OverrideSpecial *string `pulumi:"overrideSpecial,optional"`
	MinLower        *int    `pulumi:"minLower,optional"`
	MinUpper        *int    `pulumi:"minUpper,optional"`
	MinNumeric      *int    `pulumi:"minNumeric,optional"`
	MinSpecial      *int    `pulumi:"minSpecial,optional"`
	// Keepers are arbitrary values whose change makes a new text.
	Keepers *map[string]string `pulumi:"keepers,optional"`
}

// class is a set of characters and the least number of them.
type class struct {
	runes string
	least int
}

// withDefaults fills in what the outputs show for absent inputs.
func (a TextArgs) withDefaults() TextArgs {
	if a.Numeric == nil {
		a.Numeric = a.Number
	}
	for _, field := range []**bool{&a.Lower, &a.Upper, &a.Numeric, &a.Special} {
		if *field == nil {
			*field = new(bool)
			**field = true
		}
	}
	for _, field := range []**int{&a.MinLower, &a.MinUpper, &a.MinNumeric, &a.MinSpecial} {
		if *field == nil {
			*field = new(int)
		}
	}
	a.Number = a.Numeric
	return a
}

// classes needs the defaults.
func (a TextArgs) classes() []class {
	special := specialRunes
	if a.OverrideSpecial != nil && *a.OverrideSpecial != "" {
		special = *a.OverrideSpecial
	}
	var classes []class
	for _, c := range []struct {
		use   bool
		class class
	}{
		{*a.Lower, class{lowerRunes, *a.MinLower}},
		{*a.Upper, class{upperRunes, *a.MinUpper}},
		{*a.Numeric, class{digitRunes, *a.MinNumeric}},
		{*a.Special, class{special, *a.MinSpecial}},
	} {
		if c.use || c.class.least > 0 {
			classes = append(classes, c.class)
		}
	}
	return classes
}

// problems refuses a text that cannot be made.
func (a TextArgs) problems() []p.CheckFailure {
	a = a.withDefaults()
	least := *a.MinLower + *a.MinUpper + *a.MinNumeric + *a.MinSpecial
	switch {
	case a.Length < 1:
		return []p.CheckFailure{{Property: "length", Reason: fmt.Sprintf("must be at least 1, got %d", a.Length)}}
	case a.Length < least:
		return []p.CheckFailure{{Property: "length", Reason: fmt.Sprintf(
			"must be at least the sum of the minima, %d, got %d", least, a.Length)}}
	case len(a.classes()) == 0:
		return []p.CheckFailure{{Property: "lower", Reason: "at least one class of characters must be used"}}
	}
	return nil
}

// text draws the minima of each class, fills up from all classes and shuffles.
func (a TextArgs) text() (string, error) {
	var all string
	result := make([]byte, 0, a.Length)
	for _, c := range a.classes() {
		all += c.runes
		for range c.least {
			index, err := below(len(c.runes))
			if err != nil {
				return "", err
			}
			result = append(result, c.runes[index])
		}
	}
	for len(result) < a.Length {
		index, err := below(len(all))
		if err != nil {
			return "", err
		}
		result = append(result, all[index])
	}
	err := shuffle(result)
	return string(result), err
}

func shuffle(text []byte) error {
	for i := len(text) - 1; i > 0; i-- {
		j, err := below(i + 1)
		if err != nil {
			return err
		}
		text[i], text[j] = text[j], text[i]
	}
	return nil
}

func below(limit int) (int, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(int64(limit)))
	if err != nil {
		return 0, fmt.Errorf("reading the system's randomness: %w", err)
	}
	return int(n.Int64()), nil
}
