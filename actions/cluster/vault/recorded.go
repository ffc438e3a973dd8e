package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"strata/internal/pulumi/self"
	"strata/internal/pulumi/stackstate"
)

// Recorded holds a stack's Vault server and its keys, read from the stack's state. Secret.
type Recorded struct {
	Server     Server
	kubeconfig []byte
	keys       Keys
}

// InState returns the Vault server and keys in a state, from the inputs of the command that
// configured Vault. It fails if the stack has no Vault of its own.
func InState(state *stackstate.State) (found Recorded, err error) {
	commands := state.Commands("vault configure")
	if len(commands) == 0 {
		return Recorded{}, errors.New("the stack has no Vault of its own; a Vault used by " +
			"address is unsealed by its owner")
	}
	command := commands[0]
	var input Input
	if err := json.Unmarshal([]byte(command.Input("stdin")), &input); err != nil {
		return Recorded{}, fmt.Errorf("state of %s: stdin: %w", command.URN, err)
	}
	found.Server, found.kubeconfig = input.Server, []byte(command.Environment(self.Kubeconfig))
	if found.keys, err = ParseKeys(command.Environment(self.VaultKeys)); err != nil {
		return Recorded{}, fmt.Errorf("state of %s: %w", command.URN, err)
	}
	return found, nil
}

// Unseal unseals the server with the keys from the state. progress gets a line for each wait.
func (r Recorded) Unseal(ctx context.Context, progress io.Writer) error {
	session, err := Open(ctx, r.Server, r.kubeconfig, progress)
	if err != nil {
		return err
	}
	defer session.Close()
	return Unseal(ctx, session.Client, r.keys)
}
