// Package tlsalpn01 has the names that Traefik uses of the challenge by TLS.
package tlsalpn01

import (
	"errors"
	"time"
)

// ACMETLS1Protocol is the protocol's name in a handshake (RFC 8737), which Traefik offers and
// routes by.
const ACMETLS1Protocol = "acme-tls/1"

// ChallengeOption is one of the challenge, which is never set up.
type ChallengeOption func()

// SetDelay changes nothing.
func SetDelay(time.Duration) ChallengeOption { return nil }

// ChallengeBlocks refuses.
func ChallengeBlocks(string, string) (certificate, key []byte, err error) {
	return nil, nil, errors.New("the lab's Traefik has no ACME: certificates come from cert-manager")
}
