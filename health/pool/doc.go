// Package pool gates a MetalLB address pool: the running controller and every speaker must have
// accepted it.
package pool
