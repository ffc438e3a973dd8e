package reach

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the hash that ssh writes names with
	"encoding/base64"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"

	"strata/internal/ssh/remote"
)

// KnownHosts holds the lines of known_hosts files.
type KnownHosts struct {
	lines []KnownKey
	// Warnings lists the lines that cannot be parsed. The other lines are still used.
	Warnings []string
}

// KnownKey is one line of a known_hosts file.
type KnownKey struct {
	ssh.PublicKey
	File     string
	Line     int
	marker   string
	patterns []string
}

// Known holds the keys of one host in known_hosts files.
type Known struct {
	// Keys lists the accepted host keys, in the order of the files.
	Keys []KnownKey
	// Revoked lists the keys that must be rejected (@revoked).
	Revoked []KnownKey
	// CA is true if a certificate authority signs the host's keys (@cert-authority).
	CA bool
}

// ReadKnownHosts parses known_hosts files. It fails if a file cannot be read.
func ReadKnownHosts(files ...string) (KnownHosts, error) {
	var all KnownHosts
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return KnownHosts{}, err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			marker, patterns, key, _, _, err := ssh.ParseKnownHosts([]byte(line))
			if err == nil && slices.Contains([]string{"", "revoked", "cert-authority"}, marker) {
				all.lines = append(all.lines, KnownKey{key, file, i + 1, marker, patterns})
				continue
			}
			all.Warnings = append(all.Warnings,
				fmt.Sprintf("known_hosts: %s line %d cannot be read, and counts for no host; remove or correct it",
					file, i+1))
		}
	}
	return all, nil
}

// Lookup returns the keys for a port of a host. As with ssh, lines without a port are used for any
// port that has no lines of its own.
func (k KnownHosts) Lookup(host string, port int) Known {
	bare := k.byName(host)
	if port == 22 { // lines without a port mean port 22
		return bare
	}
	known := k.byName("[" + host + "]:" + strconv.Itoa(port))
	if len(known.Keys) == 0 {
		known.Keys = bare.Keys
	}
	return Known{known.Keys, append(known.Revoked, bare.Revoked...), known.CA || bare.CA}
}

// byName returns the keys for a name in the notation of known_hosts, such as [host]:port.
func (k KnownHosts) byName(name string) Known {
	var known Known
	for _, line := range k.lines {
		switch name := strings.ToLower(name); {
		case !line.speaksOf(name):
		case line.marker == "revoked":
			known.Revoked = append(known.Revoked, line)
		case line.marker == "cert-authority":
			known.CA = true
		default:
			known.Keys = append(known.Keys, line)
		}
	}
	return known
}

func (l KnownKey) speaksOf(name string) bool {
	found := false
	for _, pattern := range l.patterns {
		bare, negated := strings.CutPrefix(pattern, "!")
		switch {
		case !matches(bare, name):
		case negated:
			return false
		default:
			found = true
		}
	}
	return found
}

// matches reports whether a known_hosts pattern, possibly hashed, matches a name.
func matches(pattern, name string) bool {
	if hash, ok := strings.CutPrefix(pattern, "|1|"); ok {
		salt, sum, _ := strings.Cut(hash, "|")
		key, err := base64.StdEncoding.DecodeString(salt)
		hashed := hmac.New(sha1.New, key)
		_, _ = hashed.Write([]byte(name)) // It never fails.
		return err == nil && base64.StdEncoding.EncodeToString(hashed.Sum(nil)) == sum
	}
	if pattern = strings.ToLower(pattern); !strings.ContainsAny(pattern, "*?") {
		return pattern == name
	}
	wild := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile("^" + wild + "$").MatchString(name)
}

// Has reports whether keys contains key.
func Has(keys []KnownKey, key ssh.PublicKey) bool {
	return slices.ContainsFunc(keys, func(one KnownKey) bool {
		return string(one.Marshal()) == string(key.Marshal())
	})
}

// Valid returns the host's keys without the revoked ones.
func (k Known) Valid() []KnownKey {
	isRevoked := func(key KnownKey) bool { return Has(k.Revoked, key) }
	return slices.DeleteFunc(slices.Clone(k.Keys), isRevoked)
}

// pins returns the host's keys of the preferred type in authorized_keys form, sorted; "" if there
// are none. The result does not depend on the order of the lines, because the state stores it and
// users' known_hosts files differ. If the host's only keys are revoked, it returns an error.
func (k Known) pins(host sshd) (string, error) {
	var pins []string
	for _, kind := range remote.KeyTypes {
		for _, key := range k.Valid() {
			line := remote.AuthorizedKey(key)
			if key.Type() == kind && !slices.Contains(pins, line) {
				pins = append(pins, line)
			}
		}
		if len(pins) > 0 {
			slices.Sort(pins)
			return strings.Join(pins, "\n"), nil
		}
	}
	for _, revoked := range k.Revoked {
		if Has(k.Keys, revoked) {
			return "", fmt.Errorf("known_hosts: %s line %d: the key of %s is revoked: "+
				"replace the line by the key that it has now", revoked.File, revoked.Line, host)
		}
	}
	return "", nil
}
