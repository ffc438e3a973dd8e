package config

import (
	"crypto/x509"
	"net/url"
)

// checkMirror checks the mirror's address. It never shows the address, which may contain a
// password.
func (c *Config) checkMirror(ps *problems) {
	given := c.Artifacts
	if given.Mirror != "" {
		parsed, err := url.Parse(given.Mirror)
		if err != nil || parsed.Scheme != "https" || parsed.Hostname() == "" ||
			parsed.RawQuery != "" || parsed.ForceQuery || parsed.Fragment != "" {
			ps.add(field("artifacts.mirror"), "", "is not an https URL without a query",
				"write the address below which the mirror has each host's files, for example "+
					"https://mirror.example.org/strata")
		}
	}
	if given.MirrorCA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(given.MirrorCA)) {
		ps.add(field("artifacts.mirrorCA"), "", "is not a certificate in PEM",
			"paste the file that begins with -----BEGIN CERTIFICATE-----")
	}
}

// plainMirror refuses a plain password in the stack file's address of the mirror: it would be in
// the repository, and in Pulumi's record of each update.
func (d *decoder) plainMirror(mirror string) (ps problems) {
	if d.isPlain("artifacts") && hasLogin(mirror) {
		ps.add(field("artifacts.mirror"), "",
			"has a user or a password in it, and is not encrypted",
			"run: pulumi config set --secret --path strata:artifacts.mirror, or take it out and "+
				"set the variable "+MirrorVariable)
	}
	return ps
}
