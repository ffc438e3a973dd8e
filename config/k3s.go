package config

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// K3s configures the cluster.
type K3s struct {
	// Version is vX.Y.Z+k3sN. Default: the bundle's version, or else the pin.
	Version string `json:"version,omitempty"`
	// ClusterCIDR is the Pods' network. Default 10.42.0.0/16.
	ClusterCIDR netip.Prefix `json:"clusterCIDR,omitzero"`
	// ServiceCIDR is the Services' network. Default 10.43.0.0/16.
	ServiceCIDR netip.Prefix `json:"serviceCIDR,omitzero"`
	// Disable lists packaged components that K3s must not deploy. Default traefik, servicelb,
	// gateway-api-crd.
	Disable []string `json:"disable,omitempty" plain:"true"`
	// VIP is a virtual IP address of the API, inside hosts.subnet. keepalived, which must be
	// installed on every server, assigns it to a server whose API server is ready. The kubeconfig
	// names it. Default: none, and the kubeconfig names the first server.
	VIP netip.Addr `json:"vip,omitzero"`
	// TLSSANs are additional names and addresses of the API server's certificate.
	TLSSANs []string `json:"tlsSANs,omitempty"`
	// FlannelInterface is the network interface that carries the Pod network. Default: K3s's
	// choice.
	FlannelInterface string `json:"flannelInterface,omitempty"`
	// SecretsEncryption encrypts Secrets at rest; fixed when the cluster is created. Default true.
	SecretsEncryption *bool `json:"secretsEncryption,omitempty"`
	// ClientCertificateLifetime is the lifetime of the kubeconfig's client certificate. The first
	// update in each third of it renews the certificate, so a stack needs an update in each two
	// thirds. At least 1m. K3s signs for 10m at least and for a year at most, unless
	// cluster-signing-duration in kube-controller-manager-arg sets another limit. Default 8760h;
	// that is a year.
	ClientCertificateLifetime metav1.Duration `json:"clientCertificateLifetime,omitzero"`
	// KubeconfigGeneration revokes the kubeconfigs that the stack has issued. If it is raised, the
	// next update gives the stack a new user, and revokes the rights of earlier users. It cannot be
	// lowered. Default 0.
	KubeconfigGeneration int `json:"kubeconfigGeneration,omitempty"`
	// TokenGeneration replaces the tokens with which nodes join the cluster. If it is raised, the
	// next update makes K3s encrypt its bootstrap data with the new token. The update restarts K3s
	// on the servers, one by one, and then on the agents. It cannot be lowered. Default 0.
	TokenGeneration int `json:"tokenGeneration,omitempty"`
	// Snapshots configures the snapshots of etcd, which each server writes for itself.
	Snapshots Snapshots `json:"snapshots,omitzero"`
	// Registries are container registries that have mirrors or need a login, and their mirrors.
	// Default: none, and a registries.yaml that a user wrote on a host stays unchanged.
	Registries []Registry `json:"registries,omitempty"`
	// NetworkPolicies creates policies that admit only clients of Strata's layers to their Pods:
	// users, webhooks and metrics (docs/security.md). Namespaces of workloads get no policies.
	// Default true. With disable-network-policy in serverArgs the default is false, because K3s
	// then enforces none.
	NetworkPolicies *bool `json:"networkPolicies,omitempty"`
	// Proxy is the HTTP proxy for the nodes' outgoing connections. Default: none.
	Proxy Proxy `json:"proxy,omitzero"`
	// ServerArgs are additional keys of K3s's config.yaml on servers, named like K3s's flags. A key
	// that the pinned K3s does not have is refused. If Version selects another K3s, such a key only
	// causes a warning.
	ServerArgs map[string]any `json:"serverArgs,omitempty"`
	// AgentArgs are further keys of the agents' config.yaml of K3s, as ServerArgs.
	AgentArgs map[string]any `json:"agentArgs,omitempty"`
	// DiscardVolumesOf names the nodes that may be removed although volumes on their disks are
	// lost. Default: none, and the removal of such a node is refused.
	DiscardVolumesOf []string `json:"discardVolumesOf,omitempty"`
	// Protect makes Strata refuse to destroy the cluster. It also refuses an update that would
	// delete other owners' objects in its namespaces, even if strata:discard consents. To end the
	// protection, set it to false and run an update. Default false.
	Protect bool `json:"protect,omitempty"`
}

// Snapshots configures the snapshots of etcd that every server keeps in
// /var/lib/rancher/k3s/server/db/snapshots.
type Snapshots struct {
	// Schedule sets the times of snapshots, as cron's five fields in the server's time zone; the
	// default is K3s's own. Default 0 */12 * * *.
	Schedule string `json:"schedule,omitempty"`
	// Retention is the number of scheduled snapshots that each server keeps; the default is K3s's
	// own. Default 5.
	Retention int `json:"retention,omitempty"`
}

// k3sVersion matches K3s's release tags.
var k3sVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+\+k3s\d+$`)

// cronFields matches a schedule in the format of robfig/cron's standard parser. K3s exits at its
// start if that parser refuses the schedule.
var cronFields = regexp.MustCompile(`^[0-9*/,-]+ [0-9*/,-]+ [0-9*?/,-]+ [0-9A-Za-z*/,-]+ [0-9A-Za-z*?/,-]+$`)

// serviceLB is K3s's own load balancer; it and MetalLB would both write a Service's status.
const serviceLB = "servicelb"

// packaged are the components that K3s can leave out
// (docs.k3s.io/installation/packaged-components). gateway-api-crd exists from K3s 1.37 on; earlier
// versions ignore it.
var packaged = []string{
	"coredns", "gateway-api-crd", "local-storage", "metrics-server", "runtimes", serviceLB,
	"traefik",
}

// shortestCertificate is the shortest lifetime of a client certificate that Strata accepts; a
// shorter one would need too many renewals.
const shortestCertificate = time.Minute

func (c *Config) checkK3s(ps *problems) {
	k3s := c.K3s
	ps.addIf(k3s.Version != "" && !IsK3sVersion(k3s.Version), field("k3s.version"), k3s.Version,
		"is not of the form vX.Y.Z+k3sN", "write a release tag of K3s, for example "+K3sVersion)
	for i, name := range k3s.Disable {
		ps.addIf(!slices.Contains(packaged, name), field("k3s.disable[%d]", i), name,
			"is not a packaged component of K3s", suggestion(name, packaged))
	}
	for i, san := range k3s.TLSSANs {
		if _, err := netip.ParseAddr(san); err != nil &&
			len(validation.IsDNS1123Subdomain(san)) > 0 {
			ps.add(field("k3s.tlsSANs[%d]", i), san, "is neither an IP address nor a DNS name",
				"write the name alone, without scheme or port")
		}
	}
	ps.addIf(k3s.FlannelInterface != "" && !interfaceName.MatchString(k3s.FlannelInterface),
		field("k3s.flannelInterface"), k3s.FlannelInterface, "is not an interface name",
		"write it as `ip link` shows it")
	ps.addIf(!cronFields.MatchString(k3s.Snapshots.Schedule), field("k3s.snapshots.schedule"),
		k3s.Snapshots.Schedule, "is not a schedule of cron's five fields",
		"write minute, hour, day, month and weekday, for example 0 */12 * * *")
	ps.addIf(k3s.Snapshots.Retention < 1, field("k3s.snapshots.retention"),
		strconv.Itoa(k3s.Snapshots.Retention), "keeps no snapshot",
		"write how many to keep, at least 1")
	if d := k3s.ClientCertificateLifetime.Duration; d < shortestCertificate {
		ps.add(field("k3s.clientCertificateLifetime"), d.String(), "ends while an up uses it",
			"write at least "+shortestCertificate.String()+", or leave it out for a year")
	}
	ps.addIf(k3s.KubeconfigGeneration < 0, field("k3s.kubeconfigGeneration"),
		strconv.Itoa(k3s.KubeconfigGeneration), "is no generation",
		"count from 0, and add 1 to revoke every kubeconfig")
	ps.addIf(k3s.TokenGeneration < 0, field("k3s.tokenGeneration"),
		strconv.Itoa(k3s.TokenGeneration), "is no generation",
		"count from 0, and add 1 to change the cluster's tokens")
	c.checkRegistries(ps)
	c.checkProxy(ps)
	k3s.checkArgs(ps)
	ps.addIf(c.Upgrade.Concurrency < 1, field("upgrade.concurrency"),
		strconv.Itoa(c.Upgrade.Concurrency), "upgrades nothing",
		"write how many agents may be away at the same time, at least 1")
}

// IsK3sVersion reports whether a text has the form of a release of K3s: vX.Y.Z+k3sN.
func IsK3sVersion(text string) bool { return k3sVersion.MatchString(text) }
