package tunnel

import (
	"os"
	"strings"

	"strata/internal/files/digest"
	"strata/internal/ssh/remote"
)

// accessOf returns a text that is equal for two processes if they can log in at the jump hosts with
// the same keys. It contains no secret: it is a hash of the public keys and of the path of the
// agent's socket.
func accessOf(spec Spec, key []byte) (string, error) {
	parts, err := remote.Fingerprints(key)
	if err != nil {
		return "", err
	}
	if spec.Agent {
		parts = append(parts, os.Getenv(remote.AgentVariable))
	}
	return digest.Short([]byte(strings.Join(parts, "\n"))), nil
}
