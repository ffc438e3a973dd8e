// Package teardown decides whether a cluster may be destroyed, and owns the messages about it. It
// checks whether the last update's configuration protects the cluster, and which objects of users
// would go with it. It deletes nothing.
package teardown
