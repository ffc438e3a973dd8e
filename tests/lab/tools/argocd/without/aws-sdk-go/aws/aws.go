// Package aws stands in for the first version of Amazon's SDK: Argo CD's ApplicationSets list CodeCommit's repositories with it, and
// it signs in to Amazon's clusters. Its sessions refuse, so nothing behind them is called.
package aws

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go/aws/credentials"
)

// ErrNone is what every session says.
var ErrNone = errors.New("the lab's Argo CD does not talk to Amazon's API")

// Context is a request's.
type Context = context.Context

// Config is a session's.
type Config struct {
	Credentials *credentials.Credentials
	Region      *string
}

// String is a pointer to it.
func String(s string) *string { return &s }

// StringValue is a pointer's, or empty.
func StringValue(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// StringSlice are pointers to them.
func StringSlice(list []string) []*string {
	var pointers []*string
	for i := range list {
		pointers = append(pointers, &list[i])
	}
	return pointers
}
