// Package pool gates a MetalLB address pool: accepted by the running controller and by every
// speaker.
package pool
