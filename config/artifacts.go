package config

import (
	"crypto/x509"
	"net/url"
	"strings"
)

// SourceUpstream is the Artifacts.Source that downloads pinned artifacts from the servers of their
// projects.
const SourceUpstream = "upstream"

// Artifacts configures the source of binaries, charts and images.
type Artifacts struct {
	// Source is `upstream`, or the path of a bundle folder. Default upstream. The variable
	// STRATA_ARTIFACTS overrides it.
	Source string `json:"source,omitempty" plain:"true"`
	// MachineImage is the path of the bundle folder that holds the disk image of the virtual
	// machines. Default: Source. With upstream the image is hosts.vm.image. The variable
	// STRATA_MACHINE_IMAGE overrides it.
	MachineImage string `json:"machineImage,omitempty" plain:"true"`
	// Mirror is the base URL of a mirror that serves https://github.com/a/b at
	// Mirror/github.com/a/b. Downloads are still verified by the checksums in strata.lock. Default:
	// none, each project's own host. A URL with a user and a password must be encrypted: pulumi
	// config set --secret --path strata:artifacts.mirror. The variable STRATA_MIRROR overrides it;
	// `strata fetch` needs the variable if the URL is encrypted.
	Mirror string `json:"mirror,omitempty"`
	// MirrorCA is the PEM certificate of the CA that signs for the mirror. It is needed if this
	// machine's trust store does not have that CA. Default: none.
	MirrorCA string `json:"mirrorCA,omitempty"`
}

func (c *Config) checkArtifacts(ps *problems) {
	source := c.Artifacts.Source
	key := field("artifacts.source")
	switch {
	case strings.TrimSpace(source) == "":
		ps.add(key, "", "is empty", "set upstream, or the path of a bundle folder")
	case strings.Contains(source, "://"):
		ps.add(key, source, "is a URL", "set upstream, or the path of a bundle folder on this machine")
	}
	c.checkMirror(ps)
}

// checkMirror checks the mirror's address. It never shows the address, which may contain a
// password.
func (c *Config) checkMirror(ps *problems) {
	given := c.Artifacts
	if given.Mirror != "" {
		parsed, err := url.Parse(given.Mirror)
		ps.addIf(err != nil || parsed.Scheme != "https" || parsed.Hostname() == "" ||
			parsed.RawQuery != "" || parsed.ForceQuery || parsed.Fragment != "",
			field("artifacts.mirror"), "", "is not an https URL without a query",
			"write the address below which the mirror has each host's files, for example "+
				"https://mirror.example.org/strata")
	}
	ps.addIf(given.MirrorCA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(given.MirrorCA)),
		field("artifacts.mirrorCA"), "", "is not a certificate in PEM",
		"paste the file that begins with -----BEGIN CERTIFICATE-----")
}

// plainMirror reports an unencrypted password in the mirror's address, because it would be in the
// repository and in Pulumi's history of updates.
func (d *decoder) plainMirror(mirror string) (ps problems) {
	ps.addIf(d.isPlain("artifacts") && hasLogin(mirror), field("artifacts.mirror"), "",
		"has a user or a password in it, and is not encrypted",
		"run: pulumi config set --secret --path strata:artifacts.mirror, or take it out and "+
			"set the variable "+MirrorVariable)
	return ps
}
