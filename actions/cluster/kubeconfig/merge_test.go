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
	require.ErrorContains(t, err, "cluster staging of "+path+" is another one; give the context "+
		"another name with --context")
	is, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(was), string(is))
}

// Each kubeconfig has a cluster, context or user named staging that belongs to another cluster or
// login. A merge would break the login of a context.
func TestMergeRefusesNameOfOtherClusterOrLogin(t *testing.T) {
	const clusters = `{apiVersion: v1, kind: Config, clusters: [` +
		`{name: eks, cluster: {server: "https://eks", certificate-authority-data: Qg==}}, ` +
		`{name: staging, cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: QQ==}}, `
	const users = `users: [{name: staging, user: {token: theirs}}, {name: sso, user: {token: t}}], `
	for theirs, want := range map[string]string{
		clusters + `], ` + users + `contexts: [{name: staging, context: {cluster: eks, user: sso}}]}`:     "context",
		clusters + `], ` + users + `contexts: [{name: staging, context: {cluster: staging, user: sso}}]}`: "context",
		clusters + `], ` + users + `contexts: [{name: prod, context: {cluster: eks, user: staging}}]}`:    "user",
		`{apiVersion: v1, kind: Config, ` + users + `}`:                                                   "user",
		clusters + `{name: one, cluster: {server: "https://a"}}], contexts: [` +
			`{name: staging, context: {cluster: one, user: staging}}]}`: "context",
		`{apiVersion: v1, kind: Config, clusters: [` +
			`{name: staging, cluster: {server: "https://a", certificate-authority: /a.crt}}]}`: "cluster",
	} {
		path := filepath.Join(t.TempDir(), "config")
		t.Setenv(Variable, path)
		require.NoError(t, os.WriteFile(path, []byte(theirs), 0o600))
		_, _, err := merge(t, ofK3s("QQ==", "ours"), "staging")
		require.ErrorContains(t, err, want+" staging of "+path+" is another one; give the context",
			theirs)
		is, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, theirs, string(is))
	}
}

// Without a CA in the kubeconfig, two clusters differ only in their servers.
func TestMergeComparesServersOfClustersWithoutCA(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	t.Setenv(Variable, path)
	require.NoError(t, os.WriteFile(path, []byte(`{apiVersion: v1, kind: Config, clusters: [`+
		`{name: staging, cluster: {server: "https://rancher/k8s/clusters/c-1"}}]}`), 0o600))
	_, _, err := merge(t, []byte(`{apiVersion: v1, kind: Config, current-context: c, clusters: [`+
		`{name: c, cluster: {server: "https://rancher/k8s/clusters/c-2"}}], users: [{name: c}], `+
		`contexts: [{name: c, context: {cluster: c, user: c}}]}`), "staging")
	require.ErrorContains(t, err, "cluster staging of "+path+" is another one")
}

func TestMergeKeepsNamespaceAndOtherContextsOfCluster(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	t.Setenv(Variable, path)
	_, _, err := merge(t, ofK3s("QQ==", "old"), "staging")
	require.NoError(t, err)
	all, err := clientcmd.LoadFromFile(path)
	require.NoError(t, err)
	all.Contexts["staging"].Namespace = "shop"
	all.Contexts["apps"] = all.Contexts["staging"].DeepCopy()
	require.NoError(t, clientcmd.WriteToFile(*all, path))
	_, _, err = merge(t, ofK3s("QQ==", "new"), "staging")
	require.NoError(t, err)
	all, err = clientcmd.LoadFromFile(path)
	require.NoError(t, err)
	assert.Equal(t, "shop", all.Contexts["staging"].Namespace)
	assert.Equal(t, "new", all.AuthInfos[all.Contexts["apps"].AuthInfo].Token)
	delete(all.Contexts, "staging")
	require.NoError(t, clientcmd.WriteToFile(*all, path))
	_, _, err = merge(t, ofK3s("QQ==", "newer"), "staging")
	require.NoError(t, err, "kubectl config delete-context leaves the cluster and the user")
}

func TestRenameRefusesKubeconfigWithoutCurrentContext(t *testing.T) {
	_, err := Rename([]byte("{apiVersion: v1, kind: Config}"), "staging")
	assert.ErrorContains(t, err, "has no current context")
}
