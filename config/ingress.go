package config

import (
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CertManager configures cert-manager and the stack's own certificate authority.
type CertManager struct {
	// Enabled installs cert-manager. Default true.
	Enabled *bool `json:"enabled,omitempty"`
	// ChartVersion is the chart's version. Default: the bundle's version, or else the pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Values are values of the chart, as its values.yaml has them, below those that Strata sets
	// (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
	// Replicas is the number of controllers, webhooks and CA injectors, each. Default: 1; with
	// three or more servers 2.
	Replicas int `json:"replicas,omitempty"`
	// CommonName is the name of the stack's root CA. Default: Strata root of the stack.
	CommonName string `json:"commonName,omitempty"`
	// NameConstraints are the DNS domains for which, and below which, the stack's CA can sign;
	// clients refuse all other names, and every address. ingress.domain must be in them. They are
	// fixed in a CA that is there (docs/config-changes.md). Default: none, it can sign any name.
	NameConstraints []string `json:"nameConstraints,omitempty"`
	// AcceptedCA takes a CA that cert-manager has made in place of the stack's own: its sha256
	// fingerprint in hex, or the first 16 digits or more (docs/troubleshooting.md). Default: a CA
	// that the stack has not recorded closes a gate.
	AcceptedCA string `json:"acceptedCA,omitempty"`
	// Issuer says who signs the platform's certificates: selfSigned, a root of the stack's own,
	// vault, or acme, an ACME server such as Let's Encrypt. Default selfSigned.
	Issuer string `json:"issuer,omitempty" enum:"selfSigned,vault,acme"`
	// Vault is for issuer vault.
	Vault VaultIssuer `json:"vault"`
	// ACME is for issuer acme (docs/acme.md).
	ACME ACMEIssuer `json:"acme,omitzero"`
}

// TrafficPolicy says which nodes take requests from outside for a Service
// (https://kubernetes.io/docs/reference/networking/virtual-ips/#external-traffic-policy).
type TrafficPolicy string

// The values of TrafficPolicy.
const (
	// TrafficCluster: every node, which may pass a request on to another one, and gives it its own
	// address.
	TrafficCluster TrafficPolicy = "Cluster"
	// TrafficLocal: nodes with a ready Pod only, and each to its own Pods.
	TrafficLocal TrafficPolicy = "Local"
)

// OrDefault is the policy, or the default. The field stays empty where it is not set: the digests
// of stacks that are up are of it.
func (p TrafficPolicy) OrDefault() TrafficPolicy { return or(p, TrafficCluster) }

// ControllerTraefik is Traefik in Ingress.Controllers.
const ControllerTraefik = "traefik"

// Ingress says which controllers lead requests into the cluster.
type Ingress struct {
	// Controllers are the ingress controllers: traefik, apisix, both, or none. Each has an address
	// of its own. Default: traefik, where MetalLB and cert-manager are enabled.
	Controllers []string `json:"controllers,omitempty" enum:"traefik,apisix"`
	// Domain is the DNS domain below which the platform's own services have their names, for
	// example traefik.DOMAIN. Default: STACK.strata.test, a name that is reserved for tests (RFC
	// 6761).
	Domain string `json:"domain,omitempty"`
}

// Uses reports whether a controller is configured.
func (i Ingress) Uses(controller string) bool { return slices.Contains(i.Controllers, controller) }

// Traefik configures the ingress controller.
type Traefik struct {
	// ChartVersion is the chart's version. Default: the bundle's version, or else the pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Values are values of the chart, as its values.yaml has them, below those that Strata sets
	// (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
	// Replicas is the number of Pods. Default 2. With two, one can go while the other serves.
	Replicas int `json:"replicas,omitempty"`
	// Address is the load balancer's address for Traefik, of metallb.addresses. Default: MetalLB
	// chooses.
	Address netip.Addr `json:"address,omitzero"`
	// ExternalTrafficPolicy is Cluster or Local: whether every node takes requests for the load
	// balancer's address, or only those where a Pod of the ingress controller is ready, which then
	// sees the clients' own addresses (docs/values.md has what that costs). Default: Cluster.
	ExternalTrafficPolicy TrafficPolicy `json:"externalTrafficPolicy,omitempty"`
	// LongestRequest bounds the time of a request; a Pod that stops serves its requests for so
	// long. Default 30s.
	LongestRequest metav1.Duration `json:"longestRequest,omitzero"`
	// Dashboard publishes Traefik's dashboard at traefik.DOMAIN, behind TLS and a generated
	// password. Default true.
	Dashboard *bool `json:"dashboard,omitempty"`
}
