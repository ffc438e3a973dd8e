package kubeconfig_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"strata/actions/cluster/kubeconfig"
	"strata/config"
)

// several is a kubeconfig with several clusters, as tools write it: with inline certificates, with
// a token and the CA in a file, and with a program that logs in. Some of its contexts are unusable.
const several = `
apiVersion: v1
kind: Config
current-context: production
clusters:
- {name: kind-kind, cluster: {server: "https://127.0.0.1:34567", certificate-authority-data: %[1]s}}
- {name: k3d-demo, cluster: {server: "https://0.0.0.0:6550/", certificate-authority: k3d.crt, extensions: [{name: last, extension: {update: "%[2]s"}}]}}
- name: production
  cluster:
    server: "https://api.example.org"
    extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: prod}}, {name: last, extension: {update: "%[2]s"}}]
- {name: careless, cluster: {server: "https://10.0.0.1:6443", insecure-skip-tls-verify: true}}
- {name: plain, cluster: {server: "http://10.0.0.1:8080"}}
- {name: no-ca, cluster: {server: "https://10.0.0.1:6443", certificate-authority: nope.crt}}
contexts:
- {name: kind-kind, context: {cluster: kind-kind, user: kind-kind, namespace: dev}}
- {name: k3d-demo, context: {cluster: k3d-demo, user: robot}}
- {name: production, context: {cluster: production, user: person}}
- {name: careless, context: {cluster: careless, user: robot}}
- {name: plain, context: {cluster: plain, user: robot}}
- {name: cloud, context: {cluster: production, user: cloud}}
- {name: typed, context: {cluster: production, user: typed}}
- {name: no-ca, context: {cluster: no-ca, user: robot}}
- {name: no-cert, context: {cluster: production, user: no-cert}}
- {name: half, context: {cluster: kind-kind, user: no-such-user}}
users:
- {name: kind-kind, user: {client-certificate-data: %[3]s, client-key-data: %[3]s}}
- {name: robot, user: {token: robots-token}}
- {name: person, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: log-in, args: [get-token], interactiveMode: Never, provideClusterInfo: true}}}
- {name: typed, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: log-in, interactiveMode: Always}}}
- {name: no-cert, user: {client-certificate: nope.crt, client-key: nope.key}}
- {name: cloud, user: {auth-provider: {name: gcp, config: {access-token: robots-token}}}}
`

// write writes several into a folder, and returns its path. noted is a timestamp in an extension,
// as minikube adds it; certificate is a client certificate.
func write(t *testing.T, noted, certificate string) string {
	t.Helper()
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k3d.crt"), []byte("k3d's CA"), 0o600))
	path := filepath.Join(dir, "config")
	require.NoError(t, os.WriteFile(path,
		fmt.Appendf(nil, several, encode("kind's CA"), noted, encode(certificate)), 0o600))
	return path
}

func read(t *testing.T, path, context string) kubeconfig.Target {
	t.Helper()
	target, err := kubeconfig.Read([]string{path}, context)
	require.NoError(t, err)
	return target
}

func TestKubeconfigReadReturnsOnlyTheNamedContext(t *testing.T) {
	path := write(t, "now", "mine")
	kind := read(t, path, "kind-kind")
	assert.Equal(t, "https://127.0.0.1:34567", kind.Server)
	alone, err := clientcmd.Load(kind.Text)
	require.NoError(t, err)
	assert.Equal(t, "kind-kind", alone.CurrentContext)
	assert.Len(t, alone.Contexts, 1)
	assert.Len(t, alone.Clusters, 1)
	assert.Len(t, alone.AuthInfos, 1)
	assert.Empty(t, alone.Contexts["kind-kind"].Namespace, "it is for people who type")
	assert.NotContains(t, string(kind.Text), "robots-token",
		"another cluster's credential must not get here")
	_, err = clientcmd.RESTConfigFromKubeConfig(kind.Text)
	require.NoError(t, err)
}

func TestKubeconfigContextInlinesFilesAndRetainsAuthPlugins(t *testing.T) {
	path := write(t, "now", "mine")
	k3d := read(t, path, "k3d-demo")
	require.NoError(t, os.Remove(filepath.Join(filepath.Dir(path), "k3d.crt")),
		"the text stands without its files")
	rest, err := clientcmd.RESTConfigFromKubeConfig(k3d.Text)
	require.NoError(t, err)
	assert.Equal(t, "k3d's CA", string(rest.CAData))
	assert.Equal(t, "robots-token", rest.BearerToken)
	assert.Equal(t, "https://0.0.0.0:6550", k3d.Server)

	person, err := clientcmd.RESTConfigFromKubeConfig(read(t, path, "production").Text)
	require.NoError(t, err)
	require.NotNil(t, person.ExecProvider)
	assert.Equal(t, "log-in", person.ExecProvider.Command)
	settings, err := json.Marshal(person.ExecProvider.Config)
	require.NoError(t, err)
	assert.JSONEq(t, `{"audience":"prod"}`, string(settings),
		"the plugin's settings for this cluster")
}

func TestIdentityIgnoresCredentialsAndExtensions(t *testing.T) {
	first, second := write(t, "today", "mine"), write(t, "tomorrow", "renewed")
	assert.Equal(t, read(t, first, "kind-kind").Identity, read(t, second, "kind-kind").Identity)
	assert.NotEqual(t, read(t, first, "kind-kind").Text, read(t, second, "kind-kind").Text,
		"the credential is used")
	assert.Equal(t, read(t, first, "k3d-demo").Text, read(t, second, "k3d-demo").Text,
		"a note is no change")
	assert.Equal(t, read(t, first, "production").Text, read(t, second, "production").Text,
		"a note beside the plugin's settings")
	assert.NotEqual(t, read(t, first, "kind-kind").Identity, read(t, first, "k3d-demo").Identity)
	assert.NotEqual(t, read(t, first, "kind-kind").Identity, read(t, first, "production").Identity)
}

func TestFirstUsableKubeconfigFileWins(t *testing.T) {
	path := write(t, "now", "mine")
	paths, err := kubeconfig.DefaultPaths(func(string) string {
		return strings.Join([]string{"/nowhere/config", "", path}, string(os.PathListSeparator))
	})
	require.NoError(t, err)
	target, err := kubeconfig.Read(paths, "")
	require.NoError(t, err)
	assert.Equal(t, "https://api.example.org", target.Server, "no context is the current one")

	t.Setenv("HOME", "/home/person")
	paths, err = kubeconfig.DefaultPaths(func(string) string { return "" })
	require.NoError(t, err)
	assert.Equal(t, []string{"/home/person/.kube/config"}, paths)
}

func TestContextErrorsNameConfigurationKeyAndFix(t *testing.T) {
	path := write(t, "now", "mine")
	garbage := filepath.Join(t.TempDir(), "garbage")
	require.NoError(t, os.WriteFile(garbage, []byte("{"), 0o600))
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for name, test := range map[string]struct {
		cluster config.Cluster
		want    []string
	}{
		"no file": {config.Cluster{Kubeconfig: "/nowhere/config", Context: "kind-kind"},
			[]string{"strata:cluster.kubeconfig: /nowhere/config is not there; name the file, or set KUBECONFIG"}},
		"no such context": {config.Cluster{Kubeconfig: path, Context: "kind-kin"},
			[]string{"strata:cluster.context: kind-kin is no context of " + path +
				"; it has careless, cloud, half, k3d-demo, kind-kind, no-ca, no-cert, plain, production, typed"}},
		"no context at all": {config.Cluster{Kubeconfig: empty, Context: "kind-kind"},
			[]string{"is no context of " + empty + "; it has none"}},
		"a context without its user": {config.Cluster{Kubeconfig: path, Context: "half"},
			[]string{"strata:cluster.context: half of", "no-such-user",
				"try it: kubectl --kubeconfig '" + path + "' --context 'half' get nodes"}},
		"a CA file that is missing": {config.Cluster{Kubeconfig: path, Context: "no-ca"},
			[]string{"strata:cluster.context: no-ca of", "unable to read certificate-authority",
				"nope.crt"}},
		"a certificate file that is missing": {config.Cluster{Kubeconfig: path, Context: "no-cert"},
			[]string{"strata:cluster.context: no-cert of", "unable to read client-cert", "nope.crt"}},
		"a plugin with a terminal": {config.Cluster{Kubeconfig: path, Context: "typed"},
			[]string{"user typed: exec plugin log-in has interactiveMode Always",
				"no pulumi up has a terminal"}},
		"an auth-provider": {config.Cluster{Kubeconfig: path, Context: "cloud"},
			[]string{"strata:cluster.context: cloud of " + path +
				" cannot be used: user cloud: auth-provider gcp is not supported", "; write exec"}},
		"no verification": {config.Cluster{Kubeconfig: path, Context: "careless"},
			[]string{"insecure-skip-tls-verify", "certificate-authority-data"}},
		"no TLS": {config.Cluster{Kubeconfig: path, Context: "plain"},
			[]string{`server "http://10.0.0.1:8080" is not https://`}},
		"no kubeconfig": {config.Cluster{Kubeconfig: garbage, Context: "kind-kind"},
			[]string{"strata:cluster.context: kind-kind of " + garbage + " cannot be used"}},
		"relative, missing": {config.Cluster{Kubeconfig: "kube/config", Context: "kind-kind"},
			[]string{"strata:cluster.kubeconfig: kube/config is not there"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := kubeconfig.ForStack(&config.Config{Cluster: test.cluster}, t.TempDir())
			var problem config.Problem
			require.ErrorAs(t, err, &problem)
			for _, want := range test.want {
				assert.ErrorContains(t, err, want)
			}
			assert.NotContains(t, err.Error(), "robots-token")
		})
	}
	target, err := kubeconfig.ForStack(&config.Config{
		Cluster: config.Cluster{Kubeconfig: filepath.Base(path), Context: "kind-kind"}},
		filepath.Dir(path))
	require.NoError(t, err, "relative to the project")
	assert.Equal(t, "https://127.0.0.1:34567", target.Server)
}

func TestParsedKubeconfigHasOnlyCurrentContext(t *testing.T) {
	text, err := os.ReadFile(write(t, "today", "certificate"))
	require.NoError(t, err)
	target, err := kubeconfig.Parse(text)
	require.NoError(t, err)
	assert.Equal(t, "https://api.example.org", target.Server)
	assert.NotContains(t, string(target.Text), "robots-token", "another user's")

	again, err := kubeconfig.Parse(target.Text)
	require.NoError(t, err)
	assert.Equal(t, target, again, "what was read once is read as it is")

	var missing *kubeconfig.ContextError
	_, err = kubeconfig.Parse([]byte("apiVersion: v1\nkind: Config\n"))
	require.ErrorAs(t, err, &missing)
	require.EqualError(t, err, "has no current context; it has none")
}
