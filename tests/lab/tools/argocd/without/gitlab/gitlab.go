// Package gitlab stands in for GitLab's SDK, with which Argo CD's ApplicationSets list projects and merge requests.
package gitlab

import (
	"context"
	"errors"
	"net/http"
)

// ErrNotFound is what GitLab says of what it does not have. Nothing here says so: who asks would take it for an answer.
var ErrNotFound = errors.New("404 Not Found")

var errNone = errors.New("the lab's Argo CD does not talk to GitLab's API")

// ClientOptionFunc is one of NewClient.
type ClientOptionFunc func()

// WithBaseURL changes nothing.
func WithBaseURL(string) ClientOptionFunc { return nil }

// WithHTTPClient changes nothing.
func WithHTTPClient(*http.Client) ClientOptionFunc { return nil }

// RequestOptionFunc is one of a request.
type RequestOptionFunc func()

// WithContext changes nothing.
func WithContext(context.Context) RequestOptionFunc { return nil }

// Client is never made.
type Client struct {
	MergeRequests   *Service
	Groups          *Service
	Projects        *Service
	RepositoryFiles *Service
	Repositories    *Service
	Branches        *Service
}

// NewClient refuses, so nothing else of it is ever called.
func NewClient(string, ...ClientOptionFunc) (*Client, error) {
	return nil, errNone
}

// Response is GitLab's.
type Response struct {
	*http.Response

	NextPage, CurrentPage, TotalPages int
}

// ListOptions select a page.
type ListOptions struct{ Page, PerPage int }

// LabelOptions are labels.
type LabelOptions []string
