// Package applications gates ArgoCD Applications. Each must be Synced and Healthy for its present
// specification; a status for an earlier specification does not count.
package applications
