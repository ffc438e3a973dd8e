// Package pullrequest stands in for the forges whose pull requests an ApplicationSet can list.
package pullrequest

import (
	"context"
	"errors"
)

// PullRequest is one.
type PullRequest struct {
	Number                                       int64
	Title, Branch, TargetBranch, HeadSHA, Author string
	Labels                                       []string
}

// PullRequestService is a forge.
type PullRequestService any

// The constructors of forges refuse any arguments.
var (
	NewAzureDevOpsService               = refuse
	NewBitbucketCloudServiceBasicAuth   = refuse
	NewBitbucketCloudServiceBearerToken = refuse
	NewBitbucketCloudServiceNoAuth      = refuse
	NewBitbucketServiceBasicAuth        = refuse
	NewBitbucketServiceBearerToken      = refuse
	NewBitbucketServiceNoAuth           = refuse
	NewGitLabService                    = refuse
	NewGiteaService                     = refuse
	NewGithubAppService                 = refuse
	NewGithubService                    = refuse
)

var errNone = errors.New("the lab's Argo CD lists no forge's pull requests")

func refuse(...any) (PullRequestService, error) { return nil, errNone }

// ListPullRequests refuses.
func ListPullRequests(context.Context, PullRequestService, any) ([]*PullRequest, error) {
	return nil, errNone
}

// IsRepositoryNotFoundError is of an error that nothing here returns.
func IsRepositoryNotFoundError(error) bool { return false }
