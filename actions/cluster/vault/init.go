package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/vault/api"
)

// Keys holds the keys that Vault returns only once, when it is initialised. Secret.
type Keys struct {
	// Unseal are the key shares, in base64; Threshold of them unseal.
	Unseal    []string `json:"unseal"`
	Threshold int      `json:"threshold"`
	// RootToken may do everything.
	RootToken string `json:"rootToken"`
}

// ParseKeys reads Keys from JSON. The error does not quote it.
func ParseKeys(text string) (Keys, error) {
	var keys Keys
	if err := json.Unmarshal([]byte(text), &keys); err != nil || len(keys.Unseal) == 0 ||
		keys.RootToken == "" {
		return Keys{}, errors.New("expected Vault's keys, as the init step prints them")
	}
	return keys, nil
}

// Handover keeps the keys until the state has them, because Vault returns them only once.
type Handover interface {
	// Load returns the keys, or nil where there are none.
	Load(ctx context.Context) (*Keys, error)
	// Store keeps the keys; Clear forgets them.
	Store(ctx context.Context, keys Keys) error
	Clear(ctx context.Context) error
}

// ErrKeysLost reports that a Vault was initialised and its keys are lost.
var ErrKeysLost = errors.New("Vault is initialised, but its keys are neither in the state nor in the cluster")

// Init initialises the server, unless that was done before, and returns its keys. previous are the
// keys in the state, if any. There is one key share: several would lie in the same state, so they
// would protect nothing.
func Init(
	ctx context.Context, client *api.Client, handover Handover, previous *Keys,
) (Keys, error) {
	done, err := client.Sys().InitStatusWithContext(ctx)
	if err != nil {
		return Keys{}, fmt.Errorf("ask whether Vault is initialised: %w", err)
	}
	if !done {
		answer, err := client.Sys().InitWithContext(ctx,
			&api.InitRequest{SecretShares: 1, SecretThreshold: 1})
		if err != nil {
			return Keys{}, fmt.Errorf("initialise Vault: %w", err)
		}
		keys := Keys{Unseal: answer.KeysB64, Threshold: 1, RootToken: answer.RootToken}
		if err := handover.Store(ctx, keys); err != nil {
			return Keys{}, fmt.Errorf("keep Vault's keys until they are in the state: %w", err)
		}
		return keys, nil
	}
	if previous != nil {
		return *previous, nil
	}
	kept, err := handover.Load(ctx)
	if err != nil {
		return Keys{}, fmt.Errorf("read Vault's keys: %w", err)
	}
	if kept == nil {
		return Keys{}, ErrKeysLost
	}
	return *kept, nil
}

// Unseal unseals the server, unless it is unsealed.
func Unseal(ctx context.Context, client *api.Client, keys Keys) error {
	status, err := client.Sys().SealStatusWithContext(ctx)
	if err != nil {
		return fmt.Errorf("ask whether Vault is sealed: %w", err)
	}
	for _, share := range keys.Unseal {
		if !status.Sealed {
			return nil
		}
		if status, err = client.Sys().UnsealWithContext(ctx, share); err != nil {
			return fmt.Errorf("unseal Vault: %w", err)
		}
	}
	if status.Sealed {
		return errors.New("Vault is still sealed after all shares that the state has: they are another Vault's")
	}
	return nil
}
