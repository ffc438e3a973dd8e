// Package await waits until an object is ready or gone.
//
// It owns the pulumi.com/waitFor grammar, the built-in rules per kind and the
// wait for deletion. Rules are pure functions of the object and what belongs to
// it. It does not write objects.
//
// A wait watches: it looks again on every event of what it depends on, and only
// a settling period is a matter of time.
package await
