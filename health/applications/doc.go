// Package applications gates ArgoCD Applications: each is Synced and Healthy for its present
// specification, and not for an earlier one.
package applications
