package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"golang.org/x/crypto/ssh"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HostKeyError says that a host did not prove to be the one that was pinned. Waiting does not help.
type HostKeyError struct {
	Target Target
	// Want and Got are SHA256 fingerprints with the key's type. Got says so when the host has no key of the pinned type.
	Want, Got string
}

func (e *HostKeyError) Error() string {
	return fmt.Sprintf("host key of %s is not the pinned one: expected %s, found %s; "+
		"if the host was reinstalled, put its new key into hosts.nodes[].ssh.hostKey (see `strata hostkey`), "+
		"otherwise another machine may be between this one and the host", e.Target, e.Want, e.Got)
}

// pinnedKey parses the pin and returns it with the algorithms that a client may negotiate for it.
func pinnedKey(t Target) (ssh.PublicKey, []string, error) {
	if strings.TrimSpace(t.HostKey) == "" {
		return nil, nil, fmt.Errorf("%s has no pinned host key: expected one in authorized_keys form (see `strata hostkey`)", t)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(t.HostKey))
	if err != nil {
		return nil, nil, fmt.Errorf("pinned host key of %s: expected authorized_keys form (type base64): %w", t, err)
	}
	return key, algorithmsOf(key), nil
}

// algorithmsOf lists the signature algorithms of a key: without it, a host with several keys would offer another one than
// the pinned one and look like an impostor.
func algorithmsOf(key ssh.PublicKey) []string {
	if key.Type() == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{key.Type()}
}

// fingerprint is how people compare keys: the type and the SHA256 sum, as ssh-keygen -l prints it.
func fingerprint(key ssh.PublicKey) string {
	return key.Type() + " " + ssh.FingerprintSHA256(key)
}

// checkPin returns the callback that compares a host's key with the pin.
func checkPin(t Target, pin ssh.PublicKey) ssh.HostKeyCallback {
	fixed := ssh.FixedHostKey(pin)
	return func(name string, addr net.Addr, key ssh.PublicKey) error {
		if fixed(name, addr, key) != nil {
			return &HostKeyError{Target: t, Want: fingerprint(pin), Got: fingerprint(key)}
		}
		return nil
	}
}

// errScanned ends a first contact once the key is known; nothing is authenticated and nothing is run.
var errScanned = errors.New("host key seen")

// scanAlgorithms is the order of preference at first contact. Ed25519 first: every sshd since 2014 makes one.
var scanAlgorithms = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
	ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
}

// ScanInput is what `strata hostkey` reads: whose host key is asked for.
type ScanInput struct {
	Address string `json:"address"`
	Port    int    `json:"port"`
	// Timeout bounds the wait for a host that does not answer yet.
	Timeout metav1.Duration `json:"timeout"`
}

// Scan makes the first contact with a host and returns its public host key in authorized_keys form. It tries again until
// sshd answers or ctx ends, logs in nowhere, and trusts what it sees: pin the result.
func Scan(ctx context.Context, address string, port int) (string, error) {
	t := Target{Name: address, Address: address, Port: port}
	var seen ssh.PublicKey
	config := &ssh.ClientConfig{
		User:              "strata-scan",
		HostKeyAlgorithms: scanAlgorithms,
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			seen = key
			return errScanned
		},
	}
	err := retry(ctx, t, nil, func() error {
		_, err := connect(ctx, t, config)
		if seen != nil {
			return nil
		}
		return plainDialError(err)
	})
	if err != nil {
		return "", fmt.Errorf("host key: %w", err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(seen))), nil
}
