// Package github stands in for GitHub's SDK, with which Argo CD's ApplicationSets list repositories and pull requests, and its
// notifications comment on them. Git itself, also of GitHub, needs nothing of it but a GitHub App's name.
package github

import (
	"errors"
	"net/http"
	"time"
)

var errNone = errors.New("the lab's Argo CD does not talk to GitHub's API")

// Client refuses.
type Client struct {
	Apps         *AppsService
	Checks       *ChecksService
	Issues       *IssuesService
	PullRequests *PullRequestsService
	Repositories *RepositoriesService
	Users        *UsersService
}

// NewClient returns one.
func NewClient(*http.Client) *Client {
	return &Client{
		Apps: &AppsService{}, Checks: &ChecksService{}, Issues: &IssuesService{},
		PullRequests: &PullRequestsService{}, Repositories: &RepositoriesService{}, Users: &UsersService{},
	}
}

// WithAuthToken changes nothing.
func (c *Client) WithAuthToken(string) *Client { return c }

// WithEnterpriseURLs changes nothing.
func (c *Client) WithEnterpriseURLs(string, string) (*Client, error) { return c, nil }

// Response is GitHub's.
type Response struct {
	*http.Response

	NextPage int
}

// refused is an answer that is never 404: callers look at its status before the error.
func refused() *Response { return &Response{Response: &http.Response{}} }

// ListOptions select a page.
type ListOptions struct{ Page, PerPage int }

// Timestamp is a time.
type Timestamp struct{ time.Time }

// text is a pointer's, or empty.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
