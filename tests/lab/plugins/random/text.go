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

// TextArgs are the inputs of a password: a length in characters, and whether
// there are others in it than letters and digits (by default there are).
type TextArgs struct {
	Length  int   `pulumi:"length"`
	Special *bool `pulumi:"special,optional"`
	// Keepers are arbitrary values whose change makes a new text.
	Keepers *map[string]string `pulumi:"keepers,optional"`

	// The others are in a state; Check refuses them here unless they have their default values.
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

// withDefaults fills in the outputs' values for absent inputs.
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

// known are the outputs that a preview tells.
func (a *TextArgs) known(f infer.FieldSelector) {
	for _, field := range []any{
		&a.Lower, &a.Upper, &a.Numeric, &a.Number, &a.Special, &a.MinLower, &a.MinUpper, &a.MinNumeric, &a.MinSpecial,
	} {
		f.OutputField(field).AlwaysKnown()
	}
}

// problems refuses a text that cannot be made, or not here.
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

// text draws every character by itself.
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
