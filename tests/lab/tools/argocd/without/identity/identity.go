// Package workloadidentity stands in for the tokens that Azure gives to Pods there.
package workloadidentity

import (
	"errors"
	"time"
)

// EmptyGuid names no tenant.
const EmptyGuid = "00000000-0000-0000-0000-000000000000" //nolint:revive // The original's name.

// Token is one.
type Token struct {
	AccessToken string
	ExpiresOn   time.Time
}

// TokenProvider gets one.
type TokenProvider interface {
	GetToken(scope string) (*Token, error)
}

// NewWorkloadIdentityTokenProvider returns one that refuses.
func NewWorkloadIdentityTokenProvider() TokenProvider { return none{} }

type none struct{}

// GetToken refuses.
func (none) GetToken(string) (*Token, error) {
	return nil, errors.New("the lab's Argo CD has no identity at Azure")
}

// CalculateCacheExpiryBasedOnTokenExpiry returns the time that a token is kept, as in the original.
func CalculateCacheExpiryBasedOnTokenExpiry(expiry time.Time) time.Duration {
	return time.Until(expiry) - 5*time.Minute
}
