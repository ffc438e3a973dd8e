package config

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// controllers are the ingress controllers that this release knows.
var controllers = []string{ControllerTraefik, ControllerAPISIX}

// releaseVersion is the form of the Gateway API's release tags.
var releaseVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

// bcryptHash is the form of a bcrypt hash.
var bcryptHash = regexp.MustCompile(`^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$`)

// fingerprint is a certificate's, or its beginning.
var fingerprint = regexp.MustCompile(`^[0-9a-f]{16,64}$`)

// longestRequestLimit keeps a Pod's grace period below an hour.
const longestRequestLimit = time.Hour

func (c *Config) checkCertificates(ps *problems) {
	if version := c.CRDs.GatewayAPIVersion; version != "" && !releaseVersion.MatchString(version) {
		ps.add(field("crds.gatewayAPIVersion"), version, "is not of the form vX.Y.Z", "write a release tag, for example "+GatewayAPIVersion)
	}
	if version := c.CertManager.ChartVersion; version != "" && !chartVersion.MatchString(version) {
		ps.add(field("certManager.chartVersion"), version, "is not a chart version", "write vX.Y.Z, for example "+CertManagerChartVersion)
	}
	if c.CertManager.Replicas < 1 {
		ps.add(field("certManager.replicas"), fmt.Sprint(c.CertManager.Replicas), "is less than one", "use 1 or more")
	}
	c.checkIssuer(ps)
	c.checkNameConstraints(ps)
	switch accepted := c.CertManager.AcceptedCA; {
	case accepted == "":
	case c.othersCA():
		ps.add(field("certManager.acceptedCA"), "", "is set, and the CA is not this stack's", "remove it, or set certManager.issuer: selfSigned")
	case !fingerprint.MatchString(accepted):
		ps.add(field("certManager.acceptedCA"), accepted, "is no sha256 fingerprint", "write 16 to 64 hex digits, in lower case and without colons, as the gate names them")
	}
	if len(c.CertManager.CommonName) > 64 {
		ps.add(field("certManager.commonName"), c.CertManager.CommonName, "is longer than the 64 characters of a common name (RFC 5280)", "shorten it")
	}
}

// othersCA reports whether another's CA signs.
func (c *Config) othersCA() bool {
	return c.CertManager.Issuer == IssuerACME || c.CertManager.Vault.Address != ""
}

// checkNameConstraints refuses constraints that the CA cannot have, and those that leave out the
// platform's own names.
func (c *Config) checkNameConstraints(ps *problems) {
	manager, inside := c.CertManager, false
	for i, domain := range manager.NameConstraints {
		if len(validation.IsDNS1123Subdomain(domain)) > 0 {
			ps.add(field("certManager.nameConstraints[%d]", i), domain, "is not a DNS domain", "write it without a dot or a star in front, for example example.org")
		}
		inside = inside || strings.HasSuffix("."+c.Ingress.Domain, "."+domain)
	}
	switch key := field("certManager.nameConstraints"); {
	case len(manager.NameConstraints) == 0:
	case c.othersCA():
		ps.add(key, "", "is set, and the CA is not this stack's", "remove it, or set certManager.issuer: selfSigned")
	case !inside:
		ps.add(key, strings.Join(manager.NameConstraints, ", "), "does not permit ingress.domain, "+c.Ingress.Domain, "add it, or a domain that it is below")
	}
}

func (c *Config) checkIngress(ps *problems) {
	for i, name := range c.Ingress.Controllers {
		key := field("ingress.controllers[%d]", i)
		switch {
		case !slices.Contains(controllers, name):
			ps.add(key, name, "is not a known ingress controller", suggestion(name, controllers))
		case slices.Contains(c.Ingress.Controllers[:i], name):
			ps.add(key, name, "is there twice", "remove one")
		}
	}
	if domain := c.Ingress.Domain; len(validation.IsDNS1123Subdomain(domain)) > 0 {
		ps.add(field("ingress.domain"), domain, "is not a DNS domain", "use lower-case letters, digits, dashes and dots, for example staging.example.org")
	}
	c.checkArgoCD(ps)
	c.checkApps(ps)
	if !c.Ingress.Uses(ControllerTraefik) && !c.Ingress.Uses(ControllerAPISIX) {
		return
	}
	c.checkBelowIngress(ps)
	if c.Ingress.Uses(ControllerTraefik) {
		c.checkTraefik(ps)
	}
	if c.Ingress.Uses(ControllerAPISIX) {
		c.checkAPISIX(ps)
	}
}

// checkBelowIngress checks the layers below every ingress controller.
func (c *Config) checkBelowIngress(ps *problems) {
	for _, name := range c.Ingress.Controllers {
		if !*c.MetalLB.Enabled {
			ps.add(field("ingress.controllers"), name, "needs a load balancer, and metallb.enabled is false",
				"enable MetalLB, or set ingress.controllers: []")
		}
		if !*c.CertManager.Enabled {
			ps.add(field("ingress.controllers"), name, "needs certificates, and certManager.enabled is false",
				"enable cert-manager, or set ingress.controllers: []")
		}
	}
	// A misspelt entry is told by the rule for packaged components.
	if !c.OnExistingCluster() && !slices.ContainsFunc(c.K3s.Disable, func(entry string) bool { return nearest(entry, packaged) == "traefik" }) {
		ps.add(field("k3s.disable"), "", "leaves K3s's own Traefik on, which would own the same CRDs and IngressClass",
			"add traefik to k3s.disable, or set ingress.controllers: []")
	}
}

func (c *Config) checkTraefik(ps *problems) {
	traefik := c.Traefik
	if traefik.ChartVersion != "" && !chartVersion.MatchString(traefik.ChartVersion) {
		ps.add(field("traefik.chartVersion"), traefik.ChartVersion, "is not a chart version", "write X.Y.Z, for example "+TraefikChartVersion)
	}
	if traefik.Replicas < 1 {
		ps.add(field("traefik.replicas"), fmt.Sprint(traefik.Replicas), "is less than one", "use 2 or more, so that one can go while another serves")
	}
	if d := traefik.LongestRequest.Duration; d < time.Second || d > longestRequestLimit {
		ps.add(field("traefik.longestRequest"), d.String(), "is not between 1s and "+longestRequestLimit.String(), "use the longest time that a request may take, for example 30s")
	}
	c.checkInPool(ps, "traefik.address", traefik.Address)
	checkTrafficPolicy(ps, "traefik", traefik.ExternalTrafficPolicy)
}

func checkTrafficPolicy(ps *problems, layer string, policy TrafficPolicy) {
	if known := []string{string(TrafficCluster), string(TrafficLocal)}; policy != "" && !slices.Contains(known, string(policy)) {
		ps.add(field("%s.externalTrafficPolicy", layer), string(policy), "is neither Cluster nor Local", suggestion(string(policy), known))
	}
}

func (c *Config) checkArgoCD(ps *problems) {
	argocd := c.ArgoCD
	if argocd.ChartVersion != "" && !chartVersion.MatchString(argocd.ChartVersion) {
		ps.add(field("argocd.chartVersion"), argocd.ChartVersion, "is not a chart version", "write X.Y.Z, for example "+ArgoCDChartVersion)
	}
	if *argocd.Enabled && !c.Ingress.Uses(ControllerTraefik) {
		ps.add(field("argocd.enabled"), "true", "needs Traefik for its route, and ingress.controllers is "+list(c.Ingress.Controllers),
			"add "+ControllerTraefik+" to ingress.controllers, or set argocd.enabled: false")
	}
	c.checkRoot(ps)
	// The value is never shown: a hash can be tried against.
	if hash := argocd.AdminPasswordHash; hash != "" && !bcryptHash.MatchString(hash) {
		ps.add(field("argocd.adminPasswordHash"), "", "is not a bcrypt hash", `make one: htpasswd -nbBC 10 "" PASSWORD | tr -d ':\n'`)
	}
}

func (c *Config) checkRoot(ps *problems) {
	root, key := c.ArgoCD.Root, func(name string) string { return field("argocd.root.%s", name) }
	if root.RepoURL == "" {
		if root != (ArgoCDRoot{}) {
			ps.add(key("repoURL"), "", "is empty, and other keys of argocd.root are set", "name the repository, or remove argocd.root")
		}
		return
	}
	if !*c.ArgoCD.Enabled {
		ps.add(key("repoURL"), root.RepoURL, "needs Argo CD, and argocd.enabled is false", "enable it, or remove argocd.root")
	}
	// The value is never shown where it may hold a password.
	parsed, err := url.Parse(root.RepoURL)
	switch {
	case strings.HasPrefix(root.RepoURL, "git@"):
	case err != nil || !slices.Contains([]string{"https", "http", "ssh"}, parsed.Scheme) || parsed.Host == "":
		ps.add(key("repoURL"), "", "is not a Git URL by https, http or ssh", "write it as git clone takes it, for example https://git.example.org/platform.git")
	case parsed.User != nil && parsed.Scheme != "ssh":
		ps.add(key("repoURL"), "", "holds a user or a password", "set argocd.root.username, and argocd.root.password as a secret")
	}
	if path.IsAbs(root.Path) || strings.HasPrefix(path.Clean(root.Path), "..") {
		ps.add(key("path"), root.Path, "leads out of the repository", "write a path relative to its top, for example apps")
	}
	if (root.Username == "") != (root.Password == "") {
		ps.add(key("password"), "", "and username go together, and one is empty", "set both, or none")
	}
}
