// Package scm_provider is a stub of the package with which an ApplicationSet lists repositories of
// Git hosting services.
package scm_provider //nolint:revive // Upstream's name.

import (
	"context"
	"errors"
)

// Repository is a Git repository.
type Repository struct {
	Organization, Repository, URL, Branch, SHA string

	Labels       []string
	RepositoryId any //nolint:revive // Upstream's name.
}

// SCMProviderService is a Git hosting service.
type SCMProviderService any

// Constructors for hosting services. All of them fail.
var (
	NewAWSCodeCommitProvider              = refuse
	NewAzureDevOpsProvider                = refuse
	NewBitBucketCloudProvider             = refuse
	NewBitbucketServerProviderBasicAuth   = refuse
	NewBitbucketServerProviderBearerToken = refuse
	NewBitbucketServerProviderNoAuth      = refuse
	NewGiteaProvider                      = refuse
	NewGithubAppProviderFor               = refuse
	NewGithubProvider                     = refuse
	NewGitlabProvider                     = refuse
)

var errNone = errors.New("the lab's Argo CD lists no forge's repositories")

func refuse(...any) (SCMProviderService, error) { return nil, errNone }

// ListRepos always fails.
func ListRepos(context.Context, SCMProviderService, any, string) ([]*Repository, error) {
	return nil, errNone
}
