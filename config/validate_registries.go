package config

import (
	"crypto/x509"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// anyRegistry stands for each registry that is not named.
const anyRegistry = "*"

func (c *Config) checkRegistries(ps *problems) {
	given := c.K3s.Registries
	for _, name := range slices.Sorted(maps.Keys(given.Mirrors)) {
		given.Mirrors[name].check(ps, field("k3s.registries.mirrors[%q]", name), name)
	}
	for _, name := range slices.Sorted(maps.Keys(given.Configs)) {
		given.Configs[name].check(ps, field("k3s.registries.configs[%q]", name), name)
	}
	const flag = "private-registry" // names another file in place of ours
	for key, args := range map[string]map[string]any{"serverArgs": c.K3s.ServerArgs, "agentArgs": c.K3s.AgentArgs} {
		if _, set := args[flag]; set && !given.IsZero() {
			ps.add(fmt.Sprintf("%s[%q]", field("k3s.%s", key), flag), "", "names another file than that of k3s.registries", "remove one of them")
		}
	}
}

// check never shows an endpoint: a person may have written a password into it.
func (m RegistryMirror) check(ps *problems, key, name string) {
	checkRegistryName(ps, key, name, "as an image's name begins, for example docker.io, without scheme or path; or *")
	for i, endpoint := range m.Endpoints {
		parsed, err := url.Parse(endpoint)
		if err != nil || parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.Hostname() == "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
			ps.add(fmt.Sprintf("%s.endpoints[%d]", key, i), "", "is not an http or https URL without a user and a query",
				"write for example https://mirror.example.org/v2/hub, and the login into k3s.registries.configs")
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(m.Rewrites)) {
		if _, err := regexp.Compile(pattern); err != nil {
			ps.add(fmt.Sprintf("%s.rewrites[%q]", key, pattern), "", "is not a regular expression: "+err.Error(), `write for example "^library/(.*)"`)
		}
	}
}

func (r RegistryConfig) check(ps *problems, key, name string) {
	checkRegistryName(ps, key, name, "host and port as the endpoint has them, for example mirror.example.org:5000, without scheme or path; or *")
	if (r.Username == "") != (r.Password == "") {
		ps.add(key, "", "has a username or a password, and not both", "set the other one as well: where a registry takes a token, it is the password")
	}
	if r.CA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(r.CA)) {
		ps.add(key+".ca", "", "is not a certificate in PEM", "paste the file that begins with -----BEGIN CERTIFICATE-----")
	}
	if r.CA != "" && r.InsecureSkipVerify {
		ps.add(key+".insecureSkipVerify", "true", "does not look at the certificate that ca is for", "remove one of them")
	}
}

func checkRegistryName(ps *problems, key, name, fix string) {
	if name != anyRegistry && !isHostPort(name) {
		ps.add(key, "", "is not the name of a registry", "write "+fix)
	}
}

// isHostPort reports whether a text is a DNS name or an address, with or without a port.
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

// plainPasswords refuses a registry's password that is written out: it would be in the repository, and in what Pulumi keeps of each update.
func (d *decoder) plainPasswords(registries Registries) (ps problems) {
	if d.secret == nil || d.secret(Namespace+":k3s") {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(registries.Configs)) {
		if password := registries.Configs[name].Password; password != "" && password != Sealed {
			path := fmt.Sprintf("k3s.registries.configs[%q].password", name)
			ps.add(field("%s", path), "", "is not encrypted", "run: pulumi config set --secret --path '"+field("%s", path)+"'")
		}
	}
	return ps
}
