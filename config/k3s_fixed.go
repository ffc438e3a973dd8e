package config

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// fixedDefaults maps the keys of a server's config.yaml that K3s calls critical to their defaults.
// All servers must have the same values, and the cluster stores some of them
// (https://docs.k3s.io/cli/server#critical-configuration-values; k3s-io/k3s
// pkg/daemons/config/types.go, CriticalControlArgs). Strata writes the keys of the datastore and of
// the agents' token, so they are not listed.
var fixedDefaults = map[string]string{
	"cluster-cidr": "10.42.0.0/16", "service-cidr": "10.43.0.0/16", "cluster-dns": "",
	"cluster-domain":           "cluster.local",
	"disable-cloud-controller": "false", "disable-helm-controller": "false",
	"disable-network-policy": "false", "embedded-registry": "false",
	"egress-selector-mode": "agent", "flannel-backend": "vxlan", "flannel-external-ip": "false",
	"flannel-ipv6-masq":  "false",
	"secrets-encryption": "false", "secrets-encryption-provider": "aescbc",
	"supervisor-metrics": "false",
}

// fixedServiceLB names the critical value that config.yaml sets by servicelb in the list disable.
const fixedServiceLB = "disable: servicelb"

// dnsHost is the position, in the Service network, of the address that K3s gives to the cluster's
// DNS.
const dnsHost = 10

// FixedKeys returns the keys of config.yaml that FixedValues reads.
func FixedKeys() []string {
	return append(slices.Sorted(maps.Keys(fixedDefaults)), "disable")
}

// FixedValues returns the critical values of a server's config.yaml, by key. A value that is not
// set has K3s's default.
func FixedValues(keys map[string]any) map[string]string {
	values := maps.Clone(fixedDefaults)
	values[fixedServiceLB] = "false"
	for name, value := range keys {
		name = strings.TrimSuffix(name, "+")
		if _, fixed := fixedDefaults[name]; fixed {
			values[name] = strings.Join(texts(value), ",")
		}
		if name == "disable" {
			values[fixedServiceLB] = strconv.FormatBool(slices.Contains(texts(value), serviceLB))
		}
	}
	if network, err := netip.ParsePrefix(values["service-cidr"]); err == nil &&
		values["cluster-dns"] == "" {
		dns := network.Masked().Addr()
		for range dnsHost {
			dns = dns.Next()
		}
		values["cluster-dns"] = dns.String()
	}
	return values
}

// texts returns the elements of a value of config.yaml, which is a single value or a list.
func texts(value any) []string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	all := make([]string, 0, len(list))
	for _, element := range list {
		all = append(all, strings.Split(fmt.Sprint(element), ",")...)
	}
	return all
}

// CriticalValues returns the critical values that the configuration sets or implies.
func (k K3s) CriticalValues() map[string]string {
	keys := map[string]any{}
	maps.Copy(keys, k.ServerArgs)
	disable := make([]any, 0, len(k.Disable))
	for _, name := range k.Disable {
		disable = append(disable, name)
	}
	keys["cluster-cidr"], keys["service-cidr"], keys["disable"] = k.ClusterCIDR,
		k.ServiceCIDR, disable
	keys["secrets-encryption"] = k.SecretsEncryption != nil && *k.SecretsEncryption
	return FixedValues(keys)
}

// FixedKey returns the configuration key that sets a value of FixedValues.
func FixedKey(name string) string {
	own := map[string]string{
		"cluster-cidr": "k3s.clusterCIDR", "service-cidr": "k3s.serviceCIDR",
		"secrets-encryption": "k3s.secretsEncryption", fixedServiceLB: "k3s.disable",
	}
	if key, ok := own[name]; ok {
		return field("%s", key)
	}
	return field("k3s.serverArgs[%q]", name)
}
