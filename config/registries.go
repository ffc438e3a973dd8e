package config

import (
	"crypto/x509"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Registry configures a container registry or a mirror. All entries together become K3s's
// registries.yaml (docs.k3s.io/installation/private-registry) on every node.
type Registry struct {
	// Name is the registry's name at the beginning of an image's name, for example docker.io. For a
	// mirror it is the host in the mirror's address, with its port if there is one, for example
	// mirror.example.org:5000. * stands for each registry without an entry. Required, unique.
	Name string `json:"name"`
	// Mirrors are URLs that nodes ask in this order before the registry itself, for example
	// https://mirror.example.org/v2/hub. With disable-default-registry-endpoint in k3s.serverArgs
	// and k3s.agentArgs, nodes ask the mirrors only. Default: none.
	Mirrors []string `json:"mirrors,omitempty"`
	// Rewrites change an image's name for the mirrors, by a regular expression of Go without
	// backslashes: "^library/(.*)": "hub/$1". Default: none, the name stays.
	Rewrites map[string]string `json:"rewrites,omitempty"`
	// Username is the name of the login to the registry, with Password. The registry's mirrors
	// do not get it; they have entries of their own. Default: none.
	Username string `json:"username,omitempty"`
	// Password must be encrypted: pulumi config set --secret --path
	// 'strata:k3s.registries[0].password'. Default: none.
	Password string `json:"password,omitempty" secret:"true"`
	// CA is the certificate in PEM of the CA that signs for the registry. Default: the CAs that the
	// host trusts.
	CA string `json:"ca,omitempty"`
	// InsecureSkipVerify accepts any certificate of the registry. Default false.
	InsecureSkipVerify bool `json:"insecureSkipVerify,omitempty"`
}

// anyRegistry is the name that stands for all registries without an entry.
const anyRegistry = "*"

func (c *Config) checkRegistries(ps *problems) {
	given := c.K3s.Registries
	for i, registry := range given {
		key := field("k3s.registries[%d]", i)
		ps.addIf(slices.ContainsFunc(given[:i],
			func(other Registry) bool { return other.Name == registry.Name }),
			key+".name", registry.Name, "has an entry already", "write both as one")
		registry.check(ps, key)
	}
	if len(given) == 0 {
		return
	}
	for _, args := range c.K3s.args() {
		for _, written := range args.keysOf("private-registry") {
			ps.add(fmt.Sprintf("%s[%q]", args.key, written), "",
				"names another file than that of k3s.registries", "remove one of them")
		}
	}
}

// check checks a registry. It shows neither an address nor an invalid name, because both may
// contain a password.
func (r Registry) check(ps *problems, key string) {
	ps.addIf(r.Name != anyRegistry && !isHostPort(r.Name), key+".name", "",
		"is not the name of a registry",
		"write host and port without scheme and path, for example docker.io or mirror.example.org:5000, or *")
	r.checkMirrors(ps, key)
	ps.addIf((r.Username == "") != (r.Password == ""), key, "",
		"has a username or a password, and not both",
		"set the other one as well: where a registry takes a token, it is the password")
	ps.addIf(r.Name == anyRegistry && r.Username != "", key+".name", r.Name,
		"is given a login, which no registry gets by that name",
		"write it into an entry with the registry's host, of a mirror its own")
	ps.addIf(r.CA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(r.CA)), key+".ca", "",
		"is not a certificate in PEM",
		"paste the file that begins with -----BEGIN CERTIFICATE-----")
	ps.addIf(r.CA != "" && r.InsecureSkipVerify, key+".insecureSkipVerify", "true",
		"does not look at the certificate that ca is for", "remove one of them")
}

func (r Registry) checkMirrors(ps *problems, key string) {
	for i, mirror := range r.Mirrors {
		ps.addIf(!isMirror(mirror), fmt.Sprintf("%s.mirrors[%d]", key, i), "",
			"is not an http or https URL without a user and a query",
			"write for example https://mirror.example.org/v2/hub, and the login into an entry of that name")
	}
	for _, pattern := range slices.Sorted(maps.Keys(r.Rewrites)) {
		rewrite := fmt.Sprintf("%s.rewrites[%q]", key, pattern)
		if _, err := regexp.Compile(pattern); err != nil {
			ps.add(rewrite, "", "is not a regular expression: "+err.Error(),
				`write for example "^library/(.*)"`)
		}
		// K3s writes pattern and replacement unchanged into hosts.toml, and containerd ignores a
		// file that is not valid TOML (pkg/agent/templates).
		ps.addIf(strings.ContainsAny(pattern+r.Rewrites[pattern], `"\`), rewrite, "",
			"has a backslash or a double quote, which K3s does not pass on to containerd",
			"write a class, for example [.] or [0-9]")
	}
	ps.addIf(len(r.Rewrites) > 0 && len(r.Mirrors) == 0, key+".rewrites", "",
		"is set, and mirrors is not", "name the mirrors that have other names for images")
}

// isMirror reports whether a text is an address that K3s accepts and that contains nothing secret.
func isMirror(text string) bool {
	parsed, ok := webAddress(text)
	return ok && parsed.User == nil
}

// isHostPort reports whether a text is a DNS name or an IP address, with or without a port.
func isHostPort(text string) bool {
	if _, err := netip.ParseAddrPort(text); err == nil {
		return true
	}
	host, port, hasPort := strings.Cut(text, ":")
	number, err := strconv.Atoi(port)
	if hasPort && (err != nil || number < 1 || number > 65535) {
		return false
	}
	return len(validation.IsDNS1123Subdomain(host)) == 0
}
