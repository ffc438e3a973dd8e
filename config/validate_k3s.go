package config

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// k3sVersion matches K3s's release tags.
var k3sVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+\+k3s\d+$`)

// cronFields matches a schedule. K3s parses it with robfig/cron's standard parser, and exits at its
// start if that fails.
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
	if k3s.Version != "" && !IsK3sVersion(k3s.Version) {
		ps.add(field("k3s.version"), k3s.Version, "is not of the form vX.Y.Z+k3sN",
			"write a release tag of K3s, for example "+K3sVersion)
	}
	for i, name := range k3s.Disable {
		if !slices.Contains(packaged, name) {
			ps.add(field("k3s.disable[%d]", i), name, "is not a packaged component of K3s",
				suggestion(name, packaged))
		}
	}
	for i, san := range k3s.TLSSANs {
		if _, err := netip.ParseAddr(san); err != nil &&
			len(validation.IsDNS1123Subdomain(san)) > 0 {
			ps.add(field("k3s.tlsSANs[%d]", i), san, "is neither an IP address nor a DNS name",
				"write the name alone, without scheme or port")
		}
	}
	if k3s.FlannelInterface != "" && !interfaceName.MatchString(k3s.FlannelInterface) {
		ps.add(field("k3s.flannelInterface"), k3s.FlannelInterface, "is not an interface name",
			"write it as `ip link` shows it")
	}
	if !cronFields.MatchString(k3s.Snapshots.Schedule) {
		ps.add(field("k3s.snapshots.schedule"), k3s.Snapshots.Schedule,
			"is not a schedule of cron's five fields",
			"write minute, hour, day, month and weekday, for example 0 */12 * * *")
	}
	if k3s.Snapshots.Retention < 1 {
		ps.add(field("k3s.snapshots.retention"), strconv.Itoa(k3s.Snapshots.Retention),
			"keeps no snapshot", "write how many to keep, at least 1")
	}
	if d := k3s.ClientCertificateLifetime.Duration; d < shortestCertificate {
		ps.add(field("k3s.clientCertificateLifetime"), d.String(), "ends while an up uses it",
			"write at least "+shortestCertificate.String()+", or leave it out for a year")
	}
	if k3s.KubeconfigGeneration < 0 {
		ps.add(field("k3s.kubeconfigGeneration"), strconv.Itoa(k3s.KubeconfigGeneration),
			"is no generation", "count from 0, and add 1 to revoke every kubeconfig")
	}
	if k3s.TokenGeneration < 0 {
		ps.add(field("k3s.tokenGeneration"), strconv.Itoa(k3s.TokenGeneration), "is no generation",
			"count from 0, and add 1 to change the cluster's tokens")
	}
	c.checkRegistries(ps)
	c.checkProxy(ps)
	k3s.checkArgs(ps)
	if c.Upgrade.Concurrency < 1 {
		ps.add(field("upgrade.concurrency"), strconv.Itoa(c.Upgrade.Concurrency),
			"upgrades nothing", "write how many agents may be away at the same time, at least 1")
	}
}

// owned are the keys of K3s's config.yaml that Strata writes itself or relies on, each with an
// alternative for the user. Keys with the same alternative share a list.
var owned = ownedKeys(map[string][]string{
	"Strata generates the token": {"token", "token-file", "agent-token", "agent-token-file"},
	"Strata decides which server bootstraps and which join": {
		"server", "cluster-init", "cluster-reset", "cluster-reset-restore-path",
		"datastore-endpoint", "disable-agent",
		"disable-apiserver", "disable-controller-manager", "disable-etcd", "disable-scheduler",
	},
	"the gates expect K3s's default": {"apiserver-port", "config", "data-dir",
		"https-listen-port", "supervisor-port", "write-kubeconfig"},
	"the kubeconfig stays readable by root": {"write-kubeconfig-group", "write-kubeconfig-mode"},
	"use hosts.nodes": {"node-ip", "node-label", "node-name", "node-taint",
		"with-node-id"},
	"use k3s.tlsSANs":          {"tls-san"},
	"use k3s.flannelInterface": {"flannel-iface"},
	"use k3s.snapshots": {"etcd-snapshot-schedule-cron",
		"etcd-snapshot-retention"},
	"the restore expects K3s's default": {"etcd-snapshot-dir"},
	"use k3s.disable":                   {"disable"},
	"use k3s.clusterCIDR":               {"cluster-cidr"},
	"use k3s.serviceCIDR":               {"service-cidr"},
	"use k3s.secretsEncryption":         {"secrets-encryption"},
})

// OwnedArgs returns the keys that K3s.ServerArgs and K3s.AgentArgs must not have. It maps each name
// of a key to the alternative.
func OwnedArgs() map[string]string { return maps.Clone(owned) }

func ownedKeys(byFix map[string][]string) map[string]string {
	result := map[string]string{}
	for fix, keys := range byFix {
		for _, key := range keys {
			result[key] = fix
		}
	}
	for name, key := range k3sFlags[RoleServer] {
		if fix, isOwned := result[key]; isOwned {
			result[name] = fix
		}
	}
	return result
}

// flagName matches the name of a flag, which is also a key in config.yaml. A final + appends to the
// value.
var flagName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*\+?$`)

func (k K3s) checkArgs(ps *problems) {
	for _, args := range k.args() {
		args.check(ps)
	}
	if !k.takesUnlistedKeys() {
		*ps = append(*ps, k.UnlistedKeys()...)
	}
}

func (a k3sArgs) check(ps *problems) {
	for _, written := range slices.Sorted(maps.Keys(a.set)) {
		at, name := fmt.Sprintf("%s[%q]", a.key, written), strings.TrimSuffix(written, "+")
		if !flagName.MatchString(written) {
			ps.add(at, "", "is not a key of K3s's config.yaml",
				"write the long flag's name, without dashes before it")
		}
		if fix, ok := owned[name]; ok {
			rule := "belongs to Strata"
			if long := k3sFlags[RoleServer][name]; long != name {
				rule = "is another name of " + long + ", which belongs to Strata"
			}
			ps.add(at, "", rule, fix)
		}
		if !scalars(a.set[written]) {
			ps.add(at, "", "is neither a value nor a list of values",
				"K3s's config.yaml has no nested keys")
		}
	}
}

// scalars reports whether a value is a text, a number or a boolean, or a list of these.
func scalars(value any) bool {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	return !slices.ContainsFunc(list, func(element any) bool {
		switch element.(type) {
		case string, bool, int64, float64:
			return false
		}
		return true
	})
}

// IsK3sVersion reports whether a text has the form of a release of K3s: vX.Y.Z+k3sN.
func IsK3sVersion(text string) bool { return k3sVersion.MatchString(text) }
