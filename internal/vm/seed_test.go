package vm

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/diskfs/go-diskfs/backend/file"
	"github.com/diskfs/go-diskfs/filesystem/iso9660"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"sigs.k8s.io/yaml"
)

// publicOf is the public half of a private key.
func publicOf(t *testing.T, private []byte) string {
	t.Helper()
	signer, err := ssh.ParsePrivateKey(private)
	require.NoError(t, err)
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}

func contextOf(t *testing.T, limit string) (context.Context, context.CancelFunc) {
	t.Helper()
	d, err := time.ParseDuration(limit)
	require.NoError(t, err)
	return context.WithTimeout(t.Context(), d)
}

func TestASeedIsADiskThatCloudInitFinds(t *testing.T) {
	key := newKey(t)
	files, err := seedFiles(machine(), key)
	require.NoError(t, err)
	content, err := seedISO(files)
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

func TestTheHostKeyIsInTheSeedAndNoOtherIsMade(t *testing.T) {
	key := newKey(t)
	files, err := seedFiles(machine(), key)
	require.NoError(t, err)
	for _, key := range [][]byte{key, bytes.TrimSpace(key)} { // as the state gives it back
		var user struct {
			Keys map[string]string `json:"ssh_keys"`
		}
		files, err := seedFiles(machine(), key)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(files["user-data"], &user))
		assert.True(t, strings.HasSuffix(user.Keys["ed25519_private"], "-----END OPENSSH PRIVATE KEY-----\n"), "OpenSSH wants the last line's end")
	}
	var user struct {
		Delete   bool              `json:"ssh_deletekeys"`
		Keys     map[string]string `json:"ssh_keys"`
		Packages []string          `json:"packages"`
		Boot     [][]string        `json:"bootcmd"`
	}
	require.NoError(t, yaml.Unmarshal(files["user-data"], &user))
	assert.Equal(t, string(key), user.Keys["ed25519_private"])
	assert.Equal(t, publicOf(t, key), user.Keys["ed25519_public"])
	assert.True(t, user.Delete, "what the image brings would be every machine's")
	assert.Equal(t, []string{"open-iscsi"}, user.Packages)
	assert.Equal(t, [][]string{{"modprobe", "br_netfilter"}, {"sysctl", "-w", "vm.max_map_count=262144"}}, user.Boot)
	assert.NotContains(t, string(files["meta-data"]), "PRIVATE")
}

func TestASeedHasNoEmptyLists(t *testing.T) {
	spec := machine()
	spec.Guest.Modules, spec.Guest.Sysctls, spec.Guest.Packages = nil, nil, nil
	files, err := seedFiles(spec, newKey(t))
	require.NoError(t, err)
	assert.NotContains(t, string(files["user-data"]), "[]", "cloud-init calls it a mistake")
}

func TestAMachineSetsItsAddressOrAsksForIt(t *testing.T) {
	spec := machine()
	static := networkConfig(spec)["ethernets"].(map[string]any)["nic0"].(map[string]any)
	assert.Equal(t, map[string]any{
		"match": map[string]any{"macaddress": spec.MAC()}, "dhcp4": false, "addresses": []string{"10.10.0.11/24"},
		"routes":      []map[string]string{{"to": "0.0.0.0/0", "via": "10.10.0.1"}},
		"nameservers": map[string]any{"addresses": []string{"10.10.0.1"}},
	}, static)
	spec.Guest.DHCP = true
	asking := networkConfig(spec)["ethernets"].(map[string]any)["nic0"].(map[string]any)
	assert.Equal(t, map[string]any{"match": map[string]any{"macaddress": spec.MAC()}, "dhcp4": true}, asking)
}

func TestAHardwareAddressIsTheSameEachTimeAndEachMachinesOwn(t *testing.T) {
	first, second := machine(), machine()
	second.Node = "server-2"
	assert.Equal(t, first.MAC(), machine().MAC())
	assert.NotEqual(t, first.MAC(), second.MAC())
	assert.Regexp(t, `^52:54(:[0-9a-f]{2}){4}$`, first.MAC())
}

func TestAMarkIsReadBackAndNothingElseIsOne(t *testing.T) {
	mark := Mark{Stack: "dev", Node: "server-1", State: stateMade}
	assert.Equal(t, mark, markIn("moved to the new rack\n"+mark.line()+"\n"))
	assert.Equal(t, Mark{}, markIn("strata stack=dev"))
	assert.Equal(t, Mark{}, markIn(""))
}
