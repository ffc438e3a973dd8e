// Package okta stands in for Okta's SDK, 12 MB of Go for a second factor that nobody has in the
// lab. It has the names that Vault compiles against, and never gets as far as a client.
package okta

import (
	"context"
	"errors"
)

var errNone = errors.New("the lab's Vault has no Okta")

// Configuration is a client's.
type Configuration struct{ Context context.Context }

// ConfigSetter is an option of NewConfiguration.
type ConfigSetter func(*Configuration)

// WithToken changes nothing, as NewConfiguration refuses.
func WithToken(string) ConfigSetter { return nil }

// WithOrgUrl changes nothing, as NewConfiguration refuses.
func WithOrgUrl(string) ConfigSetter { return nil }

// WithCache changes nothing, as NewConfiguration refuses.
func WithCache(bool) ConfigSetter { return nil }

// NewConfiguration refuses.
func NewConfiguration(...ConfigSetter) (*Configuration, error) { return nil, errNone }

// APIClient cannot be had without a configuration.
type APIClient struct {
	UserAPI       users
	UserFactorAPI factors
}

// NewAPIClient returns a client that refuses every request.
func NewAPIClient(*Configuration) *APIClient { return &APIClient{} }

// GetConfig returns a configuration with a context.
func (*APIClient) GetConfig() *Configuration { return &Configuration{Context: context.Background()} }
