// Package rollout gates workloads: the newest revision of each must be available, and no Pod of an
// older one may be left.
package rollout
