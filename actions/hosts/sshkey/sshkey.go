// Package sshkey generates a stack's SSH keys, and reads hosts' public keys.
package sshkey

import (
	"context"
	"errors"
	"fmt"

	"strata/actions/verb"
	"strata/internal/ssh/remote"
)

// Generate prints a new ed25519 private key in OpenSSH's PEM format. Its resource marks the output
// as secret.
var Generate = verb.NewUnbounded(func(_ context.Context, call verb.Call, _ verb.None) error {
	key, err := remote.NewKey()
	if err != nil {
		return err
	}
	_, err = call.Stdout.Write(key)
	return err
})

// Scan prints a host's public key in authorized_keys form, so that it can be pinned. It does not
// log in to the host; the key in STRATA_SSH_KEY is for jump hosts. It fails if sudo passwords would
// be sent to the host, because such a host must be pinned by hand.
var Scan = verb.New(func(ctx context.Context, call verb.Call, input remote.ScanInput) error {
	if input.Address == "" {
		return call.Wrong(errors.New("an address is required"))
	}
	key, err := remote.Dialer{PrivateKey: call.SSHKey()}.Scan(ctx, input.Target())
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w; check strata:hosts.nodes[].address and that the host is on, "+
			"or raise strata:timeouts.host (now %s)", err, input.Timeout.Duration)
	}
	if err == nil && input.SendsPassword {
		err = &remote.UnpinnedError{Target: input.Target(), Key: key}
	}
	if err != nil {
		return err
	}
	return call.Print(key)
})
