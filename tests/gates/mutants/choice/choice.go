// Package choice replaces the operators of an instrumented file by calls. Each call has one or two
// mutants, and runs the one that the environment names. Only files of go build's -overlay, which
// replace the gates' files, import it.
package choice

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"sync"
)

const (
	// Variable names the mutant of a run; unset for none.
	Variable = "STRATA_MUTANT"
	// Reached names the file for the numbers of the mutants that a run reaches; unset for none.
	Reached = "STRATA_MUTANTS_REACHED"
)

var (
	on, _ = strconv.Atoi(os.Getenv(Variable))
	path  = os.Getenv(Reached)
	mu    sync.Mutex
	known = map[int]bool{}
)

// is reports whether this mutant is active.
func is(id int) bool {
	if path != "" {
		note(id)
	}
	return id == on
}

func note(id int) {
	mu.Lock()
	defer mu.Unlock()
	if known[id] {
		return
	}
	known[id] = true
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(file, id)
	}
	if err != nil {
		panic(err)
	}
	_ = file.Close()
}

// Not returns b, or its opposite.
func Not[B ~bool](id int, b B) B {
	if is(id) {
		return !b
	}
	return b
}

// And returns a && b, or a || b.
func And(id int, a bool, b func() bool) bool {
	if is(id) {
		return a || b()
	}
	return a && b()
}

// Or returns a || b, or a && b.
func Or(id int, a bool, b func() bool) bool {
	if is(id) {
		return a && b()
	}
	return a || b()
}

// Less returns a < b; or with the first a <= b, with the second a >= b.
func Less[T cmp.Ordered](id int, a, b T) bool { return compare(id, a < b, a <= b) }

// LessEqual returns a <= b; or with the first a < b, with the second a > b.
func LessEqual[T cmp.Ordered](id int, a, b T) bool { return compare(id, a <= b, a < b) }

// Greater returns a > b; or with the first a >= b, with the second a <= b.
func Greater[T cmp.Ordered](id int, a, b T) bool { return compare(id, a > b, a >= b) }

// GreaterEqual returns a >= b; or with the first a > b, with the second a < b.
func GreaterEqual[T cmp.Ordered](id int, a, b T) bool { return compare(id, a >= b, a > b) }

func compare(id int, original, boundary bool) bool {
	if is(id) {
		return boundary
	}
	if is(id + 1) {
		return !original
	}
	return original
}

// State returns the original, or with each mutant from id on the other in its place.
func State[S ~string](id int, original S, others ...S) S {
	for i, other := range others {
		if is(id + i) {
			return other
		}
	}
	return original
}

// Keep reports whether a statement runs, which is false only in its mutant.
func Keep(id int) bool { return !is(id) }
