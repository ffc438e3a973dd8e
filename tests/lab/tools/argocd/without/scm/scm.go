// Package scm_provider stands in for the forges whose repositories an ApplicationSet can list.
package scm_provider //nolint:revive // The original's name.

import (
	"context"
	"errors"
)

// Repository is one.
type Repository struct {
	Organization, Repository, URL, Branch, SHA string

	Labels       []string
	RepositoryId any //nolint:revive // The original's name.
}

// SCMProviderService is a forge.
type SCMProviderService any

// The constructors of forges refuse any arguments.
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

// ListRepos refuses.
func ListRepos(context.Context, SCMProviderService, any, string) ([]*Repository, error) {
	return nil, errNone
}
