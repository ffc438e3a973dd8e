package config

import (
	"encoding/pem"
	"net/url"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// The values of CertManager.Issuer.
const (
	// IssuerSelfSigned is a root CA of the stack's own, kept by cert-manager.
	IssuerSelfSigned = "selfSigned"
	// IssuerVault is the PKI engine of a Vault: the stack's own, or an existing one by its address.
	IssuerVault = "vault"
	// IssuerACME is an ACME server (RFC 8555), for example Let's Encrypt.
	IssuerACME = "acme"
)

// VaultIssuer configures the Vault that signs, and how cert-manager logs in to it.
type VaultIssuer struct {
	// Address is the address of an existing Vault, https://HOST:PORT, by which Pods of the cluster
	// reach it. Default: the stack's own Vault (strata:vault), which then needs none of the other
	// keys.
	Address string `json:"address,omitempty"`
	// Path is the path that signs certificates: MOUNT/sign/ROLE; empty means pki_int/sign/strata.
	// The role must allow ingress.domain and every name below it.
	Path string `json:"path,omitempty"`
	// CACertificate is the CA of the Vault's own TLS certificate, in PEM. Default: the public CAs.
	CACertificate string `json:"caCertificate,omitempty"`
	// Namespace is a namespace of Vault Enterprise. Default: none.
	Namespace string `json:"namespace,omitempty"`
	// Mount is the path of Vault's Kubernetes login method; empty means kubernetes.
	Mount string `json:"mount,omitempty"`
	// Role is the login role; empty means strata. It must allow ServiceAccount vault-issuer of
	// namespace cert-manager, and the audience vault://strata-vault.
	Role string `json:"role,omitempty"`
	// Token logs in instead of the Kubernetes login. Vault's tokens expire, and you have to renew
	// them. Set it with pulumi config set --secret --path strata:certManager.vault.token.
	Token string `json:"token,omitempty"`
}

// Vault configures the stack's own Vault: one server with a PKI engine. Pulumi's state stores its
// keys as secrets.
type Vault struct {
	// Enabled installs Vault. Default: true if certManager.issuer is vault and
	// certManager.vault.address is not set.
	Enabled *bool `json:"enabled,omitempty"`
	// ChartVersion is the chart's version. Default: the bundle's version, or else the pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Values are Helm values for the chart, in the form of its values.yaml. Strata refuses values
	// that it relies on (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
	// Storage configures the place of Vault's data.
	Storage VaultStorage `json:"storage"`
}

// VaultStorage configures the volume of the stack's own Vault.
type VaultStorage struct {
	// Persistent keeps the data in a volume of a StorageClass, which outlives the Pod. Default
	// true. If false, each new Pod starts with an empty Vault: only for tests.
	Persistent *bool `json:"persistent,omitempty"`
	// Class is the StorageClass. Default: the cluster's default class; K3s brings local-path.
	Class string `json:"class,omitempty"`
	// Size is the volume's size. Default 1Gi.
	Size string `json:"size,omitempty"`
}

var vaultOwned = slices.Concat(
	keepNames("global.namespace"),
	set("", "global.tlsDisable", "server.updateStrategyType", "server.standalone",
		"server.authDelegator", "server.volumes", "server.volumeMounts"),
	because("Strata sets it", "use vault.storage.persistent", "server.dataStorage.enabled"),
	because("Strata sets it", "use vault.storage.size", "server.dataStorage.size"),
	because("Strata sets it", "use vault.storage.class", "server.dataStorage.storageClass"),
	because("Strata's configuration of Vault has its UI off, so the Service would lead to nothing",
		"", "ui.enabled"),
	keepDefaults("Vault's configuration keeps its data there", "server.dataStorage.mountPath"),
	because(off, "", "injector"),
	keepDefaults("one server is initialised, unsealed and gated", "global.enabled",
		"global.externalVaultAddr", "server.enabled", "server.ha", "server.dev"),
	keepDefaults("the issuer and the gate ask https://vault.vault.svc:8200", "server.service.enabled",
		"server.service.port", "server.service.targetPort"),
)

func (c *Config) checkVault(ps *problems) {
	vault := c.Vault
	ps.addIf(*vault.Enabled && !*c.CertManager.Enabled, field("vault.enabled"), "true",
		"needs cert-manager for Vault's own certificate, and certManager.enabled is false",
		"enable cert-manager")
	if c.CertManager.Issuer == IssuerVault && c.CertManager.Vault.Address == "" && !*vault.Enabled {
		ps.add(field("vault.enabled"), "false", "leaves certManager.issuer vault without a Vault",
			"enable it, or set certManager.vault.address")
	}
	if size, err := resource.ParseQuantity(vault.Storage.Size); err != nil || size.Sign() <= 0 {
		ps.add(field("vault.storage.size"), vault.Storage.Size, "is not a size of storage",
			"write for example 1Gi")
	}
	ps.addIf(vault.Storage.Class != "" && !*vault.Storage.Persistent, field("vault.storage.class"),
		vault.Storage.Class, "is set, and vault.storage.persistent is false", "remove one of them")
}

// signPath matches the path at which Vault's PKI engine signs for a role.
var signPath = regexp.MustCompile(`^[^/\s]+(/[^/\s]+)*/sign/[^/\s]+$`)

// checkVaultIssuer checks the Vault issuer. It never shows the token, nor an address that may
// contain a password.
func (c *Config) checkVaultIssuer(ps *problems) {
	given, key := c.CertManager.Vault, func(name string) string {
		return field("certManager.vault.%s", name)
	}
	if given == (VaultIssuer{}) {
		return
	}
	ps.addIf(c.CertManager.Issuer != IssuerVault, field("certManager.vault"), "",
		"is set, and certManager.issuer is "+c.CertManager.Issuer,
		"set certManager.issuer: vault, or remove certManager.vault")
	if given.Address == "" {
		ps.add(key("address"), "", "is empty, and other keys of certManager.vault are set",
			"name the existing Vault; the stack's own Vault needs none of them")
	} else if parsed, err := url.Parse(given.Address); err != nil || parsed.Scheme != "https" ||
		parsed.Host == "" || parsed.User != nil {
		ps.add(key("address"), "", "is not an https URL without user",
			"write it as https://vault.example.org:8200")
	}
	ps.addIf(given.Path != "" && !signPath.MatchString(given.Path), key("path"), given.Path,
		"is not of the form MOUNT/sign/ROLE", "write for example pki_int/sign/strata")
	if block, _ := pem.Decode([]byte(given.CACertificate)); given.CACertificate != "" &&
		(block == nil || block.Type != "CERTIFICATE") {
		ps.add(key("caCertificate"), "", "is not a certificate in PEM",
			"paste the file that begins with -----BEGIN CERTIFICATE-----")
	}
	ps.addIf(given.Token != "" && (given.Role != "" || given.Mount != ""), key("token"), "",
		"and the keys of the Kubernetes login (role, mount) exclude each other",
		"remove the token, or the others")
}
