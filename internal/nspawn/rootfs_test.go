package nspawn

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

func TestFilesOfAMachineMatchTheGoldenText(t *testing.T) {
	spec := testSpec(t)
	spec.Hostname, spec.DNS = "server-1", []netip.Addr{netip.MustParseAddr("10.0.0.53")}
	files, err := rootfsFiles(spec, strings.Repeat("0123", 8))
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
	spec := testSpec(t)
	spec.AuthorizedKey = testKey + ` comment: "x" # {y}`
	files, err := seedFiles(spec, strings.Repeat("0", 32))
	require.NoError(t, err)
	var data struct {
		Keys []string `json:"ssh_authorized_keys"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(files[seedDir+"/user-data"].content), &data))
	assert.Equal(t, []string{spec.AuthorizedKey}, data.Keys)
}

func TestSetupScriptIsValidShell(t *testing.T) {
	cmd := exec.Command("sh", "-n")
	cmd.Stdin = strings.NewReader(setupShell)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestRootFileSystemIsCompletedWithoutChangingItsIdentity(t *testing.T) {
	d := dir(t.TempDir())
	require.NoError(t, ensureRootfs(d, testSpec(t)))
	first, err := os.ReadFile(filepath.Join(d.upper(), "etc/machine-id"))
	require.NoError(t, err)
	require.NoError(t, ensureRootfs(d, testSpec(t)))
	second, err := os.ReadFile(filepath.Join(d.upper(), "etc/machine-id"))
	require.NoError(t, err)
	assert.Equal(t, first, second)
	assert.FileExists(t, filepath.Join(d.upper(), "etc/systemd/system/sysinit.target.wants", setupUnit))
}

func TestLoopbackNameServersOfTheHostAreNotPassedOn(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "resolv.conf")
	require.NoError(t, os.WriteFile(conf, []byte("search x\nnameserver 127.0.0.53\nnameserver fe80::1%eth0\nnameserver 10.0.0.53\n"), 0o644))
	servers, err := hostNameservers(conf)
	require.NoError(t, err)
	assert.Equal(t, []netip.Addr{netip.MustParseAddr("10.0.0.53")}, servers)
}
