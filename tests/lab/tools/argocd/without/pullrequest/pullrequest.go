// Package pullrequest is a stub of the package with which an ApplicationSet lists pull requests of
// Git hosting services.
package pullrequest

import (
	"context"
	"errors"
)

// PullRequest is a pull request.
type PullRequest struct {
	Number                                       int64
	Title, Branch, TargetBranch, HeadSHA, Author string
	Labels                                       []string
}

// PullRequestService is a Git hosting service.
type PullRequestService any

// Constructors for hosting services. All of them fail.
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

// ListPullRequests always fails.
func ListPullRequests(context.Context, PullRequestService, any) ([]*PullRequest, error) {
	return nil, errNone
}

// IsRepositoryNotFoundError returns false, because no function here returns such an error.
func IsRepositoryNotFoundError(error) bool { return false }
