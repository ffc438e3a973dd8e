// Package namespace gates a namespace's deletion: it waits until a namespace that is being deleted
// is gone, and names the objects whose finalizers delay it.
package namespace
