// Package rollout gates workloads: the newest revision of each serves and no older one is left.
package rollout
