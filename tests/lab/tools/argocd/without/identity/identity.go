// Package workloadidentity is a stub of the package that gets tokens for Pods in Azure.
package workloadidentity

import (
	"errors"
	"time"
)

// EmptyGuid is the GUID of no tenant.
const EmptyGuid = "00000000-0000-0000-0000-000000000000" //nolint:revive // Upstream's name.

// Token is an access token and its expiry.
type Token struct {
	AccessToken string
	ExpiresOn   time.Time
}

// TokenProvider gets tokens.
type TokenProvider interface {
	GetToken(scope string) (*Token, error)
}

// NewWorkloadIdentityTokenProvider returns a provider that always fails.
func NewWorkloadIdentityTokenProvider() TokenProvider { return none{} }

type none struct{}

// GetToken always fails.
func (none) GetToken(string) (*Token, error) {
	return nil, errors.New("the lab's Argo CD has no identity at Azure")
}

// CalculateCacheExpiryBasedOnTokenExpiry returns how long to cache a token: until 5 minutes before
// its expiry, as in upstream.
func CalculateCacheExpiryBasedOnTokenExpiry(expiry time.Time) time.Duration {
	return time.Until(expiry) - 5*time.Minute
}
