// Package teardown owns the messages and the consent before a cluster is destroyed: whether the
// last update's configuration protects it, and which objects of the users go with it. It deletes
// nothing.
package teardown
