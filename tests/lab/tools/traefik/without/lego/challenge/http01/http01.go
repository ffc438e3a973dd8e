// Package http01 has the names that Traefik uses of the challenge by HTTP.
package http01

import "time"

// PathPrefix is the path that an ACME server would ask (RFC 8555, 8.3): Traefik's own router for it
// stands on every entry point that has it.
const PathPrefix = "/.well-known/acme-challenge/"

// ChallengeOption is one of the challenge, which is never set up.
type ChallengeOption func()

// SetDelay changes nothing.
func SetDelay(time.Duration) ChallengeOption { return nil }
