package components

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/internal/kube/apiserver"
)

const (
	registriesFile = "etc/rancher/k3s/registries.yaml"
	registryCA     = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n"
)

// registriesYAML is the complete file that a node gets, in K3s's own format (k3s-io/k3s uses
// rancher/wharfie's pkg/registries).
const registriesYAML = `# Written by Strata from strata:k3s.registries; edit it there.
configs:
  '*':
    tls:
      insecure_skip_verify: true
  mirror.example.org:
    auth:
      password: hunter2
      username: robot
    tls:
      ca_file: /etc/rancher/k3s/registries.d/be8429aadfcd8ca8.crt
mirrors:
  docker.io:
    endpoint:
    - https://mirror.example.org
    rewrite:
      ^library/(.*): hub/$1
  quay.io: {}
`

func someRegistries() []config.Registry {
	return []config.Registry{
		{Name: "docker.io", Mirrors: []string{"https://mirror.example.org"},
			Rewrites: map[string]string{"^library/(.*)": "hub/$1"}}, {Name: "quay.io"},
		{Name: "mirror.example.org", Username: "robot", Password: "hunter2", CA: registryCA},
		{Name: "*", InsecureSkipVerify: true},
	}
}

// installWith runs the install script with config.yaml and the files of k3sFiles on its stdin.
func (h *fakeHost) installWith(k3s config.K3s) (output string, code int) {
	h.t.Helper()
	more, err := k3sFiles(k3s, h.settings, netip.MustParsePrefix("10.10.0.5/24"))
	require.NoError(h.t, err)
	return h.run("k3s-install.sh", configText+more, variable{"ROLE", "server"},
		variable{"FOUNDS", "true"}, variable{"PEERS", ""}, configSum(configText+more), binarySum(h))
}

func TestInstallWritesRegistriesAndRestartsK3s(t *testing.T) {
	h := newFakeHost(t)
	_, code := h.installWith(config.K3s{})
	require.Zero(t, code)
	assert.False(t, h.exists(registriesFile))

	out, code := h.installWith(config.K3s{Registries: someRegistries()})
	require.Zero(t, code, out)
	assert.True(t, h.restarted("k3s"), "K3s reads them only at start")
	assert.Equal(t, configText, h.read(configFile))
	assert.Equal(t, h.rooted(registriesYAML), h.rooted(h.read(registriesFile)))
	cas, err := filepath.Glob(h.path("etc/rancher/k3s/registries.d/*"))
	require.NoError(t, err)
	require.Len(t, cas, 1)
	text, err := os.ReadFile(cas[0])
	require.NoError(t, err)
	assert.Equal(t, registryCA, string(text))
	for _, file := range []string{h.path(registriesFile), cas[0]} {
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), file)
	}
	assert.NotContains(t, out, "hunter2")
	left, err := filepath.Glob(h.path("etc/rancher/k3s/*.new"))
	require.NoError(t, err)
	assert.Empty(t, left)

	_, code = h.installWith(config.K3s{Registries: someRegistries()})
	require.Zero(t, code)
	assert.False(t, h.restarted("k3s"), "nothing changed")

	changed := someRegistries()
	changed[2].Password = "hunter3"
	_, code = h.installWith(config.K3s{Registries: changed})
	require.Zero(t, code)
	assert.True(t, h.restarted("k3s"), "another password")

	changed[2].CA += registryCA
	_, code = h.installWith(config.K3s{Registries: changed})
	require.Zero(t, code)
	assert.True(t, h.restarted("k3s"), "another CA")

	_, code = h.installWith(config.K3s{})
	require.Zero(t, code)
	assert.False(t, h.exists(registriesFile))
	assert.True(t, h.restarted("k3s"), "none any more")
}

// containerd looks up Docker Hub's login by the host to which it connects.
func TestDockerHubLoginUsesRegistryHost(t *testing.T) {
	files, err := k3sRegistries([]config.Registry{{Name: "docker.io", Username: "me",
		Password: "hunter2"}})
	require.NoError(t, err)
	text := files["registries.yaml"]
	assert.Contains(t, text, "configs:\n  registry-1.docker.io:\n    auth:\n")
	assert.Contains(t, text, "mirrors: {}\n")
}

// containerd looks up Docker Hub's certificate by the name in the image. K3s writes that name for
// registries among the mirrors (k3s-io/k3s pkg/agent/containerd/config.go, getHostConfigs).
func TestDockerHubCAIsConfiguredByImageName(t *testing.T) {
	for _, registry := range []config.Registry{{Name: "docker.io", CA: registryCA}, {Name: "docker.io", InsecureSkipVerify: true}} {
		files, err := k3sRegistries([]config.Registry{registry})
		require.NoError(t, err)
		assert.Contains(t, files["registries.yaml"],
			"configs:\n  registry-1.docker.io:\n    tls:\n")
		assert.Contains(t, files["registries.yaml"], "mirrors:\n  docker.io: {}\n")
	}
	files, err := k3sRegistries([]config.Registry{{Name: "quay.io", CA: registryCA}})
	require.NoError(t, err)
	assert.Contains(t, files["registries.yaml"], "mirrors: {}\n", "others have one name")
}

// A user's registries.yaml stays if strata:k3s.registries is not set. If the key is set, the
// install fails before it changes anything on the host.
func TestInstallKeepsForeignRegistriesFile(t *testing.T) {
	h := newFakeHost(t)
	_, code := h.installWith(config.K3s{})
	require.Zero(t, code)
	h.write(registriesFile, "mirrors: {}\n")
	_, code = h.installWith(config.K3s{})
	require.Zero(t, code)
	assert.False(t, h.restarted("k3s"))
	out, code := h.installWith(config.K3s{Registries: someRegistries()})
	assert.NotZero(t, code)
	assert.Contains(t, out, "on this host is not Strata's, and strata:k3s.registries would "+
		"replace it: move what it says there, and remove the file")
	assert.Equal(t, "mirrors: {}\n", h.read(registriesFile))
	assert.Equal(t, configText, h.read(configFile), "nothing was changed")
	assert.False(t, h.restarted("k3s"))
	assert.NotContains(t, out, "hunter2")
	assert.False(t, h.exists(configFile+".new"), "what was sent has a password")
}

// A taint must exist when the Node registers. K3s does not apply taints to an existing Node.
func TestNodeSettingsFileChangesWithoutK3sRestart(t *testing.T) {
	const file = "etc/rancher/k3s/config.yaml.d/80-strata-node.yaml"
	h := newFakeHost(t)
	h.settings = apiserver.NodeSettings{Labels: map[string]string{"tier": "db", "a": "1"},
		Taints: []string{"dedicated=db:NoSchedule"}}
	out, code := h.installWith(config.K3s{})
	require.Zero(t, code, out)
	assert.Equal(t, "node-label:\n- a=1\n- tier=db\nnode-taint:\n- dedicated=db:NoSchedule\n",
		h.read(file))

	h.settings = apiserver.NodeSettings{Labels: map[string]string{"tier": "web"}}
	out, code = h.installWith(config.K3s{})
	require.Zero(t, code, out)
	assert.Equal(t, "node-label:\n- tier=web\n", h.read(file))
	assert.Contains(t, out, "already runs this configuration")

	h.settings = apiserver.NodeSettings{}
	out, code = h.installWith(config.K3s{})
	require.Zero(t, code, out)
	assert.False(t, h.exists(file), "the next Node would register with them")
	assert.Contains(t, out, "already runs this configuration")
}
