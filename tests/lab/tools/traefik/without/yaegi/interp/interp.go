// Package interp stands in for the interpreter that runs Traefik's plugins, which the lab has none of. With it goes the list of
// every symbol in Go's standard library.
package interp

import (
	"context"
	"errors"
	"io"
	"reflect"
)

var errNone = errors.New("the lab's Traefik has no plugins")

// Exports are symbols by package.
type Exports map[string]map[string]reflect.Value

// Options are the interpreter's.
type Options struct {
	GoPath         string
	Env            []string
	Stdout, Stderr io.Writer
}

// Interpreter interprets nothing.
type Interpreter struct{}

// New returns one.
func New(Options) *Interpreter { return &Interpreter{} }

// Use refuses.
func (*Interpreter) Use(Exports) error { return errNone }

// Eval refuses.
func (*Interpreter) Eval(string) (reflect.Value, error) { return reflect.Value{}, errNone }

// EvalWithContext refuses.
func (*Interpreter) EvalWithContext(context.Context, string) (reflect.Value, error) {
	return reflect.Value{}, errNone
}
