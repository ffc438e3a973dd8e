// Package dns01 is a stub of the names for DNS challenges that Traefik uses.
package dns01

import (
	"strings"
	"time"
)

// Options are the options of a client.
type Options struct{ RecursiveNameservers []string }

// Client is a DNS client. It resolves nothing.
type Client struct{}

// NewClient returns a client that resolves nothing.
func NewClient(*Options) *Client { return &Client{} }

// SetDefaultClient does nothing.
func SetDefaultClient(*Client) {}

// ChallengeOption is an option of a challenge. No challenge is ever set up.
type ChallengeOption func()

// LazyCondOption returns no option.
func LazyCondOption(bool, func() ChallengeOption) ChallengeOption { return nil }

// CombineOptions returns no option.
func CombineOptions(...ChallengeOption) ChallengeOption { return nil }

// CondOptions returns no option.
func CondOptions(bool, ...ChallengeOption) ChallengeOption { return nil }

// DisableAuthoritativeNssPropagationRequirement returns no option.
func DisableAuthoritativeNssPropagationRequirement() ChallengeOption { return nil }

// DisableRecursiveNSsPropagationRequirement returns no option.
func DisableRecursiveNSsPropagationRequirement() ChallengeOption { return nil }

// PropagationWait returns no option.
func PropagationWait(time.Duration, bool) ChallengeOption { return nil }

// UnFqdn returns a domain name without the dot at its end.
func UnFqdn(name string) string { return strings.TrimSuffix(name, ".") }
