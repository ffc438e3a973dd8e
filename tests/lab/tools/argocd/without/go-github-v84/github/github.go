// Package github has the types of GitHub's SDK that a request for a GitHub App's token uses.
package github

// InstallationTokenOptions restricts a token.
type InstallationTokenOptions struct{}

// InstallationPermissions are the permissions of a token.
type InstallationPermissions struct{}

// Repository is a repository that a token gives access to.
type Repository struct{}
