package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/vault/api"
)

// Keys holds the keys that Vault returns only once, at its initialization. Secret.
type Keys struct {
	// Unseal holds the key shares in base64. Threshold of them are needed to unseal.
	Unseal    []string `json:"unseal"`
	Threshold int      `json:"threshold"`
	// RootToken is Vault's root token, which has all rights.
	RootToken string `json:"rootToken"`
}

// ParseKeys parses Keys from JSON. The error does not quote the text, which is secret.
func ParseKeys(text string) (Keys, error) {
	var keys Keys
	if err := json.Unmarshal([]byte(text), &keys); err != nil || len(keys.Unseal) == 0 ||
		keys.RootToken == "" {
		return Keys{}, errors.New("expected Vault's keys, as the init step prints them")
	}
	return keys, nil
}

// Handover stores the keys until Pulumi's state contains them, because Vault returns them only
// once.
type Handover interface {
	// Load returns the stored keys, or nil if there are none.
	Load(ctx context.Context) (*Keys, error)
	// Store stores the keys. Clear deletes them.
	Store(ctx context.Context, keys Keys) error
	Clear(ctx context.Context) error
}

// ErrKeysLost reports that Vault is initialized, but its keys are neither in the state nor in the
// Handover.
var ErrKeysLost = errors.New("Vault is initialised, but its keys are neither in the state nor in the cluster")

// Init initializes the server if that was not done before, and returns its keys. previous are the
// keys in the state, or nil. It creates a single key share, because several shares in the same
// state would not be safer. It returns ErrKeysLost if Vault is initialized and the keys are stored
// nowhere.
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

// Unseal unseals the server if it is sealed. It fails if the keys do not belong to this Vault.
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
