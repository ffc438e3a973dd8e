// Package bitbucketv1 is a stub of the client for Bitbucket Server. Nothing in the lab's Argo CD
// calls its constructor.
package bitbucketv1

import (
	"context"
	"net/http"
)

// Configuration has the settings of a client.
type Configuration struct {
	BasePath   string
	HTTPClient *http.Client
}

// APIClient has no methods.
type APIClient struct{}

// NewAPIClient returns a client without methods.
func NewAPIClient(context.Context, *Configuration) *APIClient { return &APIClient{} }
