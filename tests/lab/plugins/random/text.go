package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

const (
	lowerRunes   = "abcdefghijklmnopqrstuvwxyz"
	upperRunes   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digitRunes   = "0123456789"
	specialRunes = "!@#$%&*()-_=+[]{}<>:?"
)

// TextArgs are the inputs of a password: a length in characters,
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

// class is a set of characters, the least number of them, and whether the rest
// of the text has them too.
type class struct {
	runes string
	least int
	fills bool
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

// known are the outputs that a preview tells.
func (a *TextArgs) known(f infer.FieldSelector) {
	for _, field := range []any{
		&a.Lower, &a.Upper, &a.Numeric, &a.Number, &a.Special, &a.MinLower, &a.MinUpper, &a.MinNumeric, &a.MinSpecial,
	} {
		f.OutputField(field).AlwaysKnown()
	}
}

// classes needs the defaults.
func (a TextArgs) classes() []class {
	special := specialRunes
	if a.OverrideSpecial != nil && *a.OverrideSpecial != "" {
		special = *a.OverrideSpecial
	}
	return []class{
		{lowerRunes, *a.MinLower, *a.Lower},
		{upperRunes, *a.MinUpper, *a.Upper},
		{digitRunes, *a.MinNumeric, *a.Numeric},
		{special, *a.MinSpecial, *a.Special},
	}
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
	case !*a.Lower && !*a.Upper && !*a.Numeric && !*a.Special:
		return []p.CheckFailure{{Property: "lower", Reason: "at least one class of characters must be used"}}
	}
	return nil
}

// contradiction is an error that, as in the official plugin, only a create finds.
func (a TextArgs) contradiction() error {
	if a.Number != nil && a.Numeric != nil && *a.Number != *a.Numeric {
		return errors.New("Number and numeric are both configured with different values") //nolint:staticcheck,revive // official text
	}
	return nil
}

// text draws the minima of each class, fills up from the used ones and shuffles.
func (a TextArgs) text() (string, error) {
	var all string
	result := make([]byte, 0, a.Length)
	for _, c := range a.classes() {
		if c.fills {
			all += c.runes
		}
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
