package pulumitest

import (
	"fmt"
	"sync/atomic"
)

// FailType makes every resource of a type fail.
func FailType(token string) func(Resource) error {
	return failWhere(func(r Resource) bool { return r.Type == token })
}

// FailName makes the resource with a name fail.
func FailName(name string) func(Resource) error {
	return failWhere(func(r Resource) bool { return r.Name == name })
}

// FailNth makes the n-th custom resource of a type fail, counted from 1. If token is empty,
// resources of all types count.
func FailNth(token string, n int64) func(Resource) error {
	var seen atomic.Int64
	return failWhere(func(r Resource) bool {
		return r.Custom && (token == "" || r.Type == token) && seen.Add(1) == n
	})
}

// FailAll makes every custom resource fail.
func FailAll() func(Resource) error {
	return failWhere(func(r Resource) bool { return r.Custom })
}

// failWhere makes matching resources fail, with an error that names them like the engine's.
func failWhere(match func(Resource) bool) func(Resource) error {
	return func(r Resource) error {
		if !match(r) {
			return nil
		}
		return fmt.Errorf("%s %s: made to fail", r.Type, r.Name)
	}
}
