package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
)

// withOutputs puts a stand-in of pulumi in PATH. Each output of its stack dev is a kubeconfig.
func withOutputs(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	script := `#!/bin/sh
[ "$1 $2 $4 $5 $6" = "stack output --stack dev --show-secrets" ] || exit 1
echo "{apiVersion: v1, kind: Config, current-context: default, clusters: [{name: default, cluster: {server: 'https://10.0.0.1:6443', certificate-authority-data: QQ==}}],"
echo " users: [{name: default, user: {token: $3}}], contexts: [{name: default, context: {cluster: default, user: default}}]}"
`
	require.NoError(t, os.WriteFile(filepath.Join(bin, "pulumi"), []byte(script), 0o700))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

func TestKubeconfigFileIsReadableByOwnerOnly(t *testing.T) {
	withOutputs(t)
	project := t.TempDir()
	for output, more := range map[string][]string{"kubeconfig": nil, "readerKubeconfig": {"--reader"}} {
		code, stdout, stderr := invoke(t, "",
			append([]string{"kubeconfig", "-s", "dev", "--project", project}, more...)...)
		require.Zero(t, code, stderr)
		path := filepath.Join(project, ".strata/kubeconfig-dev")
		assert.Equal(t, "Written: "+path+"\n", stdout)
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		written, err := clientcmd.LoadFromFile(path)
		require.NoError(t, err)
		assert.Equal(t, "dev", written.CurrentContext)
		assert.Equal(t, output, written.AuthInfos["dev"].Token)
	}
}

func TestKubeconfigIsMergedUnlessContextNameIsTaken(t *testing.T) {
	withOutputs(t)
	theirs := filepath.Join(t.TempDir(), "config")
	t.Setenv("KUBECONFIG", theirs)
	code, stdout, stderr := invoke(t, "", "kubeconfig", "-s", "dev", "--merge", "--context", "mine")
	require.Zero(t, code, stderr)
	assert.Equal(t, "Merged into "+theirs+
		". The current context is mine; before it was none\n", stdout)

	text, err := os.ReadFile(theirs)
	require.NoError(t, err)
	other, err := clientcmd.Load(text)
	require.NoError(t, err)
	other.Clusters["dev"] = other.Clusters["mine"].DeepCopy()
	other.Clusters["dev"].CertificateAuthorityData = []byte("another")
	require.NoError(t, clientcmd.WriteToFile(*other, theirs))
	code, _, stderr = invoke(t, "", "kubeconfig", "-s", "dev", "--merge")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "cluster dev of "+theirs+" is another one")
}
