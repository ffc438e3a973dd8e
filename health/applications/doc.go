// Package applications gates ArgoCD Applications: each must be Synced and Healthy for its present
// spec; a status about an earlier spec does not count.
package applications
