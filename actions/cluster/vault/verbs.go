package vault

import (
	"context"
	"errors"
	"fmt"
	"os"

	"strata/actions/verb"
	"strata/internal/pulumi/self"
)

// Initialise initializes Vault and prints its keys. Pulumi's state stores this output as a secret,
// and the next run gets it as its previous output.
var Initialise = onServer(func(ctx context.Context, call verb.Call, session *Session,
	_ Input) error {
	var before *Keys
	if text := call.PreviousOutput(); text != "" {
		keys, err := ParseKeys(text)
		if err != nil {
			return call.Wrong(fmt.Errorf("previous output: %w", err))
		}
		before = &keys
	}
	keys, err := session.Init(ctx, before)
	if err != nil {
		return err
	}
	return call.PrintJSON(keys)
})

// Prepare unseals Vault with the keys in STRATA_VAULT_KEYS, configures it to issue certificates,
// and prints the root CA's certificate.
var Prepare = onServer(func(ctx context.Context, call verb.Call, session *Session,
	input Input) error {
	if input.Issuing == nil {
		return call.Wrong(errors.New("issuing is missing"))
	}
	keys, err := ParseKeys(os.Getenv(self.VaultKeys))
	if err != nil {
		return call.Wrong(fmt.Errorf("%s: %w", self.VaultKeys, err))
	}
	root, err := session.Configure(ctx, *input.Issuing, keys)
	if err != nil {
		return err
	}
	return call.Print(root)
})

// onServer returns a verb that runs with a session at the Vault server of its input.
func onServer(run func(context.Context, verb.Call, *Session, Input) error) *verb.Verb[Input] {
	return verb.New(func(ctx context.Context, call verb.Call, input Input) error {
		session, err := Open(ctx, input.Server, call.Kubeconfig(), call.Stderr)
		if err != nil {
			return fmt.Errorf("vault: %w", err)
		}
		defer session.Close()
		return run(ctx, call, session, input)
	})
}
