package token

import (
	"fmt"

	"strata/internal/files/digest"
	"strata/internal/pulumi/stackstate"
)

// Name returns the name of the Pulumi resource of a token: first for generation 0, otherwise first
// with the generation as a suffix.
func Name(first string, generation int) string {
	if generation == 0 {
		return first
	}
	return fmt.Sprintf("%s-%d", first, generation)
}

// Servers returns the servers' tokens in a state, from the first generation on. Earlier tokens are
// kept, because a snapshot needs the token that was current at its creation.
func Servers(state *stackstate.State) []string { return readTokens(state, "k3s-token") }

// Agents returns the agents' tokens in a state, from the first generation on.
func Agents(state *stackstate.State) []string { return readTokens(state, "k3s-agent-token") }

func readTokens(state *stackstate.State, first string) []string {
	var tokens []string
	for {
		token, ok := state.Lookup(Name(first, len(tokens)))
		if !ok {
			return tokens
		}
		tokens = append(tokens, token.Output("result"))
	}
}

// Key returns the etcd key of the cluster's keys that K3s encrypts with a token (k3s-io/k3s
// pkg/cluster/encrypt.go, storageKey).
func Key(token string) string { return "/bootstrap/" + digest.Sum([]byte(token))[:12] }
