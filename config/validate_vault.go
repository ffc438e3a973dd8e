package config

import (
	"encoding/pem"
	"net/url"
	"regexp"
	"slices"
)

// issuers are the values of CertManager.Issuer.
var issuers = []string{IssuerSelfSigned, IssuerVault, IssuerACME}

// signPath matches the path at which Vault's PKI engine signs for a role.
var signPath = regexp.MustCompile(`^[^/\s]+(/[^/\s]+)*/sign/[^/\s]+$`)

func (c *Config) checkIssuer(ps *problems) {
	manager := c.CertManager
	if !slices.Contains(issuers, manager.Issuer) {
		ps.add(field("certManager.issuer"), manager.Issuer, "is not a known issuer",
			suggestion(manager.Issuer, issuers))
	}
	if (manager.Issuer == IssuerVault || manager.Issuer == IssuerACME) && !*manager.Enabled {
		ps.add(field("certManager.issuer"), manager.Issuer,
			"needs cert-manager, and certManager.enabled is false",
			"enable cert-manager, or use "+IssuerSelfSigned)
	}
	c.checkVaultIssuer(ps)
	c.checkACME(ps)
	c.checkVault(ps)
}

// checkVaultIssuer checks the Vault issuer. It never shows the token, nor an address that may
// contain a password.
func (c *Config) checkVaultIssuer(ps *problems) {
	given, key := c.CertManager.Vault, func(name string) string {
		return field("certManager.vault.%s", name)
	}
	if given == (VaultIssuer{}) {
		return
	}
	if c.CertManager.Issuer != IssuerVault {
		ps.add(field("certManager.vault"), "",
			"is set, and certManager.issuer is "+c.CertManager.Issuer,
			"set certManager.issuer: vault, or remove certManager.vault")
	}
	if given.Address == "" {
		ps.add(key("address"), "", "is empty, and other keys of certManager.vault are set",
			"name the existing Vault; the stack's own Vault needs none of them")
	} else if parsed, err := url.Parse(given.Address); err != nil || parsed.Scheme != "https" ||
		parsed.Host == "" || parsed.User != nil {
		ps.add(key("address"), "", "is not an https URL without user",
			"write it as https://vault.example.org:8200")
	}
	if given.Path != "" && !signPath.MatchString(given.Path) {
		ps.add(key("path"), given.Path, "is not of the form MOUNT/sign/ROLE",
			"write for example pki_int/sign/strata")
	}
	if block, _ := pem.Decode([]byte(given.CACertificate)); given.CACertificate != "" &&
		(block == nil || block.Type != "CERTIFICATE") {
		ps.add(key("caCertificate"), "", "is not a certificate in PEM",
			"paste the file that begins with -----BEGIN CERTIFICATE-----")
	}
	if given.Token != "" && (given.Role != "" || given.Mount != "") {
		ps.add(key("token"), "", "and the keys of the Kubernetes login (role, mount) "+
			"exclude each other", "remove the token, or the others")
	}
}
