package kubeconfig

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
)

// ofK3s returns a kubeconfig as K3s writes it, of a cluster with a CA.
func ofK3s(ca, token string) []byte {
	return []byte("{apiVersion: v1, kind: Config, current-context: default, clusters: [{name: " +
		"default, cluster: {server: 'https://10.0.0.1:6443', certificate-authority-data: " + ca +
		"}}], users: [{name: default, user: {token: " + token +
		"}}], contexts: [{name: default, context: {cluster: default, user: default}}]}")
}

func merge(t *testing.T, text []byte, name string) (before, file string, err error) {
	t.Helper()
	added, err := Rename(text, name)
	require.NoError(t, err)
	return Merge(added)
}

func TestMergeKeepsContextsOfOtherStacks(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "config")
	t.Setenv(Variable, path)
	_, file, err := merge(t, ofK3s("QQ==", "old"), "staging")
	require.NoError(t, err)
	assert.Equal(t, path, file)
	before, _, err := merge(t, ofK3s("Qg==", "other"), "production")
	require.NoError(t, err)
	assert.Equal(t, "staging", before)
	_, _, err = merge(t, ofK3s("QQ==", "new"), "staging")
	require.NoError(t, err, "the same cluster's credential is renewed")

	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	all, err := clientcmd.LoadFromFile(path)
	require.NoError(t, err)
	assert.Equal(t, "staging", all.CurrentContext)
	assert.Equal(t, "new", all.AuthInfos["staging"].Token)
	assert.Equal(t, "other", all.AuthInfos[all.Contexts["production"].AuthInfo].Token)
}

func TestMergeKeepsContextOfOtherCluster(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	t.Setenv(Variable, path)
	_, _, err := merge(t, ofK3s("QQ==", "theirs"), "staging")
	require.NoError(t, err)
	was, err := os.ReadFile(path)
	require.NoError(t, err)
	_, _, err = merge(t, ofK3s("Qg==", "ours"), "staging")
	require.ErrorContains(t, err, "is another one, at https://10.0.0.1:6443; give the context "+
		"another name with --context")
	is, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(was), string(is))
}

func TestRenameRefusesKubeconfigWithoutCurrentContext(t *testing.T) {
	_, err := Rename([]byte("{apiVersion: v1, kind: Config}"), "staging")
	assert.ErrorContains(t, err, "has no current context")
}
