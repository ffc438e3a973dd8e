// Package github is a stub of GitHub's SDK, with which Traefik looks for newer releases of itself.
package github

import (
	"context"
	"errors"
	"net/http"
)

// Client is a client. None is ever created.
type Client struct{ Repositories *RepositoriesService }

var errReleases = errors.New("the lab's Traefik does not look for newer releases")

// ClientOptionsFunc sets an option of a client.
type ClientOptionsFunc func(*Client) error

// WithURLs returns no option.
func WithURLs(_, _ *string) ClientOptionsFunc { return nil }

// NewClient always fails.
func NewClient(...ClientOptionsFunc) (*Client, error) { return nil, errReleases }

// RepositoriesService has the methods for repositories, which always fail.
type RepositoriesService struct{}

// Response is a response of GitHub's API.
type Response struct{ *http.Response }

// ListOptions selects releases.
type ListOptions struct{}

// RepositoryRelease has the only field that Traefik reads.
type RepositoryRelease struct{ TagName string }

// ListReleases always fails.
func (*RepositoriesService) ListReleases(context.Context, string, string,
	*ListOptions) ([]*RepositoryRelease, *Response, error) {
	return nil, nil, errReleases
}
