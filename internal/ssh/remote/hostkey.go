package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HostKeyError reports that the host's key is not the pinned one. Waiting does not help.
type HostKeyError struct {
	Target Target
	// Want and Got are the keys' types and SHA256 fingerprints. If the host has no key of the
	// pinned type, Got says so.
	Want, Got string
}

func (e *HostKeyError) Error() string {
	return fmt.Sprintf("host key of %s is not the pinned one: expected %s, found %s; "+
		"if the host was reinstalled, pin its new key (see `strata hostkey`), otherwise another "+
		"machine may be between this one and the host", e.Target, e.Want, e.Got)
}

// pins holds the pinned keys of a host. The host must have one of them.
type pins []ssh.PublicKey

// parsePins parses the pins of a target. It also returns the signature algorithms that a client may
// negotiate for these keys.
func parsePins(t Target) (pins, []string, error) {
	var keys pins
	var kinds []string
	for line := range strings.Lines(strings.TrimSpace(t.HostKey)) {
		var key ssh.PublicKey
		var err error
		if short, ok := parseFingerprint(line); ok {
			key = short
		} else if key, _, _, _, err = ssh.ParseAuthorizedKey([]byte(line)); err != nil {
			return nil, nil, fmt.Errorf(
				"pinned host key of %s: expected authorized_keys form (type base64): %w", t, err)
		}
		if err := checkRevoked(key, t); err != nil {
			return nil, nil, err
		}
		keys = append(keys, key)
		if !slices.Contains(kinds, key.Type()) {
			kinds = append(kinds, key.Type())
		}
	}
	if len(keys) == 0 {
		return nil, nil, fmt.Errorf(
			"%s has no pinned host key: expected one in authorized_keys form (see `strata hostkey`)", t)
	}
	return keys, algorithmsOf(kinds...), nil
}

// checkRevoked returns an error if the key is one of the target's revoked keys.
func checkRevoked(key ssh.PublicKey, t Target) error {
	if !slices.Contains(t.Revoked, Fingerprint(key)) {
		return nil
	}
	return fmt.Errorf("the host key of %s, %s, is revoked (@revoked in known_hosts): "+
		"give the host another key, and pin that", t, Fingerprint(key))
}

// CheckPin returns an error if the target's pinned keys cannot be parsed, or one of them is revoked.
func CheckPin(t Target) error {
	_, _, err := parsePins(t)
	return err
}

// String returns the fingerprints, joined by "or".
func (p pins) String() string { return joinFingerprints(p, " or ") }

// joinFingerprints returns the fingerprints of keys, joined by link.
func joinFingerprints(keys []ssh.PublicKey, link string) string {
	var names []string
	for _, key := range keys {
		names = append(names, Fingerprint(key))
	}
	return strings.Join(names, link)
}

// KeyTypes lists the types of host keys, the preferred first. Ed25519 is preferred because every
// sshd since 2014 has such a key.
var KeyTypes = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
	ssh.KeyAlgoRSA,
}

// algorithmsOf returns the signature algorithms of key types. The client must restrict itself to
// them: otherwise a host with several keys may show a key other than the pinned one, which would
// look like an impostor.
func algorithmsOf(kinds ...string) []string {
	var algorithms []string
	for _, kind := range kinds {
		if kind == ssh.KeyAlgoRSA {
			algorithms = append(algorithms, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		} else {
			algorithms = append(algorithms, kind)
		}
	}
	return algorithms
}

// AuthorizedKey returns a public key in authorized_keys form, without a newline.
func AuthorizedKey(key ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// Fingerprint returns a key's type and SHA256 sum, as ssh-keygen -l prints them.
func Fingerprint(key ssh.PublicKey) string {
	if pin, ok := key.(fingerprintPin); ok {
		return string(pin)
	}
	return key.Type() + " " + ssh.FingerprintSHA256(key)
}

// check returns the callback that compares a host's key with the pins.
func (p pins) check(t Target) ssh.HostKeyCallback {
	return func(_ string, _ net.Addr, key ssh.PublicKey) error {
		if slices.ContainsFunc(p, func(pin ssh.PublicKey) bool {
			return Fingerprint(pin) == Fingerprint(key)
		}) {
			return nil
		}
		return &HostKeyError{Target: t, Want: p.String(), Got: Fingerprint(key)}
	}
}

// errScanned stops the handshake of a first contact once the host key is known.
var errScanned = errors.New("host key seen")

// UnpinnedError reports that sudo's password would be sent to a host whose key no user has
// verified. Waiting does not help.
type UnpinnedError struct {
	Target Target
	// Key is the public key that the host shows now, in authorized_keys form.
	Key string
}

func (e *UnpinnedError) Error() string {
	shown := e.Key
	if key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(e.Key)); err == nil {
		shown = Fingerprint(key)
	}
	return fmt.Sprintf("the host key of %s is pinned nowhere, so sudo's password is not sent to it: it shows %s; "+
		"compare that on the host (ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub), then set "+
		"hosts.nodes[].ssh.hostKey: %s",
		e.Target, shown, e.Key)
}

// FirstContact returns the target with a pin. If the target has none, FirstContact pins the key
// that the host shows now, in the result only. Then it fails with an UnpinnedError if the login
// would send a sudo password.
func (d Dialer) FirstContact(ctx context.Context, t Target) (Target, error) {
	if t.HostKey != "" {
		return t, nil
	}
	key, err := d.Scan(ctx, t)
	if err != nil {
		return t, err
	}
	if SendsPassword(d.PrivateKey, t) {
		return t, &UnpinnedError{Target: t, Key: key}
	}
	t.HostKey = key
	return t, nil
}

// SendsPassword reports whether a login with these keys sends a sudo password to the target.
func SendsPassword(keys []byte, t Target) bool {
	found, err := parseAccess(keys)
	return err == nil && found.sudoFor(t) != ""
}

// ScanInput is the input of `strata hostkey`. It describes the host.
type ScanInput struct {
	Address string `json:"address"`
	Port    int    `json:"port"`
	// Timeout bounds the wait for a host that does not answer yet.
	Timeout metav1.Duration `json:"timeout"`
	// Jump, Agent and ProxyCommand describe how to reach the host, as in a Target.
	Jump         []Hop  `json:"jump,omitempty"`
	Agent        bool   `json:"agent,omitempty"`
	ProxyCommand string `json:"proxyCommand,omitempty"`
	// Revoked lists the host keys that the scan refuses, as in a Target.
	Revoked []string `json:"revoked,omitempty"`
	// SendsPassword makes the scan fail with an UnpinnedError. It is set if the login with the
	// scanned key would send sudo's password.
	SendsPassword bool `json:"sendsPassword,omitempty"`
}

// Target returns the host to scan, without a pin.
func (i ScanInput) Target() Target {
	means := Means{ProxyCommand: i.ProxyCommand}
	return Target{Name: i.Address, Address: i.Address, Port: i.Port, Jump: i.Jump, Agent: i.Agent,
		Means: means, Revoked: i.Revoked}
}

// Scan is Dialer.Scan for a host without jump hosts.
func Scan(ctx context.Context, address string, port int) (string, error) {
	return Dialer{}.Scan(ctx, Target{Name: address, Address: address, Port: port})
}

// Scan returns the public host key that the host shows, in authorized_keys form. It retries until
// sshd answers or ctx ends. It logs in only at jump hosts. It cannot verify the key, so the caller
// must pin it. It fails if the key is revoked.
func (d Dialer) Scan(ctx context.Context, t Target) (string, error) {
	keys, err := parseAccess(d.PrivateKey)
	if err != nil {
		return "", fmt.Errorf("private key for the jump hosts of %s: %w", t, err)
	}
	to, err := newWay(t, keys.signersFor(t))
	if err != nil {
		return "", fmt.Errorf("host key of %s: %w", t, err)
	}
	defer to.close()
	var seen ssh.PublicKey
	config := &ssh.ClientConfig{
		User:              "strata-scan",
		HostKeyAlgorithms: algorithmsOf(KeyTypes...),
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			seen = key
			return errScanned
		},
	}
	first := &login{target: t, config: config}
	err = retry(ctx, t, nil, func() error {
		_, _, err := to.reach(ctx, first)
		if seen != nil {
			return nil
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("host key: %w", err)
	}
	if err := checkRevoked(seen, t); err != nil {
		return "", err
	}
	return AuthorizedKey(seen), nil
}
