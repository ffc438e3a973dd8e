// Package github has the types of GitHub's SDK that a GitHub App's credentials are asked for with.
package github

// InstallationTokenOptions restrict a token.
type InstallationTokenOptions struct{}

// InstallationPermissions are a token's.
type InstallationPermissions struct{}

// Repository is one that a token is for.
type Repository struct{}
