// Package http01 is a stub of the names for HTTP challenges that Traefik uses.
package http01

import "time"

// PathPrefix is the start of the path that an ACME server requests (RFC 8555, 8.3). Traefik adds a
// router for it to its entry points.
const PathPrefix = "/.well-known/acme-challenge/"

// ChallengeOption is an option of a challenge. No challenge is ever set up.
type ChallengeOption func()

// SetDelay returns no option.
func SetDelay(time.Duration) ChallengeOption { return nil }
