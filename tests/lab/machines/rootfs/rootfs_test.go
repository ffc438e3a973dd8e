package rootfs

import (
	"flag"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "rewrite golden files")

func testIdentity() Identity {
	return Identity{
		Name: "local-server-1", Hostname: "local-server-1",
		Address: netip.MustParsePrefix("10.10.0.11/24"), Gateway: netip.MustParseAddr("10.10.0.1"),
		AuthorizedKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICRsrqYqVHrSrxMLQmcBMBakCw15BHjVBJO0ALMTVo3B",
	}
}

func TestFilesOfAMachineMatchTheGoldenText(t *testing.T) {
	id := testIdentity()
	id.Hostname, id.DNS = "server-1", []netip.Addr{netip.MustParseAddr("10.0.0.53")}
	files, err := rootfsFiles(id, strings.Repeat("0123", 8))
	require.NoError(t, err)
	var got strings.Builder
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&got, "-- %s %o --\n%s", path, files[path].mode, files[path].content)
	}
	golden := "testdata/rootfs.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String())
}

func TestKeyWithOddCharactersStaysOneYAMLString(t *testing.T) {
	id := testIdentity()
	id.AuthorizedKey += ` comment: "x" # {y}`
	files, err := seedFiles(id, strings.Repeat("0", 32))
	require.NoError(t, err)
	var data struct {
		Keys []string `json:"ssh_authorized_keys"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(files[seedDir+"/user-data"].content), &data))
	assert.Equal(t, []string{id.AuthorizedKey}, data.Keys)
}

func TestSetupScriptIsValidShell(t *testing.T) {
	cmd := exec.Command("sh", "-n")
	cmd.Stdin = strings.NewReader(setupShell)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestRepeatedEnsureKeepsTheMachineID(t *testing.T) {
	l := Layer(t.TempDir())
	require.NoError(t, l.Ensure(testIdentity()))
	first, err := os.ReadFile(filepath.Join(l.upper(), "etc/machine-id"))
	require.NoError(t, err)
	require.NoError(t, l.Ensure(testIdentity()))
	second, err := os.ReadFile(filepath.Join(l.upper(), "etc/machine-id"))
	require.NoError(t, err)
	assert.Equal(t, first, second)
	assert.FileExists(t, filepath.Join(l.upper(), "etc/systemd/system/sysinit.target.wants", setupUnit))
}
