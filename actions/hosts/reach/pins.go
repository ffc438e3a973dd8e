package reach

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strconv"
	"strings"

	"strata/config"
	"strata/internal/ssh/remote"
)

// sshd is an SSH server whose host key is looked up in known_hosts files, by its address (an IP
// address or a DNS name) and by name.
type sshd struct {
	address string
	port    int
	name    string
}

func (s sshd) String() string { return net.JoinHostPort(s.address, strconv.Itoa(s.port)) }

// errUnknown reports that known_hosts files have no key of a host.
var errUnknown = errors.New("no key")

// pin returns a host's keys in known_hosts files, and the fingerprints of its revoked keys. It
// fails if the known_hosts file of the configuration has no key of the host. If it uses the files
// of an ssh_config, and these have no key of the host, pin is "".
func (r *reader) pin(
	ssh config.SSH, host sshd, said settings,
) (pin string, revoked []string, err error) {
	if ssh.KnownHosts != "" {
		return r.pinIn([]string{ssh.KnownHosts}, host, said.alias)
	}
	files := slices.DeleteFunc(slices.Clone(said.knownHosts), func(path string) bool {
		_, err := r.open("known_hosts", path)
		return errors.Is(err, fs.ErrNotExist)
	})
	pin, revoked, err = r.pinIn(files, host, said.alias)
	if errors.Is(err, errUnknown) {
		err = nil
	}
	return pin, revoked, err
}

// pinIn returns a host's keys in the given files. As with ssh, an alias (HostKeyAlias) replaces the
// host's names.
func (r *reader) pinIn(
	paths []string, host sshd, alias string,
) (pin string, revoked []string, err error) {
	hosts, err := r.readKnownHosts(paths)
	if err != nil {
		return "", nil, fmt.Errorf("known_hosts: %w", err)
	}
	names := []string{host.address, host.name}
	fix := "log in there once with ssh, or add its key there, and compare"
	if alias != "" {
		names, host.port = []string{alias}, config.DefaultPort
	}
	for _, name := range names {
		known := hosts.Lookup(name, host.port)
		for _, key := range known.Revoked {
			revoked = append(revoked, remote.Fingerprint(key.PublicKey))
		}
		if pins, err := known.pins(host); pins != "" || err != nil {
			return pins, revoked, err
		}
		if known.CA {
			fix = "add its own key there; a CA's (@cert-authority) is not read"
		}
	}
	return "", revoked, fmt.Errorf("known_hosts: %s has %w of %s: %s",
		strings.Join(paths, ", "), errUnknown, cmp.Or(alias, host.String()), fix)
}

// readKnownHosts parses known_hosts files. It caches each set of files, because many hosts share
// them.
func (r *reader) readKnownHosts(paths []string) (KnownHosts, error) {
	key := strings.Join(paths, "\n")
	if hosts, ok := r.knownHosts[key]; ok {
		return hosts, nil
	}
	var files []string
	for _, path := range paths {
		file, err := config.ResolvePath(r.project, path)
		if err != nil {
			return KnownHosts{}, err
		}
		files = append(files, file)
	}
	hosts, err := ReadKnownHosts(files...)
	if err == nil {
		r.knownHosts[key] = hosts
		r.warnings = append(r.warnings, hosts.Warnings...)
	}
	return hosts, err
}
