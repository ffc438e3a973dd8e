// Package choice implements the mutants of an instrumented file. Its functions replace operators,
// and each has one or two mutants. An environment variable selects the mutant of a run. Only the
// instrumented copies that go build's -overlay uses import this package.
package choice

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"sync"
)

const (
	// Variable names the environment variable with the number of the active mutant. Without it,
	// none is active.
	Variable = "STRATA_MUTANT"
	// Reached names the environment variable with a file, to which a run appends the numbers of the
	// mutants that it reaches. It is optional.
	Reached = "STRATA_MUTANTS_REACHED"
)

var (
	on, _ = strconv.Atoi(os.Getenv(Variable))
	path  = os.Getenv(Reached)
	mu    sync.Mutex
	known = map[int]bool{}
)

// is reports whether a mutant is active, and notes that the run has reached it.
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

// Not returns b; its mutant returns !b.
func Not[B ~bool](id int, b B) B {
	if is(id) {
		return !b
	}
	return b
}

// And returns a && b; its mutant returns a || b.
func And(id int, a bool, b func() bool) bool {
	if is(id) {
		return a || b()
	}
	return a && b()
}

// Or returns a || b; its mutant returns a && b.
func Or(id int, a bool, b func() bool) bool {
	if is(id) {
		return a && b()
	}
	return a || b()
}

// Less returns a < b; its mutants return a <= b and a >= b.
func Less[T cmp.Ordered](id int, a, b T) bool { return compare(id, a < b, a <= b) }

// LessEqual returns a <= b; its mutants return a < b and a > b.
func LessEqual[T cmp.Ordered](id int, a, b T) bool { return compare(id, a <= b, a < b) }

// Greater returns a > b; its mutants return a >= b and a <= b.
func Greater[T cmp.Ordered](id int, a, b T) bool { return compare(id, a > b, a >= b) }

// GreaterEqual returns a >= b; its mutants return a > b and a < b.
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

// State returns original; each of its mutants, from id on, returns one of others.
func State[S ~string](id int, original S, others ...S) S {
	for i, other := range others {
		if is(id + i) {
			return other
		}
	}
	return original
}

// Keep reports whether a statement runs; its mutant returns false.
func Keep(id int) bool { return !is(id) }
