package kubeconfig_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/cluster/kubeconfig"
	"strata/config"
)

// secretive returns a kubeconfig with a cluster, with a user, and with more clusters and users.
func secretive(cluster, user, clusters, users string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters:
- {name: c, cluster: {%s}}
%s
users:
- {name: u, user: {%s}}
%s
`, cluster, clusters, user, users)
}

// broken returns unusable kubeconfigs that contain the secret hunter2, each with a text that the
// error must contain.
func broken() map[string]string {
	const good, token = `server: "https://a:1"`, "token: hunter2"
	all := map[string]string{
		secretive(good, token, "", "- {name: u, user: {password: hunter2}}"):                                `duplicate name "u" in list`,
		secretive(good+", certificate-authority-data: aHVudGVyMg==", token, "- {name: c, cluster: {}}", ""): `duplicate name "c" in list`,
		secretive(good+`, proxy-url: "htp://me:hunter2@p:1"`, token, "", ""):                                "'proxy-url'",
		secretive(good+`, proxy-url: "http://me:hunter2/@p:1"`, token, "", ""):                              "'proxy-url'",
		secretive(good+`, proxy-url: "me:hunter2@p:1"`, token, "", ""):                                      "'proxy-url'",
		secretive(good+`, proxy-url: "http://me:hunter2@p:x"`, token, "", ""):                               "'proxy-url'",
	}
	for _, server := range []string{
		"http://me:hunter2@a:1", "https://me:hunter2@a:1", "https://me:hunter2@a:x",
		"https://me:hunter2/@a:1", "me:hunter2@a:1", "//me:hunter2@a",
	} {
		all[secretive(`server: "`+server+`"`, token, "", "")] = "context c: server "
	}
	for _, value := range []string{
		"[hunter2]", "{a: hunter2}", "*hunter2", "!!int hunter2", "!!float hunter2",
		"!!bool hunter2", `"hunter2\q"`, "hunter2: hunter2", "|hunter2", "'hunter2", "@hunter2",
	} {
		for _, key := range []string{"token", "password", "client-key-data", "username"} {
			all[secretive(good, key+": "+value, "", "")] = ""
		}
	}
	return all
}

func TestErrorsDoNotQuoteKubeconfig(t *testing.T) {
	added, err := kubeconfig.Rename([]byte(secretive(`server: "https://a:1"`, "token: t", "", "")), "d")
	require.NoError(t, err)
	for text, want := range broken() {
		path := filepath.Join(t.TempDir(), "config")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		t.Setenv(kubeconfig.Variable, path)
		stack := &config.Config{Cluster: config.Cluster{Context: "c"}}
		for entrance, open := range map[string]func() error{
			"read":   func() error { _, err := kubeconfig.Read([]string{path}, "c"); return err },
			"stack":  func() error { _, err := kubeconfig.ForStack(stack, "."); return err },
			"parse":  func() error { _, err := kubeconfig.Parse([]byte(text)); return err },
			"rename": func() error { _, err := kubeconfig.Rename([]byte(text), "d"); return err },
			"merge": func() error {
				_, _, err := kubeconfig.Merge(added)
				return err
			},
		} {
			err := open()
			if err == nil && (entrance == "rename" || entrance == "merge") {
				continue // They do not use the cluster's URLs.
			}
			if !assert.Error(t, err, "%s:%s", entrance, text) {
				continue
			}
			assert.NotContains(t, err.Error(), "hunter2", "%s:%s", entrance, text)
			assert.NotContains(t, err.Error(), "104 117 110", "as numbers; %s:%s", entrance, text)
			if entrance == "read" || entrance == "parse" {
				assert.ErrorContains(t, err, want, text)
			}
		}
	}
}
