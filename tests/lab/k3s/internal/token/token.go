package token

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

const prefix = "K10"

// Token is a parsed join token.
type Token struct {
	// CAHash is the hexadecimal SHA-256 of the cluster's CA bundle. It is empty for a bare
	// password.
	CAHash string
	// User is "server" or "node". It is empty for a bare password.
	User string
	// Password is the shared secret.
	Password string
}

// Parse parses a full token or a bare password. The error texts are K3s's (k3s-io/k3s
// pkg/clientaccess/token.go, parseToken).
func Parse(s string) (Token, error) {
	if s == "" {
		return Token{}, errors.New("token must not be empty")
	}
	rest, full := strings.CutPrefix(s, prefix)
	if !full {
		return Token{Password: s}, nil
	}
	var t Token
	creds := rest
	if hash, after, found := strings.Cut(rest, "::"); found {
		if hash != "" && len(hash) != 2*sha256.Size {
			return Token{}, errors.New("invalid token CA hash length")
		}
		t.CAHash, creds = hash, after
	}
	user, password, found := strings.Cut(creds, ":")
	if !found || password == "" {
		return Token{}, errors.New("invalid token format")
	}
	t.User, t.Password = user, password
	return t, nil
}

// Format returns the full token for a CA bundle.
func Format(user, password string, caPEM []byte) string {
	return fmt.Sprintf("%s%s::%s:%s", prefix, Hash(caPEM), user, password)
}

// Hash returns the hexadecimal SHA-256 of a CA bundle, as returned by /cacerts.
func Hash(caPEM []byte) string {
	sum := sha256.Sum256(caPEM)
	return hex.EncodeToString(sum[:])
}

// CheckCA returns an error if the token's hash does not match a CA bundle. A bare password matches
// any CA.
func (t Token) CheckCA(caPEM []byte) error {
	if found := Hash(caPEM); t.CAHash != "" && t.CAHash != found {
		return fmt.Errorf("token CA hash does not match the Cluster CA certificate hash: %s != %s", t.CAHash, found)
	}
	return nil
}
