package config

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// Strata compares a server's config.yaml with the configuration. Equal values must compare equal in
// any notation.
func TestCriticalK3sValuesCompareEqualInAnyNotation(t *testing.T) {
	on := true
	k3s := K3s{
		ClusterCIDR: netip.MustParsePrefix("10.42.0.0/16"),
		ServiceCIDR: netip.MustParsePrefix("10.43.0.0/16"), SecretsEncryption: &on,
		Disable: []string{"traefik", "servicelb"},
	}
	read := func(text string) map[string]string {
		var keys map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &keys))
		return FixedValues(keys)
	}
	for name, text := range map[string]string{
		"as Strata writes it": "cluster-cidr: 10.42.0.0/16\nservice-cidr: " +
			"10.43.0.0/16\nsecrets-encryption: true\ndisable:\n- traefik\n- servicelb\n",
		"with K3s's defaults": "secrets-encryption: true\ndisable: traefik,servicelb\n",
		"with them written out": "secrets-encryption: \"true\"\ndisable: " +
			"[servicelb]\ncluster-dns: 10.43.0.10\nflannel-backend: vxlan\ncluster-domain: cluster.local\n",
	} {
		assert.Equal(t, k3s.CriticalValues(), read(text), name)
	}
	for name, text := range map[string]string{
		"service-cidr": "service-cidr: 10.44.0.0/16\ncluster-dns: " +
			"10.43.0.10\nsecrets-encryption: true\ndisable: [servicelb]\n",
		"secrets-encryption": "disable: [servicelb]\n",
		"flannel-backend":    "flannel-backend+: wireguard-native\nsecrets-encryption: true\ndisable: [servicelb]\n",
		"disable: servicelb": "secrets-encryption: true\ndisable: [traefik]\n",
	} {
		found, differ := read(text), []string{}
		for key, value := range k3s.CriticalValues() {
			if found[key] != value {
				differ = append(differ, key)
			}
		}
		assert.Equal(t, []string{name}, differ)
	}
}

func TestFixedKeyNamesKeyThatSetsCriticalValue(t *testing.T) {
	assert.Equal(t, "strata:k3s.clusterCIDR", FixedKey("cluster-cidr"))
	assert.Equal(t, `strata:k3s.serverArgs["flannel-backend"]`, FixedKey("flannel-backend"))
}
