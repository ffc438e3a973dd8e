// Package teardown decides whether a cluster may be destroyed, and writes the messages about it. It
// checks whether the last update's configuration protects the cluster, and which objects of users
// would be deleted with it. The package itself deletes nothing. It writes only the records of
// releases that have none.
package teardown
