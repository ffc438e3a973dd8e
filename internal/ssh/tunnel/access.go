package tunnel

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"strata/internal/ssh/remote"
)

// agentSocket is the variable that every ssh-agent is found by.
const agentSocket = "SSH_AUTH_SOCK"

// accessOf tells what this process logs in to the jump hosts with from what another one does, by
// what is no secret: the public halves of the keys, and where the agent listens.
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

// shortHash tells two texts apart.
func shortHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
