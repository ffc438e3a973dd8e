// Package stscreds has credentials that nobody reads.
package stscreds

import (
	"github.com/aws/aws-sdk-go/aws/credentials"
	"github.com/aws/aws-sdk-go/aws/session"
)

// NewCredentials returns empty ones.
func NewCredentials(*session.Session, string) *credentials.Credentials {
	return &credentials.Credentials{}
}
