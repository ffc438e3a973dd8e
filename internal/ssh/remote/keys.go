package remote

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// ErrPassphrase reports that a private key is encrypted, and its passphrase is missing or wrong.
var ErrPassphrase = errors.New("private key is encrypted")

// sudoBlock is the PEM type of a sudo password. The header hostHeader names the only host of a
// password. hostsHeader lists the only hosts of a key, separated by commas.
const (
	sudoBlock   = "STRATA SUDO PASSWORD"
	hostHeader  = "Host"
	hostsHeader = "Hosts"
)

// SudoPassword returns a sudo password as a PEM block, to be appended to private keys. host is the
// Target.Name of the only host that gets it; if empty, every host without a password of its own
// gets it. The result is secret.
func SudoPassword(password, host string) []byte {
	block := &pem.Block{Type: sudoBlock, Bytes: []byte(password)}
	if host != "" {
		block.Headers = map[string]string{hostHeader: host}
	}
	return pem.EncodeToMemory(block)
}

// DecryptKey returns a PEM private key without its passphrase; it returns a key without one
// unchanged. The result is the same for each call, so that a state that stores it does not change.
// It fails with ErrPassphrase if the passphrase is missing or wrong. The result is secret.
func DecryptKey(key []byte, passphrase string) ([]byte, error) {
	var missing *ssh.PassphraseMissingError
	if _, err := ssh.ParseRawPrivateKey(key); !errors.As(err, &missing) {
		return key, nil // the login reports other problems
	}
	if passphrase == "" {
		return nil, ErrPassphrase
	}
	private, err := ssh.ParseRawPrivateKeyWithPassphrase(key, []byte(passphrase))
	if errors.Is(err, x509.IncorrectPasswordError) {
		return nil, fmt.Errorf("%w, and not with this passphrase", ErrPassphrase)
	}
	if err != nil {
		return nil, fmt.Errorf("private key: %w", err)
	}
	if pointer, ok := private.(*ed25519.PrivateKey); ok {
		private = *pointer // crypto/x509 accepts no pointer
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, fmt.Errorf("private key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// Keyring holds the login to one host: Text is a Dialer's PrivateKey, and Host a Target.Name.
// Secret.
type Keyring struct {
	Host string
	Text string
}

// JoinKeyrings returns one PrivateKey text with the distinct keys and sudo passwords of several
// hosts. A key that only some hosts have is restricted to them by a header, because sshd counts
// each offered key as a try (MaxAuthTries, 6 by default). The result is secret.
func JoinKeyrings(rings []Keyring) string {
	if len(rings) == 0 {
		return ""
	}
	if !slices.ContainsFunc(rings, func(r Keyring) bool { return r.Text != rings[0].Text }) {
		return rings[0].Text
	}
	var blocks []*pem.Block
	hosts := map[string][]string{}
	for _, ring := range rings {
		for block, rest := pem.Decode([]byte(ring.Text)); block != nil; block,
			rest = pem.Decode(rest) {
			text := string(pem.EncodeToMemory(block))
			if hosts[text] == nil {
				blocks = append(blocks, block)
			}
			if !slices.Contains(hosts[text], ring.Host) {
				hosts[text] = append(hosts[text], ring.Host)
			}
		}
	}
	var joined strings.Builder
	for _, block := range blocks {
		if names := hosts[string(pem.EncodeToMemory(block))]; block.Type != sudoBlock &&
			len(names) < len(rings) {
			block = withHeader(block, hostsHeader, strings.Join(names, ","))
		}
		_ = pem.Encode(&joined, block) // a Builder never fails
	}
	return joined.String()
}

// withHeader returns a copy of a block in which a header has this value; an empty value removes the
// header.
func withHeader(block *pem.Block, name, value string) *pem.Block {
	headers := maps.Clone(block.Headers)
	if headers == nil {
		headers = map[string]string{}
	}
	delete(headers, name)
	if value != "" {
		headers[name] = value
	}
	return &pem.Block{Type: block.Type, Headers: headers, Bytes: block.Bytes}
}

// access holds the private keys to log in, and the sudo passwords to become root.
type access struct {
	signers []ssh.Signer
	// hosts[i] lists the names of the only hosts to which signers[i] may be offered; if empty, it
	// may be offered to all hosts.
	hosts [][]string
	// sudo maps a host's name to its sudo password. The password of the empty name is for every
	// host that has no entry.
	sudo map[string]string
}

// parseAccess parses PEM private keys and sudo passwords. It keeps only one copy of each key,
// because sshd limits the number of tries.
func parseAccess(text []byte) (access, error) {
	found := access{sudo: map[string]string{}}
	seen := map[string]int{} // the index in signers
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == sudoBlock {
			found.sudo[block.Headers[hostHeader]] = string(block.Bytes)
			continue
		}
		var hosts []string
		if names := block.Headers[hostsHeader]; names != "" {
			hosts = strings.Split(names, ",")
			block = withHeader(block, hostsHeader, "")
		}
		// The parser's error is safe to show: it names the format and never the key.
		signer, err := ssh.ParsePrivateKey(pem.EncodeToMemory(block))
		if err != nil {
			return access{}, fmt.Errorf("expected PEM without passphrase: %w", err)
		}
		public := string(signer.PublicKey().Marshal())
		at, known := seen[public]
		switch {
		case !known:
			seen[public] = len(found.signers)
			found.signers, found.hosts = append(found.signers, signer), append(found.hosts, hosts)
		case len(hosts) == 0:
			found.hosts[at] = nil
		case len(found.hosts[at]) > 0:
			found.hosts[at] = append(found.hosts[at], hosts...)
		}
	}
	if len(bytes.TrimSpace(text)) > 0 && len(found.signers) == 0 && len(found.sudo) == 0 {
		return access{}, errNoKey
	}
	return found, nil
}

// Fingerprints returns the fingerprints of the public halves of private keys. It ignores sudo
// passwords among them.
func Fingerprints(keys []byte) ([]string, error) {
	found, err := parseAccess(keys)
	if err != nil {
		return nil, fmt.Errorf("private key: %w", err)
	}
	var list []string
	for _, signer := range found.signers {
		list = append(list, Fingerprint(signer.PublicKey()))
	}
	return list, nil
}

var errNoKey = errors.New("expected PEM, found none")

// signersFor returns the keys that may be offered to a host and its jump hosts: all except those
// restricted to hosts of other names. A target without a name, such as a tunnel's, gets all keys.
func (a access) signersFor(t Target) []ssh.Signer {
	var signers []ssh.Signer
	for i, signer := range a.signers {
		if t.Name == "" || len(a.hosts[i]) == 0 || slices.Contains(a.hosts[i], t.Name) {
			signers = append(signers, signer)
		}
	}
	return signers
}

// sudoFor returns the sudo password for a host; empty if it has none, or for root.
func (a access) sudoFor(t Target) string {
	if t.loginUser() == "root" {
		return ""
	}
	if own, ok := a.sudo[t.Name]; ok {
		return own
	}
	return a.sudo[""]
}
