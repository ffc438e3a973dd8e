package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"strata/actions/hosts/reach"
	"strata/config"
	"strata/internal/ssh/remote"
)

// Pin is a host's public key, and whether a known_hosts file has the key.
type Pin struct {
	// Key is in authorized_keys form.
	Key string
	// Fingerprint is its type and SHA256 sum, as ssh-keygen -l prints them.
	Fingerprint string
	// Known is true if a known_hosts file has the key. Otherwise only the host itself has shown the
	// key, so it is unverified.
	Known bool
}

// KnownHosts holds the host keys of known_hosts files.
type KnownHosts struct {
	reach.KnownHosts
	// named is true if the user named the file.
	named bool
	// alias replaces the host's names (HostKeyAlias); empty if there is none.
	alias string
}

// ReadKnownHosts reads known_hosts files. It reads only the file named, which must exist. If named
// is empty, it reads ssh's default files own, and ignores missing ones.
func ReadKnownHosts(named string, own ...string) (KnownHosts, error) {
	files := []string{named}
	if named == "" {
		files = slices.DeleteFunc(slices.Clone(own), func(file string) bool {
			_, err := os.Stat(file)
			return errors.Is(err, fs.ErrNotExist)
		})
	}
	known, err := reach.ReadKnownHosts(files...)
	if err != nil {
		return KnownHosts{}, fmt.Errorf(
			"known_hosts: %w; correct it, or name another file (--known-hosts /dev/null for none)", err)
	}
	return KnownHosts{KnownHosts: known, named: named != ""}, nil
}

// GlobalKnownHosts is the path of the machine's known_hosts file.
const GlobalKnownHosts = "/etc/ssh/ssh_known_hosts"

// knownHosts returns the known keys for a login. As with ssh, UserKnownHostsFile of the ssh_config
// replaces the user's own file, but not a file that the user named.
func (r *Request) knownHosts(way reach.Host) (KnownHosts, error) {
	known := r.Known
	var err error
	if len(way.KnownHosts) > 0 && !known.named {
		files := []string{GlobalKnownHosts}
		for _, path := range way.KnownHosts {
			file, _ := config.ResolvePath(r.Project, path) // ssh -G expands ~, so this cannot fail.
			files = append(files, file)
		}
		known, err = ReadKnownHosts("", files...)
	}
	known.alias = way.HostKeyAlias
	return known, err
}

// pin makes the first contact with a host and returns its key: the known key if there is one,
// otherwise the key that the host shows. key logs in to the jump hosts.
func (k KnownHosts) pin(
	ctx context.Context, asked Asked, target remote.Target, key []byte,
) (Pin, error) {
	line, err := remote.Dialer{PrivateKey: key}.Scan(ctx, target)
	if err != nil {
		return Pin{}, err
	}
	seen, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return Pin{}, fmt.Errorf("host key: %w", err)
	}
	names, port := []string{asked.Address, target.DialAddress(), target.Address}, target.Port
	if k.alias != "" {
		names, port = []string{k.alias}, config.DefaultPort
	}
	known, err := k.find(names, port, seen)
	if err != nil {
		return Pin{}, err
	}
	if known == nil {
		return pinOf(seen, false), nil
	}
	return pinOf(known, true), nil
}

func pinOf(key ssh.PublicKey, known bool) Pin {
	return Pin{
		Key: remote.AuthorizedKey(key), Fingerprint: remote.Fingerprint(key), Known: known,
	}
}

// find returns the known key of a host, looked up by its names and addresses; nil if there is none.
// If the host presents one of its known keys, it returns that key. Otherwise it returns a known key
// of a type that differs from the presented one; the login then proves whether the host has this
// key.
func (k KnownHosts) find(
	names []string, port int, seen ssh.PublicKey,
) (ssh.PublicKey, error) {
	for _, name := range names {
		known := k.Lookup(name, port)
		valid := known.Valid()
		switch {
		case reach.Has(known.Revoked, seen):
			return nil, fmt.Errorf("its host key %s is revoked in %s",
				pinOf(seen, false).Fingerprint,
				known.Revoked[0].File)
		case reach.Has(valid, seen):
			return seen, nil
		case len(valid) > 0:
			return chooseKnownKey(name, seen, valid)
		}
	}
	return nil, nil
}

// chooseKnownKey chooses one of a host's known keys if the host presented an unknown key. It fails
// if a known key has the same type as the presented key, because the host's key has then changed.
func chooseKnownKey(
	name string, seen ssh.PublicKey, known []reach.KnownKey,
) (ssh.PublicKey, error) {
	slices.SortFunc(known, func(a, b reach.KnownKey) int {
		return strings.Compare(a.Type(),
			b.Type())
	})
	for _, one := range known {
		if one.Type() == seen.Type() {
			return nil, fmt.Errorf(
				"expected the host key of %s line %d, %s, found %s: the host was reinstalled, or "+
					"another machine has its address;"+
					" compare with ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub on the host "+
					"itself, then: ssh-keygen -R %s",
				one.File, one.Line, ssh.FingerprintSHA256(one), ssh.FingerprintSHA256(seen), name)
		}
	}
	return known[0].PublicKey, nil
}
