package reach

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// preferred are the types of keys, as at a first contact.
var preferred = []string{ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSA}

// known is the key that a known_hosts has for a host, in authorized_keys form: by its address, or
// else by its name.
func (r *reader) known(path, address string, port int, name string) (string, error) {
	file, text, err := r.open("knownHosts", path)
	if err != nil {
		return "", err
	}
	check, err := knownhosts.New(file)
	if err != nil {
		return "", fmt.Errorf("knownHosts: %w", err)
	}
	fix := "log in there once with ssh and compare, or set its hostKey"
	for _, host := range []string{address, strings.ToLower(address), name} { // ssh's own lines are in lower case
		keys, byCA, err := keysOf(check, net.JoinHostPort(host, strconv.Itoa(port)), strings.Split(string(text), "\n"))
		if err != nil {
			return "", fmt.Errorf("knownHosts: %s %w", path, err)
		}
		if byCA {
			fix = "set its hostKey; a CA's (@cert-authority) is not read"
		}
		if len(keys) > 0 {
			return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(keys[0]))), nil
		}
	}
	return "", fmt.Errorf("knownHosts: %s has no key of %s: %s", path, net.JoinHostPort(address, strconv.Itoa(port)), fix)
}

// keysOf are the keys that a known_hosts, whose lines are given, has for host:port, the preferred
// one first. The library compares and lists nothing, but says what it expected of a host that shows
// another key. A CA's key (@cert-authority) is no host's: byCA is whether there is one. One that is
// revoked is an error.
func keysOf(check ssh.HostKeyCallback, host string, lines []string) (keys []ssh.PublicKey, byCA bool, err error) {
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, false, err
	}
	never, err := ssh.NewPublicKey(public)
	if err != nil {
		return nil, false, err
	}
	var other *knownhosts.KeyError
	if err := check(host, &net.TCPAddr{}, never); !errors.As(err, &other) {
		return nil, false, err
	}
	for _, want := range other.Want {
		var revoked *knownhosts.RevokedError
		switch {
		case strings.HasPrefix(strings.TrimSpace(lines[want.Line-1]), "@"):
			byCA = true
		case errors.As(check(host, &net.TCPAddr{}, want.Key), &revoked):
			return nil, false, fmt.Errorf("line %d: the key of %s is revoked: set its hostKey to the one that it has now", revoked.Revoked.Line, host)
		case slices.Contains(preferred, want.Key.Type()):
			keys = append(keys, want.Key)
		}
	}
	slices.SortStableFunc(keys, func(a, b ssh.PublicKey) int {
		return cmp.Compare(slices.Index(preferred, a.Type()), slices.Index(preferred, b.Type()))
	})
	return keys, byCA, nil
}
