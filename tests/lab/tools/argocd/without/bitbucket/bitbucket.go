// Package bitbucketv1 stands in for the client of Bitbucket's server. Nothing that is left calls
// its constructor.
package bitbucketv1

import (
	"context"
	"net/http"
)

// Configuration is a client's.
type Configuration struct {
	BasePath   string
	HTTPClient *http.Client
}

// APIClient can do nothing.
type APIClient struct{}

// NewAPIClient returns one.
func NewAPIClient(context.Context, *Configuration) *APIClient { return &APIClient{} }
