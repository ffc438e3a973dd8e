package tunnel

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"strata/internal/ssh/remote"
)

// agentSocket is the environment variable with the socket of ssh-agent.
const agentSocket = "SSH_AUTH_SOCK"

// accessOf returns a text that identifies this process's access to the jump hosts, to compare it
// with that of another process. It uses no secret: only the public halves of the keys, and the
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

// shortHash returns a short digest that tells texts apart.
func shortHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
