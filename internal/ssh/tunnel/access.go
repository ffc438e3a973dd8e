package tunnel

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"strata/internal/ssh/remote"
)

// agentSocket is the environment variable that holds the path of ssh-agent's socket.
const agentSocket = "SSH_AUTH_SOCK"

// accessOf returns a text that is equal for two processes if they can log in at the jump hosts with
// the same keys. It contains no secret: it is a hash of the public keys and of the path of the
// agent's socket.
func accessOf(spec Spec, key []byte) (string, error) {
	parts, err := remote.Fingerprints(key)
	if err != nil {
		return "", err
	}
	if spec.Agent {
		parts = append(parts, os.Getenv(agentSocket))
	}
	return shortHash([]byte(strings.Join(parts, "\n"))), nil
}

// shortHash returns a short hash, as hex.
func shortHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
