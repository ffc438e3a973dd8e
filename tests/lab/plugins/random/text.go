package main

import (
	"crypto/rand"
	"fmt"
	"math/big"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

const (
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	specials = "!@#$%&*()-_=+[]{}<>:?"
)

// TextArgs are the inputs of a password: its length in characters, and whether it has special
// characters besides letters and digits (default: true).
type TextArgs struct {
	Length  int   `pulumi:"length"`
	Special *bool `pulumi:"special,optional"`
	// Keepers are arbitrary values. A changed value creates a new password.
	Keepers *map[string]string `pulumi:"keepers,optional"`

	// The state has these fields, too. Check rejects them unless they have their default values.
	Lower           *bool   `pulumi:"lower,optional"`
	Upper           *bool   `pulumi:"upper,optional"`
	Numeric         *bool   `pulumi:"numeric,optional"`
	Number          *bool   `pulumi:"number,optional"`
	OverrideSpecial *string `pulumi:"overrideSpecial,optional"`
	MinLower        *int    `pulumi:"minLower,optional"`
	MinUpper        *int    `pulumi:"minUpper,optional"`
	MinNumeric      *int    `pulumi:"minNumeric,optional"`
	MinSpecial      *int    `pulumi:"minSpecial,optional"`
}

// withDefaults returns the inputs with default values for those that are not set.
func (a TextArgs) withDefaults() TextArgs {
	for _, field := range []**bool{&a.Lower, &a.Upper, &a.Numeric, &a.Number, &a.Special} {
		if *field == nil {
			*field = new(true)
		}
	}
	for _, field := range []**int{&a.MinLower, &a.MinUpper, &a.MinNumeric, &a.MinSpecial} {
		if *field == nil {
			*field = new(int)
		}
	}
	return a
}

// known marks the outputs that a preview can show.
func (a *TextArgs) known(f infer.FieldSelector) {
	for _, field := range []any{
		&a.Lower, &a.Upper, &a.Numeric, &a.Number, &a.Special, &a.MinLower, &a.MinUpper, &a.MinNumeric, &a.MinSpecial,
	} {
		f.OutputField(field).AlwaysKnown()
	}
}

// problems returns failures for a length below 1, and for inputs that this plugin does not support.
func (a TextArgs) problems() []p.CheckFailure {
	if a.Length < 1 {
		return []p.CheckFailure{{Property: "length", Reason: fmt.Sprintf("must be at least 1, got %d", a.Length)}}
	}
	a = a.withDefaults()
	if *a.MinLower+*a.MinUpper+*a.MinNumeric+*a.MinSpecial != 0 || !*a.Lower || !*a.Upper ||
		!*a.Numeric || !*a.Number || a.OverrideSpecial != nil {
		return []p.CheckFailure{{Reason: "the lab's plugin knows length, special and keepers only"}}
	}
	return nil
}

// text returns a random text. Each character is drawn independently.
func (a TextArgs) text() (string, error) {
	all := letters
	if *a.Special {
		all += specials
	}
	result := make([]byte, a.Length)
	for i := range result {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(all))))
		if err != nil {
			return "", fmt.Errorf("reading the system's randomness: %w", err)
		}
		result[i] = all[n.Int64()]
	}
	return string(result), nil
}
