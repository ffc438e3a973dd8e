package seed

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diskfs/go-diskfs/backend/file"
	"github.com/diskfs/go-diskfs/filesystem/iso9660"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"strata/internal/hypervisor/vmtest"
)

func TestSeedISOIsReadableByCloudInit(t *testing.T) {
	key := vmtest.NewKey(t)
	files, err := Files(vmtest.Machine(), key)
	require.NoError(t, err)
	content, err := ISO(files)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "seed.iso")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	opened, err := os.Open(name)
	require.NoError(t, err)
	defer func() { _ = opened.Close() }()
	image, err := iso9660.Read(file.New(opened, true), int64(len(content)), 0, 2048)
	require.NoError(t, err)
	assert.Equal(t, seedLabel, strings.TrimRight(image.Label(), " \x00"))
	for want, text := range files {
		found, err := image.ReadFile(want)
		require.NoError(t, err, want)
		assert.Equal(t, string(text), string(found))
	}
	assert.True(t, strings.HasPrefix(string(files["user-data"]), "#cloud-config\n"))
}

func TestSeedContainsOnlyGivenHostKey(t *testing.T) {
	key := vmtest.NewKey(t)
	files, err := Files(vmtest.Machine(), key)
	require.NoError(t, err)
	for _, key := range [][]byte{key, bytes.TrimSpace(key)} { // the state returns the key without its last newline
		var user struct {
			Keys map[string]string `json:"ssh_keys"`
		}
		files, err := Files(vmtest.Machine(), key)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(files["user-data"], &user))
		assert.True(t, strings.HasSuffix(user.Keys["ed25519_private"],
			"-----END OPENSSH PRIVATE KEY-----\n"),
			"OpenSSH wants the last line's end")
	}
	var user struct {
		Delete   bool              `json:"ssh_deletekeys"`
		Keys     map[string]string `json:"ssh_keys"`
		Packages []string          `json:"packages"`
		Boot     [][]string        `json:"bootcmd"`
	}
	require.NoError(t, yaml.Unmarshal(files["user-data"], &user))
	assert.Equal(t, string(key), user.Keys["ed25519_private"])
	assert.Equal(t, vmtest.PublicOf(t, key), user.Keys["ed25519_public"])
	assert.True(t, user.Delete, "what the image brings would be every machine's")
	assert.Equal(t, []string{"open-iscsi"}, user.Packages)
	assert.Equal(t, [][]string{{"modprobe", "br_netfilter"},
		{"sysctl", "-w", "vm.max_map_count=262144"}}, user.Boot)
	assert.NotContains(t, string(files["meta-data"]), "PRIVATE")
}

func TestSeedHasNoEmptyLists(t *testing.T) {
	spec := vmtest.Machine()
	spec.Guest.Modules, spec.Guest.Sysctls, spec.Guest.Packages = nil, nil, nil
	files, err := Files(spec, vmtest.NewKey(t))
	require.NoError(t, err)
	assert.NotContains(t, string(files["user-data"]), "[]", "cloud-init calls it a mistake")
}

func TestNetworkConfigIsStaticOrDHCP(t *testing.T) {
	spec := vmtest.Machine()
	static := networkConfig(spec)["ethernets"].(map[string]any)["nic0"].(map[string]any)
	assert.Equal(t, map[string]any{
		"match": map[string]any{"macaddress": spec.MAC()}, "dhcp4": false,
		"addresses":   []string{"10.10.0.11/24"},
		"routes":      []map[string]string{{"to": "0.0.0.0/0", "via": "10.10.0.1"}},
		"nameservers": map[string]any{"addresses": []string{"10.10.0.1"}},
	}, static)
	spec.Guest.DHCP = true
	asking := networkConfig(spec)["ethernets"].(map[string]any)["nic0"].(map[string]any)
	assert.Equal(t, map[string]any{"match": map[string]any{"macaddress": spec.MAC()},
		"dhcp4": true}, asking)
}
