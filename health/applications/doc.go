// Package applications gates ArgoCD Applications: each Synced and Healthy as it is specified now,
// and not as it was before.
package applications
