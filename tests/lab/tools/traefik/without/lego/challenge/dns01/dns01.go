// Package dns01 has the names that Traefik uses of the challenge by DNS.
package dns01

import (
	"strings"
	"time"
)

// Options are the client's.
type Options struct{ RecursiveNameservers []string }

// Client resolves names.
type Client struct{}

// NewClient returns one that resolves nothing.
func NewClient(*Options) *Client { return &Client{} }

// SetDefaultClient changes nothing.
func SetDefaultClient(*Client) {}

// ChallengeOption is one of the challenge, which is never set up.
type ChallengeOption func()

// LazyCondOption changes nothing.
func LazyCondOption(bool, func() ChallengeOption) ChallengeOption { return nil }

// CombineOptions changes nothing.
func CombineOptions(...ChallengeOption) ChallengeOption { return nil }

// CondOptions changes nothing.
func CondOptions(bool, ...ChallengeOption) ChallengeOption { return nil }

// DisableAuthoritativeNssPropagationRequirement changes nothing.
func DisableAuthoritativeNssPropagationRequirement() ChallengeOption { return nil }

// DisableRecursiveNSsPropagationRequirement changes nothing.
func DisableRecursiveNSsPropagationRequirement() ChallengeOption { return nil }

// PropagationWait changes nothing.
func PropagationWait(time.Duration, bool) ChallengeOption { return nil }

// UnFqdn returns a name without the dot at its end.
func UnFqdn(name string) string { return strings.TrimSuffix(name, ".") }
