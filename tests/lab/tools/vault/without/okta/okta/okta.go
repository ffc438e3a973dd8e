// Package okta is a stub of Okta's SDK, 12 MB of Go for a second factor that the lab does not use.
// It has the names that Vault compiles against. No client is ever used.
package okta

import (
	"context"
	"errors"
)

var errNone = errors.New("the lab's Vault has no Okta")

// Configuration is the configuration of a client.
type Configuration struct{ Context context.Context }

// ConfigSetter is an option of NewConfiguration.
type ConfigSetter func(*Configuration)

// WithToken returns no option.
func WithToken(string) ConfigSetter { return nil }

// WithOrgUrl returns no option.
func WithOrgUrl(string) ConfigSetter { return nil }

// WithCache returns no option.
func WithCache(bool) ConfigSetter { return nil }

// NewConfiguration always fails.
func NewConfiguration(...ConfigSetter) (*Configuration, error) { return nil, errNone }

// APIClient is a client. It needs a configuration, which NewConfiguration never returns.
type APIClient struct {
	UserAPI       users
	UserFactorAPI factors
}

// NewAPIClient returns a client whose requests always fail.
func NewAPIClient(*Configuration) *APIClient { return &APIClient{} }

// GetConfig returns a configuration that has only a context.
func (*APIClient) GetConfig() *Configuration { return &Configuration{Context: context.Background()} }
